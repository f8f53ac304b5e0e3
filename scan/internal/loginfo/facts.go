// Package loginfo knows what can be said of a log without judging a request: what its server left out of it, what it
// shares with other logs, and how a report describes it and warns of it, whether one audit has read it or it is in a
// state.
package loginfo

import (
	"hash/maphash"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Facts are what the first lines of a log reveal.
type Facts struct {
	Zoneless bool     // its times lack a zone
	HasHosts bool     // its requests name hosts
	Hosts    []string // the first of these
	Loss     format.Lossy
	// These are about the first requests.
	NoAgents bool             // none has a User-Agent
	Clients  report.ClientsBy // what replaces the clients' addresses
	Opening  source.Opening   // to find the lines in other logs
	requests []request        // with a time
}

// request is a request as two servers in a row would both log it, in any format:
// its time in seconds, a hash of the rest, and a hash of its line.
type request struct {
	time       int64
	hash, line uint64
}

// maxRequests bounds the requests of Facts.
const maxRequests = 1000

var seed = maphash.MakeSeed()

// Of returns the facts about a log from its beginning, and its format, with a zone for times that lack one.
func Of(f *format.Format, head []byte, zone *time.Location) (Facts, *format.Format) {
	s := Facts{Zoneless: !format.NamesZones(f, head)}
	if s.Zoneless && zone != time.UTC {
		f = f.In(zone)
	}
	s.Hosts, s.HasHosts = format.Hosts(f, head)
	s.Loss, s.Opening = format.Loss(f, head), openingOf(f, head)
	var clients clientsSeen
	agents, n := map[string]bool{}, 0
	reader, r := f.NewReader(), format.Record{}
	reader.Reset(head)
	for kind := reader.Next(&r); kind != format.End && n < maxRequests; kind = reader.Next(&r) {
		if kind != format.Request {
			continue
		}
		n++
		reader.Complete(&r)
		if len(r.Agent) > 0 && string(r.Agent) != "-" && len(agents) < manyAgents && !agents[string(r.Agent)] {
			agents[string(r.Agent)] = true
		}
		clients.see(r.Addr, r.Forwarded)
		if r.HasTime {
			if s.requests == nil {
				s.requests = make([]request, 0, maxRequests)
			}
			var h maphash.Hash
			h.SetSeed(seed)
			for _, field := range [...][]byte{r.Method, pathAndQuery(r.Target), r.Agent} {
				_, _ = h.Write(field)
				_ = h.WriteByte(0)
			}
			_ = h.WriteByte(byte(r.Status))
			_ = h.WriteByte(byte(r.Status >> 8))
			s.requests = append(s.requests, request{r.Time / 1e9, h.Sum64(), maphash.Bytes(seed, r.Line)})
		}
	}
	s.NoAgents = f.HasAgent() && n > 0 && len(agents) == 0
	s.Clients = clients.by(len(agents))
	return s, f
}

// pathAndQuery returns the path and the query of a target, which one of the servers may log as a whole URL.
func pathAndQuery(target []byte) []byte {
	if len(target) > 0 && target[0] != '/' {
		for i, slashes := 0, 0; i < len(target); i++ {
			if target[i] == '/' {
				slashes++
				if slashes == 3 {
					return target[i:]
				}
			}
		}
	}
	return target
}

// clientsSeen counts the first clients of a log.
type clientsSeen struct {
	requests, names, private, lists int
	addresses, forwarded            map[string]bool
}

// see counts the client of a request.
func (c *clientsSeen) see(addr, forwarded []byte) {
	if len(addr) == 0 || string(addr) == "-" || string(addr) == "unix:" {
		return
	}
	if c.addresses == nil {
		c.addresses, c.forwarded = map[string]bool{}, map[string]bool{}
	}
	c.requests++
	if len(c.addresses) <= fewClients && !c.addresses[string(addr)] {
		c.addresses[string(addr)] = true
	}
	ip, err := netip.ParseAddr(string(addr))
	switch {
	case err != nil:
		c.names++
	case ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast():
		c.private++
	}
	if len(forwarded) > 0 && string(forwarded) != "-" {
		c.lists++
		c.forwarded[string(forwarded)] = true
	}
}

// fewClients is the maximum number of addresses that suggests a proxy.
const fewClients = 8

// manyAgents is how many User-Agents matter to by.
const manyAgents = 3

// by returns how clients are named, given how many User-Agents there are. Few requests prove nothing.
func (c *clientsSeen) by(agents int) report.ClientsBy {
	const fewest, many = 8, 20
	isFew := len(c.addresses) <= fewClients && c.requests >= fewest
	switch {
	case c.names > 0 && 2*c.names > c.requests:
		return report.ByName
	case isFew && 2*c.lists > c.requests && len(c.forwarded) > len(c.addresses):
		return report.ByForwarded
	case isFew && c.private == c.requests && c.requests >= fewClients*len(c.addresses) && agents > 1,
		len(c.addresses) == 1 && c.requests >= many && agents >= manyAgents:
		return report.ByProxy
	}
	return report.ByAddress
}

// Twins returns how many requests of one of two logs, within the time of the other, occur in that one too, in different
// lines, as in the logs of a server and of a proxy in front of it; 0 unless they are nearly all, and enough to be sure.
// inFirst means that they are the requests of the first log.
func Twins(x, y Facts) (n, of int, inFirst bool) {
	if len(x.requests) >= len(y.requests) {
		n, of = twins(x.requests, y.requests)
		return n, of, false
	}
	n, of = twins(y.requests, x.requests)
	return n, of, true
}

// twins is Twins for the requests of the log with most of them, and of the other.
func twins(most, least []request) (n, of int) {
	const skew, fewest = 2, 5 // seconds; requests
	if len(least) < fewest {
		return 0, 0
	}
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	times, lines := make(map[uint64][]int64, len(most)), make(map[uint64]bool, len(most))
	for _, a := range most {
		first, last = min(first, a.time), max(last, a.time)
		times[a.hash], lines[a.line] = append(times[a.hash], a.time), true
	}
	different := map[uint64]bool{}
	for _, a := range least {
		if a.time < first || a.time > last {
			continue
		}
		of++
		list := times[a.hash]
		at := slices.IndexFunc(list, func(t int64) bool { return t-skew <= a.time && a.time <= t+skew })
		if at >= 0 && !lines[a.line] { // else the logs overlap: warnOfOverlaps
			n++
			times[a.hash], different[a.hash] = slices.Delete(list, at, at+1), true
		}
	}
	if n < fewest || 10*n < 9*of || len(different) < fewest-1 {
		return 0, 0
	}
	return n, of
}

func openingOf(f *format.Format, head []byte) source.Opening {
	o := source.Opening{First: math.MaxInt64, Last: math.MinInt64}
	reader, r := f.NewReader(), format.Record{}
	reader.Reset(head)
	for len(o.Lines) < source.OpeningLines {
		switch reader.Next(&r) {
		case format.End:
			return source.Opening{}
		case format.Request:
			reader.Complete(&r)
			if !r.HasTime || slices.Contains(o.Lines, string(r.Line)) {
				return source.Opening{}
			}
			o.Lines = append(o.Lines, string(r.Line))
			o.First, o.Last = min(o.First, r.Time), max(o.Last, r.Time)
		}
	}
	return o
}
