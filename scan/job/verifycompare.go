package job

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/evidence"
)

// compared counts the lines of a folder that were compared.
type compared struct {
	violations, fetches int64
	cut                 int64 // violations whose lines have been cut, or cannot be read without their log
	informed            int64 // violations that differ in whether the crawler had been sent the rule
}

// comparison compares the lines of a folder with those of a new audit, which come crawler by crawler.
type comparison struct {
	*verification
	compared
	alone    bool // the new audit is of the folder's own lines
	crawlers map[crawlerKey]*listed
	order    []*listed
	operator []*listed // of which violations came
	current  string
}

// listed are the lines of a crawler.
type listed struct {
	*evidence.Crawler
	violations, fetches listedLines
}

// listedLines reads a list one line after the other.
type listedLines struct {
	name   string
	n      int64 // lines that the list is to have
	reader *evidence.ListReader
	ended  bool
	line   []byte // nil if it has been taken
	row    evidence.Row
	text   []byte // that row is from
}

// compare compares the lines of the folder with those of a new audit.
func (c *verification) compare(lines *evidenceLines, alone bool) (_ compared, err error) {
	x := &comparison{verification: c, alone: alone, crawlers: map[crawlerKey]*listed{}}
	known := map[crawlerKey]bool{}
	for _, p := range c.side.config.Crawlers.Profiles() {
		known[crawlerKey{p.Operator, asciiLower(p.Name)}] = true
	}
	for i := range c.folder.Manifest.Crawlers {
		of := &c.folder.Manifest.Crawlers[i]
		l := &listed{Crawler: of, violations: listedLines{name: evidence.Violations, n: of.Violations}, fetches: listedLines{name: evidence.Fetches, n: of.Fetches}}
		key := crawlerKey{of.Operator, asciiLower(of.Crawler)}
		if !known[key] {
			key.operator = ""
		}
		x.crawlers[key] = l
		x.order = append(x.order, l)
	}
	defer func() {
		for _, l := range x.order {
			err = errors.Join(err, l.violations.close(), l.fetches.close())
		}
	}()
	if err := lines.all(x.line); err != nil {
		return x.compared, err
	}
	return x.compared, x.end()
}

// line compares a line of the new audit.
func (x *comparison) line(got *evidenceLine) error {
	if operator := fmt.Sprint(got.known, got.operator); operator != x.current {
		x.current, x.operator = operator, nil
	}
	if got.kind == fetchLine {
		for _, l := range x.operator {
			if x.alone {
				break
			}
			if err := x.match(l, &l.fetches, got); err != nil {
				return err
			}
		}
		return nil
	}
	key := crawlerKey{name: got.crawler}
	if got.known {
		key.operator = got.operator
	}
	l := x.crawlers[key]
	if l == nil && !got.known {
		l = x.crawlers[crawlerKey{name: audit.OtherCrawlers}]
	}
	if l == nil {
		row, err := evidence.ReadRow(got.row)
		x.fail("%s is a violation by %q, which the folder does not list.", x.where(&row), row.Crawler)
		return err
	}
	if !slices.Contains(x.operator, l) {
		x.operator = append(x.operator, l)
	}
	return x.match(l, &l.violations, got)
}

// where names the place of a line.
func (x *comparison) where(row *evidence.Row) string {
	name := fmt.Sprintf("input %d", row.InputIndex)
	if inputs := x.folder.Manifest.Inputs; row.InputIndex < len(inputs) {
		name = inputs[row.InputIndex].Name
	}
	return fmt.Sprintf("Line %d of %s", row.Line, name)
}

// match compares a line of the new audit with the next one of a list. Both are in the same order.
func (x *comparison) match(l *listed, list *listedLines, got *evidenceLine) error {
	for {
		if err := list.peek(x.folder, l.Folder); err != nil {
			return err
		}
		order := -1
		if !list.ended {
			order = cmp.Or(cmp.Compare(asciiLower(list.row.Crawler), got.crawler), cmp.Compare(list.row.InputIndex, got.input), cmp.Compare(list.row.Line, got.number))
		}
		switch {
		case list.ended || order > 0:
			row, err := evidence.ReadRow(got.row)
			x.fail("%s is a %s by %q, and %s/%s does not list it.", x.where(&row), row.Verdict, row.Crawler, l.Folder, list.name)
			return err
		case order == 0:
			return x.same(l, list, got)
		default:
			x.missing(l, list)
		}
	}
}

