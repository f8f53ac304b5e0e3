package main

import (
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// archived is the robots.txt of many origins, from an archive, as it binds one
// agent.
type archived struct {
	archive *archive.Archive
	dialect automaton.Dialect
	subject policy.Subject
}

// openRules opens an archive of the rules of many origins, as they bind an agent.
// close gives it back after its last use.
func openRules(path string, who agent) (rules filter.Policy, close func() error, err error) {
	a, close, err := openArchive(path)
	if err != nil {
		return nil, nil, inputError(err)
	}
	if held := a.Dialects(); !slices.Contains(held, who.dialect) {
		close()
		return nil, nil, inputError(fmt.Errorf("%s holds no rules by the dialect %v, only by %v", path, who.dialect, held))
	}
	return archived{a, who.dialect, who.subject}, close, nil
}

// Find looks an origin up. Only a status of success has rules: a server error
// makes robots.txt unreachable, and anything else, such as the 999 of some servers,
// says that there is none, which allows everything (RFC 9309 2.3.1).
func (p archived) Find(o origin.Origin, busy bool) (filter.Rules, bool, error) {
	var buf [128]byte // keys are hardly longer, and this needs no allocation
	lookup := p.archive.Lookup
	if busy {
		lookup = p.archive.LookupBusy
	}
	e, found, err := lookup(o.AppendKey(buf[:0]), p.dialect)
	switch {
	case err != nil || !found:
		return filter.Rules{}, false, err
	case e.Status/100 == 2:
		return filter.Rules{Machine: p.subject.Machine(e.Ruleset)}, true, nil
	}
	return filter.Rules{Unreachable: e.Status/100 == 5}, true, nil
}
