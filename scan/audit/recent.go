package audit

import (
	"encoding/binary"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// Most lines of a log have a header, and many a target, that came a short while ago. What was found out about
// it then is kept in tables of a fixed length, in which a few words of the key choose the one place where it
// may be (direct-mapped caches). An entry counts only if the whole key is equal, and whoever uses it checks
// the pointers that it was made for. So keys that share a place, by chance or by somebody's choice, cost what
// every key would cost without the table, and nothing else.

// recentHeaders is how many headers a worker finds without its map: a log has thousands, but nearly all of
// its lines have one of a few hundred.
const recentHeaders = 1 << 10

// namedAgent is the agent of a header. The zero value stands for an empty header and has no agent.
type namedAgent struct {
	header string
	*agent
}

// recentTargets is how many targets of crawlers are remembered, and longestTarget how long they may be: nearly
// all are shorter.
const (
	recentTargets = 1 << 10
	longestTarget = 79
)

// recentTarget is a target of a crawler and what is known of it.
type recentTarget struct {
	text   [longestTarget]byte
	length uint8
	// mayBeAbnormal has the result of the function.
	mayBeAbnormal bool
	// permits is the result of RulesPermit by binding, if binding is not nil.
	permits bool
	binding *policy.Binding
	// hash is that of the target among paths, and kept the one that it is among those of a row, if it is not nil.
	hash  uint64
	paths *pathCounts
	kept  *keptPath
}

// targets are the targets that crawlers have requested lately.
type targets [recentTargets]recentTarget

// recall returns the entry of a crawler's target, or a new one in its place. It is nil if the target is too long.
func (t *targets) recall(c *agent, target []byte) *recentTarget {
	if len(target) > longestTarget {
		return nil
	}
	e := &t[(slotOf(target)^c.spread)%recentTargets]
	if string(e.text[:e.length]) != string(target) {
		*e = recentTarget{length: uint8(len(target)), mayBeAbnormal: mayBeAbnormal(target), hash: hashField(target)}
		copy(e.text[:], target)
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
