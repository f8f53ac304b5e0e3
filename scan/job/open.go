package job

import (
	"context"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Find looks the agent up, as every job does: who it is to a robots.txt, and in which dialect it
// reads one. An error is of type *Error.
func (a Agent) Find() (policy.Subject, automaton.Dialect, error) {
	s, err := a.find(Messages{})
	return s.Subject, s.dialect, err
}

// Archive is an open archive, by which filter.NewJudge judges single URLs as Filter does. Any number
// of goroutines may use it, but not during Close nor after it.
type Archive struct {
	path  string
	rules *archived
}

// OpenArchive maps an archive of Compile into memory. Decoded rules may take three quarters of
// DefaultMemory. The file may be replaced meanwhile, but not changed in place. An error is of type
// *Error.
func OpenArchive(path string) (*Archive, error) {
	rules, err := openRules(context.Background(), path)
	if err != nil {
		return nil, err
	}
	rules.most = DefaultMemory / 4 * 3
	return &Archive{path, rules}, nil
}

// Config returns the configuration of a filter.Judge for an agent. Verdicts are valid if they were
// asked for within Config.Guard and it returned no error. An error is of type *Error.
func (a *Archive) Config(agent Agent) (c filter.Config, err error) {
	of, err := agent.find(Messages{})
	if err != nil {
		return c, err
	}
	rules := *a.rules
	rules.agents = []subject{of}
	if err := lacking(a.path, a.rules.archive.Dialects(), rules.agents); err != nil {
		return c, inputError(err)
	}
	c.Dialects = []automaton.Dialect{of.dialect}
	rules.judges(&c)
	return c, nil
}

// Close releases the archive.
func (a *Archive) Close() error { return a.rules.mapped.Close() }
