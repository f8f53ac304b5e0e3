package archive_test

import (
	"bytes"
	"fmt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
)

// The rules of an origin go into an archive, and come out of it.
func Example() {
	w, err := archive.NewWriter(automaton.RFC9309)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules := compile.Compile([]byte("User-agent: *\nDisallow: /private/\n"), compile.Options{}).Ruleset
	if err := w.Add("https://example.com:443", 200, rules); err != nil {
		fmt.Println(err)
	}
	var file bytes.Buffer
	if _, err := w.WriteTo(&file); err != nil {
		fmt.Println(err)
	}

	a, err := archive.Open(file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	entry, found, err := a.Lookup([]byte("https://example.com:443"), automaton.RFC9309)
	if err != nil || !found {
		fmt.Println(found, err)
		return
	}
	var s automaton.Scratch
	verdict := entry.Ruleset.Match(&s, []byte("MyBot"), []byte("https://example.com/private/"))
	fmt.Println(entry.Status, verdict.Allowed(), verdict.Line)
	// Output: 200 false 2
}
