package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// LoggedLimits explains what logs cannot show about versions of robots.txt.
const LoggedLimits = `What no log shows: when a file changed between the last answer of a row and the first
of the next; whether two files of one size are the same; whether two sizes belong to two
files, or to one that was compressed or sent in part; which version a 304 confirmed.`

// WriteLogged writes the logged answers of a site as text.
func WriteLogged(w io.Writer, s *report.LoggedSite) error {
	return document{loggedBlock(s.Rewrite(report.Printable)), {}}.writeText(w, maxWidth, false)
}

// MaxLoggedOnPage limits the number of sites on a page.
const MaxLoggedOnPage = 200

// WriteLoggedPage writes the logged answers of several sites. more means that some were left out.
func WriteLoggedPage(w io.Writer, sites []report.LoggedSite, more bool) error {
	text := english.Plural(int64(len(sites)), "site") + " with requests for robots.txt."
	if more {
		text = fmt.Sprintf("The first %d sites; the others are in --output json.", len(sites))
	}
	data := pageData{Title: "robots.txt by the logged answers", Headline: []string{text},
		Beginning: []string{LoggedLimits}}
	for i := range sites {
		b := loggedBlock(sites[i].Rewrite(report.Printable))
		data.Sections = append(data.Sections, section{block: b, ID: fmt.Sprint("part", i+1)})
	}
	return page().Execute(w, data)
}

const (
	maxIntervalsShown = 100 // per site
	stripWidth        = 90  // characters
)

type loggedRow struct {
	report.LoggedAnswer
	letter string
	inTurn bool
}

func (r *loggedRow) status() value { return words(fmt.Sprint(r.Status)).when(r.Status > 0) }
func (r *loggedRow) size() value   { return integer(r.Bytes).when(r.Bytes >= 0) }

// loggedBlock lists the intervals of a site, and draws them as a strip of letters for answers.
func loggedBlock(s *report.LoggedSite) block {
	b := block{Title: fmt.Sprintf("%s, %s to GETs of robots.txt:", cmp.Or(s.Site, "A site that the logs do not name"),
		english.Plural(s.Answers, "answer"))}
	t := newTable(maxIntervalsShown, columns[loggedRow]{
		textFrom("", func(r *loggedRow) string { return r.letter }),
		textFrom("from (UTC)", func(r *loggedRow) string { return r.First.Time().Format(time.DateTime) }),
		textFrom("to (UTC)", func(r *loggedRow) string { return r.Last.Time().Format(time.DateTime) }),
		valueFrom("answers", func(r *loggedRow) value { return integer(r.N) }),
		valueFrom("status", (*loggedRow).status),
		valueFrom("bytes", (*loggedRow).size),
		{heading: "others", value: func(r *loggedRow) value { return words("in turn").when(r.inTurn) }},
		wordsFrom("files of this size", func(r *loggedRow) string { return Cut(strings.Join(r.Fits, ", "), maxWidth) }),
	})
	at := func(m report.Moment) int { // a column of the strip
		first, last := float64(s.Intervals[0].First), float64(s.Intervals[len(s.Intervals)-1].Last)
		return min(int((float64(m)-first)/max(last-first, 1)*stripWidth), stripWidth-1)
	}
	strip, letters := bytes.Repeat([]byte{' '}, stripWidth), map[string]byte{}
	for _, in := range s.Intervals {
		for _, a := range in.Answers {
			row := loggedRow{LoggedAnswer: a, inTurn: len(in.Answers) > 1}
			what := row.status().shown() + row.size().shown()
			if letters[what] == 0 {
				letters[what] = "abcdefghijklmnopqrstuvwxyz?"[min(len(letters), 26)]
			}
			letter := letters[what]
			for column := at(a.First); column <= at(a.Last); column++ {
				if strip[column] == ' ' {
					strip[column] = letter
				} else if strip[column] != letter {
					strip[column] = '*'
				}
			}
			row.letter = string(letter)
			t.add(nil, 1, &row)
		}
	}
	b.Table = t.leaves("row")
	if len(letters) > 1 {
		b.Quote = []string{"|" + string(strip) + "|"}
	}
	var unclear []string
	for _, what := range slices.Sorted(maps.Keys(s.Unclear)) {
		unclear = append(unclear, english.Grouped(s.Unclear[what])+" ("+what+")")
	}
	if s.Larger > 0 {
		b.Text = append(b.Text, fmt.Sprintf("%s with 200 %s %s larger than a file given: a build, a server or a CDN may "+
			"add lines to it.", english.Plural(s.Larger, "answer"), english.Verb(s.Larger, "is", "are"),
			english.Plural(s.Excess, "byte")))
	}
	if unclear != nil {
		b.Text = append(b.Text, "Requests in no row: "+english.List(unclear)+".")
	}
	return b.withFigures()
}
