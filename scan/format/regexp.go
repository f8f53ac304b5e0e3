package format

import (
	"fmt"
	"regexp"
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
		groups[i], f.parts[p], f.spell[p] = p, true, backslashed
	}
	f.newReader = func(f *Format) Reader {
		return &regexpReader{values: values{meaning: f.meaning}, expression: expression, groups: groups}
	}
	return f, f.auditable()
}

// regexpReader reads lines by a regular expression. Unlike the other readers it allocates for
// each line.
type regexpReader struct {
	lines
	values
	expression *regexp.Regexp
	groups     []part // of each group
}

func (e *regexpReader) Next(r *Record) Kind {
	if e.at >= len(e.chunk) {
		return End
	}
	if r.Line = e.search(); len(r.Line) == 0 {
		return Blank
	}
	e.begin()
	at := e.expression.FindSubmatchIndex(r.Line)
	if at == nil {
		return Unparsed
	}
	for i, p := range e.groups {
		if from := at[2*i]; from >= 0 && p != ignored {
			e.text[p] = r.Line[from:at[2*i+1]]
		}
	}
	if !e.next(r) {
		return Unparsed
	}
	return Request
}

// Complete sets the other fields of the request that Next returned last.
func (e *regexpReader) Complete(r *Record) { e.complete(r) }

// Plausible tells whether the fields look as they do in a log of the format.
func (e *regexpReader) Plausible(r *Record) bool { return e.plausible(r) }
