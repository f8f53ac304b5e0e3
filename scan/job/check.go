package job

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/lists"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/lint"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// CheckOptions select the robots.txt, and the agents, that a Checker answers for. Either Robots or
// Archive is given.
type CheckOptions struct {
	Agents   []Agent // optional for Describe
	Robots   RobotsFile
	Archive  string // name of a file, made by Compile, that holds the rules of each origin
	AsOf     string // as FilterOptions.AsOf
	Messages Messages
	// Against is an older robots.txt that Describe compares Robots with; without a Name there is none.
	Against RobotsFile
	// Crawlers is a file as in Agent.Crawlers, with the crawlers that Describe knows.
	Crawlers string
	// Crossings is as in lint.Options.
	Crossings bool
	// Sitemaps are files with the URLs of the site's own sitemaps, in any format of lists. Describe reports
	// the URLs that the robots.txt disallows.
	Sitemaps []string
}

// Checker explains verdicts on single URLs. It is not safe for concurrent use.
type Checker struct {
	options CheckOptions
	robots  explain.File
	against *explain.File // an older robots.txt; nil for none
	agents  []archived.Asked
	warn    func() // reports the oddities of the file, once
	at      int64  // the instant at which an archive is consulted, in Unix seconds
}

// NewChecker reads a robots.txt or opens an archive. An error is of type *Error. Close the
// checker after use.
func NewChecker(ctx context.Context, o CheckOptions) (*Checker, error) {
	agents, err := o.subjects()
	if err != nil {
		return nil, err
	}
	return newChecker(ctx, o, agents)
}

// newChecker is NewChecker after the agents have been looked up.
func newChecker(ctx context.Context, o CheckOptions, agents []archived.Agent) (*Checker, error) {
	switch {
	case o.Robots.Name == "" && o.Archive == "":
		return nil, usageError("no rules: option Robots or option Archive is needed")
	case o.Robots.Name != "" && o.Archive != "":
		return nil, usageError("option Robots and option Archive cannot be given together")
	case o.Archive == "" && o.AsOf != "":
		return nil, usageError("option AsOf chooses a version of option Archive")
	case o.Archive != "" && len(agents) == 0:
		return nil, errNoAgent
	case o.Archive != "":
		return newArchiveChecker(ctx, o, agents)
	}
	body, err := o.Robots.Read(ctx)
	if err != nil {
		return nil, err
	}
	c := newBodyChecker(o, body, agents)
	if o.Against.Name != "" {
		older, err := o.Against.Read(ctx)
		if err != nil {
			return nil, err
		}
		c.against = fileOf(o.Against, older)
	}
	return c, nil
}

// subjects looks the agents up.
func (o *CheckOptions) subjects() ([]archived.Agent, error) {
	var list []archived.Agent
	for _, a := range o.Agents {
		agent, err := a.find(o.Messages)
		if err != nil {
			return nil, err
		}
		list = append(list, agent)
	}
	return list, nil
}

// newBodyChecker returns a Checker by the body of a robots.txt, with the name and limit of
// o.Robots.
func newBodyChecker(o CheckOptions, body []byte, agents []archived.Agent) *Checker {
	c := &Checker{options: o, robots: *fileOf(o.Robots, body)}
	c.warn = sync.OnceFunc(func() {
		o.Messages.warnAll(Oddities(c.robots.Compile(reading.ReadRFC9309), body, o.Robots.Name))
	})
	for _, agent := range agents {
		o.Messages.warnOfOthers(agent, c.robots.Compile(reading.Reading(agent.Dialect)).Ruleset)
		c.agents = append(c.agents, archived.Asked{Asked: c.robots.Ask(agent.Agent)})
	}
	return c
}

func fileOf(f RobotsFile, body []byte) *explain.File {
	return &explain.File{Name: f.Name, Body: body, MaxBytes: f.MaxBytes}
}

func newArchiveChecker(ctx context.Context, o CheckOptions, agents []archived.Agent) (*Checker, error) {
	c := &Checker{}
	var err error
	if c.at, err = asOf(o.AsOf, time.Time{}); err != nil {
		return nil, err
	}
	for _, agent := range agents {
		rules, err := openRules(ctx, o.Archive, agent)
		if err != nil {
			_ = c.Close()
			return nil, err
		}
		o.Messages.warnOfOthers(agent, nil)
		c.agents = append(c.agents, archived.Asked{Asked: &explain.Asked{Agent: agent.Agent}, Rules: rules})
	}
	return c, nil
}

// Close releases the archive.
func (c *Checker) Close() error {
	var errs []error
	for _, a := range c.agents {
		if a.Rules != nil {
			errs = append(errs, a.Rules.Mapped.Close())
		}
	}
	return errors.Join(errs...)
}

// Check judges a URL for each agent, in their order. Text that begins with one or two slashes
// is a path. Text that is neither a URL nor a path is an error, and so is a path
// without an origin for an archive.
func (c *Checker) Check(url string) ([]explain.Answer, error) { return c.checkAt(url, c.at) }

// checkAt is Check by the rules in force at an instant, in Unix seconds, if the archive has dates.
func (c *Checker) checkAt(url string, at int64) ([]explain.Answer, error) {
	var o origin.Origin // unknown for a path
	_, isURL := origin.Prefix([]byte(url))
	switch isPath := strings.HasPrefix(url, "/"); {
	case !isPath && !isURL:
		return nil, usageError("%q is neither a URL, such as https://example.com/a, nor a path, which begins with a slash",
			url)
	case isPath && c.robots.Name == "":
		return nil, usageError("%q is a path: an archive has the rules of many origins, so it needs a URL", url)
	case isURL:
		var err error
		if o, err = origin.Of([]byte(url)); err != nil {
			return nil, usageError("%q: %w", url, err)
		}
	}
	if c.warn != nil {
		c.warn()
	}
	var list []explain.Answer
	for _, agent := range c.agents {
		a, err := agent.AnswerAt(url, o, at)
		if err != nil {
			return list, inputError(err)
		}
		list = append(list, a)
	}
	return list, nil
}

// Files returns the robots.txt and the older one, which is nil if there is none.
func (c *Checker) Files() (file, older *explain.File) { return &c.robots, c.against }

// Describe describes the robots.txt as a dialect reads it, as in explain.Options.Dialect. Archives hold
// no text to describe, and are an error.
func (c *Checker) Describe(ctx context.Context, dialect *automaton.Dialect) (*explain.Description, error) {
	if c.robots.Name == "" {
		return nil, usageError("no URL: an archive is asked about URLs")
	}
	known, err := Crawlers(c.options.Crawlers)
	if err != nil {
		return nil, err
	}
	o := explain.Options{Robots: &c.robots, Against: c.against, Dialect: dialect,
		Lint: lint.Options{Crawlers: known, Crossings: c.options.Crossings, LogOf: capture.LogOf}}
	for _, a := range c.agents {
		o.Asked = append(o.Asked, a.Asked)
	}
	if files := c.options.Sitemaps; len(files) > 0 {
		o.Lint.Sitemap = func(yield func([]byte) bool) {
			for i := 0; i < len(files) && err == nil; i++ {
				err = lists.EachURL(ctx, files[i], yield)
			}
		}
	}
	d := explain.Describe(o)
	switch {
	case ctx.Err() != nil && err != nil:
		err = errNothingDone
	case err != nil:
		err = inputError(err)
	}
	return d, err
}
