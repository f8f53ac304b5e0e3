package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// benchFlags are the flags of a benchmark.
type benchFlags struct {
	robots   job.RobotsFile
	dialect  *automaton.Dialect // nil: auto
	agent    string
	external []string
	list     bool
	timeout  time.Duration
	output   string
}

func newBench(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench --robots FILE --agent NAME URLS...",
		Short: "Benchmark against other parsers",
		Long: `Bench times verdicts on URLs by robotsieve and by other parsers, on the same input
in one run, and shows where they disagree with robotsieve.

URLS are lists of URLs, one per line: files, plain or compressed, folders, patterns,
or - for stdin. A line that begins with a slash is a request target; one with two
slashes is given to all parsers as http://localhost//..., since not all of them take
it for a target. NAME is always a bare product token, as in check --jsonl.

An external parser is any command that answers cases as check --jsonl does. COMMAND
is run by sh -c: write it as in a shell, and start nothing that you do not trust. It
is started several times, first without a case, to measure its start-up time, and
then with all of them. It must end when its stdin ends.

With --list robotsieve is also measured by its plain list of rules, without the
automaton.

Exit status: 0 all agree; 1 a parser disagrees with robotsieve; 3 an input or an
external command could not be used, or took too long; 130 interrupted.`,
		Example: `  robotsieve bench --robots robots.txt --agent MyBot urls.txt
  robotsieve bench --robots robots.txt --agent MyBot --dialect google \
    --external 'jsonl=robotsieve check --jsonl --dialect google' urls.txt.gz`,
	}
	f, flags := &benchFlags{robots: job.RobotsFile{Stdin: s.in}}, cmd.Flags()
	robotsFlags(cmd, &f.robots, &f.dialect)
	flags.StringVar(&f.agent, "agent", "", "the product token of the crawler")
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents) // it fails only for a flag that does not exist
	flags.StringArrayVar(&f.external, "external", nil,
		"NAME=COMMAND of a parser that answers as check --jsonl does (repeatable)")
	flags.BoolVar(&f.list, "list", false, "also measure robotsieve by its plain list of rules")
	flags.DurationVar(&f.timeout, "timeout", time.Minute,
		"the longest that a parser may take to answer about all URLs once")
	choice(cmd, "output", "text", "form of the report", to(&f.output), "text", "json", "csv")
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runBench(ctx, s, f, urls)
	}
	return cmd
}

