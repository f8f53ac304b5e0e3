package job

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/internal/page"
	"github.com/robotsieve/robotsieve/scan/internal/snapshot"
	"github.com/robotsieve/robotsieve/scan/report"
)

// PageAnswer is the verdict of robots.txt on the URL of a captured page for one agent, with the page's
// own directives. Its texts hold raw bytes of the files: escape them before printing
// (Rewrite).
type PageAnswer struct {
	explain.Answer
	Capture PageCapture `json:"capture"`
	// RobotsTxt names the robots.txt behind the verdict, if it was found among the captures; ""
	// otherwise.
	RobotsTxt string `json:"robots_txt"`
	// Statements are all directives on the page, for the agent and for others, in the order of headers
	// and tags.
	Statements []PageStatement `json:"statements"`
	// Directives are those in force for the agent at the time of the capture, as
	// page.Rules.Names has them.
	Directives []string `json:"directives"`
	// Partial means that the page's head is too large to be read completely.
	Partial bool `json:"partial"`
	// Unseen says why the agent never sees the directives if it obeys robots.txt; "" if it sees them
	// or there are none.
	Unseen string `json:"unseen"`
}

// Rewrite returns a copy of the answer in which write was called once for each text.
func (a PageAnswer) Rewrite(write report.Rewriter) PageAnswer {
	a.Answer = a.Answer.Rewrite(write)
	write.Texts(&a.Capture.File, &a.Capture.Date, &a.Capture.ContentType, &a.Capture.Unread, &a.RobotsTxt, &a.Unseen)
	write.Lists(&a.Directives)
	report.Each(&a.Statements, func(s *PageStatement) {
		write.Texts(&s.Source, &s.Crawler, &s.Text)
		write.Lists(&s.Unknown)
	})
	return a
}

// PageCapture describes the capture of a page.
type PageCapture struct {
	File        string `json:"file"`
	Record      int64  `json:"record"` // its number in the file, from 1
	Date        string `json:"date"`   // RFC 3339; "" if missing or invalid
	Status      int    `json:"status"`
	ContentType string `json:"content_type"`
	// Captures is the number of captures of the URL in the file; this is the newest.
	Captures int `json:"captures"`
	// Unread says why the body could not be read to its end; "" if it could.
	Unread string `json:"unread"`
}

// PageStatement is the content of one header or meta tag for one crawler.
type PageStatement struct {
	Source  string   `json:"source"`  // "X-Robots-Tag" or "meta"
	Crawler string   `json:"crawler"` // "" for all
	Text    string   `json:"text"`    // as written
	Applies bool     `json:"applies"` // it applies to the agent
	Unknown []string `json:"unknown"` // the parts of the text that are not valid directives
}

// CheckPages explains, for each URL and each agent, the verdict of robots.txt and the directives on
// the page, from the newest capture of the URL in a WARC file, plain or compressed. If o names
// no rules, the verdict is by the origin's robots.txt in the same file: the newest capture
// that is not newer than the page's, or else the oldest. An archive with dates is consulted
// at the time of the capture.
//
// The answers are in the order of the URLs and of the agents. With an error, of type *Error, there
// are answers for those URLs with captures in the readable part of the file.
func CheckPages(ctx context.Context, o CheckOptions, file string, urls []string) ([]PageAnswer, error) {
	if len(o.Agents) == 0 {
		return nil, errNoAgent
	}
	agents, err := o.subjects()
	if err != nil {
		return nil, err
	}
	p := pageCheck{options: o, agents: agents, checkers: map[string]*Checker{}, file: snapshot.File{Name: file,
		Windows: newBudget(0).windows(), MaxRobots: o.Robots.most() + 1, Warn: o.Messages.warn}}
	pages := make([]*snapshot.Page, len(urls))
	for i, url := range urls {
		if pages[i] = p.file.Want(url); pages[i] == nil {
			return nil, usageError("%q is not a URL, such as https://example.com/a", url)
		}
	}
	var rules *Checker
	if o.Robots.Name != "" || o.Archive != "" {
		if rules, err = newChecker(ctx, o, agents); err != nil {
			return nil, err
		}
		defer func() { _ = rules.Close() }()
	}
	if err := p.file.Check(); err != nil {
		return nil, inputError(explained(err))
	}
	var failed []error
	damage := explained(p.file.ReadPages(ctx))
	var again error // of the second pass, which meets the same damage
	if rules == nil {
		again = explained(p.file.ReadRobots(ctx))
	}
	switch {
	case ctx.Err() != nil:
		return nil, errNothingDone
	case damage != nil:
		failed = append(failed, damage)
	case again != nil: // what was read in the first pass cannot be read now
		return nil, inputError(again)
	}
	answers := []PageAnswer{}
	for i, f := range pages {
		if f.Captures == 0 {
			failed = append(failed, fmt.Errorf("%s has no response for %s", file, urls[i]))
			continue
		}
		list, err := p.answer(urls[i], f, rules)
		if err != nil {
			return answers, err
		}
		answers = append(answers, list...)
	}
	return answers, o.Messages.last(failed)
}

// last warns of all errors but the last, which it returns as an error of the input; nil if there
// are none.
func (m Messages) last(errs []error) error {
	for i, err := range errs {
		if i == len(errs)-1 {
			return inputError(err)
		}
		m.warn("%v", err)
	}
	return nil
}

