package audit

import (
	"encoding/binary"
	"net/netip"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Most lines of a log repeat a recent header, and many a recent target. What was found out about them is kept in
// tables of a bounded length (direct-mapped caches), in which a few words of the key determine the only slot. An
// entry is used only if the whole key is equal, and the user of an entry checks the pointers that it was made for.
// So keys that share a slot, by chance or on purpose, cost no more than every key would without the table.

// slots is such a table. It begins small, because each page of it costs a short run more than what the page could
// save, and doubles while many keys miss it.
type slots[T any] struct {
	list   []T // its length is a power of two
	misses int // since it has had this length
}

const fewSlots = 1 << 7

func newSlots[T any]() slots[T] { return slotsOf[T](fewSlots) }

// slotsOf returns a table of n slots. Clearing them, although they are zero, writes to their memory first: a page that
// is read before it is written costs two faults, of which the second interrupts the processors of all other workers.
func slotsOf[T any](n int) slots[T] {
	s := slots[T]{list: make([]T, n)}
	s.empty()
	return s
}

func (s *slots[T]) of(hash uint64) *T { return &s.list[hash&uint64(len(s.list)-1)] }

// missed returns the slot of a key that of has not found. It may have made a new list of up to most slots.
func (s *slots[T]) missed(hash uint64, most int) *T {
	const patience = 4
	s.misses++
	if s.misses > patience*len(s.list) && len(s.list) < most {
		*s = slotsOf[T](2 * len(s.list))
	}
	return s.of(hash)
}

// empty forgets all keys.
func (s *slots[T]) empty() { clear(s.list) }

// recentHeaders is the number of headers that a worker finds without its map: a log has thousands,
// but nearly all of its lines have one of a few hundred.
const recentHeaders = 1 << 11

// namedAgent is the agent of a header. The zero value is the empty header without an agent.
type namedAgent struct {
	header string
	*agent
}

// recentTargets is the maximum number of crawlers' targets that are remembered, a power of two, and longestTarget
// their maximum length, which few exceed.
const (
	recentTargets = 1 << 11
	longestTarget = 79
)

// recentTarget is a target of a crawler and what is known about it. It takes two cache lines, and for a short target
// only the first is read.
type recentTarget struct {
	// hash is the target's hash. If paths, which belong to a row, is not nil, kept is the target's
	// entry there, if known, and least is the smallest hash of its requests while paths had cells.
	hash  uint64
	paths *pathCounts
	kept  *keptPath
	least uint64
	// If binding is not nil, permits is the result of its RulesPermit; if isJudged is set, stance and
	// line are the result of its Judge for the first copy.
	binding           *policy.Binding
	line              uint32
	stance            policy.Stance
	permits, isJudged bool
	// mayBeAbnormal is the result of the function of that name.
	mayBeAbnormal bool
	length        uint8
	text          [longestTarget]byte
}

type targets struct{ slots[recentTarget] }

// recall returns the entry of a crawler's target, or resets its slot. It returns nil if the target is too long.
func (t *targets) recall(c *agent, target []byte) *recentTarget {
	if len(target) > longestTarget {
		return nil
	}
	hash := hashField(target)
	entry := t.of(hash ^ c.spread)
	if entry.hash == hash && string(entry.text[:entry.length]) == string(target) {
		return entry
	}
	entry = t.missed(hash^c.spread, recentTargets)
	entry.length, entry.hash, entry.mayBeAbnormal = uint8(len(target)), hash, mayBeAbnormal(target)
	entry.binding, entry.paths = nil, nil
	copy(entry.text[:], target)
	return entry
}

// judge returns what Judge of binding does for the first copy.
func (e *recentTarget) judge(s *automaton.Scratch) policy.Judgement {
	if !e.isJudged {
		j := e.binding.Judge(s, 0, e.text[:e.length])
		e.isJudged, e.stance, e.line = true, j.Stance, j.Line
	}
	return policy.Judgement{Stance: e.stance, Line: e.line}
}

// recentSenders is the maximum number of client addresses of crawlers that are remembered, a power of two, and
// longestAddress the maximum length of an IPv6 address.
const (
	recentSenders  = 1 << 10
	longestAddress = 39
)

// sender is the address of a crawler's client and what is known about it. isLogged means that there is an address.
type sender struct {
	text   [longestAddress]byte
	length uint8
	// mayBeCut means that the end of the address may have been cut off.
	isLogged, mayBeCut bool
	hash               uint64
	client             netip.Addr // from crawler.Client; the zero value if invalid
	of                 *figures   // the last ones that counted it
}

// senders are the recent client addresses of crawlers, and the last address that was too long.
type senders struct {
	slots[sender]
	long sender
}

// recall returns the entry of an address, or resets its slot.
func (s *senders) recall(addr []byte) *sender {
	hash := hashField(addr)
	entry := s.of(hash)
	if entry.hash == hash && string(entry.text[:entry.length]) == string(addr) {
		return entry
	}
	entry = s.missed(hash, recentSenders)
	if len(addr) > longestAddress {
		entry = &s.long
	}
	entry.length, entry.hash, entry.of = uint8(min(len(addr), longestAddress)), hash, nil
	copy(entry.text[:], addr)
	entry.isLogged = len(addr) > 0 && string(addr) != "-"
	entry.mayBeCut = endsAsCut(addr) && crawler.KindOf(addr) == crawler.IPv4MayBeCut
	entry.client = netip.Addr{}
	if ip, is := crawler.Client(addr); is {
		entry.client = ip
	}
	return entry
}

// slotOf returns a number that depends on the length of a text and 32 of its bytes. Few texts
// differ only in other bytes.
func slotOf(b []byte) uint64 {
	last := len(b) - 8
	if last < 0 {
		return hashField(b)
	}
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	return fold(word(last)^uint64(last), word(last/2)) ^ fold(word(last/4), word(last-last/4))
}
