// Package preference reads the preferences in a robots.txt beside its rules: which uses of its pages
// the author wants or does not want, such as the training of AI models. The signals are
// rows of a table (signals.go), each with its source and date, because they are drafts and change.
//
// A preference never allows nor disallows a fetch, and nothing here is a verdict on a crawler.
package preference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/compile/prove"
	"github.com/robotsieve/robotsieve/internal/lazy"
)

// Statement is a preference.
type Statement struct {
	Signal string `json:"signal"` // Signal.Name
	Use    string `json:"use"`    // Signal.Use
	Path   string `json:"path"`   // the pattern of the paths that it is for; "" stands for all
	// Value is Yes, No, Partly or Unknown, or the word or URL of a signal that takes those.
	Value string `json:"value"`
	Lines []int  `json:"lines"` // where it is stated; empty if nowhere
}

// Crawlers are crawlers with the same statements.
type Crawlers struct {
	Agents     []string    `json:"agents"` // product tokens, * for all others; none stands for all crawlers
	Statements []Statement `json:"statements"`
}

// Fault is a probable mistake in a signal.
type Fault struct {
	Kind string // as in package lint
	Line int
	Text string // the part of the line
	More string // more about it
}

// The kinds of faults, as package lint names them.
const (
	UnknownUse    = "signal-unknown-key"
	WrongValue    = "signal-wrong-value"
	Contradiction = "signal-contradiction"
	NotURL        = "license-not-url"
)

// MaxStatements bounds the statements that are read from a file; the rest is left out.
const MaxStatements = 10_000

type reader struct {
	robots  *compile.Robots
	ofGroup map[int][]Statement
	names   map[string]bool // of the signals of groups that occur
	n       int             // statements of all crawlers
	list    []Crawlers
	at      map[string]int // the index in list of crawlers of which the same is stated
	faults  []Fault
}

// Read returns the preferences of a robots.txt, those for all crawlers first, then for *, then
// by name, and what is wrong with them. There are
// none if the file has no signal; with one for groups, every crawler that a group names is in one of the Crawlers.
func Read(robots *compile.Robots) ([]Crawlers, []Fault) {
	r := &reader{robots: robots, ofGroup: map[int][]Statement{}, names: map[string]bool{}, at: map[string]int{}}
	var licenses []Statement
	for i := range robots.Records {
		switch record := &robots.Records[i]; strings.ToLower(record.Key) {
		case ContentSignal:
			r.readSignal(record)
		case ContentUsage:
			r.readUsage(record)
		case License:
			if fullURL().MatchString(record.Value) && len(licenses) < MaxStatements {
				licenses = append(licenses, Statement{License, "", "", record.Value, []int{record.Line}})
			} else {
				r.fault(NotURL, record, record.Value, "")
			}
		}
	}
	if licenses != nil {
		r.list = append(r.list, Crawlers{[]string{}, licenses})
	}
	r.eachCrawler()
	slices.SortStableFunc(r.faults, func(x, y Fault) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Text, y.Text),
			cmp.Compare(x.More, y.More))
	})
	return r.list, slices.Compact(r.faults)
}

var fullURL = lazy.Regexp(`(?i)^https?://[^/\s<>{}]+\S*$`)

func (r *reader) fault(kind string, record *compile.Record, text, more string) {
	r.faults = append(r.faults, Fault{kind, record.Line, text, more})
}

// readSignal reads a Content-Signal: keys and values, with commas between them.
func (r *reader) readSignal(record *compile.Record) {
	if record.Value == "" {
		r.fault(WrongValue, record, "", "")
	}
	for part := range strings.SplitSeq(record.Value, ",") {
		key, value, _ := strings.Cut(part, "=")
		if strings.TrimSpace(part) == "" {
			continue
		}
		r.state(record, Statement{Signal: ContentSignal, Use: strings.ToLower(strings.TrimSpace(key))},
			strings.ToLower(strings.TrimSpace(value)))
	}
}

// readUsage reads a Content-Usage: perhaps a path, and a dictionary of RFC 9651.
func (r *reader) readUsage(record *compile.Record) {
	path, rest := "", record.Value
	if strings.HasPrefix(rest, "/") {
		end := strings.IndexAny(rest+" ", " \t")
		path, rest = rest[:end], strings.TrimLeft(rest[end:], " \t")
	}
	values, ok := dictionary(rest)
	if !ok || len(values) == 0 {
		r.names[ContentUsage] = true
		r.fault(WrongValue, record, rest, "it is no dictionary of RFC 9651")
	}
	for _, m := range values {
		r.state(record, Statement{Signal: ContentUsage, Use: m.key, Path: path}, m.value)
	}
}

// state keeps the statement of a record, or notes why there is none.
func (r *reader) state(record *compile.Record, s Statement, value string) {
	r.names[s.Signal] = true
	signal := find(s.Signal, s.Use)
	if signal == nil {
		r.fault(UnknownUse, record, s.Use, meant(s.Signal, s.Use))
		return
	}
	s.Value = signal.value(value)
	if s.Value == "" {
		allowed := signal.Words
		if signal.Yes != "" {
			allowed = []string{signal.Yes, signal.No}
		}
		r.fault(WrongValue, record, s.Use+"="+value, "it must be "+strings.Join(allowed, " or "))
		s.Value = Unknown
	}
	if record.Group >= 0 {
		s.Lines = []int{record.Line}
		r.ofGroup[record.Group] = append(r.ofGroup[record.Group], s)
	}
}

