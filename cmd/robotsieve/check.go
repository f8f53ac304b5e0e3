package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// checkFlags are what a user says of a check.
type checkFlags struct {
	robots robotsFlags
	agent  agentFlags
	jsonl  *bool
	output func() (string, error)
}

func newCheck(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check --robots FILE --agent NAME URL...",
		Short: "What a robots.txt says of URLs, and by which line",
		Long: `Check tells of each URL whether the agent may fetch it, which rule decided, in
which group, and why.

Where NAME is a crawler that is known, such as Googlebot-Image, its product tokens
are tried in their order, and its own way to read robots.txt is used; otherwise
NAME is the product token. A URL may be a bare path: what begins with a slash, also
with two, is a request target and names no host. With - as the only URL, they are read
from stdin, one a line.

With --jsonl it reads cases from stdin, a JSON object a line, with robots, agent
and url (or robots_b64, agent_b64, url_b64), and answers each with a line
{"allowed":true,"line":0}. There the agent is always a bare product token, the dialect
rfc9309 unless given, and the url is read as the dialect does: by google, that of "//x"
is a host.`,
		Example: `  robotsieve check --robots robots.txt --agent GPTBot https://example.com/archive/
  robotsieve check --robots robots.txt --agent MyBot --dialect google --output json /a /b
  robotsieve check --jsonl --dialect google --max-bytes 0 < cases.jsonl`,
	}
	f := checkFlags{
		robots: addRobotsFlags(cmd),
		agent:  addAgentFlags(cmd, "the crawler that asks"),
		jsonl:  cmd.Flags().Bool("jsonl", false, "read cases from stdin, one JSON object a line"),
		output: choice(cmd, "output", "text", "form of the answers", "text", "json", "ndjson", "csv"),
	}
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		if *f.jsonl {
			if len(urls) > 0 || *f.robots.file != "" || *f.agent.name != "" || *f.agent.crawlers != "" || cmd.Flags().Changed("output") {
				return usageError("--jsonl takes robots.txt, agent and URL from stdin, and has an output of its own")
			}
			return runBatch(s, f.robots)
		}
		return runCheck(cmd.Context(), s, f, urls)
	}
	return cmd
}

// completeAgents offers the names of the known crawlers.
func completeAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	profiles, err := crawler.Builtin()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, p := range profiles {
		names = append(names, p.Name+"\t"+p.Operator)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func runCheck(ctx context.Context, s streams, f checkFlags, urls []string) error {
	output, err := f.output()
	if err != nil {
		return err
	}
	switch {
	case *f.robots.file == "":
		return usageError("no robots.txt: name it with --robots FILE")
	case *f.agent.name == "":
		return usageError("no agent: name the crawler with --agent NAME")
	case len(urls) == 0:
		return usageError("no URL")
	}
	fromStdin := len(urls) == 1 && urls[0] == "-"
	if fromStdin && *f.robots.file == "-" {
		return usageError("robots.txt and the URLs cannot both be stdin")
	}
	c, err := f.checker(ctx, s)
	if err != nil {
		return err
	}
	w := newAnswerWriter(s, output)
	if fromStdin {
		lines := bufio.NewScanner(s.in)
		lines.Buffer(nil, maxURL)
		n := int64(0)
		for ; lines.Scan(); n++ {
			w.write(c.check(lines.Text()))
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("line %s is longer than %s", grouped(n+1), plural(maxURL, "byte"))
			}
			return errors.Join(w.close(), inputError(fmt.Errorf("reading URLs from stdin: %w", err)))
		}
	} else {
		for _, url := range urls {
			w.write(c.check(url))
		}
	}
	if err := w.close(); err != nil {
		return inputError(fmt.Errorf("writing the answers: %w", err))
	}
	return nil
}

// maxURL bounds a line of URLs.
const maxURL = 16 << 20

// checker answers for one agent.
type checker struct {
	robots  *compile.Robots
	machine *automaton.Machine
	agent   string
	token   string // that chose the groups
	exempt  string
	dialect automaton.Dialect
	scratch automaton.Scratch
	because string // why these groups
	// second reads as Google's parser does, where nobody knows how the agent
	// does; nil elsewhere.
	second *checker
}

