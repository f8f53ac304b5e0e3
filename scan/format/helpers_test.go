package format

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"
)

// lineOf returns the sample of a format with texts in it replaced: pairs of old and new ones.
func lineOf(t testing.TB, format string, changes ...string) string {
	t.Helper()
	return strings.NewReplacer(changes...).Replace(mustFormat(t, format).Sample())
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

// each reads chunks one after the other. It yields what each line is, with all of its record if that is a request.
func each(reader Reader, chunks ...[]byte) iter.Seq2[Kind, *Record] {
	return func(yield func(Kind, *Record) bool) {
		r := new(Record)
		for _, chunk := range chunks {
			reader.Reset(chunk[:len(chunk):len(chunk)])
			for kind := reader.Next(r); kind != End; kind = reader.Next(r) {
				if kind == Request {
					reader.Complete(r)
				}
				if !yield(kind, r) {
					return
				}
			}
		}
	}
}

// kindsIn returns what the lines of chunks are.
func kindsIn(reader Reader, chunks ...[]byte) (list []Kind) {
	for kind := range each(reader, chunks...) {
		list = append(list, kind)
	}
	return list
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

// read reads a chunk of one line with r. The slice has no spare capacity, so that reading past its
// end panics.
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
	return append(chunk, strings.Repeat(formats()[0].Sample()+"\n", 2)...)
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
