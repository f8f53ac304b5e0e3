package archived

import (
	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// Asked is an agent with the rules that bind it: those of a robots.txt, or those of an archive unless Rules is nil.
type Asked struct {
	*explain.Asked
	Rules *Rules
}

// AnswerAt judges a URL of an origin, by the rules in force at an instant if an archive has dates.
func (c Asked) AnswerAt(url string, o origin.Origin, at int64) (a explain.Answer, err error) {
	if c.Rules == nil {
		return c.Answer(url), nil
	}
	err = c.Rules.Mapped.Use(func() error {
		var path []byte
		a, path = c.Begin(url)
		m, err := c.find(&a, filter.Query{Origin: o, At: at}, path)
		if err == nil && a.WhyRule == "" {
			c.Decide(&a, m, path)
		}
		return err
	})
	return a, err
}

// WhyUnreachable explains the verdict on a site whose robots.txt failed.
const WhyUnreachable = "robots.txt is unreachable, so everything is forbidden (RFC 9309 2.3.1.4)"

// find returns the rules of an origin that bind the agent. If the archive lacks the origin,
// find completes the answer.
func (c Asked) find(a *explain.Answer, q filter.Query, path []byte) (*automaton.Machine, error) {
	a.Groups = []explain.AgentLines{}
	var bound [1]filter.Rules
	_, found, err := c.Rules.Find(q, bound[:])
	switch {
	case err != nil:
	case !found:
		a.Unknown, a.WhyRule = true, "the archive does not have the robots.txt of "+q.Origin.String()+", or only a "+
			"redirect to a URL that it does not have"
	case bound[0].Unreachable && string(path) != answer.RobotsPath:
		a.WhyRule = WhyUnreachable
	}
	return bound[0].Machine, err
}
