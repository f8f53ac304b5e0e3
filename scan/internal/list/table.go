package list

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// urlNames are the default names of columns and members with URLs, the likeliest first. In tables
// case is ignored.
var urlNames = []string{
	"url", "uri", "link", "href", "loc", "target_uri", "warc_target_uri", "WARC-Target-URI", "target-uri",
	"original_url", "original_uri", "page_url", "source_url", "page", "address",
}

// UsualColumn returns the likeliest column with URLs, judging by the names, or "" if there is none.
func UsualColumn(columns []string) string {
	if i := usualColumn(columns, func(int) bool { return true }); i >= 0 {
		return columns[i]
	}
	return ""
}

// usualColumn returns the index of the likeliest candidate by name, or -1 if there is none.
func usualColumn(columns []string, maybe func(column int) bool) int {
	for _, name := range urlNames {
		if i := columnOf(columns, name); i >= 0 && maybe(i) {
			return i
		}
	}
	return -1
}

// noDelimiter is the delimiter of a table with one column: a byte that occurs in no row.
const noDelimiter = '\n'

// newTable returns the layout of a table. Its delimiter is the likeliest that leaves a column for
// the URLs.
func newTable(k *kindRow, head []byte, o Options) (*Layout, error) {
	l, _, err := k.table(head, o)
	return l, err
}

// table returns the layout of a table, and the fields of its first rows, from the header on.
func (k *kindRow) table(head []byte, o Options) (layout *Layout, table [][]string, err error) {
	often := func(x, y byte) int { return bytes.Count(head, []byte{x}) - bytes.Count(head, []byte{y}) }
	likeliest := field.Columns{Delimiter: slices.MaxFunc([]byte(k.delimiters), often), Quotes: true}
	lines := sampleRecords(head, sampleRows, &likeliest) // a header may have line ends
	skipped, note, delimiters := k.notes(lines)
	skipped += k.titles(lines[skipped:], o)
	if delimiters == nil {
		delimiters = k.likely(lines[skipped:])
	}
	for _, d := range delimiters {
		l := &Layout{shape: field.Columns{Delimiter: d, Quotes: true}, date: -1, headers: skipped, records: true}
		rows := sampleRecords(head, sampleRows, &l.shape)
		table := split(&l.shape, rows[min(skipped, len(rows)):])
		missing := l.findColumns(table, note, o)
		if missing == nil {
			if d == tabs.Delimiter {
				l.shape.IsRow = l.isRow
			}
			return l, table, nil
		}
		err = cmp.Or(err, missing)
	}
	return nil, nil, err
}

// notes returns how many of the first lines of a table are notes, which begin with #, or tell a
// spreadsheet the delimiter (sep=;), the last of the former, and the delimiter.
func (k *kindRow) notes(lines [][]byte) (n int, note, delimiter []byte) {
	for ; n < len(lines); n++ {
		text := bytes.Trim(lines[n], "\" \r")
		isSeparator := n == 0 && len(text) == len("sep=;") && bytes.EqualFold(text[:4], []byte("sep="))
		switch {
		case isSeparator && len(k.delimiters) > 1:
			delimiter = text[4:]
		case isSeparator:
		case len(text) == 0 || text[0] != '#' || hasURL(lines[n], k.delimiters):
			return n, note, delimiter
		default:
			note = text
		}
	}
	return n, note, delimiter
}

// hasURL reports whether any field of a line is a URL, for any delimiter among some bytes.
func hasURL(line []byte, delimiters string) bool {
	return slices.ContainsFunc(bytes.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(delimiters, r) }),
		func(text []byte) bool { return isURL(strings.Trim(string(text), `"`)) })
}