type pageCheck struct {
	options CheckOptions
	file    snapshot.File
	agents  []archived.Agent
	// checkers answer by the robots.txt files that were found, by Robots.String.
	checkers map[string]*Checker
}

// answer answers for the URL of a found page, by rules or, if they are nil, by the
// robots.txt that was found.
func (p *pageCheck) answer(url string, f *snapshot.Page, rules *Checker) ([]PageAnswer, error) {
	at := int64(newest)
	if !f.Date.IsZero() {
		at = f.Date.Unix()
	}
	var answers []explain.Answer
	var err error
	robots := ""
	if rules != nil {
		answers, err = rules.checkAt(url, at)
	} else {
		robots = f.Robots.String()
		answers, err = p.byRobots(url, f)
	}
	if err != nil {
		return nil, err
	}
	of := PageCapture{File: p.file.Name, Record: f.Record, Status: f.Status, ContentType: f.ContentType,
		Captures: f.Captures}
	if !f.Date.IsZero() {
		of.Date = f.Date.UTC().Format(time.RFC3339)
	}
	if f.Unread != nil {
		of.Unread = f.Unread.Error()
	}
	var list []PageAnswer
	for i, a := range answers {
		agent := p.agents[i]
		x := PageAnswer{Answer: a, Capture: of, RobotsTxt: robots, Statements: []PageStatement{},
			Partial: f.Partial()}
		for s := range f.Statements() {
			x.Statements = append(x.Statements, pageStatement(s, agent.Tokens))
		}
		r := f.Rules(agent.Tokens, f.Date)
		x.Directives = r.Names()
		if len(x.Directives) > 0 && !a.Allowed && !a.Unknown && a.Exempt == "" {
			x.Unseen = unseen(a.Agent, r)
		}
		list = append(list, x)
	}
	return list, nil
}

// unseen explains that a crawler does not see the page's directives.
func unseen(agent string, r page.Rules) string {
	why := "robots.txt keeps " + agent + " from fetching the page, so if it obeys it never sees what the page states"
	if r.Set&page.NoIndex != 0 {
		why += ": noindex has no effect, and the URL may be listed because other pages link to it"
	}
	return why
}

func pageStatement(s page.Statement, tokens []string) PageStatement {
	x := PageStatement{Source: s.Source.String(), Crawler: string(s.Crawler), Text: string(s.Text),
		Applies: s.Applies(tokens), Unknown: []string{}}
	for text := range s.Unknown() {
		x.Unknown = append(x.Unknown, string(text))
	}
	return x
}

// byRobots judges the URL of a page by the robots.txt that was found.
func (p *pageCheck) byRobots(url string, f *snapshot.Page) ([]explain.Answer, error) {
	r := &f.Robots
	answers, err := p.checker(r).Check(url)
	for i := range answers {
		a := &answers[i]
		meaning := r.Meaning(p.agents[i].Class)
		forbidden, wrong := p.forbiddenHop(r, i)
		switch err = cmp.Or(err, wrong); {
		case forbidden != "":
			a.Allowed = true
			a.WhyRule = "robots.txt redirects to " + forbidden +
				", which the robots.txt of its own site forbids, so everything is allowed"
		case meaning == answer.File:
			continue
		case meaning == answer.None:
			a.Allowed = true
			a.WhyRule = fmt.Sprintf("the answer to the request for robots.txt has status %d, so everything is allowed (RFC "+
				"9309 2.3.1.3)", r.Status)
		case meaning == answer.Failed:
			if f.Target.Path == answer.RobotsPath {
				continue
			}
			a.Allowed, a.WhyRule = false, archived.WhyUnreachable
		default:
			a.Allowed, a.Unknown, a.WhyRule = false, true,
				p.file.Name+" has no answer to the request for "+r.At.Origin.String()+r.At.Path
			if r.Found {
				a.WhyRule += ", but a redirect that cannot be followed"
			}
		}
		a.Line, a.Rule, a.Groups, a.WhyGroup, a.Contested = 0, "", []explain.AgentLines{}, "", ""
	}
	return answers, err
}

// forbiddenHop returns the first URL on a robots.txt's chain of redirects that the robots.txt of
// its own origin disallows for an agent; "" if there is none.
func (p *pageCheck) forbiddenHop(r *snapshot.Robots, agent int) (string, error) {
	for _, h := range r.Hops {
		if h.Robots.Meaning(p.agents[agent].Class) != answer.File {
			continue
		}
		answers, err := p.checker(h.Robots).Check(h.URL)
		if err != nil || !answers[agent].Allowed {
			return h.URL, err
		}
	}
	return "", nil
}

// checker returns a Checker by the body of a robots.txt that was found.
func (p *pageCheck) checker(r *snapshot.Robots) *Checker {
	c := p.checkers[r.String()]
	if c == nil {
		o := p.options
		o.Robots.Name = r.At.Origin.String() + r.At.Path + " in " + p.file.Name
		c = newBodyChecker(o, r.Body, p.agents)
		if answer.Of(r.Status, answer.Archive) != answer.File {
			c.warn = nil // without a body to warn about
		}
		p.checkers[r.String()] = c
	}
	return c
}
