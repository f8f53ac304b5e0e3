package audit

import (
	"bytes"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Many servers cut the end off addresses before they log them. Such an address is nobody's: clients at it
// are unverifiable (audit-rules 8). Whether addresses are cut is known only when all lines have been
// read: by the distinct addresses of the sample of lines by which a proxy is detected. Until then a request from an address that may be cut is judged in both ways, and
// counted in two rows, of which settle takes one.

// ifCut says in which case a request is counted.
type ifCut uint8

const (
	always  ifCut = iota
	ifWhole       // the addresses are not cut
	ifIsCut
	ifCuts
)

// holds reports whether it is the case.
func (c ifCut) holds(isCut bool) bool { return c == always || (c == ifIsCut) == isCut }

// clientAddress is an address of a client: its hash, of which states have no more, with its crawler.AddressKind in
// the last bits.
type clientAddress uint64

const kindBits = 7

func (a clientAddress) kind() crawler.AddressKind { return crawler.AddressKind(a & kindBits) }

// hashAddress returns the clientAddress of an address. It is the same on every machine.
func hashAddress(addr []byte) clientAddress {
	return clientAddress(hashField(addr)&^kindBits) | clientAddress(crawler.KindOf(addr))
}

// Addresses are taken as cut if at least minCut distinct ones of a family look so, and these are more
// than one of cutShare.
const (
	minCut   = 3
	cutShare = 20
)

// isCut reports whether the addresses of the log are cut, by family.
func (t *tally) isCut() (ipv4, ipv6 bool) {
	t.ProxySample.prune(1)
	seen := make([]clientAddress, 0, len(t.ProxySample.Kept))
	for k := range t.ProxySample.Kept {
		seen = append(seen, k.Address)
	}
	slices.Sort(seen)
	var n [kindBits + 1]int // a damaged state may have kinds that are none
	for _, a := range slices.Compact(seen) {
		n[a.kind()]++
	}
	are := func(cut, whole int) bool { return cut >= minCut && cut*cutShare > cut+whole }
	return are(n[crawler.IPv4MayBeCut], n[crawler.IPv4Address]), are(n[crawler.IPv6MayBeCut], n[crawler.IPv6Address])
}

// isCut reports whether addresses of IPv4 that look cut are. Those of IPv6 always are: no client has one.
func (a *Auditor) isCut(t *tally) bool {
	if known := a.config.Cut; known != nil {
		return *known
	}
	ipv4, _ := t.isCut()
	return ipv4
}

// eachIdentity calls do for what is known of the client of the record, a crawler's: twice if that is another
// thing if its address is cut.
func (w *Worker) eachIdentity(c *agent, addr []byte, do func(c *agent, i report.Identity, hasNoList bool)) {
	as, identity, hasNoList := w.identify(c, addr)
	if as == c && identity == report.Unverifiable || !endsAsCut(addr) || crawler.KindOf(addr) != crawler.IPv4MayBeCut {
		do(as, identity, hasNoList)
		return
	}
	w.when = ifWhole
	do(as, identity, hasNoList)
	w.when = ifIsCut
	do(c, report.Unverifiable, false)
	w.when = always
}

// endsAsCut reports whether an address ends in .0, .1 or .255. Few do.
func endsAsCut(addr []byte) bool {
	n := len(addr)
	return n > 2 && addr[n-2] == '.' && addr[n-1] <= '1' || bytes.HasSuffix(addr, []byte(".255"))
}

// on returns the row in which requests are counted in a case.
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

// settle counts the requests from addresses that may be cut, once that is known.
func (t *tally) settle(isCut bool) {
	for _, r := range t.known {
		of := r.If
		r.If = [2]*row{}
		for i, part := range of {
			if part != nil && ifCut(i+1).holds(isCut) {
				r.merge(part, 1)
			}
		}
	}
	if !isCut {
		t.NoList += t.NoListIf
	}
	t.NoListIf = 0
	t.cutPaths()
}
