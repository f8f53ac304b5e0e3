package format

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/logwriter"
)

// entry is what a server knows of a request, before it is written to a log.
type entry struct {
	host, addr, ident, user string
	when                    time.Time
	request                 string
	status, size            string
	referer, agent          string
}

// visit is an ordinary entry, for a test to change what it is about.
func visit() entry {
	return entry{
		host: "www.example.com:443", addr: "192.0.2.7", ident: "-", user: "-",
		when:    time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC),
		request: "GET /a/b?c=d HTTP/1.1", status: "200", size: "1234",
		referer: "https://example.org/", agent: "Mozilla/5.0 (compatible; FooBot/1.0)",
	}
}

// line writes the entry as a server does that logs in the given format and
// escapes by the given function.
func (e entry) line(format string, escape func(string) string) string {
	var b strings.Builder
	if strings.HasPrefix(format, "vhost_") {
		b.WriteString(escape(e.host) + " ")
	}
	fmt.Fprintf(&b, "%s %s %s [%s] \"%s\" %s %s", e.addr, e.ident, escape(e.user),
		e.when.Format("02/Jan/2006:15:04:05 -0700"), escape(e.request), e.status, e.size)
	if strings.HasSuffix(format, "combined") {
		fmt.Fprintf(&b, " \"%s\" \"%s\"", escape(e.referer), escape(e.agent))
	}
	return b.String()
}

// raw is the escaping of a server that does none.
func raw(s string) string { return s }

var escapers = []struct {
	name   string
	escape func(string) string
}{
	{"Apache", logwriter.Apache},
	{"nginx", logwriter.Nginx},
}

func mustFormat(t testing.TB, name string) *Format {
	t.Helper()
	f, ok := ByName(name)
	if !ok {
		t.Fatalf("there is no format %q", name)
	}
	return f
}

// fields is a Record as its user sees it, with copies in place of views.
type fields struct {
	Agent, Addr, Host, Forwarded, Method, Target string
	Claim                                        string
	Lossy                                        Lossy
	Time                                         string // RFC 3339, empty if there is none
	Status                                       int
	Size                                         int64
	Truncated, Robots                            bool
}

func fieldsOf(r *Record) fields {
	f := fields{
		Agent: string(r.Agent), Addr: string(r.Addr), Host: string(r.Host), Forwarded: string(r.Forwarded),
		Method: string(r.Method), Target: string(r.Target), Claim: string(r.Claim), Lossy: r.Lossy,
		Status: r.Status, Size: r.Size, Truncated: r.Truncated, Robots: r.Robots,
	}
	if r.HasTime {
		f.Time = time.Unix(0, r.Time).UTC().Format(time.RFC3339Nano)
	}
	return f
}

// mustReader returns a new reader of the format of that name.
func mustReader(t testing.TB, name string) Reader {
	t.Helper()
	return mustFormat(t, name).NewReader()
}

// read reads a chunk of one line with r. The line is given with no room after it, so
// that a look past its end is a panic.
func read(reader Reader, r *Record, line string) (fields, bool) {
	b := bytes.Clone([]byte(line))
	reader.Reset(b[:len(b):len(b)])
	if reader.Next(r) != Request {
		return fields{}, false
	}
	reader.Complete(r)
	return fieldsOf(r), true
}

// chunkOf returns a chunk in which a line comes first, and so many ordinary ones after it
// that it is read by the index if there is one.
func chunkOf(line []byte) []byte {
	chunk := append(bytes.Clone(line), '\n')
	for len(chunk) < len(line)+200 {
		chunk = append(chunk, visit().line("vhost_combined", raw)...)
		chunk = append(chunk, '\n')
	}
	return chunk
}

// checkNext reports whether a line is read in a chunk as it is alone. The reader and r are
// used for it.
func checkNext(f *Format, reader Reader, r *Record, line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 || bytes.HasSuffix(line, []byte("\r")) {
		return nil
	}
	reader.Reset(chunkOf(line))
	got := reader.Next(r)
	if got == Request {
		reader.Complete(r)
	}
	want, isRequest := read(f.NewReader(), new(Record), string(line))
	if (got == Request) != isRequest || (got == Blank) != (len(line) == 0) || !isLine(reader, r, line) || isRequest &&
		fieldsOf(r) != want {
		return fmt.Errorf("%s reads %q in a chunk as %v %+v, alone as %v %+v", f.Name(), line, got, fieldsOf(r),
			isRequest, want)
	}
	return nil
}

// isLine reports whether a record's line is the line that was read, or part of one that holds
// several records.
func isLine(reader Reader, r *Record, line []byte) bool {
	_, several := reader.(*jsonReader)
	return bytes.Equal(r.Line, line) || several && bytes.Contains(line, r.Line)
}
