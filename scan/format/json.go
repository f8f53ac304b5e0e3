package format

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/valyala/fastjson"
)

// jsonField is a part of a request in a JSON object. The paths lead to its value: the names
// of members, or the indexes of elements, with dots between them. Of several paths the first
// one counts that leads to a value that is neither null nor empty. A step name=value takes
// the element of an array whose member name is value, in any case of letters: in
// headers.name=user-agent.value of [{"name":"User-Agent","value":"x"}].
type jsonField struct {
	part  part
	paths []string
	spell spelling
}

// jsonFormat returns the format of logs of which each line is a JSON object, or an array of
// such. An object is a line of the format only if it has all of the signature: a path that
// must lead to something other than null, or path=value and path!=value, in any case of
// letters.
func jsonFormat(signature []string, fields []jsonField) *Format {
	f := &Format{bind: bindJSON}
	for _, field := range fields {
		f.parts[field.part], f.spell[field.part] = true, field.spell
		if field.part == moment {
			f.layout = anyTime
		}
	}
	tree := sync.OnceValue(func() *jsonTree { return newJSONTree(signature, fields) })
	f.newReader = func(f *Format) Reader {
		return &jsonReader{values: values{meaning: f.meaning}, tree: tree(), limits: jsonLimits{jsonDepth, jsonCommas}}
	}
	return f
}

// newJSONTree returns the tree of a format, as jsonFormat has its signature and fields.
func newJSONTree(signature []string, fields []jsonField) *jsonTree {
	tree := &jsonTree{root: new(jsonNode)}
	n := 0 // leaves with a mark
	for _, field := range fields {
		for rank, path := range field.paths {
			leaf := tree.root.follow(splitPath(path))
			mark := uint64(0)
			if !strings.Contains(path, "=") {
				mark = 1 << (n % 64)
				n++
			}
			leaf.leaves = append(leaf.leaves, jsonLeaf{field.part, uint8(rank), mark})
		}
	}
	for i, must := range signature {
		path, value, compared := strings.Cut(must, "=")
		path, unless := strings.CutSuffix(path, "!")
		leaf := tree.root.follow(splitPath(path))
		leaf.sign, leaf.compared, leaf.value = 1<<i, compared, []byte(value)
		if !unless {
			tree.signature |= leaf.sign
		}
	}
	tree.root.close()
	return tree
}

