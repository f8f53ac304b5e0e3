package capture

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// Field is a field of a capture in a table or an object.
type Field int

// The fields, as JSONLines describes them. Date is when the capture was made.
const (
	Host Field = iota
	Body
	Coded
	Status
	Location
	Date
	numFields
)

var fieldNames = [numFields]string{"host", "body", "body_b64", "status", "location", "date"}

// Fields maps each field to the name of a column, or to the path of a member with dots between the
// names. The zero value stands for the names in JSONLines, without a date. An empty name in any
// other value means that there is no such column.
type Fields [numFields]string

// ParseFields parses fields such as "host=domain,body=meta.robots".
func ParseFields(text string) (f Fields, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, column, ok := strings.Cut(strings.TrimSpace(part), "=")
		field := slices.Index(fieldNames[:], name)
		if !ok || field < 0 || column == "" {
			return f, fmt.Errorf("%q is not FIELD=NAME, with one of the fields %s",
				part, strings.Join(fieldNames[:], ", "))
		}
		f[field] = column
	}
	switch {
	case f[Host] == "":
		return f, fmt.Errorf("%q does not say which member has the host", text)
	case f[Body] == "" && f[Coded] == "" && f[Status] == "":
		return f, fmt.Errorf("%q does not say which member has the body", text)
	}
	return f, nil
}

// filled returns the names in use.
func (f Fields) filled() Fields {
	if f == (Fields{}) {
		copy(f[:Date], fieldNames[:Date])
	}
	return f
}

// Columns returns the nonempty names in use, and the field of each.
func (f Fields) Columns() (names []string, fields []Field) {
	for field, name := range f.filled() {
		if name != "" {
			names, fields = append(names, name), append(fields, Field(field))
		}
	}
	return names, fields
}

// Values are the texts of a capture's fields, nil if missing.
type Values [numFields][]byte

// Capture returns the capture with these values, as described at JSONLines. The reason is "" if
// there is one.
func (v Values) Capture(o Options) (c Capture, why Reason) {
	switch {
	case v[Host] == nil:
		return c, NoHost
	case v[Body] != nil && v[Coded] != nil:
		return c, TwoBodies
	}
	status := 200
	if v[Status] != nil {
		n, err := strconv.Atoi(strings.TrimSuffix(string(v[Status]), ".0")) // pandas writes 200.0 beside missing ones
		if status = n; err != nil || status < 100 || status > 999 {
			return c, BadStatus
		}
	}
	if v[Date] != nil {
		var ok bool
		if c.Time, ok = parseDate(string(v[Date])); !ok {
			return c, BadDate
		}
		c.Month = len(v[Date]) == len("2006-01")
	}
	c.Status = uint16(status)
	switch answer.Of(status, answer.Archive) {
	case answer.Nothing:
		return c, NotModified
	case answer.Redirect:
		c.Location = string(v[Location])
	case answer.File:
		c.Body, why = v.body(o)
		if why != "" {
			return c, why
		}
	}
	var err error
	if c.Origins, err = origin.Parse(string(v[Host])); err != nil {
		return c, BadHost
	}
	return c, ""
}

func (v Values) body(o Options) (body []byte, why Reason) {
	switch {
	case v[Coded] != nil:
		var err error
		if body, err = base64.StdEncoding.AppendDecode([]byte{}, v[Coded]); err != nil {
			return nil, NotJSON
		}
	case v[Body] != nil:
		body = v[Body]
	default:
		return nil, NoBody
	}
	return body[:min(len(body), o.MaxBody)], ""
}

var dateLayouts = [...]string{
	time.DateOnly, "2006-01", time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateTime,
	"20060102150405", "2006-01-02T150405Z07:00",
}

// parseDate parses the date of a capture: RFC 3339, optionally without smaller units or with a blank,
// the digits of CDX, or another time of format.Instant but a year or month in digits. A date without a zone is in
// UTC, and one without a time means midnight.
func parseDate(text string) (t time.Time, ok bool) {
	layouts := dateLayouts[:]
	if len(text) <= len(time.DateOnly) {
		layouts = layouts[:2] // the others are longer
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	if unix, ok := format.Instant([]byte(text)); ok && len(text) >= len("20060102") {
		return time.Unix(unix, 0).UTC(), true
	}
	return t, false
}
