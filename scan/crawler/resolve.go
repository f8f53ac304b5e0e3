//go:build !js

package crawler

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Resolver verifies crawlers by forward-confirmed reverse DNS: the address's
// name is in one of the operator's domains, and that name leads back to the
// address. Nothing else in the package uses the network. The zero value is ready for
// use; it is safe for any number of goroutines if its functions are.
type Resolver struct {
	// LookupAddr returns the names of an address, LookupHost the addresses of a
	// name. Where nil they are net.DefaultResolver's.
	LookupAddr func(ctx context.Context, addr string) ([]string, error)
	LookupHost func(ctx context.Context, host string) ([]string, error)
	// Rate bounds the lookups that are begun in a second; 0 is 20.
	Rate float64
	// Parallel bounds the lookups under way at once; 0 is 8.
	Parallel int
	// Timeout bounds the time of a lookup, Total the time of all together; 0 is five
	// seconds, and five minutes.
	Timeout, Total time.Duration
}

// Pair is a crawler and an address, as a log spells it, from which a client claimed to be
// that crawler.
type Pair struct {
	Profile *Profile
	Addr    string
}

// Resolution is the result of Resolver.Resolve.
type Resolution struct {
	// Verified tells for each pair whether the address is the crawler's. False proves
	// nothing.
	Verified []bool
	// Unasked is the number of pairs for which no time was left, Failed the number of
	// pairs for which the DNS gave no answer, not even that there is none.
	Unasked, Failed int
}

// maxNamesAsked bounds how many of an address's names are looked up. The owner of an
// address may give it any number of them.
const maxNamesAsked = 4

// Resolve asks about pairs until all are answered, the total time is over or the
// context is done. Each address is looked up once. Pairs are not asked about, and
// not counted, if an answer could prove nothing: their profile has no domains, or
// their address is unreadable or one that any private network may use.
func (r *Resolver) Resolve(ctx context.Context, pairs []Pair) Resolution {
	result := Resolution{Verified: make([]bool, len(pairs))}
	asked := map[netip.Addr][]int{} // which pairs an address is for
	var order []netip.Addr
	for i, pair := range pairs {
		addr, ok := parseAddr([]byte(pair.Addr))
		if !ok || anonymous(addr) || pair.Profile == nil || len(pair.Profile.Domains) == 0 {
			continue
		}
		if asked[addr] == nil {
			order = append(order, addr)
		}
		asked[addr] = append(asked[addr], i)
	}

	ctx, cancel := context.WithTimeout(ctx, or(r.Total, 5*time.Minute))
	defer cancel()
	run := &resolving{Resolver: *r, interval: time.Duration(float64(time.Second) / or(r.Rate, 20))}
	if run.LookupAddr == nil {
		run.LookupAddr = net.DefaultResolver.LookupAddr
	}
	if run.LookupHost == nil {
		run.LookupHost = net.DefaultResolver.LookupHost
	}
	var wg sync.WaitGroup
	var mu sync.Mutex // of result
	work := make(chan netip.Addr)
	for range or(r.Parallel, 8) {
		wg.Go(func() {
			for addr := range work {
				of := func(name string) func(int) bool {
					return func(i int) bool { return inDomains(name, pairs[i].Profile.Domains) }
				}
				names, outcome := run.confirm(ctx, addr, func(name string) bool {
					return slices.ContainsFunc(asked[addr], of(name))
				})
				mu.Lock()
				for _, i := range asked[addr] {
					result.Verified[i] = slices.ContainsFunc(names, func(name string) bool { return of(name)(i) })
					switch {
					case result.Verified[i]:
					case outcome == failed:
						result.Failed++
					case outcome == unasked:
						result.Unasked++
					}
				}
				mu.Unlock()
			}
		})
	}
	for _, addr := range order {
		work <- addr
	}
	close(work)
	wg.Wait()
	return result
}

// or returns n, or a default where n is not above zero.
func or[N int | float64 | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// outcome says how far the lookups for an address have come.
type outcome uint8

const (
	answered outcome = iota
	failed           // one of them got no answer
	unasked          // one of them was not begun, or not waited for
)

// resolving is one call of Resolve.
type resolving struct {
	Resolver
	interval time.Duration // between the beginnings of two lookups
	mu       sync.Mutex
	next     time.Time // when the next lookup may begin
}

// confirm returns the names of an address that lead back to it, among those that
// are wanted.
func (r *resolving) confirm(
	ctx context.Context, addr netip.Addr, wanted func(string) bool,
) (confirmed []string, worst outcome) {
	names, worst := r.ask(ctx, r.LookupAddr, addr.String())
	tried := 0
	for _, name := range names {
		name = normalName(name)
		if !wanted(name) {
			continue
		}
		if tried++; tried > maxNamesAsked {
			break
		}
		// With the final dot the name is whole, and no search list is tried.
		addrs, outcome := r.ask(ctx, r.LookupHost, name+".")
		worst = max(worst, outcome)
		if slices.ContainsFunc(addrs, func(text string) bool {
			a, ok := parseAddr([]byte(text))
			return ok && a == addr
		}) {
			confirmed = append(confirmed, name)
		}
	}
	return confirmed, worst
}

// ask makes one lookup as soon as the rate permits it.
func (r *resolving) ask(
	ctx context.Context, lookup func(context.Context, string) ([]string, error), what string,
) ([]string, outcome) {
	if !r.turn(ctx) {
		return nil, unasked
	}
	one, cancel := context.WithTimeout(ctx, or(r.Timeout, 5*time.Second))
	defer cancel()
	answer, err := lookup(one, what)
	var dns *net.DNSError
	switch {
	case err == nil || errors.As(err, &dns) && dns.IsNotFound:
		return answer, answered
	case ctx.Err() != nil:
		return answer, unasked
	default: // with the error may come some of the names
		return answer, failed
	}
}

// turn waits until another lookup may begin, and reports whether there is time for
// it.
func (r *resolving) turn(ctx context.Context) bool {
	r.mu.Lock()
	now := time.Now()
	at := now
	if r.next.After(now) {
		at = r.next
	}
	if end, ok := ctx.Deadline(); ctx.Err() != nil || ok && !at.Before(end) {
		r.mu.Unlock()
		return false
	}
	r.next = at.Add(r.interval)
	r.mu.Unlock()
	timer := time.NewTimer(at.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
