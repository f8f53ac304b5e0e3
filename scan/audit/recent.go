package audit

import (
	"encoding/binary"
	"net/netip"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Most lines of a log have a header, and many a target, that came a short while ago. What was found out about
// it then is kept in tables of a fixed length, in which a few words of the key choose the one place where it
// may be (direct-mapped caches). An entry counts only if the whole key is equal, and whoever uses it checks
// the pointers that it was made for. So keys that share a place, by chance or by somebody's choice, cost what
// every key would cost without the table, and nothing else.

// recentHeaders is how many headers a worker finds without its map: a log has thousands, but nearly all of
// its lines have one of a few hundred.
const recentHeaders = 1 << 11

// namedAgent is the agent of a header. The zero value stands for an empty header and has no agent.
type namedAgent struct {
	header string
	*agent
}

// recentTargets is how many targets of crawlers are remembered, and longestTarget how long they may be: nearly
// all are shorter.
const (
	recentTargets = 1 << 11
	longestTarget = 79
)

// recentTarget is a target of a crawler and what is known of it.
type recentTarget struct {
	text   [longestTarget]byte
	length uint8
	// mayBeAbnormal has the result of the function.
	mayBeAbnormal bool
	// permits is the result of RulesPermit by binding, if that is not nil, and stance and line are that of Judge
	// for its first copy, if isJudged.
	permits, isJudged bool
	stance            policy.Stance
	line              uint32
	binding           *policy.Binding
	// hash is that of the target. If paths, those of a row, are not nil, kept is the one that it is among them,
	// if that is known, and least the smallest hash of a request for it while they had cells.
	hash  uint64
	paths *pathCounts
	kept  *keptPath
	least uint64
}

// targets are the targets that crawlers have requested lately.
type targets [recentTargets]recentTarget

// recall returns the entry of a crawler's target, or a new one in its place. It is nil if the target is too long.
func (t *targets) recall(c *agent, target []byte) *recentTarget {
	if len(target) > longestTarget {
		return nil
	}
	hash := hashField(target)
	e := &t[(hash^c.spread)%recentTargets]
	if e.hash == hash && string(e.text[:e.length]) == string(target) {
		return e
	}
	e.length, e.hash, e.mayBeAbnormal = uint8(len(target)), hash, mayBeAbnormal(target)
	e.binding, e.paths = nil, nil
	copy(e.text[:], target)
	return e
}

// judge is Judge of binding for the first copy.
func (e *recentTarget) judge(s *automaton.Scratch) policy.Judgement {
	if !e.isJudged {
		j := e.binding.Judge(s, 0, e.text[:e.length])
		e.isJudged, e.stance, e.line = true, j.Stance, j.Line
	}
	return policy.Judgement{Stance: e.stance, Line: e.line}
}

// recentSenders is how many addresses of crawlers' clients are remembered, and longestAddress the length of
// an address of IPv6.
const (
	recentSenders  = 1 << 10
	longestAddress = 39
)

// sender is an address of a crawler's client and what is known of it. A client has an address if isLogged.
type sender struct {
	text   [longestAddress]byte
	length uint8
	// mayBeCut is set if the address may be one whose end was cut off.
	isLogged, mayBeCut bool
	hash               uint64
	client             netip.Addr // by crawler.Client; the zero value if it is none
	of                 *figures   // that have counted it, the last ones
}

// senders are the addresses from which crawlers have sent requests lately, and the last one that was too long.
type senders struct {
	recent [recentSenders]sender
	long   sender
}

// recall returns the entry of an address, or a new one in its place.
func (s *senders) recall(addr []byte) *sender {
	hash := hashField(addr)
	e := &s.recent[hash%recentSenders]
	if e.hash == hash && string(e.text[:e.length]) == string(addr) {
		return e
	}
	if len(addr) > longestAddress {
		e = &s.long
	}
	e.length, e.hash, e.of = uint8(min(len(addr), longestAddress)), hash, nil
	copy(e.text[:], addr)
	e.isLogged = len(addr) > 0 && string(addr) != "-"
	e.mayBeCut = endsAsCut(addr) && crawler.KindOf(addr) == crawler.IPv4MayBeCut
	e.client = netip.Addr{}
	if ip, is := crawler.Client(addr); is {
		e.client = ip
	}
	return e
}

// slotOf returns a number that depends on the length of a text and on 32 of its bytes. Texts that differ only
// in other bytes are rare.
func slotOf(b []byte) uint64 {
	last := len(b) - 8
	if last < 0 {
		return hashField(b)
	}
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	return fold(word(last)^uint64(last), word(last/2)) ^ fold(word(last/4), word(last-last/4))
}
