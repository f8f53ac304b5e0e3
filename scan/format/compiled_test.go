package format

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// programOf returns the program of a format in words of nginx.
func programOf(t testing.TB, words string) *program {
	t.Helper()
	w, err := nginxWording(words)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := w.compile()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCombinedTwins compares clf with the compiled words of the common log format and its
// relatives. Only clf finds X-Forwarded-For after the User-Agent.
func TestCombinedTwins(t *testing.T) {
	for i, row := range clfRows {
		words, err := Parse(row.words)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range variants {
			line := strings.Replace(plain, c.old, c.new, 1)
			if strings.HasPrefix(row.name, "vhost_") {
				line = "www.example.com:443 " + line
			}
			want, isRequest := read(clfFormats()[i].NewReader(), new(Record), line)
			want.Forwarded = ""
			for _, b := range [][]byte{[]byte(line), chunkOf([]byte(line))} {
				if got, ok := read(words.NewReader(), new(Record), string(b)); ok != isRequest || got != want {
					t.Errorf("%s: %s: %s\n got %+v %v\nwant %+v %v", row.name, c.name, line, got, ok, want, isRequest)
				}
			}
		}
	}
}

// slowly reads a line by a template byte by byte, as its comment says, and
// returns the text of each field. Its quotes are searched one after the other.
func slowly(t *field.Template, line string) (texts []string, ok bool) {
	at := len(t.Rules[0].Before)
	if !strings.HasPrefix(line, t.Rules[0].Before) {
		return nil, false
	}
	froms, quotes, isOpen, isForged, free := make([]int, len(t.Rules)), strings.Count(t.Rules[0].Before, `"`),
		false, false, ""
	for i, r := range t.Rules {
		for r.Padded && at < len(line) && (line[at] == ' ' || line[at] == '\t') {
			at++
		}
		last := i+1 == len(t.Rules)
		next, isAsked := t.After, false
		if !last {
			next, isAsked = t.Rules[i+1].Before, t.Rules[i+1].Code
		}
		kept := 0
		if next == "" && !last { // the next field is a path
			next, kept = "/", 1
		}
		quotes += strings.Count(next, `"`)
		wasQuoted := strings.HasSuffix(r.Before, `"`)
		isQuoted := strings.HasPrefix(next, `"`) && (wasQuoted || r.Escape == '\\' && !r.Solid)
		isOpen = isOpen || isQuoted && r.Escape == 0 && r.Holds != field.Token
		isAsked = isAsked && (!isQuoted || r.Free)
		stands := func(end int) bool {
			switch rest, found := strings.CutPrefix(line[end:], next); {
			case !found:
				return false
			case last:
				return rest == "" || t.More && (rest[0] == ' ' || rest[0] == '\t')
			case isAsked:
				after := t.After
				if i+2 < len(t.Rules) {
					after = t.Rules[i+2].Before
				}
				n := slowStatus(rest)
				return n > 0 && strings.HasPrefix(rest[n:], after)
			}
			return true
		}
		end := -1
		if r.Code && !wasQuoted {
			if n := slowStatus(line[at:]); n > 0 && stands(at+n) {
				end = at + n
			}
		} else {
			for e := at; e <= len(line) && end < 0; e++ {
				if isQuoted && (e == len(line) || line[e] != '"' || r.Escape == '\\' && slowEscaped(line[at:e])) {
					continue
				}
				if r.List && next == " " && e > at && line[e-1] == ',' {
					continue // the blank is part of the list
				}
				if stands(e) {
					end = e
				} else if isQuoted && !isAsked {
					break
				}
			}
			if end >= 0 && r.Bracketed {
				shift := strings.LastIndex(line[at:end], r.Before)
				if shift >= 0 && !strings.HasSuffix(t.Rules[i-1].Before, `"`) && !t.Rules[i-1].Code {
					texts[i-1] = line[froms[i-1] : at+shift]
					at += shift + len(r.Before)
				}
			}
		}
		if end < 0 || r.Solid && !isQuoted && strings.Contains(line[at:end], " ") ||
			r.Without != 0 && strings.IndexByte(line[at:end], r.Without) >= 0 {
			return nil, false
		}
		froms[i], texts = at, append(texts, line[at:end])
		if r.Free {
			free = line[at:end]
			isForged = strings.Contains(free, r.Before) &&
				slices.ContainsFunc(t.Rules[:i], func(r field.Rule) bool { return r.Holds == field.Any })
		}
		at = end + len(next) - kept
	}
	n := strings.Count(line, `"`)
	return texts, !isOpen || n == quotes || !isForged && n == quotes+strings.Count(free, `"`)
}

// slowStatus is the length of the status at the start of s, 0 if there is none.
func slowStatus(s string) int {
	return len(regexp.MustCompile(`^(?:(?:\d{3}|0)(?:\D|$)|-1|-)`).FindString(s)) - map[bool]int{true: 1}[regexp.MustCompile(`^\d+\D`).MatchString(s)]
}

// slowEscaped reports whether a field ends in a backslash that belongs to what follows.
func slowEscaped(s string) bool {
	isEscaped := false
	for _, c := range []byte(s) {
		isEscaped = c == '\\' && !isEscaped
	}
	return isEscaped
}

// twins are programs with all that programs can have.
var twins = map[string]*program{
	"blanks": twin("", false, fieldOf{field.Rule{}, clientAddr}, fieldOf{field.Rule{Before: " "}, hostName},
		fieldOf{field.Rule{Before: " "}, userAgent}),
	"more": twin("", true, fieldOf{field.Rule{}, clientAddr}, fieldOf{field.Rule{Before: " "}, userAgent}),
	"quotes": twin(`"`, false, fieldOf{field.Rule{Before: `"`, Escape: '\\'}, target},
		fieldOf{field.Rule{Before: `" "`, Escape: '\\'}, userAgent}),
	"quotes and more": twin(`"`, true, fieldOf{field.Rule{Before: `"`, Escape: '\\'}, target},
		fieldOf{field.Rule{Before: `" "`, Escape: '\\'}, userAgent}),
	"open quotes": twin(`"`, true, fieldOf{field.Rule{Before: `"`}, requestLine},
		fieldOf{field.Rule{Before: `" `}, statusCode}, fieldOf{field.Rule{Before: ` "`}, userAgent}),
	"request": twin("", true, fieldOf{field.Rule{Escape: '\\'}, clientAddr},
		fieldOf{field.Rule{Before: ` "`, Escape: '\\'}, requestLine}, fieldOf{field.Rule{Before: `" `}, statusCode},
		fieldOf{field.Rule{Before: ` `}, bodySize}),
	"time": twin("", false, fieldOf{field.Rule{}, hostName}, fieldOf{field.Rule{Before: " ["}, moment},
		fieldOf{field.Rule{Before: `] "`, Escape: '\\'}, requestLine}, fieldOf{field.Rule{Before: `" `}, statusCode}),
	"quoted and time": twin(`]`, false, fieldOf{field.Rule{Before: `"`, Escape: '\\'}, hostName},
		fieldOf{field.Rule{Before: `" [`}, moment}),
	"status and time": twin(`]`, false, fieldOf{field.Rule{}, statusCode}, fieldOf{field.Rule{Before: " ["}, moment}),
	"status": twin("", false, fieldOf{field.Rule{}, hostName}, fieldOf{field.Rule{Before: " "}, statusCode},
		fieldOf{field.Rule{Before: " ", Padded: true}, userAgent}),
	"without": twin("", false, fieldOf{field.Rule{Before: "[", Without: '2'}, hostName},
		fieldOf{field.Rule{Before: "]"}, userAgent}),
	"text and quotes": twin(`"`, false, fieldOf{field.Rule{}, hostName}, fieldOf{field.Rule{Before: `2 "`}, bodySize},
		fieldOf{field.Rule{Before: `] `}, userAgent}),
}

// fieldOf is a field of a part.
type fieldOf struct {
	rule field.Rule
	part part
}

// twin returns a program of fields.
func twin(after string, more bool, fields ...fieldOf) *program {
	p := &program{Template: &field.Template{After: after, More: more}}
	for _, f := range fields {
		f.rule.Holds = holds[f.part]
		p.add(f.rule, f.part)
	}
	return p
}

// checkTwins reads lines by a program, in a chunk with marks and each alone, and compares
// the fields with those that slowly finds. What is not certain is left out.
func checkTwins(t *testing.T, name string, p *program, lines []string) {
	t.Helper()
	f := p.format(clfTime, [allParts]spelling{})
	inChunk, alone := f.NewReader().(*programReader), f.NewReader().(*programReader)
	inChunk.Reset([]byte(strings.Join(lines, "\n") + "\n" + strings.Repeat("\n", 64)))
	for _, line := range lines {
		want, isWanted := slowly(p.Template, line)
		alone.Reset([]byte(line))
		for how, r := range map[string]*programReader{"in a chunk": inChunk, "alone": alone} {
			var record Record
			r.places.Line = nil
			if len(line) > 0 || r == inChunk {
				r.Next(&record)
			}
			if string(r.places.Line) != line {
				t.Fatalf("%s: the line is %q, want %q", name, r.places.Line, line)
			}
			got := r.Split(&r.places)
			if got != isWanted {
				t.Fatalf("%s: %q %s: %v, want %v %q", name, line, how, got, isWanted, want)
			}
			for i := range p.fields {
				if text := r.field; got && string(text(i)) != want[i] {
					t.Fatalf("%s: %q %s: field %d is %q, want %q", name, line, how, i, text(i), want[i])
				}
			}
		}
	}
}

// TestProgramTwin reads all short lines over a small alphabet, and longer ones made of pieces.
func TestProgramTwin(t *testing.T) {
	const alphabet, longest = `" \[]2`, 5
	all := []string{""}
	for from := 0; len(all[from]) < longest; from++ {
		for _, c := range alphabet {
			all = append(all, all[from]+string(c))
		}
	}
	pieces := []string{`"`, `" "`, `" 200 `, `\"`, `\\`, " ", "  ", "[", " [", "] ", `] "`, "]", "-", "-1", "20", "2", "x",
		"GET /", "\t", "04/Mar/2026:05:06:07 +0000", ` "`, `" [`, `[04/Mar/2026:05:06:07 +0000] "`}
	r := rand.New(rand.NewPCG(9, 10))
	for range 15_000 {
		var line strings.Builder
		for range 1 + r.IntN(12) {
			line.WriteString(pieces[r.IntN(len(pieces))])
		}
		all = append(all, line.String())
	}
	all = append(all, `"x" [x" [x]`, `200 [x [x]`, `x [x [x]`)
	for _, c := range variants {
		all = append(all, strings.Replace(plain, c.old, c.new, 1))
	}
	for name, p := range twins {
		checkTwins(t, name, p, all)
	}
	checkTwins(t, "combined", programOf(t, clfRows[0].words), all)
}

// FuzzProgram reads any lines with all programs of the table, in a chunk and alone, and compares
// with slowly.
func FuzzProgram(f *testing.F) {
	for _, row := range textRows {
		f.Add(row.sample)
	}
	f.Add(`1.1.1.1, - - [] "" 0  "0" ""`) // a list that ends in a comma
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") || len(line) > 2000 {
			return
		}
		for _, row := range textRows {
			checkTwins(t, row.name, programOf(t, row.words), []string{line})
		}
		for name, p := range twins {
			checkTwins(t, name, p, []string{line})
		}
	})
}

