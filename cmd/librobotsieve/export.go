package main

/*
#include "robotsieve.h"

typedef const char *bytes_t;
typedef const void *offsets_t;
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
)

// release is the version, set by the linker.
var release = "devel"

// call is a call of an exported function. Its methods do nothing after an error.
type call struct{ err error }

// guarded runs an exported function, and returns its result or the number of its error or panic.
func guarded(f func(c *call) int64) (result C.int64_t) {
	defer func() {
		if failure := recover(); failure != nil {
			keepLast(fmt.Sprintf("a bug of robotsieve: %v", failure))
			result = C.ROBOTSIEVE_BUG
		}
	}()
	var c call
	n := f(&c)
	if c.err == nil {
		return C.int64_t(n)
	}
	keepLast(c.err.Error())
	failed, ok := errors.AsType[*job.Error](c.err)
	switch {
	case errors.Is(c.err, errHandle):
		return C.ROBOTSIEVE_BAD_HANDLE
	case ok && failed.Kind == job.Usage:
		return C.ROBOTSIEVE_BAD_ARGUMENT
	}
	return C.ROBOTSIEVE_BAD_FILE
}

// text returns a text of the caller, or nil for none.
func (c *call) text(first C.bytes_t, n C.size_t) []byte {
	switch {
	case c.err != nil || n == 0:
		return nil
	case first == nil:
		c.err = usage("NULL with a length of %d", n)
		return nil
	case n > math.MaxInt:
		c.err = usage("a length of %d", n)
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(first)), n)
}

// dialect returns the named dialect, or nil for each crawler's own.
func (c *call) dialect(first C.bytes_t, n C.size_t) (d *automaton.Dialect) {
	if name := c.text(first, n); c.err == nil {
		d, c.err = dialectOf(name)
	}
	return d
}

func (c *call) rules(handle C.int64_t) (r rules) {
	if c.err == nil {
		r, c.err = find(int64(handle))
	}
	return r
}

func (c *call) robots(handle C.int64_t) *robots {
	r, ok := c.rules(handle).(*robots)
	if c.err == nil && !ok {
		c.err = usage("an archive has the rules of each robots.txt, and not its other lines")
	}
	return r
}

// put writes a text, cut to fit, and a NUL to the caller's buffer, and returns the text's full length.
func (c *call) put(value string, buffer *C.char, size C.size_t) int64 {
	if to := c.text(C.bytes_t(buffer), size); len(to) > 0 {
		to[copy(to[:len(to)-1], value)] = 0
	}
	return int64(len(value))
}

//export robotsieve_compile
func robotsieve_compile(body C.bytes_t, bodyLen C.size_t, dialect C.bytes_t, dialectLen C.size_t,
	maxBytes C.int64_t) C.int64_t {
	return guarded(func(c *call) int64 {
		text, d := c.text(body, bodyLen), c.dialect(dialect, dialectLen)
		if c.err != nil {
			return 0
		}
		return give(newRobots(text, d, int64(maxBytes)))
	})
}

//export robotsieve_open
func robotsieve_open(path C.bytes_t, pathLen C.size_t, dialect C.bytes_t, dialectLen C.size_t) C.int64_t {
	return guarded(func(c *call) int64 {
		name, d := c.text(path, pathLen), c.dialect(dialect, dialectLen)
		if c.err != nil {
			return 0
		}
		a, err := newArchive(string(name), d)
		if c.err = err; err != nil {
			return 0
		}
		return give(a)
	})
}

//export robotsieve_free
func robotsieve_free(handle C.int64_t) C.int64_t {
	return guarded(func(c *call) int64 {
		c.err = free(int64(handle))
		return 0
	})
}

//export robotsieve_match
func robotsieve_match(handle C.int64_t, agent C.bytes_t, agentLen C.size_t, url C.bytes_t, urlLen C.size_t,
	at C.int64_t) C.int64_t {
	return guarded(func(c *call) int64 {
		var out answers
		c.ask(handle, agent, agentLen, at, &texts{data: c.text(url, urlLen), n: 1, one: true}, &out)
		return out.last
	})
}

func (c *call) ask(handle C.int64_t, agent C.bytes_t, agentLen C.size_t, at C.int64_t, urls *texts, out *answers) {
	name, r := c.text(agent, agentLen), c.rules(handle)
	if c.err == nil {
		c.err = r.ask(name, int64(at), urls, out)
	}
}

//export robotsieve_match_many
func robotsieve_match_many(handle C.int64_t, agent C.bytes_t, agentLen C.size_t, urls C.bytes_t, urlsLen C.size_t,
	offsets C.offsets_t, offsetSize C.size_t, n C.size_t, at C.int64_t,
	allowed *C.uint8_t, reasons *C.uint8_t, lines *C.int32_t) C.int64_t {
	return guarded(func(c *call) int64 {
		t := c.texts(urls, urlsLen, offsets, offsetSize, n)
		if c.err != nil {
			return 0
		}
		c.ask(handle, agent, agentLen, at, t, &answers{
			allowed: room((*byte)(allowed), (t.n+7)/8),
			reasons: room((*byte)(reasons), t.n),
			lines:   room((*int32)(lines), t.n),
		})
		return 0
	})
}

//export robotsieve_match_agents
func robotsieve_match_agents(handle C.int64_t, agents C.bytes_t, agentsLen C.size_t, nAgents C.size_t,
	urls C.bytes_t, urlsLen C.size_t, offsets C.offsets_t, offsetSize C.size_t, n C.size_t, at C.int64_t,
	reasons *C.uint8_t) C.int64_t {
	return guarded(func(c *call) int64 {
		names, t := c.text(agents, agentsLen), c.texts(urls, urlsLen, offsets, offsetSize, n)
		if c.err == nil && (nAgents == 0 || nAgents > filter.MaxAgents || reasons == nil && t.n > 0) {
			c.err = usage("reasons for %d agents: they need a buffer, and 1 to %d may ask", nAgents, filter.MaxAgents)
		}
		if r := c.rules(handle); c.err == nil {
			c.err = r.askAll(names, int(nAgents), int64(at), t, room((*byte)(reasons), t.n*int(nAgents)))
		}
		return 0
	})
}

// room returns the caller's buffer as a slice, or nil for NULL.
func room[T any](first *T, n int) []T {
	if first == nil {
		return nil
	}
	return unsafe.Slice(first, n)
}

// texts returns the texts that arguments of robotsieve_match_many describe.
func (c *call) texts(urls C.bytes_t, urlsLen C.size_t, offsets C.offsets_t, size C.size_t, n C.size_t) *texts {
	t := &texts{data: c.text(urls, urlsLen), n: int(n)}
	switch {
	case c.err != nil:
	case n >= math.MaxInt/filter.MaxAgents || n == 0 && offsets == nil && len(t.data) > 0:
		c.err = usage("there cannot be %d URLs in %d bytes", n, len(t.data))
	case offsets != nil && size == 4:
		t.narrow = unsafe.Slice((*uint32)(offsets), t.n+1)
	case offsets != nil && size == 8:
		t.wide = unsafe.Slice((*uint64)(offsets), t.n+1)
	case offsets == nil && size == 1:
		t.ended = true
	case offsets != nil || size != 0:
		c.err = usage("offsets of %d bytes: they have 4 or 8, or are NULL and have 0, or 1 for a NUL behind each URL", size)
	case n > 0 && len(t.data)%t.n != 0:
		c.err = usage("%d URLs of one length cannot take %d bytes", n, len(t.data))
	}
	return t
}

//export robotsieve_sitemaps
func robotsieve_sitemaps(handle C.int64_t, buffer *C.char, size C.size_t) C.int64_t {
	return guarded(func(c *call) int64 {
		r := c.robots(handle)
		if c.err != nil {
			return 0
		}
		return c.put(r.sitemaps(), buffer, size)
	})
}

//export robotsieve_fields
func robotsieve_fields(handle C.int64_t, agent C.bytes_t, agentLen C.size_t, key C.bytes_t, keyLen C.size_t,
	buffer *C.char, size C.size_t) (n C.int64_t) {
	return guarded(func(c *call) int64 {
		name, field, r := c.text(agent, agentLen), c.text(key, keyLen), c.robots(handle)
		if c.err != nil {
			return 0
		}
		values, err := r.fields(name, string(field))
		c.err = err
		return c.put(values, buffer, size)
	})
}

//export robotsieve_crawl_delay
func robotsieve_crawl_delay(handle C.int64_t, agent C.bytes_t, agentLen C.size_t) C.int64_t {
	return guarded(func(c *call) int64 {
		name, r := c.text(agent, agentLen), c.robots(handle)
		if c.err != nil {
			return 0
		}
		delay, ok, err := r.delay(name)
		if c.err = err; !ok {
			return C.ROBOTSIEVE_NO_DELAY
		}
		return int64(delay)
	})
}

//export robotsieve_reason
func robotsieve_reason(reason C.int64_t, buffer *C.char, size C.size_t) C.int64_t {
	return guarded(func(c *call) int64 {
		if reason < 0 || reason >= C.int64_t(filter.Classes) {
			c.err = usage("%d is no reason", reason)
			return 0
		}
		return c.put(filter.Class(reason).String(), buffer, size)
	})
}

//export robotsieve_version
func robotsieve_version(buffer *C.char, size C.size_t) C.int64_t {
	return guarded(func(c *call) int64 { return c.put(release, buffer, size) })
}

//export robotsieve_error
func robotsieve_error(buffer *C.char, size C.size_t) C.int64_t {
	return guarded(func(c *call) int64 { return c.put(lastText(), buffer, size) })
}
