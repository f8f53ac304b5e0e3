package field

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// shapes have paths of every kind. Skim finds no element by a member in it.
var (
	needy = NewObject([]Member{{0, "a"}, {0, "b.a"}, {0, "b.0"}, {0, "0"}, {1, "b.b.a"}, {1, "b"}, {2, "c"}},
		[]string{"s", "t!=x"})
	short = NewObject([]Member{{0, "a"}}, nil)
)

// fieldsOf returns what was found of an object.
func fieldsOf(r *Row) string { return fmt.Sprintf("%q %v %v", r.Text, r.needs, r.Twice) }

// quotesOf returns the quotes of a line as a format of JSON notes them.
func quotesOf(line []byte) (q Quotes) {
	if bytes.IndexByte(line, '\\') < 0 && len(line) < 1<<12 {
		const back = 7
		q = Quotes{Marks: []uint16{}, Back: back}
		for i, c := range line {
			if c == '"' {
				q.Marks = append(q.Marks, uint16(i+back))
			}
		}
	}
	return q
}

// byFastjson returns what fastjson finds of a line that it reads.
func byFastjson(o *Object, line []byte) (r Row, ok bool) {
	r.Text = make([][]byte, 3)
	o.begin(&r)
	if line = objectIn(line); line == nil || len(line) > maxPlain {
		return r, false
	}
	v, err := r.parser.ParseBytes(line)
	if err != nil {
		return r, false
	}
	r.object(o.root, v)
	return r, true
}

// checkAgree: Find reads what fastjson reads with the same fields, whether the quotes are known or not. What Skim
// reads, Find reads with the same fields; and it reads each line as it does behind one that had to be mended. It
// reports whether Skim reads the line.
func checkAgree(t *testing.T, line []byte) bool {
	t.Helper()
	var rows [4]Row
	for i := range rows {
		rows[i].Text = make([][]byte, 3)
	}
	rows[2].mends = 1
	before := string(line)
	skimmed, found, mended := needy.Skim(line, &rows[0]) >= 0, needy.Find(line, &rows[1]), needy.Find(line, &rows[2])
	rows[3].Quotes = quotesOf(line)
	if quoted := needy.Find(line, &rows[3]); quoted != found || fieldsOf(&rows[3]) != fieldsOf(&rows[1]) {
		t.Fatalf("%q is found %v as %s, by its quotes %v as %s", line, found, fieldsOf(&rows[1]), quoted, fieldsOf(&rows[3]))
	}
	if r, ok := byFastjson(needy, line); ok && (!found || fieldsOf(&r) != fieldsOf(&rows[1])) {
		t.Fatalf("%q is found %v as %s, by fastjson as %s", line, found, fieldsOf(&rows[1]), fieldsOf(&r))
	}
	if string(line) != before {
		t.Fatalf("%q has become %q", before, line)
	}
	if mended != found || found && fieldsOf(&rows[1]) != fieldsOf(&rows[2]) {
		t.Fatalf("%q is found %v as %s, mended %v as %s", line, found, fieldsOf(&rows[1]), mended, fieldsOf(&rows[2]))
	}
	if skimmed && (!found || fieldsOf(&rows[0]) != fieldsOf(&rows[1])) {
		t.Fatalf("%q is skimmed as %s, found %v as %s", line, fieldsOf(&rows[0]), found, fieldsOf(&rows[1]))
	}
	return skimmed
}

// TestReadersAgree tries all short sequences of JSON tokens, and longer ones made by a grammar and
// then broken at a random place.
func TestReadersAgree(t *testing.T) {
	tokens := []string{`{`, `}`, `[`, `]`, `,`, `:`, `"a"`, `"b"`, `""`, `0`, `null`, ` `}
	longest := 6
	if testing.Short() {
		longest = 5
	}
	read := 0
	var try func(line []byte, n int)
	try = func(line []byte, n int) {
		if checkAgree(t, append(bytes.Clone(line), '}')) {
			read++
		}
		for _, token := range tokens {
			if n > 0 {
				try(append(line, token...), n-1)
			}
		}
	}
	try([]byte("{"), longest-2)
	if read < 3 {
		t.Errorf("only %d lines were read", read)
	}
	escapes := strings.NewReplacer(`"x"`, `"é\"\\\/\b\f\n\r\t\u00e9\ud83e\udd16"`, `"A"`,
		`"\x4a\x5C\x22\v\xg0\u12g4\q\ud83e\ude16\udd16\ud83e\u0041"`, `"a"`, `"\u0061"`)
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		line := []byte(escapes.Replace(string(randomObject(r, 4))))
		if !checkAgree(t, line) {
			t.Fatalf("not read: %s", line)
		}
		line[r.IntN(len(line))] = "{}[],:\"0 atfnxu-.\\\t\x00\xff"[r.IntN(21)]
		checkAgree(t, line)
	}
}

