package render

import (
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/internal/english"
)

// block is a part of a document. An output writes the nonempty fields, in
// this order.
type block struct {
	Heading string // for outputs with headings
	Title   string
	List    []string
	Table   table
	Facts   []fact
	Quote   []string         // lines to be kept as they are
	Lines   []checkpage.Line // of a robots.txt, on the page only
	Text    []string         // paragraphs
}

// document is what outputs for people write: text, Markdown and the page support all of it.
type document []block

// fact is a named piece of information, or a term and its definition.
type fact struct{ Name, Text string }

// withText returns the nonempty blocks.
func withText(blocks ...block) document {
	return slices.DeleteFunc(blocks, func(b block) bool {
		return len(b.Facts)+len(b.List)+len(b.Table.Groups)+len(b.Quote)+len(b.Lines)+len(b.Text) == 0
	})
}

// Marks in the texts of a block: the text between one of them and markEnd has a tone, because it
// needs attention. No text of a Report has such bytes.
const (
	markAlarm   = "\x0e"
	markCaution = "\x0f"
	markEnd     = "\x10"
)

func alarm(text string) string   { return markAlarm + text + markEnd }
func caution(text string) string { return markCaution + text + markEnd }

// unmarked removes the marks of a text.
var unmarked = strings.NewReplacer(markAlarm, "", markCaution, "", markEnd, "")

// span is a part of a text; its tone is alarm, caution or empty.
type span struct{ Text, Tone string }

// spans takes a text apart by its tones.
func spans(text string) (list []span) {
	for part := range strings.SplitSeq(text, markEnd) {
		plain, toned, isAlarm := strings.Cut(part, markAlarm)
		tone := "alarm"
		if !isAlarm {
			plain, toned, _ = strings.Cut(part, markCaution)
			tone = "caution"
		}
		list = append(list, span{plain, ""}, span{toned, tone})
	}
	return slices.DeleteFunc(list, func(s span) bool { return s.Text == "" })
}

// Column is a column of a table. A soft hyphen or a zero-width space in its heading marks
// where a narrow table may break it.
type Column struct {
	Heading string
	Right   bool // its cells are flush right
	Code    bool // its cells are text of files
}

// Left and Right return columns with these headings.
func Left(headings ...string) []Column  { return columnsOf(headings, false) }
func Right(headings ...string) []Column { return columnsOf(headings, true) }

func columnsOf(headings []string, right bool) (list []Column) {
	for _, heading := range headings {
		list = append(list, Column{Heading: heading, Right: right})
	}
	return list
}

// unbroken removes the break marks from a heading.
var unbroken = strings.NewReplacer("\u00ad", "", "\u200b", "")

// table is a table of a document.
type table struct {
	Columns []Column
	Groups  []group // of rows; none of them is empty
	More    string  // how much the table leaves out

	rows int
}

// group is some rows of a table.
type group struct {
	Title string // optional
	Tint  int    // as in checkpage.Line
	Sum   bool   // the rows are sums of those above
	Rows  []tableRow
}

// tableRow has a cell for each column, and optionally a line below them.
type tableRow struct {
	Cells []value
	Below string
}

// texts writes the cells.
func (r tableRow) texts() (list []string) {
	for _, cell := range r.Cells {
		list = append(list, cell.shown())
	}
	return list
}

// has reports whether a row begins with a name.
func (t table) has(name string) bool {
	return slices.ContainsFunc(t.Groups, func(g group) bool {
		return slices.ContainsFunc(g.Rows, func(row tableRow) bool { return row.Cells[0].word == name })
	})
}

// maker makes a table of rows of a type. It takes a limited number of rows, and counts those that it
// leaves out.
type maker[T any] struct {
	table
	columns columns[T]
	most    int
	title   string // of the group that the next row begins
	left    leftOut
}

// newTable returns an empty table of at most so many rows.
func newTable[T any](most int, columns columns[T]) *maker[T] {
	return &maker[T]{table: table{Columns: columns.head()}, columns: columns, most: most}
}

// unbounded is the row limit of a complete table.
const unbounded = math.MaxInt

// begin begins a group with a title. The title appears only if a row follows.
func (t *maker[T]) begin(title string) { t.title = title }

// add adds a row and reports whether it was within the limit. If not, it counts n as left out,
// of a crawler unless c is nil.
func (t *maker[T]) add(c *crawler, n int64, of *T) bool {
	if t.rows == t.most {
		t.left.add(c, n)
		return false
	}
	if t.title != "" || t.rows == 0 {
		t.Groups = append(t.Groups, group{Title: t.title})
		t.title = ""
	}
	row := tableRow{}
	for _, column := range t.columns {
		v := column.value(of)
		if column.name != "" && v.word == "" {
			v = some(v.number) // a described number of 0 counts as none
		}
		if column.alarm && !v.none {
			v = words(alarm(v.shown()))
		}
		row.Cells = append(row.Cells, v)
	}
	g := &t.Groups[len(t.Groups)-1]
	g.Rows = append(g.Rows, row)
	t.rows++
	return true
}

// sums begins a group of sums.
func (t *maker[T]) sums() { t.Groups = append(t.Groups, group{Sum: true}) }

// leaves ends a table that reports what it leaves out.
func (t *maker[T]) leaves(noun string) table {
	if text := t.left.text(noun); text != "" {
		t.More = "and " + text + ": see --output json."
	}
	return t.table
}

// leftOut counts what a list leaves out: of fetchers, which the headline counts separately, and of
// others.
type leftOut struct{ others, fetchers int64 }

// add counts n of a crawler, or of something else if it is nil.
func (l *leftOut) add(c *crawler, n int64) {
	if c != nil && isFetcher(c) {
		l.fetchers += n
	} else {
		l.others += n
	}
}

// addAll counts crawlers.
func (l leftOut) addAll(list []*crawler) leftOut {
	for _, c := range list {
		l.add(c, crawlersIn(c))
	}
	return l
}

// text names what is counted: crawlers, or something about them.
func (l leftOut) text(noun string) string {
	var parts []string
	if l.others > 0 {
		parts = append(parts, english.Plural(l.others, "more "+noun))
	}
	switch {
	case l.fetchers == 0:
	case noun == "crawler":
		parts = append(parts, english.Plural(l.fetchers, "more fetcher"))
	default:
		parts = append(parts, english.Plural(l.fetchers, "more "+noun)+" by fetchers")
	}
	return strings.Join(parts, " and ")
}