// titles returns how many of the first lines of a table are a title above its header: they have
// fewer or more fields than the header and the first row with a URL.
func (k *kindRow) titles(lines [][]byte, o Options) int {
	first := slices.IndexFunc(lines, func(line []byte) bool { return hasURL(line, k.delimiters) })
	if first < 2 || columnOf([]string{string(lines[0])}, o.Column) >= 0 || UsualColumn([]string{string(lines[0])}) != "" {
		return 0
	}
	for header := 1; header < first; header++ {
		for _, d := range []byte(k.delimiters) {
			shape := field.Columns{Delimiter: d, Quotes: true}
			width := shape.Split(nil, lines[header])
			isTitle := func(line []byte) bool { return shape.Split(nil, line) != width }
			if width > 1 && !isTitle(lines[first]) && isTitle(lines[0]) {
				return header
			}
		}
	}
	return 0
}

// likely returns the delimiters that cut the first row, and those first that cut most of the
// others into as many fields; noDelimiter is the last. A kind with one delimiter has no other.
func (k *kindRow) likely(rows [][]byte) (likely []byte) {
	if len(k.delimiters) == 1 {
		return []byte(k.delimiters)
	}
	var alike [256]int
	for _, d := range []byte(k.delimiters) {
		width, shape := 0, field.Columns{Delimiter: d, Quotes: true}
		for _, row := range rows {
			n := max(shape.Split(nil, row), 0)
			if width == 0 {
				width = n
			}
			if n == width && width > 1 {
				alike[d]++
			}
		}
		if alike[d] > 0 {
			likely = append(likely, d)
		}
	}
	slices.SortStableFunc(likely, func(x, y byte) int { return cmp.Compare(alike[y], alike[x]) })
	return append(likely, noDelimiter)
}

// split returns the fields of rows, or nil for an invalid row.
func split(shape *field.Columns, rows [][]byte) [][]string {
	table := make([][]string, len(rows))
	for i, row := range rows {
		shape, n := shape, shape.Split(nil, row)
		if n == field.Malformed && shape.Delimiter == tabs.Delimiter { // a row with unclosed quotes has no quoting
			shape, n = &tabs, tabs.Split(nil, row)
		}
		spans := make([]field.Span, max(n, 0))
		shape.Split(spans, row)
		for _, f := range spans {
			text := row[f.From:f.To]
			if shape.IsQuoted(row, f) {
				text = field.Undouble(nil, text)
			}
			table[i] = append(table[i], string(text))
		}
	}
	return table
}

// tabs is the shape of a TSV row without quoting, as database exports write it.
var tabs = field.Columns{Delimiter: '\t'}

// findColumns finds the header and the columns in the first rows of a table. The names may be in a
// note above it.
func (l *Layout) findColumns(table [][]string, note []byte, o Options) (err error) {
	if len(table) == 0 {
		return nil // the table is empty
	}
	names, below := table[0], table[1:] // if the first row is a header
	isHeader := !slices.ContainsFunc(names, isURL)
	if !isHeader {
		names, below = nil, table
		if noted := split(&l.shape, [][]byte{bytes.TrimLeft(note, "# ")})[0]; len(noted) == len(table[0]) {
			names = noted
		}
	}
	if at := usualColumn(names, func(int) bool { return true }); at >= 0 && isShifted(below, at, len(names)) {
		names = append([]string{""}, names...)
	}
	width := 0
	for _, row := range table {
		width = max(width, len(row))
	}
	if l.url, err = findColumn(o.Column, names, width); err != nil {
		return err
	}
	if l.date, err = findColumn(o.Date, names, width); err != nil {
		return err
	}
	usual := usualColumn(names, func(int) bool { return true })
	l.named = usual >= 0 || columnOf(names, o.Column) >= 0 || columnOf(names, o.Date) >= 0
	if l.url < 0 {
		l.url = usualColumn(names, func(column int) bool { return has(below, column, isAddress) })
	}
	if found := columnWithURLs(below); l.url < 0 && found >= 0 {
		if l.url = found; width > 1 {
			l.guess = fmt.Sprintf("column %d", found+1)
			if found < len(names) {
				l.guess += " (" + shorten(strings.TrimSpace(names[found])) + ")"
			}
		}
	}
	if l.url < 0 {
		l.url = usual
	}
	if l.url < 0 {
		return errors.New("no column of its first rows has URLs, and none has a usual name, such as url; " +
			"name it (option List.Column)" + columnList(names))
	}
	if isHeader && (l.named || l.isAbove(names, below)) {
		l.headers++
		l.width = len(names)
	}
	return nil
}

