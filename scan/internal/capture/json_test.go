package capture_test

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
)

func TestJSONLines(t *testing.T) {
	for _, row := range cases.Rows(t, "lines.txt") {
		line, want := row[0], row[1]
		t.Run(line, func(t *testing.T) {
			same(t, read(capture.JSONLines(strings.NewReader(line), all)), want)
			after := `http://h 200 "b"`
			same(t, read(capture.JSONLines(strings.NewReader("\n"+line+"\n \r\n"+`{"host":"http://h","body":"b"}`+"\n"), all)),
				want, after)
		})
	}
}

// byLibrary reads an object as encoding/json does, member by member.
func byLibrary(line string, o capture.Options) (capture.Capture, capture.Reason) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &members) != nil {
		return capture.Capture{}, capture.NotJSON
	}
	var v capture.Values
	for i, name := range []string{"host", "body", "body_b64", "status", "location", "date"} {
		var of any
		if raw := members[name]; raw == nil || i == int(capture.Date) && o.Fields[i] == "" {
		} else if _ = json.Unmarshal(raw, &of); of != nil {
			s, isText := of.(string)
			switch number := i == int(capture.Status) || i == int(capture.Date); {
			case isText:
				v[i] = []byte(s)
			case number:
				v[i] = raw
			case i != int(capture.Location):
				return capture.Capture{}, capture.NotJSON
			}
			if v[i] == nil {
				v[i] = []byte{}
			}
		}
	}
	return v.Capture(o)
}

// TestObjectsAreReadAsTheLibraryDoes compares objects made of many pieces, half of them invalid, with encoding/json.
func TestObjectsAreReadAsTheLibraryDoes(t *testing.T) {
	values := []string{`"a"`, `""`, `"h.example"`, `"\n\\\"\/\t"`, `"\u00e9\u2028"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83d\u0041"`, `"\ud83d\ud83d\ude00"`,
		`"\x41"`, `"\u12"`, `"\u12g4"`, "\"\x01\"", "\"\u00fc\"", `"open`, `null`, `nul`, `nullx`, `true`, `7`, `404`, `007`, `0`, `-1`,
		`2e2`, ``, `{}`, `[1]`, `"2026-11-05"`, `"a" `, "\t\r\"a\"", `"YQ=="`, `"a\`}
	names := []string{`"host"`, `"body"`, `"body_b64"`, `"status"`, `"location"`, `"date"`, `"other"`,
		`"b\u006fdy"`, `""`, `host`}
	ends := []string{`}`, `}`, `}`, ` } `, `,}`, `}}`, ``}
	dated := all
	dated.Fields = capture.Fields{"host", "body", "body_b64", "status", "location", "date"}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	var lines []string
	for range 20_000 {
		line := `"host":"http://h.example"`
		for range 1 + r.IntN(3) {
			line += pick([]string{",", " , "}) + pick(names) + pick([]string{":", " : "}) + pick(values)
		}
		lines = append(lines, line+pick(ends))
	}
	for _, o := range []capture.Options{all, dated} {
		got := read(capture.JSONLines(strings.NewReader("{"+strings.Join(lines, "\n{")), o)).got
		good := 0
		for i, line := range lines {
			c, reason := byLibrary("{"+line, o)
			want := string(reason)
			if reason == "" {
				want = text(c)
				good++
			}
			if got[i] != want {
				t.Fatalf("{%s\nis %v, and with encoding/json %v", line, got[i], want)
			}
		}
		if good < 500 {
			t.Errorf("only %d objects gave a capture", good)
		}
	}
}

func TestSkippedLineIsQuotedWithItsNumber(t *testing.T) {
	for _, err := range capture.JSONLines(strings.NewReader("\n\x1b[2J"+strings.Repeat("x", 500)+"\n"), all) {
		if err == nil ||
			!strings.HasPrefix(err.Error(), `line 2: not a JSON object of the expected fields: "\x1b[2Jxxx`) ||
			len(err.Error()) > 200 {
			t.Errorf("got %v", err)
		}
	}
}

func TestBodyIsCutAtItsLimit(t *testing.T) {
	o := capture.Options{MaxBody: 3}
	same(t, read(capture.JSONLines(strings.NewReader(`{"host":"http://h","body":"abcdef"}`), o)), `http://h 200 "abc"`)
	same(t, read(capture.WARC(strings.NewReader(response("http://h/robots.txt", "HTTP/1.1 200 OK", "abcdef")), o)),
		`http://h 200 "abc"`)
	c, err := capture.File(strings.NewReader("abcdef"), "https://h", o)
	if err != nil || text(c) != `https://h 200 "abc"` {
		t.Errorf("%s, %v", text(c), err)
	}
}

func TestErrorOfReadingEndsTheLines(t *testing.T) {
	r := iotest.TimeoutReader(io.MultiReader(strings.NewReader(`{"host":"http://h","body":"a"}`+"\n"+`{"host`),
		strings.NewReader("x")))
	if o := read(capture.JSONLines(r, all)); !errors.Is(o.err, iotest.ErrTimeout) || len(o.got) != 1 {
		t.Errorf("got %+v", o)
	}
}

func TestEndlessLineTakesBoundedMemory(t *testing.T) {
	size := int64(1 << 30)
	if testing.Short() {
		t.Log("short: 100 MiB instead of 1 GiB")
		size = 100 << 20
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := io.MultiReader(endless("x", size), strings.NewReader("\n"+`{"host":"http://h","body":"a"}`))
	same(t, read(capture.JSONLines(r, all)), string(capture.LongLine), `http://h 200 "a"`)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 600<<20 { // growing to 64 MiB
		t.Errorf("%d bytes allocated", taken)
	}
}