func (f checkFlags) checker(ctx context.Context, s streams) (*checker, error) {
	limit, err := f.robots.limit()
	if err != nil {
		return nil, err
	}
	override, err := f.robots.override()
	if err != nil {
		return nil, err
	}
	who, err := f.agent.find(s, override)
	if err != nil {
		return nil, err
	}
	body, err := f.robots.open(s, limit).Read(ctx)
	if err != nil {
		return nil, err
	}
	c := &checker{agent: who.name, exempt: who.exempt, dialect: who.dialect}
	c.robots = compile.Compile(body, compile.Options{Dialect: c.dialect, MaxBytes: limit})
	for _, w := range job.Oddities(c.robots, *f.robots.file) {
		s.warn("%s", w)
	}
	c.bind(who.subject)
	if override == nil && c.dialect == automaton.RFC9309 {
		c.second = &checker{agent: c.agent, dialect: automaton.Google}
		c.second.robots = compile.Compile(body, compile.Options{Dialect: automaton.Google, MaxBytes: limit, WideTokens: true})
		c.second.bind(who.subject)
	}
	return c, nil
}

// bind finds the groups for the agent: those of the first of its tokens that
// robots.txt names, else those for *.
func (c *checker) bind(who policy.Subject) {
	tokens := who.Tokens
	for _, token := range tokens {
		m, named := c.robots.Ruleset.Named([]byte(token))
		if !named {
			continue
		}
		c.machine, c.token, c.because = m, token, "a group names "+token
		if token != tokens[0] {
			c.because = fmt.Sprintf("no group names %s, which then goes by %s", tokens[0], token)
		}
		return
	}
	names := strings.Join(tokens, " or ")
	switch c.machine = c.robots.Ruleset.Wildcard(); {
	case c.machine == nil:
		c.because = fmt.Sprintf("no group names %s, and none is for *", names)
	case who.IgnoresWildcard:
		c.machine = nil
		c.because = fmt.Sprintf("no group names %s, and groups for * do not bind it", names)
	default:
		c.because = fmt.Sprintf("no group names %s, so * binds it", names)
	}
}

// answer is what is said of one URL. Its texts are printable: see
// audit.Printable.
type answer struct {
	URL     string  `json:"url"`
	Agent   string  `json:"agent"`
	Dialect string  `json:"dialect"`
	Allowed bool    `json:"allowed"`
	Line    int     `json:"line"`
	Rule    string  `json:"rule"`   // empty if no rule decided
	Groups  []group `json:"groups"` // that bind the agent
	// WhyGroup and WhyRule say how these were chosen.
	WhyGroup string `json:"why_group"`
	WhyRule  string `json:"why_rule"`
	// Contested says what Google's parser would do, where nobody knows how the
	// agent reads robots.txt and that is something else.
	Contested string `json:"contested"`
	// Exempt says why the agent does not apply robots.txt, if it does not.
	Exempt string `json:"exempt"`
}

// group is the head of a group: its user-agent lines.
type group struct {
	Line   int      `json:"line"`
	Agents []string `json:"agents"`
}

func (c *checker) check(url string) answer {
	// What begins with a slash is a request target, as for filter: "//x" names no host.
	path := c.dialect.TargetPath(&c.scratch, []byte(url))
	v := c.machine.Match(&c.scratch, path)
	a := answer{
		URL: printable(url), Agent: printable(c.agent), Dialect: c.dialect.String(), Allowed: v.Allowed(), Line: int(v.Line),
		Groups: []group{}, WhyGroup: printable(c.because), Exempt: c.exempt,
	}
	if rule, ok := c.robots.Rule(a.Line); ok {
		a.Rule = printable(rule.String())
	}
	for _, i := range c.robots.Bound(c.machine) {
		g := c.robots.Groups[i]
		head := group{Line: g.Agents[0].Line}
		for _, agent := range g.Agents {
			head.Agents = append(head.Agents, printable(agent.Value))
		}
		a.Groups = append(a.Groups, head)
	}
	a.WhyRule = c.whyRule(path, v)
	if c.second != nil && string(path) != "/robots.txt" {
		if other := c.second.check(url); other.Allowed != a.Allowed {
			a.Contested = fmt.Sprintf("Google's parser would say %s", other.verdict())
			if other.Line > 0 {
				a.Contested += fmt.Sprintf(", by line %d: %s", other.Line, other.Rule)
			}
		}
	}
	return a
}

func (a answer) verdict() string {
	if a.Allowed {
		return "allowed"
	}
	return "disallowed"
}

