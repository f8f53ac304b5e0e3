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

// writtenLine is a line of internal/test/logwriter and what it says.
type writtenLine struct {
	name string // of the request
	line []byte // without its end
	want fields
	says logwriter.Facts
}

// written is the log of one writer.
type written struct {
	name   string
	format *Format
	head   []byte
	lines  []writtenLine
}

// log is the whole log, its lines ended by end.
func (w *written) log(end string) []byte {
	b := bytes.ReplaceAll(w.head, []byte("\n"), []byte(end))
	for _, l := range w.lines {
		b = append(append(b, l.line...), end...)
	}
	return b
}

// write has a writer write the forty requests.
func write(w *logwriter.Writer) *written {
	log := &written{name: w.Name(), head: []byte(w.Head)}
	for _, r := range logwriter.Requests() {
		line, says, ok := w.Write(nil, r)
		if ok {
			log.lines = append(log.lines, writtenLine{r.Name, line, wantOf(says), says})
		}
	}
	return log
}

// wantOf are the fields of a record that a line of these facts must give.
func wantOf(says logwriter.Facts) fields {
	want := fields{
		Agent: says.Agent, Addr: says.Addr, Host: says.Host, Forwarded: says.Forwarded, Method: says.Method,
		Target: says.Target, Claim: says.Claim,
		Time: says.Time.UTC().Format(time.RFC3339Nano), Status: says.Status, Size: says.Size,
		Lossy:  map[string]Lossy{"decoded": Decoded, "rewritten": Rewritten}[says.Lossy],
		Robots: strings.Contains(says.Target, "/robots.txt"),
	}
	if says.Time.IsZero() {
		want.Time = ""
	}
	return want
}

// eachWritten runs a test for the log of each writer.
func eachWritten(t *testing.T, test func(t *testing.T, log *written)) {
	for _, w := range logwriter.Writers(ByName) {
		t.Run(w.Name(), func(t *testing.T) {
			log := write(w)
			f, err := formatOfWritten(w, log)
			if err != nil {
				t.Fatal(err)
			}
			log.format = f
			test(t, log)
		})
	}
}

// formatOfWritten detects the format of a log.
func formatOfWritten(w *logwriter.Writer, log *written) (*Format, error) {
	f, err := Detect(log.log("\n"), true)
	if err == nil && strings.SplitN(f.Name(), ":", 2)[0] != w.Format {
		err = fmt.Errorf("it is detected as %s", f.Name())
	}
	return f, err
}

// readLog reads chunks of a log. It returns the record of each line that is no directive of
// the head, and an empty one for what is no request.
func readLog(f *Format, chunks ...[]byte) (all []fields) {
	for kind, r := range each(f.NewReader(), chunks...) {
		switch kind {
		case Request:
			all = append(all, fieldsOf(r))
		case Unparsed:
			all = append(all, fields{})
		}
	}
	return all
}

// TestWritten reads back what internal/test/logwriter writes in each format: in one chunk, line by
// line, with carriage returns, and cut in two at every line. It writes every format of the table.
func TestWritten(t *testing.T) {
	missing := map[string]bool{}
	for _, name := range Names() {
		missing[name] = true
	}
	for _, w := range logwriter.Writers(ByName) {
		delete(missing, w.Format)
	}
	if len(missing) > 0 {
		t.Errorf("internal/test/logwriter does not write %v", missing)
	}
	eachWritten(t, func(t *testing.T, log *written) {
		if len(log.lines) < 35 {
			t.Errorf("%d requests are written", len(log.lines))
		}
		whole := log.log("\n")
		got := readLog(log.format, whole)
		if len(got) != len(log.lines) {
			t.Fatalf("%d lines, want %d", len(got), len(log.lines))
		}
		for i, l := range log.lines {
			if err := l.check(got[i]); err != nil {
				t.Errorf("%s: %v\nline %.600s", l.name, err, l.line)
			}
		}
		same := func(how string, chunks ...[]byte) {
			if other := readLog(log.format, chunks...); !slices.Equal(got, other) {
				t.Errorf("%s: the records are others", how)
			}
		}
		same("with carriage returns", log.log("\r\n"))
		same("without an end", bytes.TrimSuffix(whole, []byte("\n")))
		lines := bytes.SplitAfter(whole, []byte("\n"))
		same("line by line", lines...)
		for at := 0; len(lines) > 0; lines = lines[1:] {
			at += len(lines[0])
			same(fmt.Sprintf("cut at octet %d", at), whole[:at], whole[at:])
		}
	})
}

// check compares a record with what its line says.
func (l *writtenLine) check(got fields) error {
	switch {
	case got == fields{} && (l.says.Unparsed || l.says.Unclear):
		return nil
	case l.says.Unparsed:
		return fmt.Errorf("read as %+v", got)
	case got == fields{}:
		return fmt.Errorf("not read")
	case got != l.want:
		return fmt.Errorf("\n got %s\nwant %s", short(got), short(l.want))
	}
	return nil
}

// short is a record for a message.
func short(f fields) string { return fmt.Sprintf("%.900s", fmt.Sprintf("%+v", f)) }

// TestGuardWritten limits allocations for a line of any format, in an envelope or a mix, and checks
// that its place in the chunk is known.
func TestGuardWritten(t *testing.T) {
	eachWritten(t, func(t *testing.T, log *written) {
		checkAllocs(t, log.format, log.log("\n"))
	})
	for _, e := range envelopes {
		t.Run(e.Name, func(t *testing.T) {
			f, _ := ByName(e.Name + ":combined")
			checkAllocs(t, f, []byte(in(e, plain)+"\n"))
		})
	}
	mix, _ := ByName("combined+vhost_combined")
	checkAllocs(t, mix, []byte(plain+"\nwww.example.com "+plain+"\n"))
}

// checkAllocs reports whether reading a chunk allocates, and whether the offset of each request is
// its line's.
func checkAllocs(t *testing.T, f *Format, chunk []byte) {
	t.Helper()
	var r Record
	requests, reader := 0, f.NewReader()
	last := -1
	for _, r := range each(reader, chunk) {
		_, text := NextLine(chunk[r.Offset:])
		if r.Offset < last || r.Offset > 0 && chunk[r.Offset-1] != '\n' || !bytes.Contains(text, r.Line) {
			t.Fatalf("%s: the offset of %q is %d", f.Name(), r.Line, r.Offset)
		}
		last = r.Offset
	}
	if n := testing.AllocsPerRun(5, func() {
		reader.Reset(chunk)
		for kind := reader.Next(&r); kind != End; kind = reader.Next(&r) {
			if kind == Request {
				requests++
				reader.Complete(&r)
			}
		}
	}); n != 0 || requests == 0 {
		t.Errorf("%s: %v allocations for %d requests", f.Name(), n, requests)
	}
}
