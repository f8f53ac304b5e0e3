package format

import (
	"strings"
	"testing"
)

// combinedProgram is combined as a program, with more.
var combinedProgram = program{
	steps: []step{
		{part: clientAddr},
		{before: " "},
		{before: " ", spell: backslashed},
		{before: " [", part: moment},
		{before: `] "`, part: requestLine, spell: backslashed},
		{before: `" `, part: statusCode},
		{before: " ", part: bodySize},
		{before: ` "`, spell: backslashed},
		{before: `" "`, part: userAgent, spell: backslashed},
	},
	after: `"`, more: true,
}

// TestProgramReadsCombined reads lines by a program as clf does, which was made for them.
func TestProgramReadsCombined(t *testing.T) {
	f := programFormat("test", "", "", combinedProgram, clfTime)
	for _, c := range variants {
		line := strings.Replace(plain, c.old, c.new, 1)
		want := plainFields
		c.change(&want)
		want.Forwarded = "" // clf looks for it behind the agent
		for _, b := range [][]byte{[]byte(line), chunkOf([]byte(line))} {
			got, ok := read(f.NewReader(), new(Record), string(b))
			if !ok || got != want {
				t.Errorf("%s: %s\n got %+v %v\nwant %+v", c.name, line, got, ok, want)
			}
		}
	}
}