// whyRule says what made the verdict: how the deciding rule stands to the others
// that match.
func (c *checker) whyRule(path []byte, v automaton.Verdict) string {
	if v.Line == 0 {
		if c.dialect != automaton.Google && string(path) == "/robots.txt" {
			return "robots.txt itself is always allowed"
		}
		return "no rule matches"
	}
	rules := c.robots.Matches(c.machine, &c.scratch, path)
	// A rule that is made into two for the index page may be there twice.
	rules = slices.CompactFunc(rules, func(x, y compile.Rule) bool { return x.Line == y.Line })
	if len(rules) < 2 {
		return "the only rule that matches"
	}
	next := fmt.Sprintf("line %d: %s", rules[1].Line, printable(rules[1].String()))
	switch {
	case c.dialect == automaton.Original:
		return "the first rule in the file that matches; next is " + next
	case rules[0].Specificity > rules[1].Specificity:
		return fmt.Sprintf("the longest of %d patterns that match, %s; next is %s, %d",
			len(rules), plural(int64(rules[0].Specificity), "octet"), next, rules[1].Specificity)
	case rules[0].Allow != rules[1].Allow:
		return "as long as " + next + ", and of equally long patterns the one that allows wins"
	default:
		return "the first of equally long patterns that match; next is " + next
	}
}

// answerWriter prints answers in one of their forms. After an error it prints no
// more; close returns it.
type answerWriter struct {
	w    *bufio.Writer
	form string
	csv  *csv.Writer
	n    int
	err  error
}

func newAnswerWriter(s streams, form string) *answerWriter {
	w := &answerWriter{w: bufio.NewWriter(s.out), form: form}
	if form == "csv" {
		w.csv = csv.NewWriter(w.w)
		w.err = w.csv.Write([]string{"url", "agent", "dialect", "allowed", "line", "rule"})
	}
	return w
}

func (w *answerWriter) write(a answer) {
	if w.err != nil {
		return
	}
	w.n++
	switch w.form {
	case "json":
		w.w.WriteString(map[bool]string{true: "[\n", false: ",\n"}[w.n == 1])
		w.err = report.Encoder(trimNewline{w.w}).Encode(a)
	case "ndjson":
		w.err = report.Encoder(w.w).Encode(a)
	case "csv":
		w.err = w.csv.Write([]string{
			report.Cell(a.URL), report.Cell(a.Agent), a.Dialect, strconv.FormatBool(a.Allowed), strconv.Itoa(a.Line), report.Cell(a.Rule),
		})
	default:
		w.text(a)
	}
}

// trimNewline drops the newline that json.Encoder ends a value with.
type trimNewline struct{ w *bufio.Writer }

func (t trimNewline) Write(b []byte) (int, error) {
	_, err := t.w.WriteString(strings.TrimSuffix(string(b), "\n"))
	return len(b), err
}

func (w *answerWriter) text(a answer) {
	line := func(format string, args ...any) {
		fmt.Fprintf(w.w, format+"\n", args...)
	}
	line("%-10s  %s", a.verdict(), a.URL)
	if a.Line > 0 {
		line("  rule      line %d: %s", a.Line, a.Rule)
	}
	line("  because   %s", a.WhyRule)
	for _, g := range a.Groups {
		line("  group     line %d: %s", g.Line, shortList(g.Agents))
	}
	line("  because   %s", a.WhyGroup)
	line("  reading   %s", a.Dialect)
	if a.Contested != "" {
		line("  contested %s", a.Contested)
	}
	if a.Exempt != "" {
		line("  but       %s does not apply robots.txt: %s", a.Agent, a.Exempt)
	}
}

// shortList joins the user agents of a group, which may be hundreds.
func shortList(agents []string) string {
	const most = 8
	if len(agents) <= most {
		return "User-agent: " + strings.Join(agents, ", ")
	}
	return fmt.Sprintf("User-agent: %s and %d more", strings.Join(agents[:most], ", "), len(agents)-most)
}

func (w *answerWriter) close() error {
	switch {
	case w.err != nil:
	case w.form == "json" && w.n == 0:
		w.w.WriteString("[]\n")
	case w.form == "json":
		w.w.WriteString("\n]\n")
	case w.form == "csv":
		w.csv.Flush()
		w.err = w.csv.Error()
	}
	return errors.Join(w.err, w.w.Flush())
}
