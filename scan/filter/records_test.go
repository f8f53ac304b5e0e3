package filter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/internal/page"
	"github.com/robotsieve/robotsieve/scan/source"
)

// warcRecord returns a record of a capture at an hour of a day.
func warcRecord(kind, target string, hour int, block string) string {
	head := "WARC/1.0\r\nWARC-Type: " + kind + "\r\n"
	if target != "" {
		head += "WARC-Target-URI: " + target + "\r\n"
	}
	return head + fmt.Sprintf("WARC-Date: 2026-10-01T%02d:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", hour,
		len(block), block)
}

// html returns a response with a page.
func html(header, head string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + header + "\r\n<html><head>" + head +
		"</head><body>text</body></html>"
}

const meta = `<meta name="robots" content="noindex">`

type crawled struct{ record, class string }

func (r crawled) classOf(byPage bool) string {
	class, paged, ok := strings.Cut(r.class, "/")
	if ok && byPage {
		return paged
	}
	return class
}

// crawl has records of several kinds. What becomes of each is its class by siteBody and, after a
// slash, by --page noindex.
var crawl = []crawled{
	{warcRecord("warcinfo", "", 1, "software: x"), "header"},
	{warcRecord("request", "https://a.example/x", 1, "GET /x HTTP/1.1\r\n\r\n"), "allowed"},
	{warcRecord("response", "https://a.example/x", 1, html("", "")), "allowed"},
	{warcRecord("request", "https://a.example/p/1", 2, "GET /p/1 HTTP/1.1\r\n\r\n"), "disallowed"},
	{warcRecord("response", "https://a.example/p/1", 2, html("", meta)), "disallowed"},
	{warcRecord("request", "https://a.example/n", 3, "GET /n HTTP/1.1\r\n\r\n"), "allowed/barred_by_page"},
	{warcRecord("response", "<https://a.example/n>", 3, html("", meta)), "allowed/barred_by_page"},
	{warcRecord("metadata", "https://a.example/n", 3, "fetchTimeMs: 3"), "allowed/barred_by_page"},
	{warcRecord("request", "https://a.example/y", 4, "GET /y HTTP/1.1\r\n\r\n"), "allowed"},
	{warcRecord("request", "https://a.example/h", 5, "GET /h HTTP/1.1\r\n\r\n"), "allowed/barred_by_page"},
	{warcRecord("response", "https://a.example/h", 5, html("X-Robots-Tag: FooBot: noindex\r\n", "")),
		"allowed/barred_by_page"},
	{warcRecord("response", "https://a.example/o", 6, html("X-Robots-Tag: OtherBot: noindex\r\n", "")), "allowed"},
	{warcRecord("metadata", "https://a.example/w", 7,
		`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"Headers":{"x-robots-tag":["noarchive","none"]}}}}}`),
		"allowed/barred_by_page"},
	{warcRecord("metadata", "https://a.example/v", 7,
		`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{"Head":{"Metas":`+
			`[{"name":"foobot","content":"noindex"}]}}}}}}`), "allowed/barred_by_page"},
	{warcRecord("response", "dns:a.example", 8, "a.example. 1 IN A 192.0.2.1"), "not_absolute"},
	{warcRecord("conversion", "https://a.example/t.pdf", 9, "plain text"), "disallowed"},
	{warcRecord("revisit", "https://a.example/", 9, "HTTP/1.1 200 OK\r\n\r\n"), "allowed"},
}

// forms are the ways in which records stand in a file: plain, a member a record, and all in one member.
var forms = map[string]func(records []string) []byte{
	"plain": func(records []string) []byte { return []byte(strings.Join(records, "")) },
	"gzip a record": func(records []string) (all []byte) {
		for _, r := range records {
			all = source.AppendMember(all, []byte(r))
		}
		return all
	},
	"one member": func(records []string) []byte { return source.AppendMember(nil, []byte(strings.Join(records, ""))) },
}

// filterRecords filters data as a file or as a pipe.
func filterRecords(t testing.TB, c Config, memory int64, asFile bool, data ...[]byte) (string, Summary,
	[]source.Result) {
	t.Helper()
	var inputs []*source.Input
	for _, d := range data {
		in := source.NewInput("-", bytes.NewReader(d), -1)
		if asFile {
			in = onDisk(t, "crawl.warc", string(d))
		}
		inputs = append(inputs, in)
	}
	var out bytes.Buffer
	r := NewRecords(inputs, c, memory, &out)
	s, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.Kept+s.Dropped+s.Invalid != s.Read {
		t.Errorf("%+v does not add up", s)
	}
	return out.String(), s, r.Results()
}

func recordConfig() Config {
	return Config{Dialects: one, Site: oneSite(automaton.RFC9309), Tokens: [][]string{{agent}}}
}

// byClass returns the records of crawl, which of them have one of some classes by --page noindex or without it, and
// how many have each.
func byClass(byPage bool, some ...string) (all, chosen []string, count [Classes]int64) {
	for _, r := range crawl {
		class := r.classOf(byPage)
		all = append(all, r.record)
		count[slices.Index(classNames[:], class)]++
		if slices.Contains(some, class) {
			chosen = append(chosen, r.record)
		}
	}
	return all, chosen, count
}

