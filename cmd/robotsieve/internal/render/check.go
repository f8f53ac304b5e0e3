package render

import (
	"cmp"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The script of check's page runs this program's parser and notes, compiled for browsers (make wasm).
var (
	//go:embed html/check.css
	checkStyle string
	//go:embed html/check.js
	checkScript string
	// wasm_exec.js of the Go distribution (Copyright The Go Authors, BSD licence) loads the program.
	//go:embed html/wasm_exec.js
	loader string
	//go:embed html/check.wasm.gz
	program []byte
)

type checkData struct {
	checkpage.Page
	Sections    []section
	File, Older *given // nil if there is none
	Program     []byte // if nil, the page can't answer questions
}

// maxPageFile limits the files that the page can answer questions about, in bytes.
const maxPageFile = 512_000

// WriteCheckHTML writes the results of check as a self-contained page. Older may be nil.
func WriteCheckHTML(w io.Writer, p checkpage.Page, file, older *explain.File) error {
	data := checkData{Page: p, File: givenOf(file), Older: givenOf(older), Program: program}
	for i := range p.Sections {
		data.Sections = append(data.Sections, section{block: blockOf(&p.Sections[i]), ID: p.Sections[i].ID,
			Intro: p.Sections[i].Intro})
	}
	if len(file.Body) > maxPageFile || older != nil && len(older.Body) > maxPageFile {
		data.Program = nil
	}
	return page().ExecuteTemplate(w, "check", data)
}

// WriteTester writes the page without a robots.txt, for trying out files.
func WriteTester(w io.Writer) error {
	data := checkData{Page: checkpage.Page{Title: "robots.txt tester"}, Program: program}
	return page().ExecuteTemplate(w, "check", data)
}

// given is a file on the page, which visitors may edit.
type given struct {
	Name   string
	Octets template.HTML
}

func givenOf(f *explain.File) *given {
	if f == nil {
		return nil
	}
	return &given{report.Printable(f.Name), encoded(f.Body)}
}

func encoded(octets []byte) template.HTML {
	return template.HTML(base64.StdEncoding.EncodeToString(octets))
}

// Encoded returns the encoded program, and Size its size in kilobytes.
func (d checkData) Encoded() template.HTML { return encoded(d.Program) }
func (d checkData) Size() string           { return english.Grouped(int64(len(d.Program)+999) / 1000) }

func blockOf(s *checkpage.Section) block {
	b := block{Heading: s.Heading, Lines: s.Lines}
	for _, c := range s.Columns {
		b.Table.Columns = append(b.Table.Columns, Column{Heading: c.Heading, Code: c.Code})
	}
	for _, g := range s.Groups {
		to := group{Title: g.Title, Tint: g.Tint}
		for _, cells := range g.Rows {
			to.Rows = append(to.Rows, rowOf(cells))
		}
		b.Table.Groups = append(b.Table.Groups, to)
		b.Table.rows += len(g.Rows)
	}
	if b.Table.rows > 0 {
		b.Table.More = s.More
	} else if s.More != "" {
		b.Text = []string{s.More}
	}
	return b
}

// maxMarkdown limits the Markdown of check, in bytes: a comment on GitHub has at most 65,536 characters.
const maxMarkdown = 60_000

// WriteCheckMarkdown writes the results of check as Markdown. Its longest sections are cut to fit into a comment.
func WriteCheckMarkdown(w io.Writer, p checkpage.Page) error {
	var m markdown
	m.line("# " + prose(p.Title))
	for _, text := range p.Headline {
		m.paragraph(text)
	}
	var totals []string
	for _, t := range p.Totals {
		totals = append(totals, t.Count+" "+t.Name)
	}
	m.paragraph(strings.Join(totals, ", ") + ".")
	parts := []string{m.String()}
	for i := range p.Sections {
		s := &p.Sections[i]
		if b := blockOf(s); len(b.Lines) == 0 {
			b.Title = s.Intro
			var m markdown
			m.block(b)
			parts = append(parts, m.String())
		}
	}
	fit(parts, maxMarkdown)
	_, err := io.WriteString(w, strings.Join(parts, ""))
	return err
}

// fit cuts the longest texts, at the ends of lines, so that all together have at most so many bytes.
func fit(texts []string, most int) {
	const rest = "\nThe rest is left out, because it is too long for a comment: see --output html.\n"
	order := make([]*string, len(texts)) // the shortest first
	for i := range texts {
		order[i] = &texts[i]
	}
	slices.SortStableFunc(order, func(x, y *string) int { return cmp.Compare(len(*x), len(*y)) })
	for i, text := range order {
		if share := most / (len(order) - i); len(*text) > share {
			*text = (*text)[:strings.LastIndexByte((*text)[:max(share-len(rest), 0)], '\n')+1] + rest
		}
		most -= len(*text)
	}
}