// missing passes over a line of a list that the new audit does not have.
func (x *comparison) missing(l *listed, list *listedLines) {
	inputs := x.folder.Manifest.Inputs
	unread := len(list.line) == evidence.MaxLine || list.row.InputIndex < len(inputs) && !inputs[list.row.InputIndex].Alone
	switch {
	case x.alone && unread:
		x.cut++
	case list.name == evidence.Fetches:
		x.fail("%s, which %s/%s lists, is not that fetch of robots.txt.", x.where(&list.row), l.Folder, list.name)
	case x.alone:
		x.fail("%s, which %s/%s lists, is no violation by the files of the folder.", x.where(&list.row), l.Folder, list.name)
	default:
		x.fail("%s, which %s/%s lists, is not that line, or no violation.", x.where(&list.row), l.Folder, list.name)
	}
	list.taken()
}

// same compares a line of a list with the line of the new audit in the same place.
func (x *comparison) same(l *listed, list *listedLines, got *evidenceLine) error {
	if bytes.Equal(list.line, got.line) && bytes.Equal(list.text, got.row) {
		x.count(list)
		return nil
	}
	row, err := evidence.ReadRow(got.row)
	if err != nil {
		return err
	}
	want := list.row
	if x.alone { // the whole log may have shown more
		if want.Informed != row.Informed {
			x.informed++
		}
		want.Informed, want.Crawler = row.Informed, row.Crawler // which may be spelled in another way elsewhere
	}
	switch {
	case !bytes.Equal(list.line, got.line):
		x.fail("%s is another line than %s/%s has.", x.where(&row), l.Folder, list.name)
	case want != row:
		x.fail("%s: %s/%s says %s.", x.where(&row), l.Folder, list.name, differences(&want, &row))
	default:
		x.count(list)
		return nil
	}
	list.taken()
	return nil
}

// count counts a line of a list that is as it should be.
func (x *comparison) count(list *listedLines) {
	if list.name == evidence.Fetches {
		x.fetches++
	} else {
		x.violations++
	}
	list.taken()
}

// differences says in what two rows differ.
func differences(listed, found *evidence.Row) string {
	for _, d := range []struct {
		name string
		a, b any
	}{
		{"rule", listed.Rule, found.Rule}, {"line of robots.txt", listed.RuleLine, found.RuleLine}, {"version of robots.txt", listed.RuleVersion, found.RuleVersion},
		{"origin of robots.txt", listed.RuleOrigin, found.RuleOrigin}, {"verdict", listed.Verdict, found.Verdict}, {"identity", listed.Identity, found.Identity},
		{"whether it had been sent the rule", listed.Informed, found.Informed}, {"time", listed.Time, found.Time}, {"outcome", listed.Outcome, found.Outcome},
		{"address", listed.Address, found.Address}, {"target", listed.Target, found.Target}, {"crawler", listed.Crawler, found.Crawler},
	} {
		if d.a != d.b {
			return fmt.Sprintf("%s %v, not %v", d.name, d.a, d.b)
		}
	}
	return "something else of the request than the line itself"
}

// end finds the lines of the lists that the new audit did not have.
func (x *comparison) end() error {
	for _, l := range x.order {
		for _, list := range []*listedLines{&l.violations, &l.fetches} {
			if x.alone && list == &l.fetches {
				continue
			}
			for {
				if err := list.peek(x.folder, l.Folder); err != nil {
					return err
				}
				if list.ended {
					break
				}
				x.missing(l, list)
			}
		}
	}
	return nil
}

// peek reads the next line, unless it has been read and not taken.
func (l *listedLines) peek(f *evidence.Folder, folder string) (err error) {
	if l.ended || l.line != nil {
		return nil
	}
	if l.ended = l.n == 0; l.ended {
		return nil
	}
	if l.reader == nil {
		if l.reader, err = f.List(folder, l.name); err != nil {
			return err
		}
	}
	line, row, err := l.reader.Next()
	if errors.Is(err, io.EOF) {
		l.ended = true
		return l.close()
	}
	l.line, l.row, l.text = append([]byte{}, line...), row, append(l.text[:0], l.reader.Text...)
	return err
}

// taken: the line has been compared.
func (l *listedLines) taken() { l.line = nil }

func (l *listedLines) close() error {
	r := l.reader
	if l.reader = nil; r == nil {
		return nil
	}
	return r.Close()
}
