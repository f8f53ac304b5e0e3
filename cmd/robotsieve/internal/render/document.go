package render

import (
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/internal/english"
)

// block is a section of a document. Outputs write its nonempty fields, in this order.
type block struct {
	Heading string // omitted by outputs without headings
	Title   string
	List    []string
	Table   table
	Facts   []fact
	Quote   []string         // preformatted lines
	Lines   []checkpage.Line // a robots.txt, on the page only
	Text    []string         // paragraphs
}

// document is the content of the outputs for people: text, Markdown and the HTML page.
type document []block

// fact is a named piece of information, or a term and its definition.
type fact struct{ Name, Text string }

func withText(blocks ...block) document {
	return slices.DeleteFunc(blocks, func(b block) bool {
		return len(b.Facts)+len(b.List)+len(b.Table.Groups)+len(b.Quote)+len(b.Lines)+len(b.Text) == 0
	})
}

// Marks in the texts of a block. The text between a mark and markEnd needs attention and gets a
// tone. Texts of a Report never contain these bytes.
const (
	markAlarm   = "\x0e"
	markCaution = "\x0f"
	markEnd     = "\x10"
)

func alarm(text string) string   { return markAlarm + text + markEnd }
func caution(text string) string { return markCaution + text + markEnd }

var unmarked = strings.NewReplacer(markAlarm, "", markCaution, "", markEnd, "")

// span is a piece of text with one tone: alarm, caution or none.
type span struct{ Text, Tone string }

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

// Column is a column of a table, with marks in the heading as in column.
type Column struct {
	Heading string
	Right   bool // right-aligned
	Code    bool // cells are quoted from files
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

var unbroken = strings.NewReplacer("\u00ad", "", "\u200b", "")

type table struct {
	Columns []Column
	Groups  []group // of rows; none is empty
	More    string  // how much the table omits

	rows int
}

type group struct {
	Title string // optional
	Tint  int    // as in checkpage.Line
	Sum   bool   // the rows are totals of the groups above
	Rows  []tableRow
}

// tableRow has one cell per column, and optionally a line of text below.
type tableRow struct {
	Cells []value
	Below string
}

func rowOf(texts []string) (row tableRow) {
	for _, text := range texts {
		row.Cells = append(row.Cells, value{octets: []byte(text)})
	}
	return row
}

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

// maker builds a table from rows of type T. It stops at a limit and counts the rows left out.
type maker[T any] struct {
	table
	columns columns[T]
	most    int
	title   string // title of the group that the next row starts
	left    leftOut
}

func newTable[T any](most int, columns columns[T]) *maker[T] {
	return &maker[T]{table: table{Columns: columns.head()}, columns: columns, most: most}
}

// unbounded is the row limit of a complete table.
const unbounded = math.MaxInt

// begin starts a group with a title, which appears only if a row follows.
func (t *maker[T]) begin(title string) { t.title = title }

// add adds a row within the limit. Beyond it, it counts n as left out, for the crawler c if c isn't nil.
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

// sums starts a group of totals.
func (t *maker[T]) sums() { t.Groups = append(t.Groups, group{Sum: true}) }

// leaves completes the table, with a note about what it omits.
func (t *maker[T]) leaves(noun string) table {
	if text := t.left.text(noun); text != "" {
		t.More = "and " + text + ": see --output json."
	}
	return t.table
}

// leftOut counts what a list omits, with fetchers apart as in the headline.
type leftOut struct{ others, fetchers int64 }

// add adds n, for fetchers if c is a fetcher. c may be nil.
func (l *leftOut) add(c *crawler, n int64) {
	if c != nil && isFetcher(c) {
		l.fetchers += n
	} else {
		l.others += n
	}
}

func (l leftOut) addAll(list []*crawler) leftOut {
	for _, c := range list {
		l.add(c, crawlersIn(c))
	}
	return l
}

// text describes the count. noun is what is counted: crawlers, or something about them.
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
