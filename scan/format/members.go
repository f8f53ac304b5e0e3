package format

import "math"

// Members finds members of JSON objects by their paths, and where each object ends. It
// reads as the readers of logs do, but for their limits: objects and arrays may be 1,000
// deep and have any number of values.
//
// What it does not look at it does not check either: escapes and control characters in
// strings, and numbers such as 1-2. A member of which the value is null counts as missing.
// Of members with the same path the first counts that is not empty, and otherwise the first.
//
// It belongs to one goroutine, and allocates nothing once its buffers have grown.
type Members struct{ reader jsonReader }

// MaxMembers is how many paths Members can find.
const MaxMembers = int(allParts)

// MemberPaths are paths to members of objects: names with dots between them, and a backslash
// before a dot that is part of a name. Behind the first, a number from 0 to 63 is the index
// of an element of an array.
// They are immutable, and any number of Members may share them.
type MemberPaths struct{ tree *jsonTree }

// NewMemberPaths returns paths, MaxMembers at most.
func NewMemberPaths(paths ...string) MemberPaths {
	tree := &jsonTree{root: new(jsonNode)}
	for i, path := range paths {
		steps := splitPath(path)
		leaf := tree.root.named(steps[0]).follow(steps[1:])
		leaf.leaves = append(leaf.leaves, jsonLeaf{part: part(i)})
	}
	tree.root.close()
	return MemberPaths{tree}
}

// NewMembers returns Members of some paths.
func NewMembers(paths MemberPaths) *Members {
	m := &Members{jsonReader{tree: paths.tree}}
	m.reader.limits = jsonLimits{depth: 1000, commas: math.MaxInt}
	return m
}

// Reset begins a chunk, which must not change while it is read.
func (m *Members) Reset(chunk []byte) { m.reader.Reset(chunk) }

// Object reads the object that begins at an offset in the chunk, behind blanks, and returns
// the offset behind it; -1 if there is no object, or it does not end before its line does.
func (m *Members) Object(at int) (end int) { return m.reader.walk(at) }

// Value returns the value of the path with some index in the object that was read last: of
// a string its characters, without escapes, and of others their text. It is nil if there is
// no such member, or it is null, an object or an array. It is valid until the next object
// is read. Of an object that does not end it may be there or not.
func (m *Members) Value(path int) []byte { return m.reader.text[path] }

// Blanks returns the offset of the first octet at or behind at that is no blank of JSON in
// its line, the length of the chunk if there is none.
func (m *Members) Blanks(at int) int { return m.reader.blanks(at) }
