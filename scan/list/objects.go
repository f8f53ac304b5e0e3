package list

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/format"
)

// urlPaths are the paths of members that have URLs by default in lines of JSON, the likeliest
// first: those of Dolma, DataTrove, RedPajama, OSCAR (warc_headers) and HPLT (u) are
// among them.
var urlPaths = slices.Concat(urlNames, []string{
	"URL", "URI", "metadata.url", "meta.url", "metadata.uri", "metadata.source_url", "metadata.WARC-Target-URI", "metadata.warc_target_uri",
	"warc_headers.warc-target-uri", "metadata.warc_headers.warc-target-uri", "request.url", "u",
})

// Indexes of the members of JSON and CDXJ.
const (
	urlMember = iota
	dateMember
)

// newObjects returns the layout of lines of JSON.
func newObjects(_ Kind, head []byte, o Options) (*Layout, error) {
	rows := sample(head, sampleRows)
	url := o.Column
	if url == "" {
		url = usualPath(rows)
	}
	members := memberList(rows)
	if url == "" && members != "" {
		return nil, errors.New("its first objects have no member with a usual name, such as url; name it (--column)" + members)
	}
	for _, path := range []string{url, o.Date} {
		if path != "" && members != "" && !hasMember(rows, path) {
			return nil, fmt.Errorf("its first objects have no member %s%s", shorten(path), members)
		}
	}
	return withMembers(&Layout{kind: JSON}, cmp.Or(url, urlPaths[0]), o.Date), nil
}

// withMembers sets the paths of the members of a layout; an empty one is none.
func withMembers(l *Layout, url, date string) *Layout {
	l.url, l.date = urlMember, -1
	paths := []string{url}
	if date != "" {
		l.date, paths = dateMember, append(paths, date)
	}
	l.members = format.NewMemberPaths(paths...)
	return l
}

// usualPath returns the first of urlPaths that leads to a URL in one of the rows, or else
// to anything; empty if none does.
func usualPath(rows [][]byte) string {
	present := ""
	for _, path := range urlPaths {
		for _, value := range valuesOf(rows, path) {
			if hasScheme(value) {
				return path
			}
			if value != nil && present == "" {
				present = path
			}
		}
	}
	return present
}

// valuesOf returns the values of a member in rows that begin an object, even if it does not
// end.
func valuesOf(rows [][]byte, path string) [][]byte {
	m := format.NewMembers(format.NewMemberPaths(path))
	values := make([][]byte, len(rows))
	for i, row := range rows {
		if bytes.HasPrefix(bytes.TrimLeft(row, " \t"), []byte("{")) {
			m.Reset(row)
			m.Object(0)
			values[i] = bytes.Clone(m.Value(0))
		}
	}
	return values
}

// hasMember tells whether one of the rows has a member with a value.
func hasMember(rows [][]byte, path string) bool {
	return slices.ContainsFunc(valuesOf(rows, path), func(value []byte) bool { return value != nil })
}

// memberList names the members of the first of the rows that is an object for an error,
// after a semicolon; it is empty if none is.
func memberList(rows [][]byte) string {
	for _, row := range rows {
		var object map[string]json.RawMessage
		if json.Unmarshal(row, &object) == nil && len(object) > 0 {
			var names []string
			for name, value := range object {
				names = append(names, name)
				var inner map[string]json.RawMessage
				if json.Unmarshal(value, &inner) == nil {
					for member := range inner {
						names = append(names, name+"."+member)
					}
				}
			}
			slices.SortFunc(names, strings.Compare)
			return columnList(names)
		}
	}
	return ""
}

// object reads a row of JSON that begins at an offset in the chunk.
func (r *Reader) object(row *Row, begin int) {
	behind := r.members.Object(begin)
	end := r.objectLine(behind)
	if end < 0 {
		if r.line(row, begin) {
			row.State = BadRow
		}
		return
	}
	r.endLine(row, begin, end)
	row.End = behind - 1 - begin
	var date []byte
	if r.layout.date >= 0 {
		date = r.members.Value(dateMember)
	}
	r.found(row, r.members.Value(urlMember), date)
}

// objectLine returns where the line ends of an object that ends at behind, -1 if that is
// negative or something else is behind the object.
func (r *Reader) objectLine(behind int) int {
	if behind < 0 {
		return -1
	}
	switch end := r.members.Blanks(behind); {
	case end == len(r.chunk):
		return end
	case r.chunk[end] == '\n':
		return end + 1
	}
	return -1
}
