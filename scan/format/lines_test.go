package format

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unsafe"
)

// slowIndex is index, byte by byte.
func slowIndex(b []byte, marked octets) (marks []uint16) {
	for i, c := range b[:len(b)/64*64] {
		if bytes.IndexByte(marked[:], c) >= 0 {
			marks = append(marks, uint16(i))
		}
	}
	return marks
}

// randomChunk is made of bytes that mean something, one in so many.
func randomChunk(r *rand.Rand, n, oneIn int) []byte {
	b := make([]byte, n)
	for i := range b {
		if b[i] = byte(r.Uint32()); r.IntN(oneIn) == 0 {
			b[i] = "\"\"\"\n\\\r\t, "[r.IntN(9)]
		}
	}
	return b
}

// TestIndexIsThatOfOctets compares the index with one made byte by byte, for any density of marks,
// and checks that nothing after the end is read.
func TestIndexIsThatOfOctets(t *testing.T) {
	if !fast {
		t.Skip("this processor has no index")
	}
	r := rand.New(rand.NewPCG(1, 2))
	var marks [indexed + blockMarks]uint16
	for range 20_000 {
		n := r.IntN(indexed + 1)
		if r.IntN(2) == 0 {
			n = r.IntN(300)
		}
		b := append(randomChunk(r, n, 1+r.IntN(40)), bytes.Repeat([]byte(`"`), 200)...)[:n]
		marked := [...]octets{quoted, {'\t', '\n', '\n'}, {'"', ',', '\n'}, {'\n', ' ', '\r'}}[r.IntN(4)]
		got := marks[:index(b, marked, &marks)]
		if want := slowIndex(b, marked); string(octetsOf(got)) != string(octetsOf(want)) {
			t.Fatalf("%q:\n got %v\nwant %v", b, got, want)
		}
	}
	all := bytes.Repeat([]byte(`"`), indexed)
	if n := index(all, quoted, &marks); n != indexed {
		t.Errorf("%d marks of %d", n, indexed)
	}
}

func octetsOf(marks []uint16) (b []byte) {
	for _, m := range marks {
		b = append(b, byte(m), byte(m>>8))
	}
	return b
}

// TestLinesAreThoseOfNextLine checks that Lines splits chunks like repeated calls of NextLine.
func TestLinesAreThoseOfNextLine(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var l Lines
	for range 3000 {
		chunk := randomChunk(r, 1+r.IntN(4*indexed), 1+r.IntN(200))
		l.Reset(chunk)
		for rest := chunk; len(rest) > 0; {
			wantLine, wantText := NextLine(rest)
			line, text := l.Next()
			if !bytes.Equal(line, wantLine) || !bytes.Equal(text, wantText) {
				t.Fatalf("line %q, text %q; want %q, %q; in %q", line, text, wantLine, wantText, chunk)
			}
			rest = rest[len(line):]
		}
	}
}

// TestGuardOrdinaryLines checks that ordinary lines are read with the index.
func TestGuardOrdinaryLines(t *testing.T) {
	if !fast {
		t.Skip("this processor has no index")
	}
	for _, f := range clfFormats() {
		for _, more := range []string{"", ` "203.0.113.9"`, ` 12 "x" "y" 0.003`} {
			chunk := bytes.Repeat([]byte(f.Sample()+more+"\r\n"), 1000)
			var r Record
			c := f.NewReader().(*programReader)
			ordinary, lines := 0, 0
			for c.Reset(chunk); c.Next(&r) != End; lines++ {
				if c.ordinary {
					ordinary++
				}
			}
			if lines != 1000 || ordinary < 990 {
				t.Errorf("%s: of %d lines %d are ordinary", f.Name(), lines, ordinary)
			}
		}
	}
}

// TestGuardInlining checks that reading an ordinary line calls no function for a word.
func TestGuardInlining(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool to ask the compiler:", err)
	}
	says, err := exec.Command(goTool, "build", "-pgo=off", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, says)
	}
	for file, functions := range map[string][]string{
		"clf.go": {"(*lines).afterQuotes", "(*lines).part", "eight", "isAnswered", "field.HasBlank", "pathMethod",
			"parseEight"},
		"time.go":   {"secondsOfDay", "(*moments).difference"},
		"values.go": {"isBelowColon"},
	} {
		for _, function := range functions {
			if !regexp.MustCompile(file + `:\d+:\d+: inlining call to ` + regexp.QuoteMeta(function) + `\n`).Match(says) {
				t.Errorf("%s: no call to %s is inlined", file, function)
			}
		}
	}
}

// TestLinesKeepNothing checks that after Reset nothing remains of the previous chunk, even if that
// was abandoned and its memory is reused.
func TestLinesKeepNothing(t *testing.T) {
	reader := mustReader(t, "combined")
	buffer := []byte(strings.Repeat(lineOf(t, "combined")+"\n", 50))
	var r Record
	reader.Reset(buffer)
	reader.Next(&r)
	for i := range buffer {
		buffer[i] = 'x'
	}
	reader.Reset(buffer)
	if reader.Next(&r) != Unparsed || len(r.Line) != len(buffer) || reader.Next(&r) != End {
		t.Errorf("read %q", r.Line)
	}
	var none programReader
	if none.Next(&r) != End {
		t.Error("the zero value has lines")
	}
	if size := unsafe.Sizeof(none); size > 10<<10 {
		t.Errorf("%d bytes for each goroutine", size)
	}
}

func TestNextLine(t *testing.T) {
	for _, c := range []struct{ name, data, line, text string }{
		{"a line of many", "http://a/\nhttp://b/\n", "http://a/\n", "http://a/"},
		{"the last line without an end", "http://a/", "http://a/", "http://a/"},
		{"CRLF", "http://a/\r\nx", "http://a/\r\n", "http://a/"},
		{"a carriage return at the end of all", "http://a/\r", "http://a/\r", "http://a/"},
		{"two carriage returns: one is the URL's", "http://a/\r\r\n", "http://a/\r\r\n", "http://a/\r"},
		{"a carriage return within", "http://a/\rb\n", "http://a/\rb\n", "http://a/\rb"},
		{"blanks are kept", " http://a/ \n", " http://a/ \n", " http://a/ "},
		{"an empty line", "\nx\n", "\n", ""},
		{"an empty line with a carriage return", "\r\nx\n", "\r\n", ""},
		{"any bytes", "\x00\xff\n\n", "\x00\xff\n", "\x00\xff"},
	} {
		if line, text := NextLine([]byte(c.data)); string(line) != c.line || string(text) != c.text {
			t.Errorf("%s: NextLine(%q) = %q, %q; want %q, %q", c.name, c.data, line, text, c.line, c.text)
		}
	}
}

func FuzzNextLine(f *testing.F) {
	f.Add([]byte("http://a/\r\n\nb"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines []byte
		for rest := data; len(rest) > 0; {
			line, text := NextLine(rest)
			if len(line) == 0 || !bytes.HasPrefix(line, text) || bytes.IndexByte(text, '\n') >= 0 {
				t.Fatalf("%q: line %q, text %q", rest, line, text)
			}
			lines, rest = append(lines, line...), rest[len(line):]
		}
		if !bytes.Equal(lines, data) {
			t.Errorf("the lines of %q are %q", data, lines)
		}
	})
}
