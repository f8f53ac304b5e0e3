package audit

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// What a line reveals about the identity of its client (clients.identify) depends on what all lines
// reveal about their addresses (audit-rules 8). If nearly all requests in a log come from a handful of
// addresses or from CDNs, these belong to a proxy and cannot verify or expose anybody. Many servers cut the end off
// addresses before they log them: such addresses belong to no client and verify nobody. Both are only
// known from a sample of all lines, at the end. Until then
//
//   - an impostor is judged as if it were unverified, and counted in a separate row (row.impostors);
//   - a request from an address that may be cut is judged in both ways, and counted in two rows (row.on).
//
// Only addresses.settle and, for counts, row.settle decide between these cases.

// client is the sender of a record, as identified by its line.
type client struct {
	*agent
	identity report.Identity
	when     ifCut // when this applies
	// hasNoList means that the crawler has lists of addresses, but none covers the request.
	hasNoList bool
}

// row returns the row that counts the client's requests.
func (x *client) row() *row {
	r := x.agent.row.on(x.when)
	if x.identity == report.SpoofedIdentity {
		r = r.impostors()
	}
	return r
}

// identify returns which crawler sent a record whose header names one, and how far that is proven.
// If the header names several crawlers, it picks the one that the address verifies. It returns two
// answers if the answer depends on whether the address is cut. They are valid until the next call.
func (w *clients) identify(agent *agent, record *format.Record, addr []byte) []client {
	w.sender = w.senders.recall(addr)
	found := &w.found[0]
	found.agent, found.when, found.hasNoList = agent, always, false
	if agent.Ambiguous {
		claim, state := w.auditor.config.Identities.Identify(agent.Claim, addr, record.Time, record.HasTime)
		found.identity = report.Identity(state)
		if !claim.Ambiguous {
			found.agent = w.verifiedAgent(agent, claim.Profile)
		}
	} else {
		found.identity = report.Identity(agent.proof.IdentifyClient(w.sender.client, record.Time, record.HasTime))
		found.hasNoList = found.identity == report.Unverified && agent.proof.HasLists()
	}
	if !w.sender.mayBeCut || found.agent == agent && found.identity == report.Unverifiable {
		return w.found[:1]
	}
	found.when = ifWhole
	w.found[1] = client{agent: agent, identity: report.Unverifiable, when: ifIsCut}
	return w.found[:2]
}

// endsAsCut reports whether an address ends in .0, .1 or .255, as few do.
func endsAsCut(addr []byte) bool {
	n := len(addr)
	return n > 2 && addr[n-2] == '.' && addr[n-1] <= '1' || bytes.HasSuffix(addr, []byte(".255"))
}

// ifCut is a condition under which a request is counted.
type ifCut uint8

const (
	always  ifCut = iota
	ifWhole       // if addresses are not cut
	ifIsCut
	ifCuts
)

// addresses is what all lines together show about their addresses.
type addresses struct {
	proxied    bool // addresses prove nothing
	ipv4, ipv6 bool // addresses that look cut belong to nobody
}

// holds reports whether the condition is met.
func (a *addresses) holds(c ifCut) bool { return c == always || (c == ifIsCut) == a.ipv4 }

// settle returns the final identity of a client, given the one from its line. isProven means that
// the names of its address prove that it is the crawler.
func (a *addresses) settle(i report.Identity, isProven bool) report.Identity {
	switch {
	case a.proxied && (i == report.Verified || i == report.SpoofedIdentity):
		return report.Unverified
	case !a.proxied && isProven && i == report.Unverified:
		return report.Verified
	}
	return i
}

// settle resolves the counts of requests from addresses that may be cut, and counts impostors
// either as such or as unverified clients.
func (r *row) settle(addresses *addresses) {
	of := r.If
	r.If = [2]*row{}
	for i, part := range of {
		if part != nil && addresses.holds(ifCut(i+1)) {
			r.merge(part, 1)
		}
	}
	impostors := r.impostors()
	r.Spoofed = nil
	if addresses.settle(report.SpoofedIdentity, false) != report.SpoofedIdentity {
		r.merge(impostors, 1)
		r.Identities[report.Unverified] += r.Identities[report.Verified]
		r.Identities[report.Verified] = 0
		return
	}
	n := int64(0)
	for _, of := range impostors.Verdicts {
		n += of
	}
	r.Verdicts[report.Spoofed] += n
	r.Identities[report.SpoofedIdentity] += n
	r.Timeline.mergeSpoofed(&impostors.Timeline)
}

// on returns the row that counts requests under a condition.
func (r *row) on(when ifCut) *row {
	if when == always {
		return r
	}
	of := &r.If[when-1]
	if *of == nil {
		*of = newRow(r.Figures.Paths.bounds)
	}
	return *of
}

func (r *row) impostors() *row {
	if r.Spoofed == nil {
		r.Spoofed = newRow(r.Figures.Paths.bounds)
	}
	return r.Spoofed
}

// settle determines what the lines show about their addresses, and adjusts the counts. All lines
// must have been read. Only the first call has an effect.
func (t *tally) settle(c *Config, verifies bool) {
	if t.addresses != nil {
		return
	}
	t.addresses = t.addressesOf(c, verifies)
	for _, r := range t.known {
		r.settle(t.addresses)
	}
	if !t.addresses.ipv4 {
		t.NoList += t.NoListIf
	}
	t.NoListIf = 0
	t.cutPaths()
}

