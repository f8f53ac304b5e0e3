package format

// program says how the fields of a text line follow each other. It is made once, from a
// row of the table of formats or from a user's own words, and immutable.
type program struct {
	steps []step
	// after is the literal behind the last field.
	after string
	// more tells whether a blank and further fields may follow.
	more bool
}

// step is a field and the literal that stands before it. A field ends where the literal
// of the next step begins. A field between quotes ends at a quote that is not escaped.
type step struct {
	before string
	part   part
	spell  spelling
}

// programFormats are the formats that a program reads.
var programFormats []*Format