// meant suggests the use with the same letters, such as ai-train for train-ai.
func meant(name, use string) string {
	letters := func(s string) string {
		b := []byte(strings.ReplaceAll(strings.ReplaceAll(s, "_", ""), "-", ""))
		slices.Sort(b)
		return string(b)
	}
	for _, s := range signals {
		if s.Name == name && letters(s.Use) == letters(strings.ToLower(use)) {
			return s.Use + " meant?"
		}
	}
	return ""
}

// IsSignal reports whether the lines of a key are a signal.
func IsSignal(key string) bool {
	return slices.Contains([]string{ContentSignal, ContentUsage, License}, strings.ToLower(key))
}

// Control returns the meaning of the groups for control tokens: nothing of the site may be used, all of it, or a part.
func Control(rules *automaton.Ruleset) (list []Crawlers) {
	for _, a := range rules.Agents() {
		if find(ControlToken, a.Token) != nil {
			list = append(list, Crawlers{[]string{a.Token}, []Statement{control(a.Token, a.Machine)}})
		}
	}
	return list
}

// control returns the statement that the rules for a control token make.
func control(token string, m *automaton.Machine) Statement {
	values := map[prove.Class]string{prove.Full: No, prove.Partial: Partly, prove.None: Yes}
	return Statement{ControlToken, token, "", cmp.Or(values[prove.Classify(m).Class], Unknown), []int{}}
}

// eachCrawler finds the statements of each crawler's groups.
func (r *reader) eachCrawler() {
	names := map[string]string{} // of tokens, as the file first spells them
	for _, g := range r.robots.Groups {
		for _, a := range g.Agents {
			if names[a.Token] == "" {
				names[a.Token] = a.Value[:len(a.Token)]
			}
		}
	}
	if m := r.robots.Ruleset.Wildcard(); m != nil || len(r.names) > 0 {
		r.crawler("*", "*", r.robots.GroupsOf(m))
	}
	for _, a := range r.robots.Ruleset.Agents() {
		if a.Token != "" {
			r.crawler(names[a.Token], a.Token, r.robots.GroupsOf(a.Machine))
		}
	}
}

// crawler adds a crawler that some groups bind to the others with the same statements.
func (r *reader) crawler(name, token string, groups []int) {
	var list []Statement
	at := map[[3]string]int{}
	for _, i := range groups {
		for _, s := range r.ofGroup[i] {
			r.n++
			if r.n > MaxStatements {
				break
			}
			key := [3]string{s.Signal, s.Use, s.Path}
			if before, known := at[key]; known {
				r.combine(&list[before], s)
			} else {
				at[key] = len(list)
				s.Lines = slices.Clone(s.Lines)
				list = append(list, s)
			}
		}
	}
	for i := range list {
		if list[i].Value == contradicted {
			list[i].Value = Unknown
		}
	}
	for _, s := range signals {
		isStated := func(x Statement) bool {
			return x.Signal == s.Name && x.Use == s.Use && strings.Trim(x.Path, "/") == ""
		}
		if r.names[s.Name] && s.Yes != "" && !slices.ContainsFunc(list, isStated) {
			list = append(list, Statement{s.Name, s.Use, "", Unknown, []int{}})
		}
	}
	if find(ControlToken, token) != nil {
		m, _ := r.robots.Ruleset.Named([]byte(token))
		s := control(token, m)
		for _, i := range groups {
			s.Lines = append(s.Lines, r.robots.Groups[i].Agents[0].Line)
		}
		list = append(list, s)
	}
	if list == nil {
		return
	}
	text := fmt.Sprint(list)
	if i, known := r.at[text]; known {
		r.list[i].Agents = append(r.list[i].Agents, name)
		return
	}
	r.at[text] = len(r.list)
	r.list = append(r.list, Crawlers{[]string{name}, list})
}

// contradicted is the value of a Content-Signal while lines are combined that contradict each other.
const contradicted = "contradicted"

// combine merges two statements about the same thing; one with a wrong value changes nothing. In the draft of
// Content-Usage any no wins; the draft of Content-Signal is silent, so a contradiction is unknown.
func (r *reader) combine(to *Statement, s Statement) {
	line := s.Lines[0]
	switch {
	case to.Value == s.Value || s.Value == Unknown || to.Value == contradicted:
	case to.Value == Unknown:
		to.Value = s.Value
	default:
		r.faults = append(r.faults, Fault{Contradiction, line, s.Use, fmt.Sprintf("line %d says %s", to.Lines[0], to.Value)})
		to.Value = No
		if s.Signal == ContentSignal {
			to.Value = contradicted
		}
	}
	if !slices.Contains(to.Lines, line) {
		to.Lines = append(to.Lines, line)
	}
}