// TestRecordsAreKeptWhole checks each form, from files and pipes. The output has the form of the first file.
func TestRecordsAreKeptWhole(t *testing.T) {
	for name, form := range forms {
		for _, asFile := range []bool{true, false} {
			for _, directives := range []page.Directives{0, page.NoIndex} {
				c := recordConfig()
				c.Page = directives
				records, kept, want := byClass(directives != 0, "allowed", "header")
				out, s, results := filterRecords(t, c, 1<<20, asFile, form(records))
				wanted := form(kept)
				if name == "one member" {
					wanted = forms["gzip a record"](kept)
				}
				if out != string(wanted) || s.Count != want || !results[0].Complete || s.Printed != int64(len(kept)) {
					t.Errorf("%s, file %v, page %v: %d bytes, want %d; %s", name, asFile, directives, len(out), len(wanted),
						describe(s.Count))
				}
			}
		}
	}
}

// TestRecordsOfSeveralFiles checks that the output has the form of the first file.
func TestRecordsOfSeveralFiles(t *testing.T) {
	both := []string{crawl[2].record, crawl[11].record}
	for first, second := range map[string]string{"plain": "gzip a record", "gzip a record": "plain"} {
		out, _, _ := filterRecords(t, recordConfig(), 1<<20, true, forms[first](both[:1]), forms[second](both[1:]))
		if out != string(forms[first](both)) {
			t.Errorf("%s first: %q", first, out)
		}
	}
}

// TestLongRecordsAreCopiedFromTheirFile checks that long records are copied from files, but rejected from pipes.
func TestLongRecordsAreCopiedFromTheirFile(t *testing.T) {
	long := warcRecord("response", "https://a.example/1", 1, html("", "")+strings.Repeat("0123456789", 200_000))
	records := []string{warcRecord("warcinfo", "", 1, "x"), long, warcRecord("response", "https://a.example/2", 1, "y")}
	for _, name := range []string{"plain", "gzip a record"} {
		data := forms[name](records)
		if out, s, _ := filterRecords(t, recordConfig(), 4000, true, data); out != string(data) || s.Kept != 2 {
			t.Errorf("%s: %d bytes of %d, %s", name, len(out), len(data), describe(s.Count))
		}
	}
	without := forms["plain"]([]string{records[0], records[2]})
	if out, s, _ := filterRecords(t, recordConfig(), 4000, false, forms["plain"](records)); out != string(without) ||
		s.Count[TooLong] != 1 {
		t.Errorf("a pipe: %d bytes of %d, %s", len(out), len(without), describe(s.Count))
	}
	// A long request does not wait for its page, since it would have to be held in memory.
	long = warcRecord("request", "https://a.example/n", 3, strings.Repeat("x", 1<<20))
	c := recordConfig()
	c.Page = page.NoIndex
	out, s, _ := filterRecords(t, c, 4000, true, forms["plain"]([]string{long, crawl[6].record}))
	if out != long || s.Count[Allowed] != 1 || s.Count[ByPage] != 1 {
		t.Errorf("a long request: %d bytes, %s", len(out), describe(s.Count))
	}
}

// TestWhatIsKeptOfBarredPages checks that Disallowed keeps barred pages with their requests, that the counts are
// the same, and that annotations have a line for each record, in order.
func TestWhatIsKeptOfBarredPages(t *testing.T) {
	records, want, count := byClass(true, "barred_by_page", "disallowed", "header")
	c := recordConfig()
	c.Page, c.Disallowed = page.NoIndex, true
	out, s, _ := filterRecords(t, c, 1<<20, true, forms["plain"](records))
	if out != strings.Join(want, "") || s.Count != count || s.Barred[0] != count[Disallowed]+count[ByPage] {
		t.Errorf("%d bytes, want %d; %s, barred %v", len(out), len(strings.Join(want, "")), describe(s.Count), s.Barred)
	}
	c.Annotate, _ = NewTSV([]string{agent})
	out, s, _ = filterRecords(t, c, 1<<20, true, forms["gzip a record"](records))
	for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if got, _, _ := strings.Cut(line, "\t"); got != crawl[i].classOf(true) || s.Printed != int64(len(crawl)) {
			t.Errorf("record %d of %d: %q, want %s", i, s.Printed, line, crawl[i].classOf(true))
		}
	}
}

// endingWriter ends a context after some bytes.
type endingWriter struct {
	bytes.Buffer
	room int
	end  context.CancelCauseFunc
}

func (e *endingWriter) Write(b []byte) (int, error) {
	if e.room -= len(b); e.room < 0 {
		e.end(errFull)
	}
	return e.Buffer.Write(b)
}