// randomObject returns an object of members that a shape may have.
func randomObject(r *rand.Rand, depth int) []byte {
	b := []byte{'{'}
	for i := range r.IntN(4) {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `"%c":%s`, "abst"[r.IntN(4)], randomValue(r, depth-1))
	}
	return append(b, '}')
}

func randomValue(r *rand.Rand, depth int) []byte {
	switch n := r.IntN(9); {
	case n < 2 && depth > 0:
		return randomObject(r, depth)
	case n < 4 && depth > 0:
		b := []byte{'['}
		for i := range r.IntN(3) {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, randomValue(r, depth-1)...)
		}
		return append(b, ']')
	default:
		return []byte([]string{
			`"x"`, `"b"`, `"A"`, `""`, `"é{[,:]}"`, "0", "-1.5e+3", "null", "true", "false", ` "a" `, "NaN", "-inf",
		}[r.IntN(13)])
	}
}

// odd are escapes that Skim undoes in names, too, and fastjson does not.
var odd = regexp.MustCompile(`(?i)\\[xv]|\\ud[89a-f]`)

// FuzzObject compares the two readers.
func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"\u0061":"x","b":{"\x61":"y","a\/\q":1,"b":[{"\u0061\ud800":2}]},"s":1,"\u0030":[]}`))
	f.Add([]byte(`{"a":"\x22","b":[{"a":"b","b":0.1, 0.2},{}],"s":,"t":tru}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') < 0 && !odd.Match(line) {
			checkAgree(t, line)
		}
		for range Members(line) {
		}
		needy.Fault(line, &Row{Text: make([][]byte, 3)})
		short.Skim(line, &Row{Text: make([][]byte, 1)})
	})
}

// TestPaths follows paths of every kind.
func TestPaths(t *testing.T) {
	o := NewObject([]Member{{0, "a.b"}, {1, `x\.y`}, {2, "l.1.c"}, {3, "0"}, {4, "l.n=k.v"}}, nil)
	for _, c := range []struct{ line, want string }{
		{`{"a":{"b":"1"},"x.y":2,"l":[{"c":0},{"c":true}],"0":"z"}`, "1 2 true z "},
		{`{"\u0061":{"b":"\u0031\\"},"a":{"b":"no"}}`, `1\    `},
		{`{"a":{"b":null},"a":{"b":""},"a":{"b":"last"}}`, "last    "},
		{`{"a":{"b":["no"]},"a.b":"no","l":{"1":{"c":"no"}}}`, "    "},
		{`{"a":[{"b":"no"}],"x":{"y":"no"}}`, "    "},
		{`{"l":[1,["n"],{"n":"j","v":1},{"v":"\"","n":"K"},{"n":"k","v":2}]}`, `    "`},
	} {
		r := Row{Text: make([][]byte, 5)}
		if ok := o.Find([]byte(c.line), &r); string(bytes.Join(r.Text, []byte(" "))) != c.want || !ok {
			t.Errorf("%s: found %v as %q, want %q", c.line, ok, r.Text, c.want)
		}
		n := o.Skim([]byte(c.line+" \r"), &r)
		if r.Text[4] = nil; string(bytes.Join(r.Text, []byte(" "))) != strings.TrimSuffix(c.want, `"`) || n != len(c.line) {
			t.Errorf("%s: skimmed to %d as %q, want %q", c.line, n, r.Text, c.want)
		}
	}
}

// TestSkimEnds checks that once all fields are known, the remaining members are only skimmed,
// unless they could hide another object or the end of this one.
func TestSkimEnds(t *testing.T) {
	r := Row{Text: make([][]byte, 1)}
	for _, line := range []string{
		`{"a":1}`, `{"a":1,"b":"c"}`, `{"a":1, "b":"c", "d":2} `, `{"a":1,"b":{"c":"\""}}`,
		`{"a":1,"b" "c"}`, // nothing is missed
	} {
		if got := short.Skim([]byte(line), &r); got != len(strings.TrimSpace(line)) {
			t.Errorf("%s ends at %d", line, got)
		}
	}
	for _, line := range []string{
		`{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":1,"b":"c",}`, `{"a":1,"b":"c}`, `{"a":1,"b":"\"}`, `{"a":1,"b":"c"`,
		`{"a":1,"b":[}`, `{"a":1,"b":{}`, `{"a":1}}`, `{"a":1,"b":"c"}}`, `{"a":1}{"a":2}`, `{"a":1,"b":2}{"a":2}`,
		`{"a":1} x`, `{"a":1 "b":2}`, `{"a":"b}`,
	} {
		if got := short.Skim([]byte(line), &r); got != -1 {
			t.Errorf("%s ends at %d", line, got)
		}
	}
}

