package list

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/field"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// Detect returns the kind of a list by its decompressed beginning, head, which is up to format.SampleBytes long, and by
// its name if that is not conclusive. By default, a list is URLs. The error describes input that is not a list or
// cannot be read.
//
// Only the columns of o matter: a table is a list that has these columns, or a column with one of the usual
// names.
func Detect(head []byte, name string, o Options) (Kind, error) {
	text := bytes.TrimPrefix(head, format.BOM)
	if form := sniff.Form(head); form == "warc" || form == "parquet" {
		return ParseKind(form), nil
	}
	if err := sniff.NotText(head, true); err != nil { // a row may be longer than head
		return Unknown, errors.New(notList.Replace(err.Error()))
	}
	rows := sample(text, sampleRows)
	if len(rows) == 0 {
		return byName(name), nil
	}
	switch first := bytes.TrimLeft(rows[0], " \t"); {
	case first[0] == '<':
		if kind, err := markup(text); kind != Unknown || err != nil {
			return kind, err
		}
	case first[0] == '{':
		return objects(head, rows)
	case bytes.Contains(first, []byte("\x00http")): // as find -print0 and sort -z write
		return Unknown, errors.New("its URLs end in zero bytes, not in line ends: convert it with tr '\\0' '\\n'")
	case rowsLine().Match(first):
		return Unknown, errors.New("it is an array of arrays of JSON, as the Wayback Machine's index is with output=json: " +
			"convert it with jq -r '.[] | @csv', or leave output out")
	case arrayLine().Match(first):
		return Unknown, errors.New(
			"it is an array of JSON, not a list with an object on each line: convert it with jq -c '.[]'")
	}
	if form := sniff.Form(rows[0]); form == "cdx" || form == "cdxj" {
		return ParseKind(form), nil
	}
	return lines(text, rows, name, o)
}

// arrayLine matches a possible first line of an array.
var arrayLine = lazy.Regexp(`^\[\s*([{\["]|$)`)

// rowsLine matches a possible first line of an array of arrays.
var rowsLine = lazy.Regexp(`^\[\s*\[`)

// notList rewords an error of package sniff from "log" to "list".
var notList = strings.NewReplacer(", not a log", ", not a list", ", not a text log", ", not a list")

func byName(name string) Kind {
	if kind := ParseKind(sniff.Named(name)); kind != Unknown {
		return kind
	}
	return URLs
}

// lines returns the kind of a list whose lines are neither JSON nor an index.
func lines(head []byte, rows [][]byte, name string, o Options) (Kind, error) {
	table := CSV
	if bytes.IndexByte(rows[0], '\t') >= 0 {
		table = TSV
	}
	named, whole := isTable(table, head, rows, o)
	if kind := byName(name); kind == CSV || kind == TSV {
		if asNamed, allNamed := isTable(kind, head, rows, o); (named || whole) && !asNamed && !allNamed {
			return table, nil // as with TSV in a file of Ahrefs called .csv
		}
		return kind, nil
	}
	if o != (Options{}) || named {
		return table, nil
	}
	switch isList := slices.ContainsFunc(rows, hasScheme); {
	case !whole && (isList || rows[0][0] == '/'):
		return URLs, nil
	case whole && isList:
		return table, nil
	}
	if err := otherLines(rows); err != nil {
		return Unknown, err
	}
	if whole {
		return table, nil
	}
	return URLs, nil
}

// isTable reports whether rows form a table. named means that a header names a column of URLs.
// whole means that all rows have the same number of fields, and that the URL isn't simply the first
// of several: it is quoted, under a header, in a later column or in TSV, or only codes follow it. In
// three rows or more a status, another URL or nothing is a code, too: not all URLs of a list end so.
func isTable(k Kind, head []byte, rows [][]byte, o Options) (named, whole bool) {
	l, table, err := kinds[k].table(head, o)
	if err != nil {
		return false, false
	}
	isOne := k == TSV || l.url > 0 || rows[0][0] == '"' || l.headers > 0 && len(table) > 0 && len(table[0]) > 1 ||
		!slices.ContainsFunc(table, func(row []string) bool { return isOther(row, len(table) > 2) })
	whole = isOne && !slices.ContainsFunc(table, func(row []string) bool { return len(row) != len(table[0]) })
	return l.named, whole
}

