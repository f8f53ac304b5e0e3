package compile_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/compile"
)

// TestNothingIsShared: what is compiled does not change when others are compiled, at
// the same time and after, of any size.
func TestNothingIsShared(t *testing.T) {
	file := func(i int) []byte {
		return []byte(strings.Repeat(fmt.Sprintf("User-agent: Bot%s\nUser-agent: *\nDisallow: /%d*x\nAllow: "+
			"/é%d\nsitemap: %d\nnonsense %d\n", numeral(i), i, i, i, i), i%7))
	}
	const n = 50
	for _, m := range modes {
		var kept [n]*compile.Robots
		var written [n]string
		var all sync.WaitGroup
		for first := range 4 {
			all.Go(func() {
				for i := first; i < n; i += 4 {
					kept[i] = compile.Compile(file(i), m.options())
					written[i] = said(kept[i])
				}
			})
		}
		all.Wait()
		for i, r := range kept {
			if got := said(r); got != written[i] {
				t.Errorf("%v, file %d has become\n%s\nit was\n%s", m, i, got, written[i])
			}
			again := compile.Compile(file(i), m.options())
			if !reflect.DeepEqual(again.Groups, r.Groups) || !reflect.DeepEqual(again.Records, r.Records) ||
				!reflect.DeepEqual(again.Notes, r.Notes) || said(again) != written[i] {
				t.Errorf("%v, file %d: another time it is\n%s\nand was\n%s", m, i, said(again), written[i])
			}
		}
	}
}

// said is all that a Robots has, as text.
func said(r *compile.Robots) string {
	text := fmt.Sprint(r.Groups, r.Records, r.Notes, r.Lines)
	for _, a := range r.Ruleset.Agents() {
		text += fmt.Sprintf("\n%s %v\n%v", a.Token, r.Bound(a.Machine), a.Machine)
	}
	return text + fmt.Sprintf("\n%v", r.Ruleset.Wildcard())
}
