package job

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// archived holds the rules of an archive as they bind one agent.
type archived struct {
	archive *archive.Archive
	agent   subject
	most    int64 // bytes that decoded rulesets may take
	epoch   atomic.Uint64
}

// openRules maps an archive into memory and opens it for one agent. The rules are valid
// until release is called. The file must not be changed meanwhile; Compile never does,
// since it replaces files whole. Reading beyond the end of a file that has become shorter
// is a memory fault, which package filter turns into an error.
func openRules(path string, agent subject) (rules *archived, release func() error, err error) {
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
	} else if held := a.Dialects(); !slices.Contains(held, agent.dialect) {
		var names []string
		for _, d := range held {
			names = append(names, d.String())
		}
		err = fmt.Errorf("%s holds no rules by the dialect %v, only by %s", path, agent.dialect, strings.Join(names, " and "))
	}
	if err != nil {
		return nil, nil, inputError(errors.Join(err, unmap()))
	}
	return &archived{archive: a, agent: agent, most: math.MaxInt64}, unmap, nil
}

// Find implements filter.Policy, by the law of package answer. Where the sources of the
// archive do not have what a redirect leads to, the rules are not known.
func (p *archived) Find(o origin.Origin, busy bool) (filter.Rules, bool, error) {
	if p.archive.Limit(p.most) {
		p.epoch.Add(1) // so that the workers of a filter stop using them
	}
	var buf [128]byte // enough for most keys without allocating
	lookup := p.archive.Lookup
	if busy {
		lookup = p.archive.LookupBusy
	}
	e, found, err := lookup(o.AppendKey(buf[:0]), p.agent.dialect)
	if err != nil || !found {
		return filter.Rules{}, false, err
	}
	switch answer.Of(int(e.Status), p.agent.class) {
	case answer.File:
		return filter.Rules{Machine: p.agent.Machine(e.Ruleset)}, true, nil
	case answer.None:
		return filter.Rules{}, true, nil
	case answer.Failed:
		return filter.Rules{Unreachable: true}, true, nil
	default: // a redirect
		return filter.Rules{}, false, nil
	}
}