// TestLimits reads nested objects, and many values.
func TestLimits(t *testing.T) {
	r := Row{Text: make([][]byte, 1)}
	nested := func(depth int) []byte {
		return []byte(strings.Repeat(`{"b":`, depth-1) + "{}" + strings.Repeat("}", depth-1))
	}
	for _, c := range []struct {
		depth       int
		found, skim bool
	}{
		{MaxDepth, true, true}, {MaxDepth + 1, false, true}, {maxSkim, false, true}, {maxSkim + 1, false, false},
		{1 << 20, false, false},
	} {
		line := nested(c.depth)
		if found, skim := short.Find(line, &r), short.Skim(line, &r) == len(line); found != c.found || skim != c.skim {
			t.Errorf("%d objects within each other: found %v, skimmed %v", c.depth, found, skim)
		}
	}
	for values, found := range map[int]bool{MaxValues: true, MaxValues + 1: false} {
		line := []byte(`{"a":"x","b":[` + strings.Repeat("1,", values-2) + `1]}`)
		if got := short.Find(line, &r); got != found || short.Skim(line, &r) != len(line) || string(r.Text[0]) != "x" {
			t.Errorf("%d values: %v", values, got)
		}
	}
}

// TestHostileLines reads lines that make fastjson keep memory for each of them, and lines that it
// quotes in its errors, with limits on memory and time.
func TestHostileLines(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 100 MB")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := Row{Text: make([][]byte, 1)}
	object := strings.TrimSuffix(strings.Repeat(`"":0,`, 2000), ",")
	for i := range 5000 {
		short.Find([]byte(`{"b":[`+strings.Repeat("0,", i%3000)+`{`+object+`}]}`), &r)
		short.Find([]byte(strings.Repeat(`{"b":`, MaxDepth-1)+"t"+strings.Repeat("x", maxPlain)), &r)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 32<<20 {
		t.Errorf("%d MB are kept", kept>>20)
	}
	runtime.KeepAlive(&r)
}

// TestGuardCompact checks that the objects of an encoder are read by their quotes alone.
func TestGuardCompact(t *testing.T) {
	line := []byte(`{"a":"x","b":{"b":{"a":"y"},"c":[1,{"d":[]}],"e":{}},"s":null,"t":"z"}`)
	r := Row{Text: make([][]byte, 3), Quotes: quotesOf(line)}
	quotes := len(r.Quotes.Marks)
	if !needy.Find(line, &r) || r.Quotes.taken != quotes || string(r.Text[1]) != "y" || r.parsed > 0 {
		t.Errorf("%d of %d quotes, %q", r.Quotes.taken, quotes, r.Text)
	}
	marks := quotesOf(line).Marks
	if n := testing.AllocsPerRun(100, func() {
		r.Quotes = Quotes{Marks: marks, Back: 7}
		needy.Find(line, &r)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestGuardObject checks that reading a line doesn't allocate.
func TestGuardObject(t *testing.T) {
	r := Row{Text: make([][]byte, 3)}
	for _, line := range []string{
		`{"a":"\u0041\x22","b":[{},1,2,3],"c":1}`, `{"x":"\x22","n":,"y":[{},1,2,3]}`, "[", `{"`, `{"a":tru}`,
	} {
		line := []byte(line)
		if n := testing.AllocsPerRun(100, func() { needy.Find(line, &r); needy.Skim(line, &r) }); n != 0 {
			t.Errorf("%v allocations for %s", n, line)
		}
	}
}

// TestBlank checks that the first blank of a field is found, whatever surrounds it.
func TestBlank(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200_000 {
		line := make([]byte, r.IntN(40))
		for i := range line {
			line[i] = "abc !\x20\x21\xa0\x1f\x00\x7f"[r.IntN(11)]
		}
		from := r.IntN(len(line) + 1)
		want := len(line)
		if n := strings.IndexByte(string(line[from:]), ' '); n >= 0 {
			want = from + n
		}
		if got := Blank(line, from); got != want {
			t.Fatalf("first blank of %q from %d: %d, want %d", line, from, got, want)
		}
	}
}
