package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/internal/lists"
	"github.com/robotsieve/robotsieve/scan/internal/page"
	"github.com/robotsieve/robotsieve/scan/internal/warc"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
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
	p := pageCheck{ctx: ctx, options: o, file: file, agents: agents, pages: map[answer.Target]*pageFound{},
		checkers: map[string]*Checker{}}
	for _, url := range urls {
		if err := p.want(url); err != nil {
			return nil, err
		}
	}
	var rules *Checker
	if o.Robots.Name != "" || o.Archive != "" {
		if rules, err = newChecker(ctx, o, agents); err != nil {
			return nil, err
		}
		defer func() { _ = rules.Close() }()
	}
	if err := p.check(); err != nil {
		return nil, inputError(explained(err))
	}
	var failed []error
	damage := p.readPages()
	var again error // of the second pass, which meets the same damage
	if rules == nil {
		again = p.readRobots()
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
	for i, f := range p.asked {
		if f.captures == 0 {
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

// pageCheck is one call of CheckPages.
type pageCheck struct {
	ctx     context.Context
	options CheckOptions
	file    string
	agents  []archived.Agent
	pages   map[answer.Target]*pageFound
	asked   []*pageFound // of each URL
	// checkers answer by the robots.txt files that were found, by robotsFound.String.
	checkers map[string]*Checker
}

// pageFound is the newest capture of a URL.
type pageFound struct {
	target   answer.Target
	captures int // 0 if there is none
	capture  PageCapture
	date     time.Time
	page     page.Page
	robots   robotsFound
}

// want adds a URL to look for.
func (p *pageCheck) want(url string) error {
	target, ok := answer.Resolve(answer.Target{}, url)
	if !ok {
		return usageError("%q is not a URL, such as https://example.com/a", url)
	}
	if p.pages[target] == nil {
		p.pages[target] = &pageFound{target: target}
	}
	p.asked = append(p.asked, p.pages[target])
	return nil
}

// readPages finds the newest capture of each URL.
func (p *pageCheck) readPages() error {
	wants := func(t answer.Target) bool { return p.pages[t] != nil }
	return p.eachResponse(wants, page.MaxHead+1, func(r *response) {
		f := p.pages[r.target]
		f.captures++
		if f.captures > 1 && r.date.Before(f.date) {
			return
		}
		f.date = r.date
		f.capture = PageCapture{File: p.file, Record: r.record, Status: r.Status, ContentType: r.ContentType}
		if !r.date.IsZero() {
			f.capture.Date = r.date.UTC().Format(time.RFC3339)
		}
		if r.unread != nil {
			f.capture.Unread = r.unread.Error()
		}
		f.page.Reset()
		for _, value := range r.RobotsTags {
			f.page.Header([]byte(value))
		}
		f.page.HTML([]byte(r.ContentType), r.body)
	})
}

// robotsFound is the capture of the robots.txt that was in force when a page was captured, as far
// as the file shows.
type robotsFound struct {
	at        answer.Target // the URL to look for
	instant   time.Time     // of the page
	found     bool
	date      time.Time
	status    int
	body      []byte
	location  string // of a redirect
	redirects int    // those that led to at
	hops      []hop  // the redirects that led to paths other than /robots.txt
	ofHop     bool   // it is the robots.txt of a hop
}

// hop is a URL other than a robots.txt to which a redirect leads, and the robots.txt of its origin.
type hop struct {
	url    string
	robots *robotsFound
}

// add takes a capture if it is better evidence of the robots.txt at the instant than the one found: the
// newest until then is best, or else the oldest. A failed one is worse than any other until then,
// or else the worst of all. Answers that don't show the robots.txt, such as 304, and unreadable
// bodies don't count.
func (r *robotsFound) add(c *response) {
	meaning := answer.Of(c.Status, answer.Archive)
	if meaning == answer.Nothing || meaning == answer.File && c.unread != nil {
		return
	}
	inForce := func(date time.Time) bool { return r.instant.IsZero() || !date.After(r.instant) }
	failed := answer.Of(r.status, answer.Archive) == answer.Failed
	switch old, this := inForce(r.date), inForce(c.date); {
	case !r.found:
	case old != this:
		if old {
			return
		}
	case failed != (meaning == answer.Failed):
		if !failed {
			return
		}
	case this == c.date.Before(r.date): // not the newest of those until then, or not the oldest of the others
		return
	}
	r.found, r.date, r.status, r.body, r.location = true, c.date, c.Status, c.body, c.Location
}

// follow prepares r to look for the target of a redirect. It returns the captures to look for:
// none if there is no redirect to follow. They include the robots.txt by which the
// redirect may be off limits for the crawler.
func (r *robotsFound) follow() []*robotsFound {
	if !r.found || answer.Of(r.status, answer.Archive) != answer.Redirect || r.redirects == maxRedirects {
		return nil
	}
	to, ok := answer.Resolve(r.at, r.location)
	if !ok || r.ofHop && to.Path != answer.RobotsPath {
		return nil
	}
	*r = robotsFound{at: to, instant: r.instant, redirects: r.redirects + 1, hops: r.hops, ofHop: r.ofHop}
	if to.Path == answer.RobotsPath {
		return []*robotsFound{r}
	}
	own := &robotsFound{at: answer.Target{Origin: to.Origin, Path: answer.RobotsPath}, instant: r.instant, ofHop: true}
	r.hops = append(r.hops, hop{to.Origin.String() + to.Path, own})
	return []*robotsFound{r, own}
}

// maxRedirects is how many redirects are followed (RFC 9309 2.3.1.2).
const maxRedirects = 5

// readRobots finds the robots.txt of each page that was found. It reads the file once, and again
// for each further redirect.
func (p *pageCheck) readRobots() error {
	wanted := map[answer.Target][]*robotsFound{}
	for _, f := range p.pages {
		if f.captures > 0 {
			f.robots = robotsFound{at: answer.Target{Origin: f.target.Origin, Path: answer.RobotsPath}, instant: f.date}
			wanted[f.robots.at] = append(wanted[f.robots.at], &f.robots)
		}
	}
	for len(wanted) > 0 {
		wants := func(t answer.Target) bool { return wanted[t] != nil }
		if err := p.eachResponse(wants, p.options.Robots.most()+1, func(r *response) {
			for _, robots := range wanted[r.target] {
				robots.add(r)
			}
		}); err != nil {
			return err
		}
		redirected := map[answer.Target][]*robotsFound{}
		for _, list := range wanted {
			for _, robots := range list {
				for _, next := range robots.follow() {
					redirected[next.at] = append(redirected[next.at], next)
				}
			}
		}
		wanted = redirected
	}
	return nil
}

// answer answers for the URL of a found page, by rules or, if they are nil, by the
// robots.txt that was found.
func (p *pageCheck) answer(url string, f *pageFound, rules *Checker) ([]PageAnswer, error) {
	at := int64(newest)
	if !f.date.IsZero() {
		at = f.date.Unix()
	}
	var answers []explain.Answer
	var err error
	robots := ""
	if rules != nil {
		answers, err = rules.checkAt(url, at)
	} else {
		robots = f.robots.String()
		answers, err = p.byRobots(url, f)
	}
	if err != nil {
		return nil, err
	}
	f.capture.Captures = f.captures
	var list []PageAnswer
	for i, a := range answers {
		agent := p.agents[i]
		x := PageAnswer{Answer: a, Capture: f.capture, RobotsTxt: robots, Statements: []PageStatement{},
			Partial: f.page.Partial()}
		for s := range f.page.Statements() {
			x.Statements = append(x.Statements, pageStatement(s, agent.Tokens))
		}
		r := f.page.Rules(agent.Tokens, f.date)
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
func (p *pageCheck) byRobots(url string, f *pageFound) ([]explain.Answer, error) {
	r := &f.robots
	answers, err := p.checker(r).Check(url)
	for i := range answers {
		a := &answers[i]
		meaning := r.meaning(p.agents[i].Class)
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
				"9309 2.3.1.3)", r.status)
		case meaning == answer.Failed:
			if f.target.Path == answer.RobotsPath {
				continue
			}
			a.Allowed, a.WhyRule = false, whyUnreachable
		default:
			a.Allowed, a.Unknown, a.WhyRule = false, true,
				p.file+" has no answer to the request for "+r.at.Origin.String()+r.at.Path
			if r.found {
				a.WhyRule += ", but a redirect that cannot be followed"
			}
		}
		a.Line, a.Rule, a.Groups, a.WhyGroup, a.Contested = 0, "", []explain.AgentLines{}, "", ""
	}
	return answers, err
}

// forbiddenHop returns the first URL on a robots.txt's chain of redirects that the robots.txt of
// its own origin disallows for an agent; "" if there is none.
func (p *pageCheck) forbiddenHop(r *robotsFound, agent int) (string, error) {
	for _, h := range r.hops {
		if h.robots.meaning(p.agents[agent].Class) != answer.File {
			continue
		}
		answers, err := p.checker(h.robots).Check(h.url)
		if err != nil || !answers[agent].Allowed {
			return h.url, err
		}
	}
	return "", nil
}

// checker returns a Checker by the body of a robots.txt that was found.
func (p *pageCheck) checker(r *robotsFound) *Checker {
	c := p.checkers[r.String()]
	if c == nil {
		o := p.options
		o.Robots.Name = r.at.Origin.String() + r.at.Path + " in " + p.file
		c = newBodyChecker(o, r.body, p.agents)
		if answer.Of(r.status, answer.Archive) != answer.File {
			c.warn = nil // without a body to warn about
		}
		p.checkers[r.String()] = c
	}
	return c
}

// meaning is what the answer means to a class of crawlers; answer.Nothing or answer.Redirect if
// robots.txt is unknown.
func (r *robotsFound) meaning(by answer.Class) answer.Meaning {
	if !r.found {
		return answer.Nothing
	}
	return answer.Of(r.status, by)
}

// String names the robots.txt; "" if none was found.
func (r *robotsFound) String() string {
	if !r.found {
		return ""
	}
	text := fmt.Sprintf("%s%s, status %d", r.at.Origin, r.at.Path, r.status)
	if !r.date.IsZero() {
		text += ", captured " + r.date.UTC().Format(time.RFC3339)
	}
	return text
}

// response is a server's answer in a record of a WARC file.
type response struct {
	*warc.Response
	target answer.Target
	record int64 // its number in the file
	date   time.Time
	body   []byte // its beginning
	unread error  // why the rest of the body could not be read
}

// eachResponse reads the file and calls each for the responses from wanted targets, with at most
// that many bytes of their bodies. An error is about the part of the file that could not be read; the
// responses before it have been delivered.
func (p *pageCheck) eachResponse(wanted func(answer.Target) bool, limit int, each func(*response)) error {
	in, err := source.NewFile(p.file)
	if err != nil {
		return err
	}
	in.Windows = newBudget(0).windows()
	opened, err := interrupt.Open(p.ctx, in)
	if err != nil {
		return explained(err)
	}
	defer opened.Close()
	records := warc.NewReader(interrupt.Stream{Ctx: p.ctx, R: opened})
	for {
		rec, err := records.Next()
		switch {
		case err == io.EOF: //nolint:errorlint // an error that wraps io.EOF is damage
			return nil
		case err != nil:
			return source.Named(p.file, err)
		case rec.Kind != "response":
			continue
		}
		r := response{record: rec.Number}
		var ok bool
		if r.target, ok = answer.Resolve(answer.Target{}, rec.Target); !ok || !wanted(r.target) {
			continue
		}
		if r.Response, err = warc.ReadResponse(records); err != nil {
			p.options.Messages.warn("%s: record %d: %v", p.file, rec.Number, err)
			continue
		}
		r.date, _ = rec.Time() // zero where there is none
		r.body, r.unread = r.Body(limit, rec.Truncated)
		each(&r)
	}
}

// check returns an error if the file is not a WARC file that can be read repeatedly.
func (p *pageCheck) check() error {
	in, err := source.NewFile(p.file)
	if err != nil {
		return err
	}
	if !in.Regular() {
		return fmt.Errorf("%s: not a regular file, and it is read more than once", p.file)
	}
	in.Windows = newBudget(0).windows()
	head, err := in.Head(lists.HeadBytes)
	if err != nil {
		return err
	}
	kind, err := list.Detect(head, p.file, list.Options{})
	if err == nil && kind != list.WARC {
		err = errors.New("it is not a WARC file")
	}
	return source.Named(p.file, err)
}