// TestRecordsOfARunThatIsEnded checks that the output of an ended run is a prefix of the whole, even while a
// request waits or a record is long.
func TestRecordsOfARunThatIsEnded(t *testing.T) {
	all, _, _ := byClass(true)
	records := slices.Repeat(all, 3)
	for name, form := range forms {
		for _, annotated := range []bool{false, true} {
			c := recordConfig()
			c.Page = page.NoIndex
			if annotated {
				c.Annotate = NewJSON([]string{agent})
			}
			data := form(records)
			whole, _, _ := filterRecords(t, c, 1<<20, true, data)
			for room := 0; room < len(whole); room += 97 {
				ctx, cancel := context.WithCancelCause(context.Background())
				out := &endingWriter{room: room, end: cancel}
				_, err := NewRecords([]*source.Input{source.NewInput("-", bytes.NewReader(data), -1)}, c, 1<<20, out).Run(ctx)
				if !strings.HasPrefix(whole, out.String()) || err != nil && !errors.Is(err, errFull) {
					t.Fatalf("%s, ended after %d bytes: %d bytes that are not the beginning, error %v", name, room, out.Len(), err)
				}
			}
		}
	}
}

// TestDamagedRecords checks that everything before the damage is written, that the damaged record is counted, and
// that the error says where it is.
func TestDamagedRecords(t *testing.T) {
	first, second := crawl[2].record, crawl[11].record
	for name, form := range forms {
		if name == "one member" {
			continue
		}
		whole, begin := form([]string{first, second}), len(form([]string{first}))
		for n := begin + 1; n < len(whole)-10; n += 7 {
			out, s, results := filterRecords(t, recordConfig(), 1<<20, true, whole[:n], form([]string{first}))
			if out != string(form([]string{first, first})) || s.Kept != 2 || s.Count[CutOff] > 1 {
				t.Fatalf("%s, cut at %d: %d bytes, %s", name, n, len(out), describe(s.Count))
			}
			left := fmt.Sprintf("at byte %d: ", begin)
			if name != "plain" { // where the decoder found it
				left = "the rest is not read"
			} else if err := results[0].Err; err != nil &&
				!strings.HasSuffix(err.Error(), fmt.Sprintf("the rest is not read (%d bytes)", n-begin)) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			if err := results[0].Err; err == nil || results[0].Complete || !strings.Contains(err.Error(), left) ||
				!results[1].Complete {
				t.Fatalf("%s, cut at %d: %v", name, n, err)
			}
		}
	}
}

// TestHostileRecords checks the memory for records that inflate enormously, endless headers and claims of terabytes.
func TestHostileRecords(t *testing.T) {
	const memory = 1 << 20
	zeros := strings.Repeat("\x00", 64<<20)
	bomb := warcRecord("response", "https://a.example/bomb", 1, zeros)
	zippedPage := warcRecord("response", "https://a.example/gzip", 1,
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"+string(source.AppendMember(nil,
			[]byte("<html><head>"+zeros))))
	good := crawl[2].record
	zipped := forms["gzip a record"]
	for name, c := range map[string]struct {
		data []byte
		want string // the classes of the records
		fail bool
	}{
		"a bomb":           {zipped([]string{good, bomb, good}), "allowed 3", false},
		"a bomb in a page": {zipped([]string{good, zippedPage, good}), "allowed 3", false},
		"an endless header": {append(zipped([]string{good}),
			source.AppendMember(nil, []byte("WARC/1.0\r\n"+strings.Repeat("a: b\r\n", 4<<20)))...), "allowed 1", true},
		"a claim": {append(zipped([]string{good}),
			source.AppendMember(nil, []byte("WARC/1.0\r\nWARC-Target-URI: https://a.example/\r\nContent-Length: "+
				"9000000000000000\r\n\r\nx"))...), "allowed 1, cut_off 1", true},
	} {
		config := recordConfig()
		config.Page = page.NoIndex
		in := source.NewInput("-", bytes.NewReader(c.data), -1)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := NewRecords([]*source.Input{in}, config, memory, io.Discard)
		s, err := r.Run(context.Background())
		runtime.ReadMemStats(&after)
		if err != nil || describe(s.Count) != c.want || (r.Results()[0].Err != nil) != c.fail {
			t.Errorf("%s: %s, error %v, %v", name, describe(s.Count), err, r.Results()[0].Err)
		}
		// In all, not at once: parts allocate their buffers once, and each page allocates its own.
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 24<<20 {
			t.Errorf("%s: %d MB allocated", name, taken>>20)
		}
	}
}

func TestRecordsThatCannotBeWritten(t *testing.T) {
	data := forms["plain"]([]string{crawl[2].record, crawl[2].record, crawl[2].record})
	r := NewRecords([]*source.Input{source.NewInput("-", bytes.NewReader(data), -1)}, recordConfig(), 1<<20,
		&full{room: len(crawl[2].record) + 10})
	if s, err := r.Run(context.Background()); !errors.Is(err, errFull) || s.Read > 2 {
		t.Errorf("error %v after %d records", err, s.Read)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errFull)
	r = NewRecords([]*source.Input{source.NewInput("-", bytes.NewReader(data), -1)}, recordConfig(), 1<<20,
		&bytes.Buffer{})
	if s, err := r.Run(ctx); !errors.Is(err, errFull) || s.Read != 0 {
		t.Errorf("error %v after %d records", err, s.Read)
	}
}
