package preference

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ReadTDMRep reads a /.well-known/tdmrep.json. For each location, in file order, it states whether the author permits
// mining: No where the right is reserved. The first location that matches a path decides. Lines are the numbers
// of entries. It fails if the file is not an array of objects.
func ReadTDMRep(body []byte) (list []Statement, faults []Fault, err error) {
	var entries []map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &entries); err != nil {
		return nil, nil, fmt.Errorf("no tdmrep.json, which is an array of objects: %w", err)
	}
	for i, entry := range entries {
		text := func(name string) (s string) {
			_ = json.Unmarshal(entry[name], &s) // anything but a string is ""
			return s
		}
		add := func(use, value string) {
			list = append(list, Statement{TDMRep, use, text("location"), value, []int{i + 1}})
		}
		fault := func(text, more string) { faults = append(faults, Fault{WrongValue, i + 1, text, more}) }
		if text("location") == "" {
			fault("location", "an entry without a location is for no path")
			continue
		}
		given := string(entry["tdm-reservation"])
		value := find(TDMRep, "tdm").value(given)
		if value == "" {
			value = Unknown
			fault("tdm-reservation: "+given, "it must be the number 0 or 1, and counts as unset")
		}
		add("tdm", value)
		if policy := text("tdm-policy"); fullURL().MatchString(policy) {
			add("tdm-policy", policy)
		} else if entry["tdm-policy"] != nil {
			fault("tdm-policy: "+string(entry["tdm-policy"]), "it is no full URL")
		}
	}
	return list, faults, nil
}
