package filter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/list"
)

// Annotator appends to dst the line that replaces a row, including its line end. layout describes the row's input; it
// is nil for a list of URLs. If a row is too long, only its beginning is available. It must be safe for concurrent
// use.
type Annotator func(dst []byte, layout *list.Layout, row *list.Row, v Verdict) []byte

type agentNames []string

// NewJSON returns the Annotator that writes objects, such as {"allowed":false,"barred":["GPTBot"],"line":12}, for
// agents with these names. If no rules apply to a row, allowed is null, and reason is the name of its class; reason is
// also present if robots.txt is unreachable or the page bars its use.
func NewJSON(names []string) Annotator {
	a := quoted(names)
	return func(dst []byte, _ *list.Layout, _ *list.Row, v Verdict) []byte {
		return append(a.object(dst, v), '\n')
	}
}

// NewTSV returns the Annotator that writes three tab-separated fields: the name of the class, the names of the barred
// agents, separated by commas, and the line of the rule. It fails if a name contains a byte with a special meaning
// there.
func NewTSV(names []string) (Annotator, error) {
	a := agentNames(names)
	return func(dst []byte, _ *list.Layout, _ *list.Row, v Verdict) []byte {
		return append(a.fields(dst, '\t', v), '\n')
	}, a.check()
}

// NewAppended returns the Annotator that appends the result to each row: the three fields of NewTSV or, in a JSON
// object, a member called robotsieve. Fields after a URL are separated by tabs. A row that is too long or malformed
// is replaced by the fields, or by an object that has only that member. NewAppended fails in the same cases as
// NewTSV.
func NewAppended(names []string) (Annotator, error) {
	fields, objects := agentNames(names), quoted(names)
	return func(dst []byte, layout *list.Layout, row *list.Row, v Verdict) []byte {
		kind, delimiter := list.URLs, byte('\t')
		if layout != nil {
			kind, delimiter = layout.Kind(), layout.Delimiter()
		}
		text, end := row.Text, "\n"
		if bytes.HasSuffix(row.Line, []byte("\r\n")) {
			end = "\r\n"
		}
		if v.Class == TooLong || v.Class == BadRow {
			text = nil
		}
		switch {
		case kind == list.JSON, kind == list.CDXJ && row.End > 0:
			dst = objects.inside(dst, text, row.End, v)
		case v.Class == Header:
			dst = append(dst, text...)
			for _, name := range [...]string{member, member + "_barred", member + "_line"} {
				dst = append(append(dst, delimiter), name...)
			}
		default:
			if text != nil {
				dst = append(append(dst, text...), delimiter)
			}
			dst = fields.fields(dst, delimiter, v)
		}
		return append(dst, end...)
	}, fields.check()
}

// member is the name of the member added to an object, and the prefix of the added columns. No list is likely to
// use it.
const member = "robotsieve"

// inside appends the JSON object that ends at text[end], with one more member. If there is no text or end is
// negative, it appends an object with only that member.
func (a agentNames) inside(dst, text []byte, end int, v Verdict) []byte {
	before, behind := []byte("{"), []byte("}")
	if text != nil && end > 0 {
		before, behind = text[:end], text[end:]
	}
	dst = append(dst, before...)
	if !bytes.HasSuffix(bytes.TrimRight(before, " \t"), []byte("{")) { // it has other members
		dst = append(dst, ',')
	}
	return append(a.object(append(dst, `"`+member+`":`...), v), behind...)
}

// quoted returns names as JSON strings.
func quoted(names []string) (a agentNames) {
	for _, name := range names {
		text, _ := json.Marshal(name) // strings cause no error
		a = append(a, string(text))
	}
	return a
}

// check fails if a name has a byte that would end a field.
func (a agentNames) check() error {
	for _, name := range a {
		if strings.ContainsAny(name, ",;|\t\n\r\"") {
			return fmt.Errorf("the name of agent %q cannot be a field: it has a comma, a tab, a quote or the like", name)
		}
	}
	return nil
}

// object appends the verdict on a row as an object.
func (a agentNames) object(dst []byte, v Verdict) []byte {
	dst = append(dst, `{"allowed":`...)
	switch v.Class {
	case Allowed:
		dst = append(dst, "true"...)
	case Disallowed, Unreachable, ByPage:
		dst = append(dst, "false"...)
	default:
		dst = append(dst, "null"...)
	}
	dst = a.barred(append(dst, `,"barred":[`...), v)
	dst = strconv.AppendUint(append(dst, `],"line":`...), uint64(v.Line), 10)
	if v.Class != Allowed && v.Class != Disallowed {
		dst = append(append(append(dst, `,"reason":"`...), v.Class.String()...), '"')
	}
	return append(dst, '}')
}

// fields appends the verdict on a row as fields. In CSV, the names are quoted if there are several.
func (a agentNames) fields(dst []byte, delimiter byte, v Verdict) []byte {
	dst = append(append(dst, v.Class.String()...), delimiter)
	if several := v.Barred&(v.Barred-1) != 0; several && delimiter == ',' {
		dst = append(a.barred(append(dst, '"'), v), '"')
	} else {
		dst = a.barred(dst, v)
	}
	return strconv.AppendUint(append(dst, delimiter), uint64(v.Line), 10)
}

// barred appends the names of the barred agents, separated by commas.
func (a agentNames) barred(dst []byte, v Verdict) []byte {
	for i, more := 0, false; v.Barred>>i != 0; i++ {
		if v.Barred>>i&1 == 0 {
			continue
		}
		if more {
			dst = append(dst, ',')
		}
		dst, more = append(dst, a[i]...), true
	}
	return dst
}
