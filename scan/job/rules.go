package job

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/filter"
)

// archived holds the rules of an archive as they bind agents.
type archived struct {
	archive *archive.Archive
	agents  []subject
	most    int64 // bytes that decoded rulesets may take
	epoch   atomic.Uint64
}

// openRules maps an archive into memory and opens it for agents. The rules are valid
// until release is called. The file must not be changed meanwhile; Compile never does,
// since it replaces files whole. Reading beyond the end of a file that has become shorter
// is a memory fault, which package filter turns into an error.
func openRules(path string, agents ...subject) (rules *archived, release func() error, err error) {
	data, unmap, err := disk.Map(path)
	if err != nil {
		return nil, nil, inputError(err)
	}
	// An archive holds rules without tables: making them anew costs less than reading
	// them, and most origins need none.
	var a *archive.Archive
	err = disk.Faults(func() (err error) {
		a, err = archive.Open(data, compile.Semantics, compile.EngineAuto.Table)
		return err
	})
	if errors.Is(err, archive.ErrNotArchive) {
		err = fmt.Errorf("%s: %w; compile makes one, and a robots.txt is for --robots", path, archive.ErrNotArchive)
	} else if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	} else {
		err = lacking(path, a.Dialects(), agents)
	}
	if err != nil {
		return nil, nil, inputError(errors.Join(err, unmap()))
	}
	return &archived{archive: a, agents: agents, most: math.MaxInt64}, unmap, nil
}

// lacking returns an error if an archive does not hold the dialect of an agent.
func lacking(path string, held []automaton.Dialect, agents []subject) error {
	for _, agent := range agents {
		if slices.Contains(held, agent.dialect) {
			continue
		}
		var names []string
		for _, d := range held {
			names = append(names, d.String())
		}
		return fmt.Errorf("%s holds no rules by the dialect %v, only by %s", path, agent.dialect, strings.Join(names, " and "))
	}
	return nil
}

// Find implements filter.Policy, by the law of package answer. Where the sources of the
// archive do not have what a redirect leads to, the rules are not known.
func (p *archived) Find(q filter.Query, rules []filter.Rules) (valid filter.Span, found bool, err error) {
	if p.archive.Limit(p.most) {
		p.epoch.Add(1) // so that the workers of a filter stop using them
	}
	var buf [128]byte // enough for most keys without allocating
	key := q.Origin.AppendKey(buf[:0])
	lookup := p.archive.LookupAt
	if q.Busy {
		lookup = p.archive.LookupBusyAt
	}
	var e archive.Entry
	for i := range p.agents {
		agent := &p.agents[i]
		if i == 0 || agent.dialect != p.agents[i-1].dialect {
			if e, found, err = lookup(key, agent.dialect, q.At); err != nil || !found {
				return span(e), false, err
			}
		}
		switch answer.Of(int(e.Status), agent.class) {
		case answer.File:
			rules[i] = filter.Rules{Machine: agent.Machine(e.Ruleset)}
		case answer.None:
			rules[i] = filter.Rules{}
		case answer.Failed:
			rules[i] = filter.Rules{Unreachable: true}
		default: // a redirect
			return span(e), false, nil
		}
	}
	return span(e), true, nil
}

// span returns the span for which an entry is valid.
func span(e archive.Entry) filter.Span {
	if e.Until == math.MaxInt64 {
		return filter.Span{First: e.From, Last: e.Until}
	}
	return filter.Span{First: e.From, Last: e.Until - 1}
}
