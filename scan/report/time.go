package report

import (
	"bytes"
	"strings"
	"time"
)

// Time is a time in a report. Its text is RFC 3339 with the offset of its zone. The zero value
// means no time; its text is empty.
type Time struct{ time.Time }

// At converts nanoseconds since 1970 to a time of a report, in UTC and whole seconds.
func At(nanos int64) Time { return Time{time.Unix(0, nanos).UTC().Truncate(time.Second)} }

// String returns the text of the time.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(b []byte) (err error) {
	t.Time = time.Time{}
	if text := string(bytes.Trim(b, `"`)); text != "" {
		t.Time, err = time.Parse(time.RFC3339, text)
	}
	return err
}

// Zone returns the time zone for an IANA name, an offset such as +02:00, Local, or "" for UTC.
func Zone(name string) (*time.Location, error) {
	switch {
	case strings.EqualFold(name, "local"):
		return time.Local, nil
	case name == "Z":
		return time.UTC, nil
	}
	if at, err := time.Parse("Z07:00", name); err == nil {
		return at.Location(), nil
	}
	return time.LoadLocation(name)
}

// Localize converts the times of a report to its time zone, for people. Timelines already use it.
func (r *Report) Localize() {
	zone, err := Zone(r.TimeZone)
	if err != nil || zone == time.UTC {
		return
	}
	for _, t := range r.times() {
		if !t.IsZero() {
			t.Time = t.In(zone)
		}
	}
}

// times returns the times of the report, except for timelines and quoted lines.
func (r *Report) times() []*Time {
	list := []*Time{&r.From, &r.To, &r.Since, &r.Until, &r.OutsideFrom, &r.OutsideTo}
	for i := range r.Policy.Versions {
		list = append(list, &r.Policy.Versions[i].From)
	}
	for i := range r.RobotsTxt.Listed {
		list = append(list, &r.RobotsTxt.Listed[i].First, &r.RobotsTxt.Listed[i].Last)
	}
	for i := range r.Changes {
		list = append(list, &r.Changes[i].Time, &r.Changes[i].Since)
	}
	for i := range r.Crawlers {
		c := &r.Crawlers[i]
		list = append(list, &c.RobotsTxt.First, &c.RobotsTxt.Last)
		for j := range c.Rules {
			list = append(list, &c.Rules[j].Version)
		}
	}
	return list
}
