package audit

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
)

// A log in which nearly all requests come from a handful of addresses has those of a
// proxy: nobody is verified or spoofed by them (audit-rules 8). It is judged by a
// sample of the lines, of crawlers or not: those whose hashes are the smallest, so
// that the sample depends on the set of lines alone.
const (
	maxLines     = 1536 // in the sample, or twice as many
	minLines     = 1000 // fewer say nothing
	maxProxies   = 8    // addresses
	proxiedShare = 0.95 // of the lines
)

// lineFrom is a line, by the hash that decides whether it is in the sample, and the address of its client.
type lineFrom struct {
	Line    uint64        `cbor:"1,keyasint"`
	Address clientAddress `cbor:"2,keyasint"`
}

func newLineSample() boundedSums[lineFrom, occurrences] {
	return boundedSums[lineFrom, occurrences]{limit: maxLines, hash: func(k lineFrom) uint64 { return k.Line },
		Kept: map[lineFrom]occurrences{}}
}

// hashLine is a hash of the length of a line and of bytes at its beginning, where nearly
// all logs have the time. It is made for each line, and is the same on every machine.
func hashLine(line []byte) uint64 {
	const odd = 0x9e3779b97f4a7c15
	if len(line) < 40 {
		return hashBytes(line)
	}
	x, y := binary.LittleEndian.Uint64(line[24:]), binary.LittleEndian.Uint64(line[32:])
	return (x + bits.RotateLeft64(y, 32) + uint64(len(line))) * odd
}

// inProxySample reports whether the record's line is in the sample, and by which hash.
func (w *Worker) inProxySample() (hash uint64, is bool) {
	hash = hashLine(w.record.Line)
	return hash, w.tally.ProxySample.Below == 0 || hash < w.tally.ProxySample.Below
}

// addToProxySample notes the client of a line that is in the sample.
func (w *Worker) addToProxySample(hash uint64) {
	w.tally.ProxySample.add(lineFrom{hash, hashAddress(w.client())}, 1)
}

// isProxied reports whether the addresses are those of a proxy.
func (a *Auditor) isProxied(t *tally) bool {
	if known := a.config.Proxied; known != nil {
		return *known
	}
	return a.verifies && t.isProxied()
}

// isProxied reports whether nearly all lines are from a few addresses.
func (t *tally) isProxied() bool {
	t.ProxySample.prune(1)
	all, byAddress := int64(0), map[clientAddress]int64{}
	for k, n := range t.ProxySample.Kept {
		all += int64(n)
		byAddress[k.Address] += int64(n)
	}
	most, few := slices.Sorted(maps.Values(byAddress)), int64(0)
	for _, n := range most[max(0, len(most)-maxProxies):] {
		few += n
	}
	return all >= minLines && float64(few) >= proxiedShare*float64(all)
}
