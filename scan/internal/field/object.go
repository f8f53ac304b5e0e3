package field

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// Object is the shape of lines that are JSON objects: which of their members are fields. It is
// immutable and safe for concurrent use.
type Object struct {
	root  *node
	paths int    // number of paths
	picks bool   // some fields are in elements chosen by a member
	needs uint32 // a bit for each required need
}

// Member is a path to a field: names of members, and after the first also indexes (0 to 63) of
// elements, joined by dots. A backslash escapes a dot in a name. The last step but one may be
// name=value, which is the element of an array whose member name has that value, ignoring case. A
// path continues through a string that holds an object, as some servers write it. If a field has
// several members, the first one that is neither null nor empty counts.
type Member struct {
	Field int // index in Row.Text, below MaxFields
	Path  string
}

// Limits of an object. Without them a line could use any amount of memory.
const (
	MaxFields = 64
	MaxDepth  = fastjson.MaxDepth // nested objects and arrays
	MaxValues = 1 << 14
)

// NewObject returns the shape of objects with some members. Row.Fits is set for objects that meet
// all needs, 32 at most. A need is a path that must lead to something other than null, or
// path=value and path!=value, ignoring case, or path~text|text, which means that the value, if not
// empty, contains one of the texts.
func NewObject(members []Member, needs []string) *Object {
	o := &Object{root: new(node)}
	var rank [MaxFields]uint8
	for _, m := range members {
		n := o.root.at(Steps(m.Path))
		o.picks = o.picks || strings.Contains(m.Path, "=")
		n.leaves = append(n.leaves, leaf{m.Field, rank[m.Field], o.paths, strings.Contains(m.Path, "=")})
		rank[m.Field] = min(rank[m.Field]+1, 100) // paths beyond 100 share a rank
		o.paths++
	}
	for i, need := range needs {
		if path, texts, ok := strings.Cut(need, "~"); ok {
			o.root.at(Steps(path)).texts = strings.Split(texts, "|")
			continue
		}
		path, value, compared := strings.Cut(need, "=")
		path, unless := strings.CutSuffix(path, "!")
		n := o.root.at(Steps(path))
		n.need, n.compared, n.wanted, n.value = 1<<i, compared, !unless, []byte(value)
		if !unless {
			o.needs |= n.need
		}
	}
	return o
}

