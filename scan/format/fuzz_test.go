package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/logwriter"
)

// FuzzFormat reads any bytes in every format. No line may be lost, and every record must consist of
// parts of its line.
func FuzzFormat(f *testing.F) {
	for _, c := range variants {
		f.Add([]byte(strings.Replace(plain, c.old, c.new, 1)))
	}
	f.Add([]byte("\t\t"))
	f.Add([]byte(`a [] "* "" - `))
	f.Add([]byte(` [ ] "G /\" 414 `))
	all := slices.Clone(formats())
	for _, w := range logwriter.Writers(ByName) {
		log := write(w)
		if bound, err := formatOfWritten(w, log); err == nil && !slices.Contains(all, bound) {
			all = append(all, bound) // it has the columns of its head, or is the user's own
		}
		log.lines = slices.DeleteFunc(log.lines, func(l writtenLine) bool { return len(l.line) > 2000 })
		f.Add(log.log("\n"))
		f.Add(log.lines[len(log.lines)/2].line)
	}
	for _, e := range envelopes {
		if format, ok := ByName(e.Name + ":combined"); ok {
			all = append(all, format)
		}
		f.Add([]byte(in(e, plain)))
	}
	if mix, ok := ByName("combined+vhost_combined"); ok {
		all = append(all, mix)
	}
	f.Add([]byte("[{]"))
	f.Fuzz(func(t *testing.T, chunk []byte) {
		chunk = bytes.Clone(chunk)[:len(chunk):len(chunk)]
		before := string(chunk)
		var unescaped []byte
		for _, format := range all {
			var r Record
			reader := format.NewReader()
			if err := checkNext(format, reader, &r, chunk); err != nil {
				t.Error(err)
			}
			if err := checkLines(format, reader, chunk); err != nil {
				t.Errorf("%s reads %q: %v", format.Name(), chunk, err)
			}
			for kind, r := range each(reader, chunk) {
				if kind != Request {
					continue
				}
				reader.Plausible(r)
				if err := checkRecord(format, r); err != nil {
					t.Errorf("%s reads %q: %v", format.Name(), r.Line, err)
				}
				if !format.isCommon {
					continue
				}
				unescaped = unescape(unescaped[:0], r.Line)
				if err := checkViews(r, r.Line, unescaped); err != nil {
					t.Errorf("%s reads %q: %v", format.Name(), r.Line, err)
				}
			}
		}
		if string(chunk) != before {
			t.Errorf("the chunk has become %q", chunk)
		}
		Detect(chunk, true)
		Detect(chunk, false)
		Hosts(formats()[1], chunk)
	})
}

// checkLines reports whether each line of a chunk is returned once, in its turn, and is blank
// if it has no byte. A line of JSON that is an array may be returned in parts.
func checkLines(f *Format, reader Reader, chunk []byte) error {
	var r Record
	reader.Reset(chunk)
	_, isJSON := reader.(*jsonReader)
	size, last := len(chunk), -1
	for kind := reader.Next(&r); kind != End; kind = reader.Next(&r) {
		if isJSON && r.Offset == last {
			continue // a further part of the line, which is an array
		}
		last = r.Offset
		if last != size-len(chunk) {
			return fmt.Errorf("the line at %d has the offset %d", size-len(chunk), last)
		}
		if len(chunk) == 0 {
			return fmt.Errorf("%q is a line too many", r.Line)
		}
		line, text := NextLine(chunk)
		chunk = chunk[len(line):]
		if isJSON && bytes.IndexByte(text, '[') >= 0 && bytes.Contains(text, r.Line) {
			continue
		}
		if !bytes.Equal(r.Line, text) || (kind == Blank) != (len(text) == 0) {
			return fmt.Errorf("%q is returned as %q of kind %v", text, r.Line, kind)
		}
	}
	if len(chunk) > 0 {
		return fmt.Errorf("%q is lost", chunk)
	}
	return nil
}