// TestHaproxyCaptures detects HAProxy's captured headers by their values, and accepts no ambiguous
// User-Agent.
func TestHaproxyCaptures(t *testing.T) {
	const ua = "Mozilla/5.0 (compatible; FooBot/1.0)"
	for _, c := range []struct{ captured, want string }{
		{"", "haproxy"},
		{"{www.example.com|" + ua + "} {} ", "haproxy:host,user-agent"},
		{"{" + ua + "} {} ", "haproxy:user-agent"},
		{"{https://example.org/a|" + ua + "|203.0.113.9, 10.0.0.1|} {nginx/1.2|} ", "haproxy:-,user-agent,x-forwarded-for,-"},
		{"{www.example.com||} ", "haproxy"},
		{"{nginx/1.2|text/html} ", "haproxy"},
		{"{curl/8.1} ", "haproxy"},
		{"{" + ua + "|" + ua + "} ", "haproxy"},
	} {
		line := haproxySample(" " + c.captured)
		f, err := Detect([]byte(line+"\n"+line+"\n"), true)
		if err != nil || f.Name() != c.want {
			t.Errorf("%q is read as %v, %v; want %s", c.captured, f, err, c.want)
			continue
		}
		if _, found := strings.CutPrefix(c.want, haproxyPrefix); !found {
			continue
		}
		if byName, ok := ByName(strings.ToUpper(c.want)); !ok || byName.Name() != c.want {
			t.Errorf("there is no format of the name %s", c.want)
		}
		if got, ok := read(f.NewReader(), new(Record), line); !ok || got.Agent != ua {
			t.Errorf("read as %+v", got)
		}
	}
	if got, ok := read(mustReader(t, "haproxy:ua"), new(Record), haproxySample(" {"+ua+"|de} {} ")); ok {
		t.Errorf("two headers are read as one: %+v", got)
	}
}