// splitPath returns the steps of a path. A dot that is part of a name has a backslash before
// it.
func splitPath(path string) (steps []string) {
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

// jsonTree is the tree of the paths of a format. It is immutable once it is made.
type jsonTree struct {
	root      *jsonNode
	signature uint32 // the signs that an object must have
}

// jsonNode is a value to which a path of a format leads, or on the way to which one does.
type jsonNode struct {
	leaves []jsonLeaf
	// The sign that the value gives to its object: if it is not null or, if compared, if it is
	// value, in any case of letters.
	sign     uint32
	compared bool
	value    []byte

	members []*jsonMember // of an object
	slots   []*jsonMember // the same, each at the hash of its name or behind; made by close
	likely  uint64        // a bit for the likeness of each name
	items   []*jsonNode   // of an array, by index; nil where none is wanted
	choice  *jsonChoice   // of elements of an array by a name in them, nil if there is none
	chooses *jsonChoice   // set if this is such an element
}

// jsonLeaf says of which part a value is a field, and which of the part's paths leads to it.
type jsonLeaf struct {
	part part
	rank uint8
	// mark is a bit of the leaf, 0 for an element of an array by its name, which may come again.
	mark uint64
}

type jsonMember struct {
	name string
	hash uint64
	node *jsonNode
}

// jsonChoice says what to take of the elements of an array: that part of value whose name
// is one of those of nodes.
type jsonChoice struct {
	element *jsonNode // its members for the name and the value have the parts choiceName and choiceValue
	nodes   []jsonMember
}

// choiceName and choiceValue stand for a part in the nodes of a jsonChoice.
const (
	choiceName = allParts + iota
	choiceValue
)

// follow returns the node at the end of a path, and makes what of it is missing.
func (n *jsonNode) follow(path []string) *jsonNode {
	if len(path) == 0 {
		return n
	}
	step, rest := path[0], path[1:]
	if index, err := strconv.ParseUint(step, 10, 6); err == nil {
		for len(n.items) <= int(index) {
			n.items = append(n.items, nil)
		}
		if n.items[index] == nil {
			n.items[index] = new(jsonNode)
		}
		return n.items[index].follow(rest)
	}
	if name, is, ok := strings.Cut(step, "="); ok && len(rest) == 1 {
		if n.choice == nil {
			n.choice = &jsonChoice{element: new(jsonNode)}
			n.choice.element.chooses = n.choice
		}
		n.choice.element.follow([]string{name}).leaves = []jsonLeaf{{part: choiceName}}
		n.choice.element.follow(rest).leaves = []jsonLeaf{{part: choiceValue}}
		n.choice.nodes = append(n.choice.nodes, jsonMember{name: is, node: new(jsonNode)})
		return n.choice.nodes[len(n.choice.nodes)-1].node
	}
	return n.named(step).follow(rest)
}

// named returns the node of the member with a name, and makes it if it is missing.
func (n *jsonNode) named(name string) *jsonNode {
	if i := slices.IndexFunc(n.members, func(m *jsonMember) bool { return m.name == name }); i >= 0 {
		return n.members[i].node
	}
	m := &jsonMember{name: name, hash: nameHash([]byte(name)), node: new(jsonNode)}
	n.members = append(n.members, m)
	return m.node
}

// close makes the slots of the tree below n.
func (n *jsonNode) close() {
	if n == nil {
		return
	}
	if len(n.members) > 0 {
		n.slots = make([]*jsonMember, 1<<bits.Len(uint(2*len(n.members))))
		for _, m := range n.members {
			m.node.close()
			n.likely |= likeness([]byte(m.name))
			i := m.hash
			for n.slots[i&uint64(len(n.slots)-1)] != nil {
				i++
			}
			n.slots[i&uint64(len(n.slots)-1)] = m
		}
	}
	for _, item := range n.items {
		item.close()
	}
	if n.choice != nil {
		n.choice.element.close()
	}
}

// member returns the node of a member by its name, nil if none is wanted.
func (n *jsonNode) member(name []byte) *jsonNode {
	if n.likely&likeness(name) == 0 {
		return nil
	}
	hash := nameHash(name)
	for i := hash; ; i++ {
		m := n.slots[i&uint64(len(n.slots)-1)]
		if m == nil || m.hash == hash && m.name == string(name) {
			if m == nil {
				return nil
			}
			return m.node
		}
	}
}

// likeness returns one bit of 64, by which most names are told from the few that are wanted.
func likeness(name []byte) uint64 {
	if len(name) == 0 {
		return 1
	}
	return 1 << ((uint(name[0])*7 + uint(len(name))) & 63)
}

// nameHash returns a number that differs for nearly all names of a log.
func nameHash(b []byte) uint64 {
	var word uint64
	switch n := len(b); {
	case n >= 8:
		word = binary.LittleEndian.Uint64(b) ^ bits.RotateLeft64(binary.LittleEndian.Uint64(b[n-8:]), 29)
	case n >= 4:
		word = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
	case n > 0:
		word = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	word = (word ^ uint64(len(b))) * 0x9e3779b97f4a7c15
	return word ^ word>>32
}

// item returns the node of an element by its index, nil if it is not wanted.
func (n *jsonNode) item(i int) *jsonNode {
	switch {
	case n.choice != nil:
		return n.choice.element
	case i < len(n.items):
		return n.items[i]
	}
	return nil
}

// jsonReader reads lines of JSON. Each line is an object, which is a record, or an array of
// objects, each of which is a record, perhaps as the member records or logs of an object.
//
// There are three ways to read an object. follow compares it with those that were read
// before, and needs that it differs from one of them in its values only. walk goes over it
// once, from mark to mark, and keeps nothing but the fields of the record. It leaves to parse
// what it does not understand. parse mends what servers write although it is no JSON, and has
// it read by fastjson. What follow and walk read, parse would read with the same fields.
type jsonReader struct {
	values
	tree   *jsonTree
	limits jsonLimits
	marks
	shapes shapes
	at     int  // where in the chunk the next line is, or the rest of the array
	array  bool // at is in an array of records
	first  int  // where the line of the array begins, -1 once a record of it has been read

	// Of the record that is read:
	ranks  [allParts]uint8 // of the paths by which the fields came, and one more; 0 if by none
	signs  uint32          // that the object has
	seen   uint64          // the leaves that were found
	twice  bool            // one of them was, with different values: it is not known which is right
	chosen [2][]byte       // the name and the value of an element of a jsonChoice
	commas int

	parser fastjson.Parser
	mended []byte    // what parser reads
	node   *jsonNode // of the object whose members visit gets
	visit  func(name []byte, v *fastjson.Value)
}

// Limits of a record. No server writes as much; without them a hostile line could take any
// amount of memory.
const (
	jsonDepth  = 32      // objects and arrays within each other
	jsonCommas = 1 << 16 // values
)

// jsonLimits are limits of an object that is walked.
type jsonLimits struct{ depth, commas int }

func (j *jsonReader) Reset(chunk []byte) {
	j.marks.reset(chunk)
	j.at, j.array = 0, false
}

func (j *jsonReader) Next(r *Record) Kind {
	for {
		if j.array {
			if kind := j.nextOfArray(r); kind != End {
				return kind
			}
		}
		if j.at >= len(j.chunk) {
			return End
		}
		if j.openArray() {
			continue
		}
		end := j.walk(j.at)
		if end >= 0 {
			end = j.lineEnd(end)
		}
		if end >= 0 {
			r.Line = withoutReturn(j.chunk[j.at:end])
			j.at = end + 1
			return j.kind(r, true)
		}
		r.Line = j.restOfLine()
		return j.kind(r, false)
	}
}

// lineEnd returns where the line of an object ends, the object ending at end; -1 if more is
// behind it. A comma or the end of an array may be, if the line is one of an array.
func (j *jsonReader) lineEnd(end int) int {
	end = j.blanks(end)
	if c := j.octet(end); c == ',' || c == ']' {
		end = j.blanks(end + 1)
	}
	if j.octet(end) != '\n' {
		return -1
	}
	return end
}

// kind returns the kind of r.Line. walked tells whether its fields are found.
func (j *jsonReader) kind(r *Record, walked bool) Kind {
	r.Agent, r.Robots = nil, false
	switch text := r.Line; {
	case walked:
	case len(text) == 0:
		return Blank
	case !j.parse(bytes.Trim(bytes.TrimPrefix(text, BOM), " \t\r")):
		if b := bytes.TrimSpace(text); string(b) == "[" || string(b) == "]" {
			return Other // around an array with a record a line
		}
		return Unparsed
	}
	switch {
	case j.twice:
		return Unparsed
	case j.signs != j.tree.signature || !j.asks():
		return Other
	case !j.values.next(r):
		return Unparsed
	}
	return Request
}

// asks tells whether the object has a field that could be a target.
func (j *jsonReader) asks() bool {
	for _, p := range targetParts {
		if j.text[p] != nil {
			return true
		}
	}
	return false
}

// Complete sets the other fields. An octet of the target that is no UTF-8 cannot be in JSON: what
// stands in its place may be any.
func (j *jsonReader) Complete(r *Record) {
	j.values.complete(r)
	if bytes.Contains(r.Target, replaced) {
		r.Lossy = Rewritten
	}
}

// replaced is what encoders of JSON write for octets that are no UTF-8: U+FFFD.
var replaced = []byte("\xef\xbf\xbd")

// Plausible leaves open what the line does not have: which fields a format has depends on
// its server's configuration.
func (j *jsonReader) Plausible(r *Record) bool {
	return r.HasTime && (len(r.Addr) == 0 || plausibleAddress(r.Addr)) &&
		(len(r.Host) == 0 || string(r.Host) == "-" || plausibleHost(r.Host))
}

// begin forgets the record before.
func (j *jsonReader) begin() {
	j.values.begin()
	j.ranks, j.signs, j.chosen, j.commas = [allParts]uint8{}, 0, [2][]byte{}, 0
	j.seen, j.twice = 0, false
}

// found notes a value that is wanted: of a string what is between its quotes, of others
// their text. null is not found.
func (j *jsonReader) found(n *jsonNode, text []byte) {
	j.signs |= n.gives(text)
	for _, leaf := range n.leaves {
		if leaf.part >= allParts {
			if chosen := &j.chosen[leaf.part-choiceName]; *chosen == nil {
				*chosen = text
			}
			continue
		}
		rank := leaf.rank + 1
		if len(text) == 0 {
			rank = 0xff // only if there is nothing else
		}
		before := j.ranks[leaf.part]
		if before != 0 && j.seen&leaf.mark != 0 && !bytes.Equal(text, j.text[leaf.part]) {
			j.twice = true
		}
		j.seen |= leaf.mark
		if before == 0 || rank < before {
			j.ranks[leaf.part], j.text[leaf.part] = rank, text
		}
	}
}

// foundEscaped is found for what is between the quotes of a string that has escapes.
func (j *jsonReader) foundEscaped(n *jsonNode, raw []byte) {
	j.found(n, j.unescaped(raw))
}

// unescaped returns what is between the quotes of a string, without its escapes. It is
// valid until the next object.
func (j *jsonReader) unescaped(raw []byte) []byte {
	from := len(j.buf)
	j.buf = unescapeJSON(j.buf, raw)
	return j.buf[from:len(j.buf):len(j.buf)]
}

// gives returns the sign that a value gives.
func (n *jsonNode) gives(text []byte) uint32 {
	if n.sign != 0 && n.compared && !bytes.EqualFold(text, n.value) {
		return 0
	}
	return n.sign
}

// choose notes what is wanted of an element of a choice that has been read.
func (j *jsonReader) choose(c *jsonChoice) {
	for i := range c.nodes {
		if m := &c.nodes[i]; j.chosen[0] != nil && j.chosen[1] != nil && equalFold(j.chosen[0], m.name) {
			j.found(m.node, j.chosen[1])
		}
	}
	j.chosen = [2][]byte{}
}

// equalFold tells whether two names are the same but for the case of ASCII letters.
func equalFold(b []byte, name string) bool {
	return len(b) == len(name) && bytes.EqualFold(b, []byte(name))
}

// bindJSON returns the format without those fields that no request in the head of the log
// has, so that what is missing can be told.
func bindJSON(f *Format, head []byte) *Format {
	j := f.NewReader().(*jsonReader)
	var r Record
	var has [allParts]bool
	requests := 0
	j.Reset(head)
	for kind := j.Next(&r); kind != End; kind = j.Next(&r) {
		if kind != Request {
			continue
		}
		requests++
		for p := range has {
			has[p] = has[p] || j.text[p] != nil
		}
	}
	if requests == 0 {
		return nil
	}
	g := *f
	for _, p := range []part{userAgent, hostName, moment, bodySize, sentSize, statusCode} {
		g.parts[p] = f.parts[p] && has[p]
	}
	return &g
}