// isShifted reports whether all rows have a field before those that their header names, as R writes the numbers of
// rows: they have one field more, and URLs not in the column with a usual name, but in the next.
func isShifted(rows [][]string, usual, width int) bool {
	isOther := func(row []string) bool { return len(row) != width+1 || isAddress(row[usual]) }
	return !slices.ContainsFunc(rows, isOther) && has(rows, usual+1, isAddress)
}

// isRow reports whether a line of TSV, at whose end a quote is open, is a row all the same, because the quote is the
// first character of a title: the URL is behind it, or the next line has a URL in the same column.
func (l *Layout) isRow(line, more []byte, quote int) bool {
	next, _, _ := bytes.Cut(more, []byte("\n"))
	if at := l.urlAt(line); at < 0 || at > quote {
		return at >= 0
	}
	return l.urlAt(next) >= 0 && bytes.IndexByte(next, l.shape.Delimiter) >= 0
}

// urlAt returns where a line has a URL in the column of URLs, if none of its fields is quoted, or -1.
func (l *Layout) urlAt(line []byte) (at int) {
	for range l.url {
		next := bytes.IndexByte(line[at:], l.shape.Delimiter)
		if next < 0 {
			return -1
		}
		at += next + 1
	}
	if !hasScheme(line[at:]) {
		return -1
	}
	return at
}

// isAbove reports whether a row without a URL is the header of the rows below. Whatever its words,
// they have URLs in its column.
func (l *Layout) isAbove(names []string, below [][]string) bool {
	if l.url >= len(names) || strings.TrimSpace(names[l.url]) == "" {
		return false
	}
	isAlone := len(below) == 0 && !isAddress(names[l.url]) // as with a pipe, whose rows come later
	return isAlone || has(below, l.url, isURL)
}

// has reports whether any row has a field in the column for which is returns true.
func has(rows [][]string, column int, is func(string) bool) bool {
	return slices.ContainsFunc(rows, func(row []string) bool { return column < len(row) && is(row[column]) })
}

// columnOf returns the index of a column by its name, or -1 if there is none. It ignores case if
// there is no exact match.
func columnOf(names []string, name string) int {
	if name == "" {
		return -1
	}
	if i := slices.IndexFunc(names, func(n string) bool { return strings.TrimSpace(n) == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) })
}

// findColumn returns the index of a column by its name or its number, from 1 to width. It returns
// -1 for an empty text.
func findColumn(column string, names []string, width int) (int, error) {
	if column == "" {
		return -1, nil
	}
	if i := columnOf(names, column); i >= 0 {
		return i, nil
	}
	n, err := strconv.Atoi(column)
	switch {
	case err != nil:
		return 0, fmt.Errorf("there is no column %q%s", column, columnList(names))
	case n < 1 || n > width:
		return 0, fmt.Errorf("there is no column %d; its first rows have %d", n, width)
	}
	return n - 1, nil
}

