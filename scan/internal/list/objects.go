package list

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// urlPaths are the default paths of URL members in JSON lines, most likely first. They cover Dolma,
// DataTrove, RedPajama, OSCAR (warc_headers) and HPLT (u), among others.
var urlPaths = slices.Concat(urlNames, []string{
	"URL", "URI", "metadata.url", "meta.url", "metadata.uri", "metadata.source_url", "metadata.WARC-Target-URI",
	"metadata.warc_target_uri", "warc_headers.warc-target-uri", "metadata.warc_headers.warc-target-uri", "request.url",
	"u",
})

// Indexes of the members of JSON and CDXJ.
const (
	urlMember = iota
	dateMember
)

func newObjects(_ *kindRow, head []byte, o Options) (*Layout, error) {
	rows := sample(head, sampleRows)
	url, guess := o.Column, ""
	if url == "" {
		var isURL bool
		if url, isURL = usualPath(rows); !isURL {
			if guess = pathWithURLs(rows); guess != "" {
				url, guess = guess, "member "+guess
			}
		}
	}
	members := memberList(rows)
	if url == "" && members != "" {
		return nil, errors.New("its first objects have no member with a usual name, such as url; " +
			"name it (option List.Column)" +
			members)
	}
	for _, path := range []string{url, o.Date} {
		isThere := func(value []byte) bool { return value != nil }
		if path != "" && members != "" && !slices.ContainsFunc(valuesOf(rows, path), isThere) {
			return nil, fmt.Errorf("its first objects have no member %s%s", shorten(path), members)
		}
	}
	return withMembers(&Layout{guess: guess}, cmp.Or(url, urlPaths[0]), o.Date), nil
}

// withMembers sets the paths of a layout's members; an empty path means none.
func withMembers(l *Layout, url, date string) *Layout {
	l.url, l.date = urlMember, -1
	paths := []string{url}
	if date != "" {
		l.date, paths = dateMember, append(paths, date)
	}
	l.object = objectOf(paths...)
	return l
}

// objectOf returns the shape of objects with one member per field.
func objectOf(paths ...string) *field.Object {
	var members []field.Member
	for i, path := range paths {
		members = append(members, field.Member{Field: i, Path: path})
	}
	return field.NewObject(members, nil)
}

// usualPath returns the first of urlPaths that leads to a URL in any of the rows, or else to any
// value, or else "".
func usualPath(rows [][]byte) (path string, isURL bool) {
	for _, usual := range urlPaths {
		for _, value := range valuesOf(rows, usual) {
			if isAddress(string(value)) {
				return usual, true
			}
			if value != nil && path == "" {
				path = usual
			}
		}
	}
	return path, false
}

// valuesOf returns the values of a member in rows, whose objects may be incomplete.
func valuesOf(rows [][]byte, path string) [][]byte {
	object, values := objectOf(path), make([][]byte, len(rows))
	for i, row := range rows {
		members := field.Row{Text: make([][]byte, 1)}
		object.Skim(row, &members)
		values[i] = members.Text[0]
	}
	return values
}

// pathWithURLs returns the path of the first member that has a URL in all rows where it occurs, or
// "" if there is none.
func pathWithURLs(rows [][]byte) string {
	for _, path := range membersOf(rows) {
		isOther := func(value []byte) bool { return value != nil && !isURL(string(value)) }
		values := valuesOf(rows, path)
		if !slices.ContainsFunc(values, isOther) &&
			slices.ContainsFunc(values, func(value []byte) bool { return value != nil }) {
			return path
		}
	}
	return ""
}

// membersOf returns the paths of the members of the first row that is an object.
func membersOf(rows [][]byte) (paths []string) {
	for _, row := range rows {
		for name, value := range field.Members(row) {
			paths = append(paths, string(name))
			for member := range field.Members(value) {
				paths = append(paths, string(name)+"."+string(member))
			}
		}
		if len(paths) > 0 && field.ObjectLength(row) == len(row) {
			return paths
		}
		paths = nil
	}
	return nil
}

// memberList lists the members of the first row that is an object, for an error message, after a
// semicolon. It returns "" if there is none.
func memberList(rows [][]byte) string {
	names := membersOf(rows)
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return columnList(names)
}

// object returns the values of the URL and time members in a row of JSON.
func (r *Reader) object(row *Row) (url, date []byte) {
	if !r.skim(row, row.Text) && !r.skim(row, bytes.TrimPrefix(row.Text, format.BOM)) { // files were concatenated
		row.State = BadRow
		return nil, nil
	}
	if r.layout.date >= 0 {
		date = r.members.Text[dateMember]
	}
	return r.members.Text[urlMember], date
}

// skim finds the members of the object at the end of a row, and reports whether it is complete.
func (r *Reader) skim(row *Row, object []byte) bool {
	n := r.layout.object.Skim(object, &r.members)
	if n >= 0 {
		row.End = len(row.Text) - len(object) + n - 1
	}
	return n >= 0
}
