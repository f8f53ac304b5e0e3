package format

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// parseRegexp returns the format that a regular expression of package regexp describes. Its
// named groups are fields; their names are those of a JSON map. A line is of the format if
// some of it matches. Times are those of anyTime, and the escapes of nginx and Apache are
// undone.
func parseRegexp(text string) (*Format, error) {
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	f := &Format{meaning: meaning{layout: anyTime}}
	var other *regexp.Regexp
	if matchesWholeLines(text) {
		other = regexp.MustCompile("(?U:" + text + ")")
	} else {
		f.doubts = []string{"The regular expression does not begin with ^ and end with $, " +
			"so a field may be found where a client has written the like of it."}
	}
	groups := make([]part, expression.NumSubexp()+1)
	for i, name := range expression.SubexpNames() {
		if name == "" {
			continue
		}
		p, ok := fieldNames[name]
		switch {
		case !ok:
			return nil, unknownField(name)
		case slices.Contains(groups, p):
			return nil, fmt.Errorf("the field %q comes twice", name)
		}
		groups[i], f.has[p], f.spell[p] = p, true, backslashed
	}
	f.newReader = func(f *Format) Reader {
		return &regexpReader{values: values{meaning: f.meaning}, expression: expression, other: other, groups: groups}
	}
	return f, f.auditable()
}

// matchesWholeLines reports whether a valid expression begins with ^ and ends with $.
func matchesWholeLines(text string) bool {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat {
		return false
	}
	last := tree.Sub[len(tree.Sub)-1].Op
	return tree.Sub[0].Op == syntax.OpBeginText && last == syntax.OpEndText
}

// regexpReader reads lines by a regular expression. Unlike the other readers it allocates for
// each line.
type regexpReader struct {
	lines
	values
	expression *regexp.Regexp
	// other prefers short matches where expression prefers long ones, and long ones where it
	// prefers short ones. Of a whole line both find the same groups, unless one can end in several
	// places.
	other  *regexp.Regexp
	groups []part // of each group
}

func (e *regexpReader) Next(r *Record) Kind {
	if e.at >= len(e.chunk) {
		return End
	}
	r.Offset = e.at
	r.Line = e.search()
	if len(r.Line) == 0 {
		return Blank
	}
	e.begin()
	at := e.expression.FindSubmatchIndex(r.Line)
	if at == nil || e.isUnclear(r.Line, at) {
		return Unparsed
	}
	for i, p := range e.groups {
		if from := at[2*i]; from >= 0 && p != ignored {
			e.text[p] = r.Line[from:at[2*i+1]]
		}
	}
	if !e.next(r) {
		return e.without(r)
	}
	return Request
}

// isUnclear reports whether a field that an audit rests on can end in several places. Those of the
// target are the client's own words wherever they end.
func (e *regexpReader) isUnclear(line []byte, at []int) bool {
	if e.other == nil {
		return false
	}
	short := e.other.FindSubmatchIndex(line)
	for i, p := range e.groups {
		switch p {
		case ignored, target, path, hostPath, decodedPath, rewrittenPath, query:
			continue
		}
		if !slices.Equal(short[2*i:2*i+2], at[2*i:2*i+2]) {
			return true
		}
	}
	return false
}

// Complete sets the other fields of the request that Next returned last.
func (e *regexpReader) Complete(r *Record) { e.complete(r) }

// Plausible reports whether the fields look as they do in a log of the format.
func (e *regexpReader) Plausible(r *Record) bool { return e.plausible(r) }