// checkViews reports whether all fields of a record are in its line.
func checkViews(r *Record, line, unescaped []byte) error {
	for _, view := range [][]byte{r.Line, r.Agent, r.Addr, r.Host, r.Forwarded, r.Method, r.Target} {
		if !bytes.Contains(line, view) && !bytes.Contains(unescaped, view) {
			return fmt.Errorf("%q is not in the line", view)
		}
	}
	if r.Robots && !bytes.Contains(line, []byte("/robots.txt")) || !r.Robots &&
		bytes.HasPrefix(r.Target, []byte("/robots.txt")) && bytes.Contains(line, r.Target) {
		return fmt.Errorf("a request for robots.txt: %v", r.Robots)
	}
	return nil
}

// checkRecord describes errors in a record of any format.
func checkRecord(f *Format, r *Record) error {
	switch {
	case len(r.Method) == 0:
		return fmt.Errorf("no method")
	case !hasForm(string(r.Method), string(r.Target)):
		return fmt.Errorf("the target %q has no valid form", r.Target)
	case (r.Host != nil) != f.HasHost() && f.bind == nil: // otherwise it depends on the header in the chunk
		return fmt.Errorf("host %q", r.Host)
	case (r.Agent != nil) != f.HasAgent() && f.bind == nil:
		return fmt.Errorf("agent %q", r.Agent)
	case r.Forwarded != nil && !f.HasAgent() && !f.has[forwardedFor] && f.bind == nil:
		return fmt.Errorf("forwarded %q", r.Forwarded)
	case r.Status < 0 || r.Status > 999 || r.Size < NoSizes:
		return fmt.Errorf("status %d, size %d", r.Status, r.Size)
	case r.Truncated && r.Status != 414:
		return fmt.Errorf("truncated with status %d", r.Status)
	}
	return nil
}

// hasForm reports whether a target has one of the four forms of RFC 9112 3.2.
func hasForm(method, target string) bool {
	scheme, _, absolute := strings.Cut(target, "://")
	return strings.HasPrefix(target, "/") || target == "*" || strings.HasPrefix(target, "* ") ||
		method == "CONNECT" && target != "" || absolute && scheme != "" && !strings.ContainsAny(scheme, "/?# ")
}

// FuzzFields makes servers log a request with any bytes in its fields, and reads them back.
func FuzzFields(f *testing.F) {
	f.Add("frank", "/a?b=c", "https://example.org/", "GPTBot/1.0", int64(1e18), uint16(200), uint32(5))
	f.Add(`] "GET / HTTP/1.1" 200 5 "-" "x`, "/\" 200 5 \"-\" \"Googlebot\"", `" "`, `\"`, int64(-1), uint16(414), uint32(0))
	f.Add("0", "0", "0", "0", int64(1e18), uint16(227), uint32(111))
	f.Add("[01/Jan/2000:00:00:00 +0000] ", "/ HTTP/1.1", `\`, "\x00\xff\n", int64(0), uint16(999), uint32(1))
	writers := slices.DeleteFunc(logwriter.Writers(ByName), func(w *logwriter.Writer) bool {
		return !mustFormat(f, w.Format).isCommon || strings.HasSuffix(w.Name(), "varnishncsa") // with its own request line
	})
	f.Fuzz(func(t *testing.T, user, target, referer, agent string, nanos int64, status uint16, size uint32) {
		r := logwriter.Ordinary()
		r.User, r.Target, r.Referer, r.Agent = user, "/"+target, []string{referer}, []string{agent}
		r.Time = time.Unix(0, nanos).In(time.FixedZone("", int(nanos%(12*60))*60))
		r.Status, r.Size = 100+int(status%900), int64(size)
		if r.Time.Year() < 1701 || r.Time.Year() > 2199 {
			return
		}
		for _, w := range writers {
			line, says, _ := w.Write(nil, r)
			got, ok := read(mustReader(t, w.Format), new(Record), string(line))
			if want := wantOf(says); !ok || got != want {
				t.Fatalf("%s: %s\n got %+v, %v\nwant %+v", w.Name(), line, got, ok, want)
			}
		}
	})
}