// TestTimeBehindTheLine has a line shorter than a usual time, which must not use the next line.
func TestTimeBehindTheLine(t *testing.T) {
	f, err := Parse(`LogFormat "%h %l %u %t \"%r`)
	if err != nil {
		t.Fatal(err)
	}
	for kind, r := range each(f.NewReader(),
		[]byte("192.0.2.1 - - [1 - - [0026:\"\n\n{\"a 7 +0000] \"GET /a? [00b=c HTTP/1.1\" 200 12 \"-\" \"Bot05:06:0[\":1}\n")) {
		if kind == Request {
			t.Errorf("a request: %q", r.Line)
		}
	}
}

// TestAsterisk accepts an asterisk as a target only on its own (RFC 9112 3.2.4).
func TestAsterisk(t *testing.T) {
	for line, want := range map[string]bool{
		"1772600767.000    310 192.0.2.1 TCP_MISS/200 1234 OPTIONS * - HIER_DIRECT/203.0.113.5 text/html":   true,
		"1772600767.000    310 192.0.2.1 TCP_MISS/200 1234 OPTIONS *\" - HIER_DIRECT/203.0.113.5 text/html": false,
	} {
		if _, ok := read(mustReader(t, "squid"), new(Record), line); ok != want {
			t.Errorf("%q: %v", line, ok)
		}
	}
}
