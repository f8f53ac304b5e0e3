package main

import (
	"errors"
	"fmt"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
)

type archive struct {
	using   sync.RWMutex // held by queries, so that nothing is closed meanwhile
	rules   *job.Archive // nil if closed
	dialect *automaton.Dialect
	agents  cache[*judges]
}

// judges judge for one agent, or for some. A thread takes one of them, or makes a new one.
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
	return a.judge(agent, 1, at, urls, func(i int, v filter.Verdict) { out.set(i, v.Class, v.Line) })
}

func (a *archive) askAll(agents []byte, n int, at int64, urls *texts, reasons []byte) error {
	return a.judge(agents, n, at, urls, func(i int, v filter.Verdict) {
		for k := range n {
			class := v.Class
			if v.Barred != 0 && v.Barred>>k&1 == 0 {
				class = filter.Allowed
			}
			reasons[k*urls.n+i] = byte(class)
		}
	})
}

// judge calls tell with the verdict on each URL for n agents.
func (a *archive) judge(agents []byte, n int, at int64, urls *texts, tell func(i int, v filter.Verdict)) error {
	a.using.RLock()
	defer a.using.RUnlock()
	if a.rules == nil {
		return errHandle
	}
	of, err := a.agents.of(agents, func(text string) (*judges, error) {
		names, err := split(text, n)
		var list []job.Agent
		for _, name := range names {
			list = append(list, job.Agent{Name: name, Dialect: a.dialect})
		}
		of := new(judges)
		if err == nil {
			of.config, err = a.rules.Config(list...)
		}
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
		failed := -1
		err := urls.each(func(i int, url []byte) {
			tell(i, judge.Judge(url, at))
			if failed < 0 && judge.Err() != nil {
				failed = i
			}
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
