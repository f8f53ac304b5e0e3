package job

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/source"
)

// kindOf returns the kind of an error, 0 if it is none of this package's.
func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

// file writes a file into a new directory, and returns its name.
func file(t *testing.T, name, content string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func robotsFile(t *testing.T) RobotsFile {
	t.Helper()
	return RobotsFile{Name: file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")}
}

func TestFilterReadsNamesAndOpenedInputs(t *testing.T) {
	var warnings []string
	o := FilterOptions{
		Agents: []Agent{{Name: "x"}}, Robots: robotsFile(t),
		URLs: Inputs{
			Names:  []string{file(t, "a", "http://a/\nhttp://a/p\n"), "missing", "-"},
			Stdin:  strings.NewReader("http://stdin/\nno URL\n"),
			Opened: []*source.Input{source.NewInput("opened", strings.NewReader("http://opened/"), -1)},
		},
		Quotes:   1,
		Messages: Messages{Warn: func(message string) { warnings = append(warnings, message) }},
	}
	var out bytes.Buffer
	f, err := Filter(t.Context(), o, &out)
	if err != nil || out.String() != "http://a/\nhttp://stdin/\nhttp://opened/\n" {
		t.Fatalf("%v, wrote %q", err, out.String())
	}
	if !f.Partial || f.Kept != 3 || f.Dropped != 1 || f.Invalid != 1 || len(f.Quotes) != 1 ||
		f.Inputs[f.Quotes[0].Input].Name != "-" {
		t.Errorf("%+v", f)
	}
	if len(f.Inputs) != 4 || f.Inputs[3].Err == nil || len(warnings) != 1 || warnings[0] != f.Inputs[3].Err.Error() {
		t.Errorf("inputs %+v, warnings %q", f.Inputs, warnings)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestInterruptedJobs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list := Inputs{Names: []string{"-"}, Stdin: strings.NewReader("http://a/\n")}
	f, err := Filter(ctx, FilterOptions{Agents: []Agent{{Name: "x"}}, Robots: RobotsFile{Name: "-", Stdin: list.Stdin},
		URLs: Inputs{Names: []string{"x"}}}, io.Discard)
	if f != nil || kindOf(err) != Interrupted {
		t.Errorf("before it begins: %+v, %v", f, err)
	}
	archive := filepath.Join(t.TempDir(), "a.rsv")
	o := CompileOptions{Sources: []string{"-"},
		Stdin: strings.NewReader(`{"host":"a.example","body":"user-agent: *\ndisallow: /p"}`), Output: archive}
	if c, err := Compile(ctx, o); c != nil || kindOf(err) != Interrupted {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := Compile(t.Context(), o); err != nil || c.Origins != 2 || c.Rulesets != 2 || c.Lost {
		t.Fatalf("%+v, %v", c, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	reads := 0
	list.Stdin = readerFunc(func(p []byte) (int, error) {
		if reads++; reads > 1 { // the first shows what list it is
			cancel()
		}
		return copy(p, "http://a.example/\n"), nil
	})
	f, err = Filter(ctx, FilterOptions{Agents: []Agent{{Name: "x", Dialect: new(automaton.Google)}}, Archive: archive,
		URLs: list}, io.Discard)
	if f == nil || !f.Partial || kindOf(err) != Interrupted {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestCheckPagesEndsWithItsContext(t *testing.T) {
	path := file(t, "x.warc", "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1000000000000\r\n\r\nx")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for ctx, kind := range map[context.Context]Kind{ended: Interrupted, t.Context(): Input} {
		_, err := CheckPages(ctx, CheckOptions{Agents: []Agent{{Name: "x"}}}, path, []string{"http://h/"})
		if kindOf(err) != kind {
			t.Errorf("%v", err)
		}
	}
}

func TestInterruptibleReaderReadsAll(t *testing.T) {
	text := strings.Repeat("0123456789", 30_000)
	if err := iotest.TestReader(interrupt.Reader(t.Context(), iotest.DataErrReader(strings.NewReader(text))),
		[]byte(text)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := io.ReadAll(interrupt.Reader(ctx, strings.NewReader(text))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
