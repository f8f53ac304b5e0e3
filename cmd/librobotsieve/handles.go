package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/job"
)

// rules are what a handle refers to. They are safe for concurrent use.
type rules interface {
	// ask answers for an agent about URLs, by the rules in force at a time in Unix seconds.
	ask(agent []byte, at int64, urls *texts, out *answers) error
	// askAll answers for n agents, whose names have a NUL between them, with a reason for each agent and URL in turn.
	askAll(agents []byte, n int, at int64, urls *texts, reasons []byte) error
	// close frees what the garbage collector doesn't.
	close() error
}

// handles maps handles to rules. A handle is never reused, so that freed ones are recognized.
var (
	handles    sync.Map
	lastHandle atomic.Int64
)

var errHandle = errors.New("no such handle: it was freed, or never given")

func give(r rules) int64 {
	h := lastHandle.Add(1)
	handles.Store(h, r)
	return h
}

func find(handle int64) (rules, error) {
	if r, ok := handles.Load(handle); ok {
		return r.(rules), nil
	}
	return nil, errHandle
}

func free(handle int64) error {
	r, ok := handles.LoadAndDelete(handle)
	if !ok {
		return errHandle
	}
	return r.(rules).close()
}

func split(agents string, n int) ([]string, error) {
	names := strings.Split(agents, "\x00")
	if len(names) != n {
		return nil, usage("%d agents instead of %d, with a NUL between them", len(names), n)
	}
	return names, nil
}

func usage(format string, args ...any) error {
	return &job.Error{Kind: job.Usage, Err: fmt.Errorf(format, args...)}
}

// auto is the name for each crawler's own dialect.
const auto = "auto"

// dialectOf returns the named dialect, or nil for each crawler's own.
func dialectOf(name []byte) (*automaton.Dialect, error) {
	if len(name) == 0 || string(name) == auto {
		return nil, nil
	}
	d, err := automaton.ParseDialect(string(name))
	if err != nil {
		return nil, usage("%w, or %s", err, auto)
	}
	return &d, nil
}

// cache caches up to maxAgents values by agent, and starts over when full. Lookups are lock-free.
type cache[T any] struct {
	made atomic.Pointer[map[string]T]
}

const maxAgents = 256

func (c *cache[T]) of(agent []byte, make func(agent string) (T, error)) (T, error) {
	known := c.made.Load()
	if known != nil {
		if found, ok := (*known)[string(agent)]; ok {
			return found, nil
		}
	}
	made, err := make(string(agent))
	if err != nil {
		return made, err
	}
	all := map[string]T{string(agent): made}
	if known != nil && len(*known) < maxAgents {
		for agent, other := range *known {
			all[agent] = other
		}
	}
	c.made.CompareAndSwap(known, &all) // the slower of two goroutines drops its entry
	return made, nil
}
