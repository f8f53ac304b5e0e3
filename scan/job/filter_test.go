package job

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
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

func TestErrorsHaveAKind(t *testing.T) {
	robots, list := robotsFile(t), Inputs{Names: []string{file(t, "a", "http://a/\n")}}
	x := Agent{Name: "x"}
	none := RobotsFile{Name: "missing"}
	for name, c := range map[string]struct {
		kind Kind
		o    FilterOptions
	}{
		"no rules":  {Usage, FilterOptions{Agents: []Agent{x}, URLs: list}},
		"two rules": {Usage, FilterOptions{Agents: []Agent{x}, URLs: list, Robots: robots, Archive: "a.rsv"}},
		"no agent":  {Usage, FilterOptions{URLs: list, Robots: robots}},
		"no list":   {Usage, FilterOptions{Agents: []Agent{x}, Robots: robots}},
		"stdin twice": {Usage, FilterOptions{Agents: []Agent{x}, Robots: RobotsFile{Name: "-"},
			URLs: Inputs{Names: []string{"-"}}}},
		"no robots.txt":  {Input, FilterOptions{Agents: []Agent{x}, URLs: list, Robots: none}},
		"not an archive": {Input, FilterOptions{Agents: []Agent{x}, URLs: list, Archive: robots.Name}},
		"no crawlers": {Input, FilterOptions{Agents: []Agent{{Name: "x", Crawlers: "missing"}}, URLs: list,
			Robots: robots}},
		"no list is read": {Input, FilterOptions{Agents: []Agent{x}, Robots: robots,
			URLs: Inputs{Names: []string{"missing", "none"}}}},
	} {
		if f, err := Filter(t.Context(), c.o, io.Discard); f != nil || kindOf(err) != c.kind {
			t.Errorf("%s: %+v, kind %d, %v", name, f, kindOf(err), err)
		}
	}
	for name, o := range map[string]CompileOptions{"no source": {Output: "x"}, "no output": {Sources: []string{"x"}}} {
		if c, err := Compile(t.Context(), o); c != nil || kindOf(err) != Usage {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	if _, err := NewChecker(t.Context(), CheckOptions{Agents: []Agent{x}}); kindOf(err) != Usage {
		t.Error(err)
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