func runBench(ctx context.Context, s streams, f *benchFlags, args []string) error {
	work, err := f.work(ctx, s, args)
	if err != nil {
		return err
	}
	report, code := work.report(), exitDone
	for _, p := range work.parsers {
		r := work.measure(ctx, p, f.timeout)
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
	return cmp.Or(writing("the report", report.write(s, f.output)), exitWith(code))
}

// parser is one that is to be measured, and how it works, in words.
type parser struct {
	bench.Entrant
	how string
}

// parsers are all that are to be measured, robotsieve first.
func (f *benchFlags) parsers(d automaton.Dialect) ([]parser, error) {
	inProcess := func(how string, engine compile.Engine) parser {
		return parser{bench.InProcess("robotsieve", "",
			bench.Robotsieve(compile.Options{Dialect: d, MaxBytes: -1, Engine: engine})), how}
	}
	list := []parser{inProcess("compiles once", compile.EngineAuto)}
	if f.list {
		list = append(list, inProcess("plain list", compile.EngineList))
	}
	for _, x := range f.external {
		name, command, found := strings.Cut(x, "=")
		if !found || name == "" || command == "" {
			return nil, usageError("--external %q is not NAME=COMMAND", x)
		}
		list = append(list, parser{bench.External(name, command), "external"})
	}
	if f.timeout <= 0 {
		return nil, usageError("--timeout %v is not above 0", f.timeout)
	}
	return list, nil
}

// work is the input of a benchmark, and the parsers that are measured on it.
type work struct {
	parsers []parser
	site    bench.Site
	dialect automaton.Dialect
	robots  *compile.Robots
	// The verdicts of robotsieve.
	verdicts []automaton.Verdict
	want     []bench.Verdict
}

// work reads the inputs.
func (f *benchFlags) work(ctx context.Context, s streams, args []string) (*work, error) {
	switch {
	case f.robots.Name == "":
		return nil, usageError("no robots.txt: name it with --robots FILE")
	case f.agent == "":
		return nil, usageError("no agent: name the crawler with --agent NAME")
	case len(automaton.CutToken([]byte(f.agent))) < len(f.agent):
		return nil, usageError("--agent %q is not a product token, such as GPTBot", f.agent)
	case len(args) == 0:
		return nil, usageError("no list of URLs")
	case f.robots.Name == "-" && slices.Contains(args, "-"):
		return nil, usageError("robots.txt and the URLs cannot both be stdin")
	}
	w, limit := &work{}, f.robots.MaxBytes
	var err error
	if w.dialect, err = f.reading(); err != nil {
		return nil, err
	}
	if w.parsers, err = f.parsers(w.dialect); err != nil {
		return nil, err
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, append(args, f.robots.Name)...); err != nil {
		return nil, err
	}
	body, err := f.robots.Read(ctx)
	if err != nil {
		return nil, err
	}
	urls, err := readURLs(ctx, s, args)
	if ctx.Err() != nil {
		s.warn("interrupted before anything was done")
		return nil, exitWith(exitInterrupted)
	}
	if err != nil {
		return nil, inputError(err)
	}
	for _, o := range job.Oddities(compile.Compile(body, compile.Options{Dialect: w.dialect, MaxBytes: limit}), body,
		f.robots.Name) {
		s.warn("%s", o)
	}
	w.site = bench.Site{RobotsURL: "http://localhost/robots.txt", Agent: f.agent, Body: compile.WholeLines(body, limit),
		URLs: urls}
	w.robots, w.verdicts, w.want = bench.Judge(&w.site, compile.Options{Dialect: w.dialect, MaxBytes: -1})
	return w, nil
}

// reading is the dialect given, or else the agent's own, as far as that is known.
func (f *benchFlags) reading() (automaton.Dialect, error) {
	if f.dialect != nil {
		return *f.dialect, nil
	}
	set, err := job.Crawlers("")
	if err != nil {
		return 0, err
	}
	if p := set.ByName(f.agent); p != nil {
		return automaton.ParseDialect(cmp.Or(p.Dialect, automaton.RFC9309.String()))
	}
	return automaton.RFC9309, nil
}

// readURLs reads lists of URLs. Every failure is an error: a benchmark on a part of its
// input would measure something else.
func readURLs(ctx context.Context, s streams, args []string) ([]string, error) {
	inputs, warnings, errs := source.Inputs(ctx, args, s.in, source.Limits{})
	for _, w := range warnings {
		s.warn("%s", w)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var urls []string
	others := 0 // lines that are neither a URL nor a path
	r := source.NewReader(inputs, source.Options{Workers: 1, InOrder: true})
	defer r.Stop()
	defer context.AfterFunc(ctx, r.Stop)()
	for c, ok := r.Next(); ok; c, ok = r.Next() {
		if c.Cut > 0 {
			return nil, fmt.Errorf("%s: a line is too long to be a URL: %.40q…", r.Results()[c.Input].Name, c.Data)
		}
		for line := range bytes.Lines(c.Data) {
			if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
				urls = append(urls, asURL(line))
				if line[0] != '/' && !bytes.Contains(line, []byte("://")) {
					others++
				}
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

// asURL copies a line. A request target that begins with two slashes gets a host: a
// parser that knows URLs only, such as Google's, would take its beginning for one.
func asURL(line []byte) string {
	if bytes.HasPrefix(line, []byte("//")) {
		return "http://localhost" + string(line)
	}
	return string(line)
}

// Rounds of a measurement, and how long one lasts at least.
const (
	benchRounds = 5
	benchRound  = 50 * time.Millisecond
)

// measure runs one parser.
func (w *work) measure(ctx context.Context, p parser, limit time.Duration) engineReport {
	m := bench.Measure(ctx, p.Entrant, []bench.Site{w.site}, [][]bench.Verdict{w.want},
		bench.Plan{Rounds: benchRounds, MinRound: benchRound, Timeout: limit})
	return w.engineReport(p, &m)
}

// benchReport is the report of a benchmark.
type benchReport struct {
	Schema  string         `json:"schema"`
	Bytes   int            `json:"bytes"` // of robots.txt
	URLs    int            `json:"urls"`
	Agent   string         `json:"agent"`
	Dialect string         `json:"dialect"`
	Rounds  int            `json:"rounds"`
	Partial bool           `json:"partial"`
	Engines []engineReport `json:"engines"`
}

// engineReport is the measurement of one parser. Times that it does not have are 0.
type engineReport struct {
	Engine string `json:"engine"`
	How    string `json:"how"` // what it does for a URL, in words
	// CompileNS is the time to read robots.txt once, URLNS the time of a verdict:
	// medians of benchRounds. The spreads are half the distance between the fastest
	// and the slowest round, as a part of the median.
	CompileNS     float64 `json:"compile_ns"`
	CompileSpread float64 `json:"compile_spread"`
	URLNS         float64 `json:"url_ns"`
	URLSpread     float64 `json:"url_spread"`
	URLsPerSecond float64 `json:"urls_per_second"`
	// StartUpNS is the time of an external command that is asked nothing. It is not
	// part of URLNS.
	StartUpNS float64 `json:"start_up_ns"`
	// Compared counts the URLs with a verdict, Agreed those on which robotsieve gives
	// the same. Complete says that every URL was compared.
	Compared int  `json:"compared"`
	Agreed   int  `json:"agreed"`
	Complete bool `json:"complete"`
	// Disagreements are the first of the others.
	Disagreements []disagreement `json:"disagreements"`
	// Error says why there is nothing, or not all, of this.
	Error string `json:"error"`
}

// disagreement is a URL on which a parser contradicts robotsieve.
type disagreement struct {
	URL     string `json:"url"`
	Allowed bool   `json:"allowed"` // the parser's verdict
	Line    int    `json:"line"`    // that decided for robotsieve; 0 if no rule matches
	Rule    string `json:"rule"`
}

func (w *work) report() *benchReport {
	return &benchReport{
		Schema: "robotsieve.bench/1", Bytes: len(w.site.Body), URLs: len(w.site.URLs), Agent: w.site.Agent,
		Dialect: w.dialect.String(), Rounds: benchRounds, Engines: []engineReport{},
	}
}

// engineReport makes the report of one parser from its measurement.
func (w *work) engineReport(p parser, m *bench.Result) engineReport {
	r := engineReport{
		Engine: p.Name, How: p.how, StartUpNS: float64(m.StartUp),
		Compared: m.Asked, Agreed: m.Agreed, Disagreements: []disagreement{},
	}
	if err := cmp.Or(m.Missing, m.Broken); err != nil {
		r.Error = err.Error()
	}
	r.Complete = r.Error == "" && r.Compared == len(w.want)
	r.CompileNS, r.CompileSpread = rounded(m.Parse())
	r.URLNS, r.URLSpread = rounded(m.Match())
	if r.URLNS > 0 {
		r.URLsPerSecond = math.Round(1e9 / r.URLNS)
	}
	for _, d := range m.Differences {
		line := int(w.verdicts[d.URL].Line)
		one := disagreement{URL: w.site.URLs[d.URL], Allowed: d.Got == bench.Allowed, Line: line}
		if rule, ok := w.robots.Rule(line); ok {
			one.Rule = rule.String()
		}
		r.Disagreements = append(r.Disagreements, one)
	}
	return r
}

// rounded gives a median to a tenth and a spread to a tenth of a per cent.
func rounded(median, spread float64) (float64, float64) {
	return math.Round(median*10) / 10, math.Round(spread*1000) / 1000
}

// Bounds of texts, in characters.
const (
	maxErrorShown = 300
	maxRuleShown  = 50
)

// write prints the report in one of its forms.
func (r *benchReport) write(s streams, form string) error {
	w := bufio.NewWriter(s.out)
	switch form {
	case "json":
		if err := render.WriteJSON(w, r, "  "); err != nil {
			return err
		}
	case "csv":
		report.Texts(r, report.Printable).writeCSV(w)
	default:
		report.Texts(r, report.Printable).writeText(w)
	}
	return w.Flush()
}

// writeCSV prints one row an engine. Disagreements are counted only.
func (r *benchReport) writeCSV(w *bufio.Writer) {
	fmt.Fprint(w, render.CSVLine(
		"engine", "how", "compile_ns", "compile_spread", "url_ns", "url_spread", "urls_per_second", "start_up_ns",
		"compared", "agreed", "error", "partial", "urls",
	))
	for _, e := range r.Engines {
		fmt.Fprint(w, render.CSVLine(
			e.Engine, e.How, e.CompileNS, e.CompileSpread, e.URLNS, e.URLSpread, e.URLsPerSecond, e.StartUpNS,
			e.Compared, e.Agreed, e.Error, r.Partial, r.URLs,
		))
	}
}

func (r *benchReport) writeText(w *bufio.Writer) {
	if r.Partial {
		fmt.Fprint(w, "PARTIAL: not all engines were measured.\n\n")
	}
	fmt.Fprintf(w, "%s of robots.txt, %s, agent %s, dialect %s.\n\n",
		english.Plural(int64(r.Bytes), "byte"), english.Plural(int64(r.URLs), "URL"), r.Agent, r.Dialect)
	var rows [][]string
	for _, e := range r.Engines {
		rows = append(rows, e.row(r.URLs))
	}
	columns := append(render.Left("engine", ""), render.Right("ns a parse", "±", "ns a URL", "±", "URLs a second",
		"agrees")...)
	fmt.Fprintln(w, render.Table(columns, rows))
	r.notes(w)
	for _, e := range r.Engines {
		e.writeDisagreements(w)
	}
}

// row is the engine's row of the table. The share that agrees is of the URLs compared,
// whose number is shown unless it is all.
func (e *engineReport) row(urls int) []string {
	if e.Error != "" {
		return []string{e.Engine, "failed", "-", "-", "-", "-", "-", "-"}
	}
	agrees := bench.Percent(e.Agreed, e.Compared) + "%"
	if e.Compared < urls {
		agrees += " of " + english.Grouped(int64(e.Compared))
	}
	if e.Engine == "robotsieve" && e.How == "compiles once" {
		agrees = "reference"
	}
	return []string{
		e.Engine, e.How, nanoseconds(e.CompileNS), spread(e.CompileNS, e.CompileSpread),
		nanoseconds(e.URLNS), spread(e.URLNS, e.URLSpread), nanoseconds(e.URLsPerSecond), agrees,
	}
}

func (r *benchReport) notes(w *bufio.Writer) {
	fmt.Fprintf(w, "\nMedians of %d rounds, one thread each; ± is half the distance between the fastest and the "+
		"slowest.\n", r.Rounds)
	for _, e := range r.Engines {
		if e.Error != "" {
			fmt.Fprintf(w, "%s failed: %s\n", e.Engine, render.Cut(e.Error, maxErrorShown))
			continue
		}
		if e.How == "external" {
			fmt.Fprintf(w, "%s: the time includes reading and writing JSON; the start-up of its process, %v, "+
				"is subtracted.\n",
				e.Engine, time.Duration(e.StartUpNS).Round(10*time.Microsecond))
		}
	}
}

func (e *engineReport) writeDisagreements(w *bufio.Writer) {
	if e.Compared == e.Agreed {
		return
	}
	fmt.Fprintf(w, "\n%s disagrees with robotsieve on %s:\n", e.Engine,
		english.Plural(int64(e.Compared-e.Agreed), "URL"))
	for _, d := range e.Disagreements {
		rule := "no rule matches"
		if d.Line > 0 {
			rule = fmt.Sprintf("line %d: %s", d.Line, render.Cut(d.Rule, maxRuleShown))
		}
		says := map[bool]string{true: "allowed, robotsieve disallowed",
			false: "disallowed, robotsieve allowed"}[d.Allowed]
		fmt.Fprintf(w, "  %s: %s (%s)\n", render.Cut(d.URL, maxRuleShown), says, rule)
	}
}

// nanoseconds writes a number that is not negative, a small one with its tenths.
func nanoseconds(n float64) string {
	switch {
	case n == 0:
		return "-"
	case n < 100:
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return english.Grouped(int64(math.Round(n)))
}

func spread(n, part float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*part)
}
