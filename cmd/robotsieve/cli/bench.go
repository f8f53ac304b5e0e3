package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

func runBench(ctx context.Context, s streams, a *args) error {
	work, err := newWork(ctx, s, a)
	if err != nil {
		return err
	}
	report, code := work.report(), exitDone
	for _, p := range work.parsers {
		r := work.measure(ctx, p, value[time.Duration](a, "timeout"))
		if ctx.Err() != nil {
			s.warn("interrupted: the report covers the engines measured so far")
			report.Partial, code = true, exitInterrupted
			break
		}
		if r.Error != "" {
			s.warn("%s: %s", p.Name, r.Error)
			code = exitInput
		} else if r.Agreed < r.Compared && code == exitDone {
			code = exitFound
		}
		report.Engines = append(report.Engines, r)
	}
	return cmp.Or(writing("the report", report.write(s, a.text("output"))), exitWith(code))
}

type parser struct {
	bench.Entrant
	how string
}

// parsers returns all parsers to measure, robotsieve first.
func parsers(a *args, d automaton.Dialect) ([]parser, error) {
	inProcess := func(how string, engine automaton.Engine) parser {
		return parser{bench.InProcess("robotsieve", "",
			bench.Robotsieve(compile.Options{Dialect: d, MaxBytes: -1, Engine: engine})), how}
	}
	list := []parser{inProcess("compiles once", automaton.EngineAuto)}
	if a.is("list") {
		list = append(list, inProcess("plain list", automaton.EngineList))
	}
	for _, x := range a.texts("external") {
		name, command, found := strings.Cut(x, "=")
		if !found || name == "" || command == "" {
			return nil, usageError("--external %q is not NAME=COMMAND", x)
		}
		list = append(list, parser{bench.External(name, command), "external"})
	}
	return list, nil
}

// work is the input of a benchmark, and its parsers.
type work struct {
	parsers []parser
	site    bench.Site
	dialect automaton.Dialect
	robots  *compile.Robots
	// verdicts are robotsieve's.
	verdicts []automaton.Verdict
	want     []bench.Verdict
}

func newWork(ctx context.Context, s streams, a *args) (*work, error) {
	agent, robots := a.text("agent"), robotsFile(s, a)
	switch {
	case len(automaton.CutToken([]byte(agent))) < len(agent):
		return nil, usageError("--agent %q is not a product token, such as GPTBot", agent)
	case len(a.rest) == 0:
		return nil, usageError("no list of URLs")
	}
	w, limit := &work{}, robots.MaxBytes
	var err error
	if w.dialect, err = reading(a); err != nil {
		return nil, err
	}
	if w.parsers, err = parsers(a, w.dialect); err != nil {
		return nil, err
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, append(a.rest, robots.Name)...); err != nil {
		return nil, err
	}
	body, err := robots.Read(ctx)
	if err != nil {
		return nil, err
	}
	urls, err := readURLs(ctx, s, a.rest)
	if ctx.Err() != nil {
		s.warn("interrupted before anything was done")
		return nil, exitWith(exitInterrupted)
	}
	if err != nil {
		return nil, inputError(err)
	}
	for _, o := range job.Oddities(compile.Compile(body, compile.Options{Dialect: w.dialect, MaxBytes: limit}), body,
		robots.Name) {
		s.warn("%s", o)
	}
	w.site = bench.Site{RobotsURL: "http://localhost/robots.txt", Agent: agent, Body: compile.WholeLines(body, limit),
		URLs: urls}
	w.robots, w.verdicts, w.want = bench.Judge(&w.site, compile.Options{Dialect: w.dialect, MaxBytes: -1})
	return w, nil
}

// reading returns the dialect given by the flag, or else the agent's own if known.
func reading(a *args) (automaton.Dialect, error) {
	if d := dialect(a); d != nil {
		return *d, nil
	}
	set, err := job.Crawlers("")
	if err != nil {
		return 0, err
	}
	if p := set.ByName(a.text("agent")); p != nil {
		return automaton.ParseDialect(cmp.Or(p.Dialect, automaton.RFC9309.String()))
	}
	return automaton.RFC9309, nil
}

// readURLs reads lists of URLs. Part of the input would measure something else, so failures are errors.
func readURLs(ctx context.Context, s streams, args []string) ([]string, error) {
	inputs, warnings, errs := source.Inputs(ctx, args, s.in, source.Limits{})
	for _, w := range warnings {
		s.warn("%s", w)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var urls []string
	others := 0 // lines that are neither URLs nor paths
	r := source.NewReader(inputs, source.Options{Workers: 1, InOrder: true})
	defer r.Stop()
	defer context.AfterFunc(ctx, r.Stop)()
	for c, ok := r.Next(); ok; c, ok = r.Next() {
		if c.Cut > 0 {
			return nil, fmt.Errorf("%s: a line is too long to be a URL: %.40q…", r.Results()[c.Input].Name, c.Data)
		}
		for line := range bytes.Lines(c.Data) {
			line = bytes.TrimRight(line, "\r\n")
			if len(line) == 0 {
				continue
			}
			url := string(line)
			if strings.HasPrefix(url, "//") { // of which a parser that only knows URLs would take a part for the host
				url = "http://localhost" + url
			}
			urls = append(urls, url)
			if line[0] != '/' && !bytes.Contains(line, []byte("://")) {
				others++
			}
		}
		r.Release(c)
	}
	for _, result := range r.Results() {
		if result.Err != nil {
			return nil, result.Err
		}
	}
	if len(urls) == others {
		return nil, errors.New("no URL in the lists")
	}
	if others > 0 {
		s.warn("neither a URL nor a path: %s; each parser reads these in its own way",
			english.Plural(int64(others), "line"))
	}
	return urls, nil
}

// The rounds of a measurement, and the minimum duration of a round.
const (
	benchRounds = 5
	benchRound  = 50 * time.Millisecond
)
