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

// Resolver verifies crawlers by forward-confirmed reverse DNS: the address resolves to a host name in
// one of the operator's domains, and that name resolves back to the address. Nothing else in this
// package uses the network. The zero value is ready to use. It is safe for concurrent use if its
// functions are.
type Resolver struct {
	// LookupAddr returns the host names of an address, and LookupHost the addresses of a host name. They default to the
	// methods of net.DefaultResolver.
	LookupAddr func(ctx context.Context, addr string) ([]string, error)
	LookupHost func(ctx context.Context, host string) ([]string, error)
	// Rate is the maximum number of lookups started per second. The default is 20.
	Rate float64
	// Parallel is the maximum number of concurrent lookups. The default is 8.
	Parallel int
	// Timeout is the time limit of a single lookup, five seconds by default. Total is the time limit of all lookups
	// together, five minutes by default.
	Timeout, Total time.Duration
}

// Pair is a crawler, and an address, as written in a log, of a client that claimed to be that
// crawler.
type Pair struct {
	Profile *Profile
	Addr    string
}

// Resolution is the result of Resolver.Resolve.
type Resolution struct {
	// Names has for each pair the host name that shows that the address belongs to the crawler. An empty one does not
	// prove that it does not.
	Names []string
	// Unasked is the number of pairs that were not looked up because time ran out. Failed is the number of pairs for which
	// DNS gave no answer at all, not even that there is no such name.
	Unasked, Failed int
}

// maxNamesAsked limits how many of an address's names are looked up, because its owner may give it any number of
// them.
const maxNamesAsked = 4

// Resolve looks up pairs until all are answered, the total time runs out, or ctx is done. Each
// address is looked up once. Pairs for which an answer could prove nothing are skipped and not
// counted: the profile has no domains, or the address is invalid or from a range that any private
// network may use.
func (r *Resolver) Resolve(ctx context.Context, pairs []Pair) Resolution {
	result := Resolution{Names: make([]string, len(pairs))}
	asked := map[netip.Addr][]int{} // the pairs that each address belongs to
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
	var mu sync.Mutex // guards result
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
					at := slices.IndexFunc(names, func(name string) bool { return of(name)(i) })
					switch {
					case at >= 0:
						result.Names[i] = names[at]
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

// or returns n, or a default if n is not positive.
func or[N int | float64 | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// outcome is the result of the lookups for an address so far.
type outcome uint8

const (
	answered outcome = iota
	failed           // one of them got no answer
	unasked          // one of them was not started, or not waited for
)

// resolving is the state of one call of Resolve.
type resolving struct {
	Resolver
	interval time.Duration // between the starts of two lookups
	mu       sync.Mutex
	next     time.Time // when the next lookup may start
}

// confirm returns those of an address's wanted names that resolve back to
// it.
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
		tried++
		if tried > maxNamesAsked {
			break
		}
		// The final dot marks the name as fully qualified, so no search list is tried.
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

// ask makes one lookup as soon as the rate limit permits it.
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
	default: // some of the names may come with the error
		return answer, failed
	}
}

// turn waits until the next lookup may start, and reports whether there is time for
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