// addressesOf determines what the lines show about their addresses, unless that is configured.
// verifies is whether it matters if they belong to a proxy.
func (t *tally) addressesOf(c *Config, verifies bool) *addresses {
	t.sample()
	t.ProxySample.prune(1)
	a := &addresses{proxied: verifies && t.isProxied()}
	a.ipv4, a.ipv6 = t.isCut()
	if c.Proxied != nil {
		a.proxied = *c.Proxied
	}
	if c.Cut != nil {
		a.ipv4 = *c.Cut
	}
	return a
}

// The sample consists of the lines with the smallest hashes, by crawlers or not, so it depends only
// on the set of lines.
const (
	maxLines     = 1536 // in the sample, which may grow to twice as many
	minLines     = 1000 // fewer are inconclusive
	maxProxies   = 8    // addresses
	minCDNLines  = 20   // the same, of those from addresses that are known to be a CDN's
	proxiedShare = 0.95 // share of the lines

	// Addresses of a family count as cut if at least minCut distinct ones look so, and more than one in cutShare.
	minCut   = 3
	cutShare = 20
)

// lineFrom is a line, represented by the hash that decides whether it is sampled, and its client's address.
type lineFrom struct {
	Line    uint64        `cbor:"1,keyasint"`
	Address clientAddress `cbor:"2,keyasint"`
}

func newLineSample() boundedSums[lineFrom, occurrences] {
	return boundedSums[lineFrom, occurrences]{limit: maxLines, hash: func(k lineFrom) uint64 { return k.Line },
		Kept: map[lineFrom]occurrences{}}
}

// hashLine hashes the length of a line and bytes at its beginning, where nearly all logs have the
// time. It is called for each line, and is the same on every machine.
func hashLine(line []byte) uint64 {
	const odd = 0x9e3779b97f4a7c15
	if len(line) < 40 {
		return hashBytes(line)
	}
	x, y := binary.LittleEndian.Uint64(line[24:]), binary.LittleEndian.Uint64(line[32:])
	return (x + bits.RotateLeft64(y, 32) + uint64(len(line))) * odd
}

// inProxySample reports whether a line belongs to the sample, and returns its hash.
func (t *tally) inProxySample(line []byte) (hash uint64, is bool) {
	hash = hashLine(line)
	return hash, t.ProxySample.Below == 0 || hash < t.ProxySample.Below
}

// addToProxySample records the address of a sampled line.
func (t *tally) addToProxySample(hash uint64, addr []byte) {
	if t.sampled == nil {
		t.sampled = make([]lineFrom, 0, 2*maxLines)
	}
	if t.sampled = append(t.sampled, lineFrom{hash, hashAddress(addr)}); len(t.sampled) >= 2*maxLines {
		t.sample()
	}
}

// sample moves t.sampled to ProxySample. Of many lines, it adds only those with hashes below which there are enough.
func (t *tally) sample() {
	const enough = maxLines + maxLines/8 // more than four standard deviations
	below := uint64(math.MaxUint64)
	if n := len(t.sampled); n > 2*maxLines && len(t.ProxySample.Kept) == 0 {
		below = below / uint64(n) * enough
		t.ProxySample.Kept = make(map[lineFrom]occurrences, enough)
	}
	add := func(isBelow bool) {
		for _, line := range t.sampled {
			if line.Line < below == isBelow {
				t.ProxySample.add(line, 1)
			}
		}
	}
	if add(true); len(t.ProxySample.Kept) <= maxLines { // there are not
		add(false)
	}
	t.sampled = t.sampled[:0]
}

// clientAddress represents the address of a client by its hash, with its crawler.AddressKind in the
// last bits. States keep nothing else of it.
type clientAddress uint64

const kindBits = 7

func (a clientAddress) kind() crawler.AddressKind { return crawler.AddressKind(a & kindBits) }

// hashAddress returns the clientAddress of an address. It is the same on every machine.
func hashAddress(addr []byte) clientAddress {
	return clientAddress(hashField(addr)&^kindBits) | clientAddress(crawler.KindOf(addr))
}

// isProxied reports whether nearly all lines of the sample are from a few addresses, or from CDNs.
func (t *tally) isProxied() bool {
	all, byCDNs, byAddress := int64(0), int64(0), map[clientAddress]int64{}
	for k, n := range t.ProxySample.Kept {
		all += int64(n)
		byAddress[k.Address] += int64(n)
		if k.Address.kind() == crawler.CDNAddress {
			byCDNs += int64(n)
		}
	}
	most, few := slices.Sorted(maps.Values(byAddress)), int64(0)
	for _, n := range most[max(0, len(most)-maxProxies):] {
		few += n
	}
	return all >= minLines && float64(few) >= proxiedShare*float64(all) ||
		all >= minCDNLines && float64(byCDNs) >= proxiedShare*float64(all)
}

// isCut reports, for each family, whether the addresses of the sample are cut.
func (t *tally) isCut() (ipv4, ipv6 bool) {
	seen := make([]clientAddress, 0, len(t.ProxySample.Kept))
	for k := range t.ProxySample.Kept {
		seen = append(seen, k.Address)
	}
	slices.Sort(seen)
	var n [kindBits + 1]int // a damaged state may have invalid kinds
	for _, a := range slices.Compact(seen) {
		n[a.kind()]++
	}
	are := func(cut, whole int) bool { return cut >= minCut && cut*cutShare > cut+whole }
	return are(n[crawler.IPv4MayBeCut], n[crawler.IPv4Address]), are(n[crawler.IPv6MayBeCut], n[crawler.IPv6Address])
}