// columnList lists the columns for an error message, after a semicolon.
func columnList(names []string) string {
	const most = 30
	if len(names) == 0 {
		return "; its first row has no names of columns: give the number of one, from 1"
	}
	list, more := names, ""
	if len(list) > most {
		list, more = list[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	quoted := make([]string, len(list))
	for i, name := range list {
		quoted[i] = shorten(strings.TrimSpace(name))
	}
	return "; it has " + strings.Join(quoted, ", ") + more
}

// shorten quotes the beginning of an untrusted text.
func shorten(text string) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}

// columnWithURLs returns the first column that has a URL in at least half of its rows, or -1 if
// there is none.
func columnWithURLs(table [][]string) int {
	var urls, rows []int
	for _, row := range table {
		for i, field := range row {
			if i == len(rows) {
				urls, rows = append(urls, 0), append(rows, 0)
			}
			rows[i]++
			if isURL(field) {
				urls[i]++
			}
		}
	}
	for i, n := range urls {
		if n > 0 && 2*n >= rows[i] {
			return i
		}
	}
	return -1
}

func isURL(field string) bool { return hasScheme(trim([]byte(field))) }

// isAddress reports whether a field is a URL or a request target.
func isAddress(field string) bool {
	return strings.HasPrefix(strings.TrimSpace(field), "/") || isURL(field)
}

// columns returns the values of the URL and time columns. It decodes a key in the URL column.
func (r *Reader) columns(row *Row) (url, date []byte) {
	l, n := r.layout, len(r.fields)
	isSound := r.lines && l.records
	areQuoted := isSound && l.shape.Quoted(r.fields, row.Text)
	if !areQuoted {
		n = l.shape.First(r.fields, row.Text, isSound)
	}
	if n == field.Malformed && l.kind == TSV {
		n = tabs.Split(r.fields, row.Text)
	}
	if n == field.Malformed {
		row.State = BadRow
		return nil, nil
	}
	switch {
	case areQuoted:
		url = row.Text[r.fields[l.url].From:r.fields[l.url].To]
	case l.url < n && l.kind == CSV && l.isCut(row.Text, r.fields[l.url]):
		row.State = BadRow
		return nil, nil
	case l.url < n:
		url = r.value(row.Text, r.fields[l.url])
	}
	if l.date >= 0 && l.date < n {
		date = r.value(row.Text, r.fields[l.date])
	}
	switch {
	case l.surt:
		url = r.unkeyed(url)
	case l.kind == CDX && string(url) == "-":
		url = nil
	}
	return url, date
}

// isCut reports whether the delimiter behind a URL may belong to it: it is not quoted, the row has more fields than the
// header, and the next field has no blank, as a title with commas does. Empty fields at the end don't count, as
// spreadsheets write them.
func (l *Layout) isCut(row []byte, url field.Span) bool {
	delimiter := []byte{l.shape.Delimiter}
	if l.width == 0 || bytes.Count(row[url.To:], delimiter) < l.width-l.url || l.shape.IsQuoted(row, url) {
		return false
	}
	next, _, _ := bytes.Cut(row[url.To+1:], delimiter)
	return bytes.IndexByte(next, ' ') < 0 &&
		l.shape.Split(nil, bytes.TrimRight(row, string(delimiter)+"\r")) > l.width
}

// value returns the value of a field, using the reader's buffer if it is quoted or escaped.
func (r *Reader) value(row []byte, f field.Span) []byte {
	text, isQuoted := row[f.From:f.To], r.layout.shape.IsQuoted(row, f)
	switch {
	case r.layout.kind == TSV && !isQuoted:
		return r.unescaped(text)
	case !isQuoted || bytes.IndexByte(text, '"') < 0:
		return text
	}
	from := len(r.buf)
	r.buf = field.Undouble(r.buf, text)
	return r.buf[from:len(r.buf):len(r.buf)]
}

// unescaped returns the unescaped value of a TSV field, or nil if it is null.
//
// Source: https://clickhouse.com/docs/interfaces/formats/TabSeparated
func (r *Reader) unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	if string(text) == `\N` {
		return nil
	}
	from := len(r.buf)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			if at := strings.IndexByte(`tnr\0bf'`, text[i+1]); at >= 0 {
				c = "\t\n\r\\\x00\b\f'"[at]
				i++
			}
		}
		r.buf = append(r.buf, c)
	}
	return r.buf[from:len(r.buf):len(r.buf)]
}
