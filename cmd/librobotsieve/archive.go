package main

import (
	"errors"
	"fmt"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
)

// archive is an open archive.
type archive struct {
	using   sync.RWMutex // held by queries, so that nothing is closed meanwhile
	rules   *job.Archive // nil if closed
	dialect *automaton.Dialect
	agents  cache[*judges]
}

// judges judge for one agent. A thread takes one of them, or makes a new one.
type judges struct {
	config filter.Config
	idle   sync.Pool
}

func newArchive(path string, dialect *automaton.Dialect) (*archive, error) {
	rules, err := job.OpenArchive(path)
	if err != nil {
		return nil, err
	}
	return &archive{rules: rules, dialect: dialect}, nil
}

func (a *archive) close() error {
	a.using.Lock()
	defer a.using.Unlock()
	rules := a.rules
	a.rules = nil
	return rules.Close()
}

func (a *archive) ask(agent []byte, at int64, urls *texts, out *answers) error {
	a.using.RLock()
	defer a.using.RUnlock()
	if a.rules == nil {
		return errHandle
	}
	of, err := a.agents.of(agent, func(name string) (of *judges, err error) {
		of = new(judges)
		of.config, err = a.rules.Config(job.Agent{Name: name, Dialect: a.dialect})
		return of, err
	})
	if err != nil {
		return err
	}
	judge, ok := of.idle.Get().(*filter.Judge)
	if !ok {
		judge = filter.NewJudge(&of.config)
	}
	err = of.config.Guard(func() error {
		judged, failed := 0, -1
		err := urls.each(out, func(url []byte) (filter.Class, uint32) {
			v := judge.Judge(url, at)
			if failed < 0 && judge.Err() != nil {
				failed = judged
			}
			judged++
			return v.Class, v.Line
		})
		if failed >= 0 && !urls.one {
			return fmt.Errorf("URL %d: %w", failed, judge.Err())
		}
		return errors.Join(err, judge.Err())
	})
	if err == nil {
		of.idle.Put(judge)
		return nil
	}
	if _, ok := errors.AsType[*job.Error](err); ok {
		return err
	}
	return &job.Error{Kind: job.Input, Err: err}
}