// Steps returns the steps of a path, none of which should be empty.
func Steps(path string) (steps []string) {
	for rest, more := path, true; more; {
		var step string
		for step, rest, more = strings.Cut(rest, "."); more && strings.HasSuffix(step, `\`); {
			var next string
			next, rest, more = strings.Cut(rest, ".")
			step = step[:len(step)-1] + "." + next
		}
		steps = append(steps, step)
	}
	return steps
}

// node is a value at the end of a path, or on the way to it.
type node struct {
	leaves []leaf
	// The need that the value meets if it is not null or, for comparisons, if it equals value.
	need     uint32
	compared bool
	wanted   bool // false if the object must not meet it
	value    []byte
	texts    []string // texts of which the value must contain one; nil if it needn't
	inside   bool     // some member or element is wanted

	members [64][]named // of an object, by likeness of their names
	items   []*node     // of an array, by index; nil where none is wanted
	choices []choice    // of array elements, by one of their members
}

// named is a member of an object.
type named struct {
	name string
	node *node
}

// leaf marks a value as a field. path is the rank of the path among the field's paths.
type leaf struct {
	field int
	rank  uint8
	path  int  // its index among all
	again bool // it may occur again, in a chosen element
}

// choice selects the member value of the array elements whose member name equals is.
type choice struct {
	name, is, value string
	node            *node
}

// at returns the node at the end of a path, creating missing nodes.
func (n *node) at(steps []string) *node {
	n.inside = true
	child := n.member([]byte(steps[0]))
	if child == nil {
		child = new(node)
		alike := &n.members[likeness([]byte(steps[0]))]
		*alike = append(*alike, named{steps[0], child})
	}
	return child.below(steps[1:])
}

// below is at for the steps after the first, which may be indexes or choices.
func (n *node) below(steps []string) *node {
	if len(steps) == 0 {
		return n
	}
	if index, err := strconv.ParseUint(steps[0], 10, 6); err == nil {
		n.items = append(n.items, make([]*node, max(0, int(index)+1-len(n.items)))...)
		if n.items[index] == nil {
			n.items[index] = new(node)
		}
		return n.items[index].below(steps[1:])
	}
	if name, is, ok := strings.Cut(steps[0], "="); ok && len(steps) == 2 {
		n.choices = append(n.choices, choice{name, is, steps[1], new(node)})
		return n.choices[len(n.choices)-1].node
	}
	return n.at(steps)
}

// likeness returns a number below 64 that distinguishes most names from the few wanted ones.
func likeness(name []byte) int {
	if len(name) == 0 {
		return 0
	}
	return (int(name[0])*7 + len(name)) & 63
}

// member returns the node of a named member, or nil if it isn't wanted.
func (n *node) member(name []byte) *node {
	for _, m := range n.members[likeness(name)] {
		if m.name == string(name) {
			return m.node
		}
	}
	return nil
}

// item returns the node of an element by index, or nil if it isn't wanted.
func (n *node) item(i int) *node {
	if i < len(n.items) {
		return n.items[i]
	}
	return nil
}

// Row has the fields of the last line. It isn't safe for concurrent use, and doesn't allocate once
// its buffers have grown. Text must be set before use.
type Row struct {
	// Text has each field: for strings the unescaped characters, for other values their text. It is
	// nil if there is no such member, or if it is null, an object or an array. It is valid until the
	// next line is read.
	Text [][]byte
	// Fits reports whether the object meets its needs, see NewObject. Excluded means that it doesn't,
	// because a compared member has another value or lacks the text. IsLike means that it meets all
	// needs except texts.
	Fits, Excluded, IsLike bool
	// Twice reports whether a path leads to two different values, so that the right one is unknown.
	Twice bool
	// Quotes are the quotes of the next line, if known. Reading the line clears them.
	Quotes Quotes

	ranks [MaxFields]uint8 // one plus the rank of the path that set the field; 0 if unset
	seen  []bool           // paths that led to a value
	needs uint32           // met by the object
	buf   []byte           // storage of texts

	parser fastjson.Parser
	within []*fastjson.Parser // for objects in strings, by depth
	strict bool               // skim gives up where it may differ from parser
	depth  int                // number of strings around the current value
	parsed int                // bytes that they have read
	mends  int                // number of lines to mend before reading, because one before was invalid
	mended []byte             // input of parser
	node   *node              // of the object that visit is visiting
	visit  func(name []byte, v *fastjson.Value)
}

// Limits of the memory that a Row keeps.
const (
	maxParsed = 1 << 20 // bytes after which a parser is replaced, because its memory may grow with each line
	maxPlain  = 1 << 14 // bytes of a line that is read without mending
	mendLines = 1000
)

// Find finds the fields of a line. It returns false if the line isn't an object. A comma or the end
// of an array may follow the object, as in an array with one element per line. mend describes which
// invalid JSON it accepts.
func (o *Object) Find(line []byte, r *Row) bool {
	if byteAt(line, 0) != '{' {
		r.Quotes = Quotes{} // the text before the object is cut off
	}
	line = objectIn(line)
	if line == nil {
		o.begin(r)
		r.Quotes = Quotes{}
		return false
	}
	if !o.skims(line, r) {
		r.Quotes = Quotes{}
		o.begin(r)
		v := r.parse(line)
		if v == nil {
			return false
		}
		r.object(o.root, v)
	}
	r.IsLike = r.needs == o.needs
	r.Fits = r.IsLike && !r.Excluded
	return true
}

// skims finds the fields of an object without fastjson. It reports whether fastjson would certainly
// find the same, as in nearly all log lines.
func (o *Object) skims(line []byte, r *Row) bool {
	if o.picks || r.mends > 0 || len(line) > maxPlain {
		return false
	}
	o.begin(r)
	if r.Quotes.Marks != nil {
		end := r.compact(o.root, line, 0, 1)
		r.Quotes.Marks = nil
		if end == len(line) {
			return true
		}
		o.begin(r)
	}
	const outermost = maxSkim - MaxDepth + 2 // so that the deepest value in a container is at MaxDepth
	r.strict = true
	end := r.skim(o.root, line, 0, outermost)
	r.strict = false
	return end == len(line)
}

// objectIn removes what may surround an object from a line. It returns nil if the line can't have
// an object.
func objectIn(line []byte) []byte {
	isObject := func() bool { return byteAt(line, 0) == '{' && line[len(line)-1] == '}' }
	if !isObject() {
		line = bytes.Trim(line, " \t\r")
		if n := len(line); n > 0 && (line[n-1] == ',' || line[n-1] == ']') {
			line = bytes.TrimRight(line[:n-1], " \t\r")
		}
		if !isObject() {
			return nil
		}
	}
	return line
}

// begin forgets the previous line.
func (o *Object) begin(r *Row) {
	if len(r.seen) < o.paths {
		r.seen = make([]bool, o.paths)
	}
	clear(r.seen)
	clear(r.Text)
	clear(r.ranks[:])
	r.needs, r.Twice, r.Fits, r.Excluded, r.IsLike, r.buf = 0, false, false, false, false, r.buf[:0]
}

// parse parses a line with fastjson. It returns nil for invalid JSON.
//
// fastjson's errors quote the invalid text once for each object around it. So long lines, and lines
// after an invalid one, are mended first.
func (r *Row) parse(line []byte) (v *fastjson.Value) {
	r.parsed += len(line)
	if r.parsed > maxParsed {
		r.parser, r.within, r.parsed = fastjson.Parser{}, nil, len(line)
	}
	if r.mends == 0 && len(line) <= maxPlain {
		v, err := r.parser.ParseBytes(line)
		if err == nil {
			return v
		}
		r.mends = mendLines
	}
	r.mends = max(r.mends-1, 0)
	var ok bool
	if r.mended, ok = mend(r.mended[:0], line); !ok {
		return nil
	}
	v, _ = r.parser.ParseBytes(r.mended)
	return v
}

// object records the wanted members of an object.
func (r *Row) object(n *node, v *fastjson.Value) {
	if r.visit == nil {
		r.visit = func(name []byte, v *fastjson.Value) {
			if child := r.node.member(name); child != nil {
				r.value(child, v)
			}
		}
	}
	around := r.node
	r.node = n
	v.GetObject().Visit(r.visit)
	r.node = around
}

// value records a wanted value.
func (r *Row) value(n *node, v *fastjson.Value) {
	if v.GetObject() != nil {
		r.needs |= n.meets(nil)
		r.object(n, v)
		return
	}
	if elements := v.GetArray(); elements != nil {
		r.needs |= n.meets(nil)
		r.array(n, elements)
		return
	}
	from := len(r.buf)
	r.buf = v.MarshalTo(r.buf)
	r.found(n, r.buf[from:])
}

// array records the wanted elements of an array.
func (r *Row) array(n *node, elements []*fastjson.Value) {
	for i, element := range elements {
		if child := n.item(i); child != nil {
			r.value(child, element)
		}
		object := element.GetObject()
		if object == nil {
			continue
		}
		for _, c := range n.choices {
			value := object.Get(c.value)
			if value != nil && bytes.EqualFold(object.Get(c.name).GetStringBytes(), []byte(c.is)) {
				r.value(c.node, value)
			}
		}
	}
}

// found records a wanted value, given as raw JSON.
func (r *Row) found(n *node, text []byte) {
	switch last := len(text) - 1; text[last] {
	case '"':
		text = r.unescaped(text[1:last])
		if n.inside && len(text) > 1 && text[0] == '{' && r.objectInside(n, text) {
			return
		}
	case ']': // it is empty
		r.needs |= n.meets(nil)
		return
	case 'l', 'n', 'N', 'f', 'F': // null, and what fastjson takes for numbers
		return
	}
	if n.need != 0 || n.texts != nil {
		met := n.meets(text)
		r.needs |= met
		r.Excluded = r.Excluded || n.compared && (met == 0) == n.wanted || n.lacks(text)
	}
	for _, leaf := range n.leaves {
		rank := leaf.rank + 1
		if len(text) == 0 {
			rank = 0xff // only if there is nothing else
		}
		before := r.ranks[leaf.field]
		if r.seen[leaf.path] && !leaf.again && !bytes.Equal(text, r.Text[leaf.field]) {
			r.Twice = true
		}
		r.seen[leaf.path] = true
		if before == 0 || rank < before {
			r.ranks[leaf.field], r.Text[leaf.field] = rank, text
		}
	}
}

// objectInside records the wanted members of an object in a string, and reports whether the string
// holds one.
func (r *Row) objectInside(n *node, text []byte) bool {
	if r.depth == len(r.within) {
		r.within = append(r.within, new(fastjson.Parser))
	}
	r.parsed += len(text)
	v, err := r.within[r.depth].ParseBytes(text)
	if err != nil || v.GetObject() == nil {
		return false
	}
	r.depth++
	r.needs |= n.meets(nil)
	r.object(n, v)
	r.depth--
	return true
}

// unescaped returns the unescaped contents of a string.
func (r *Row) unescaped(raw []byte) []byte {
	if r.Quotes.Marks != nil || bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	from := len(r.buf)
	r.buf = Unescape(r.buf, raw)
	return r.buf[from:len(r.buf):len(r.buf)]
}

// meets returns the need that a value meets.
func (n *node) meets(text []byte) uint32 {
	if n.need != 0 && n.compared && !bytes.EqualFold(text, n.value) {
		return 0
	}
	return n.need
}

// lacks reports whether a value contains none of the texts required of it.
func (n *node) lacks(value []byte) bool {
	for _, text := range n.texts {
		if bytes.Contains(value, []byte(text)) {
			return false
		}
	}
	return n.texts != nil && len(value) > 0
}

// Fault says where a line departs from the shape. It returns "" for an object with unambiguous
// fields.
func (o *Object) Fault(line []byte, r *Row) string {
	switch {
	case !o.Find(line, r):
		return "it is no JSON object in one line"
	case r.Twice:
		return "a field comes twice, with different values"
	}
	return ""
}