// code matches a language, country or region code, which no URL has after a comma.
var code = lazy.Regexp(`^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$`)

// usualStatus matches the statuses of nearly all answers, and the 000 of curl. Other numbers belong to the URL.
var usualStatus = lazy.Regexp(`^(?:000|20[0-6]|30[1-478]|4(?:0[013-9]|10|2[29]|51)|50[0-4]|52[0-7])$`)

// isOther reports whether a row is anything but a URL with codes.
func isOther(row []string, several bool) bool {
	codes := row[min(1, len(row)):]
	return len(codes) == 0 || !several && strings.Join(codes, "") == "" ||
		slices.ContainsFunc(codes, func(text string) bool {
			text = strings.TrimSpace(text)
			return text != "" && !code().MatchString(text) && (!several || !isURL(text) && !usualStatus().MatchString(text))
		})
}

// objects reports whether rows that begin with a brace are lines of JSON.
func objects(head []byte, rows [][]byte) (Kind, error) {
	isWhole := func(row []byte) bool { // whatever is inside: Python writes NaN
		row = trim(row)
		return row[0] == '{' && field.ObjectLength(row) == len(row)
	}
	if len(rows) > 1 && !slices.ContainsFunc(rows[:2], isWhole) {
		return Unknown, errors.New(
			"it is JSON over several lines, not a list with an object on each line: convert it with jq -c")
	}
	if _, isURL := usualPath(rows); !isURL {
		if err := otherLines(rows); err != nil {
			return Unknown, err
		}
	}
	return JSON, nil
}

// otherLines returns an error that identifies rows of a log or of another known format, or nil if
// they aren't recognized.
func otherLines(rows [][]byte) error {
	const most = 16
	f, err := format.Detect(append(bytes.Join(rows[:min(len(rows), most)], []byte("\n")), '\n'), true)
	if err == nil {
		return fmt.Errorf("it looks like an access log (%s), not a list of URLs", f.Name())
	}
	if is := sniff.Lines(rows); is != "" {
		is, _, _ = strings.Cut(is, ";")
		is, _, _ = strings.Cut(is, ",")
		return fmt.Errorf("it is %s, not a list of URLs", is)
	}
	return nil
}

// markup returns the kind of a text that begins with a tag, with an error if it can't be read. It
// returns Unknown without an error if the text only looks like markup.
func markup(text []byte) (Kind, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict, d.CharsetReader = false, charset
	for {
		token, err := d.RawToken()
		switch {
		case errors.Is(err, errEncoding):
			return Unknown, err
		case err != nil:
			return Unknown, nil //nolint:nilerr // it isn't markup
		}
		switch t := token.(type) {
		case xml.Directive:
			fields := strings.Fields(strings.ToLower(string(t)))
			if len(fields) > 1 && fields[0] == "doctype" && fields[1] == "html" {
				return Unknown, errPage
			}
		case xml.StartElement:
			switch name := strings.ToLower(t.Name.Local); {
			case roots[name]:
				return Sitemap, nil
			case name == "html":
				return Unknown, errPage
			}
			return Unknown, fmt.Errorf("it is XML or HTML that begins with the element %s, not a sitemap",
				shorten(t.Name.Local))
		}
	}
}

var errPage = errors.New("it is a web page, not a list of URLs")

// roots are the names of root elements that NewSitemap accepts.
var roots = map[string]bool{"urlset": true, "sitemapindex": true, "rss": true, "feed": true, "rdf": true}
