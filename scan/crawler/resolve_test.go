package crawler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// dns answers lookups as the DNS would, and counts them.
type dns struct {
	names   map[string][]string // of addresses
	addrs   map[string][]string // of names
	broken  map[string]bool     // those without an answer
	slow    time.Duration       // what a lookup takes
	mu      sync.Mutex
	asked   []string
	begun   []time.Time
	running atomic.Int32
	most    int32 // lookups at once
}

func (d *dns) look(ctx context.Context, in map[string][]string, what string) ([]string, error) {
	d.mu.Lock()
	d.asked, d.begun = append(d.asked, what), append(d.begun, time.Now())
	d.most = max(d.most, d.running.Add(1))
	d.mu.Unlock()
	defer d.running.Add(-1)
	select {
	case <-time.After(d.slow):
	case <-ctx.Done():
		return nil, &net.DNSError{Err: ctx.Err().Error(), Name: what, IsTimeout: true}
	}
	if d.broken[what] {
		return in[what], &net.DNSError{Err: "server misbehaving", Name: what, IsTemporary: true}
	}
	if in[what] == nil {
		return nil, &net.DNSError{Err: "no such host", Name: what, IsNotFound: true}
	}
	return in[what], nil
}

func (d *dns) resolver() *Resolver {
	return &Resolver{
		LookupAddr: func(ctx context.Context, addr string) ([]string, error) { return d.look(ctx, d.names, addr) },
		LookupHost: func(ctx context.Context, host string) ([]string, error) { return d.look(ctx, d.addrs, host) },
	}
}

// TestResolve has one address for each kind of DNS answer.
func TestResolve(t *testing.T) {
	set := builtinSet(t)
	synctest.Test(t, func(t *testing.T) {
		d := &dns{
			names: map[string][]string{
				"66.249.66.1":          {"crawl-66-249-66-1.googlebot.com."},
				"2001:4860:4801:10::1": {"CRAWL-6.GoogleBot.com"},
				"192.0.2.1":            {"crawl-66-249-66-1.googlebot.com."},
				"192.0.2.2":            {"2.2.0.192.bc.googleusercontent.com."},
				"192.0.2.3":            {"www.example.com.", "two.googlebot.com."},
				"192.0.2.4":            {"missing.googlebot.com."},
				"192.0.2.6":            {"broken.googlebot.com."},
				"192.0.2.7":            {"a.search.msn.com.", "b.googlebot.com."},
				"192.0.2.8":            {"partly.googlebot.com."},
				"192.0.2.9": {"1.googlebot.com", "2.googlebot.com", "3.googlebot.com", "4.googlebot.com",
					"5.googlebot.com", "true.googlebot.com"},
				"10.0.0.1": {"private.googlebot.com."},
			},
			addrs: map[string][]string{
				"crawl-66-249-66-1.googlebot.com.":    {"66.249.66.2", "66.249.66.1"},
				"crawl-6.googlebot.com.":              {"2001:4860:4801:0010::0001"},
				"2.2.0.192.bc.googleusercontent.com.": {"192.0.2.2"},
				"www.example.com.":                    {"192.0.2.3"},
				"two.googlebot.com.":                  {"::ffff:192.0.2.3"},
				"a.search.msn.com.":                   {"192.0.2.7"},
				"b.googlebot.com.":                    {"192.0.2.7"},
				"partly.googlebot.com.":               {"192.0.2.8"},
				"true.googlebot.com.":                 {"192.0.2.9"},
				"private.googlebot.com.":              {"10.0.0.1"},
			},
			broken: map[string]bool{"192.0.2.5": true, "broken.googlebot.com.": true, "192.0.2.8": true},
		}
		cases := []struct {
			name, crawler, addr string
			want                bool
		}{
			{"confirmed", "Googlebot", "66.249.66.1", true},
			{"confirmed, asked twice", "Googlebot-Image", "66.249.66.1", true},
			{"confirmed, of another operator", "bingbot", "66.249.66.1", false},
			{"confirmed, IPv6 spelled otherwise", "Googlebot", "2001:4860:4801:10:0::1", true},
			{"confirmed by the second name", "Googlebot", "192.0.2.3", true},
			{"two operators' names", "Googlebot", "192.0.2.7", true},
			{"two operators' names, the other", "bingbot", "192.0.2.7", true},
			{"a name that leads to another address", "Googlebot", "192.0.2.1", false},
			{"googleusercontent.com", "Googlebot", "192.0.2.2", false},
			{"a name that leads nowhere", "Googlebot", "192.0.2.4", false},
			{"no name", "Googlebot", "198.51.100.1", false},
			{"a reverse lookup that fails", "Googlebot", "192.0.2.5", false},
			{"a forward lookup that fails", "Googlebot", "192.0.2.6", false},
			{"a name that comes with an error", "Googlebot", "192.0.2.8", true},
			{"more names than are asked about", "Googlebot", "192.0.2.9", false},
			{"a private address is not asked about", "Googlebot", "10.0.0.1", false},
			{"a hash is not asked about", "Googlebot", "d41d8cd9", false},
			{"a crawler without domains is not asked about", "GPTBot", "198.51.100.2", false},
			{"an unknown crawler is not asked about", "", "198.51.100.3", false},
		}
		var pairs []Pair
		for _, c := range cases {
			pairs = append(pairs, Pair{set.ByName(c.crawler), c.addr})
		}
		got := d.resolver().Resolve(t.Context(), pairs)
		for i, c := range cases {
			if got.Names[i] != "" != c.want {
				t.Errorf("%s: %v", c.name, got.Names[i])
			}
		}
		if got.Failed != 2 || got.Unasked != 0 {
			t.Errorf("%d failed and %d were not asked about", got.Failed, got.Unasked)
		}
		slices.Sort(d.asked)
		for i, what := range d.asked {
			if i > 0 && what == d.asked[i-1] && what != "crawl-66-249-66-1.googlebot.com." {
				t.Errorf("%s was asked about twice", what)
			}
		}
		for _, what := range []string{"10.0.0.1", "198.51.100.2", "198.51.100.3", "www.example.com.",
			"2.2.0.192.bc.googleusercontent.com.", "true.googlebot.com."} {
			if slices.Contains(d.asked, what) {
				t.Errorf("%s was asked about", what)
			}
		}
	})
}

// many makes pairs of Googlebot and so many addresses.
func many(t *testing.T, n int) (pairs []Pair) {
	google := builtinSet(t).ByName("Googlebot")
	for i := range n {
		pairs = append(pairs, Pair{google, fmt.Sprintf("203.0.%d.%d", i/256, i%256)})
	}
	return pairs
}

// TestResolveRate checks the lookups per second, and the concurrent ones.
func TestResolveRate(t *testing.T) {
	pairs := many(t, 100)
	synctest.Test(t, func(t *testing.T) {
		d := &dns{slow: time.Second}
		r := d.resolver()
		r.Rate, r.Parallel = 10, 3
		start := time.Now()
		if got := r.Resolve(t.Context(), pairs); got.Unasked != 0 || got.Failed != 0 || len(d.asked) != 100 {
			t.Errorf("%d asked about, %d not, %d failed", len(d.asked), got.Unasked, got.Failed)
		}
		if d.most != 3 {
			t.Errorf("%d lookups at once", d.most)
		}
		for i := 10; i < len(d.begun); i++ {
			if gap := d.begun[i].Sub(d.begun[i-10]); gap < time.Second {
				t.Errorf("eleven lookups within %v", gap)
			}
		}
		if took := time.Since(start); took < 33*time.Second || took > 36*time.Second {
			t.Errorf("three at a time took %v", took)
		}
	})
}

// TestResolveGivesUp checks the time limits of one lookup and of all, and that the rest is counted.
func TestResolveGivesUp(t *testing.T) {
	pairs := many(t, 100)
	for _, c := range []struct {
		slow, timeout, total time.Duration
		rate                 float64
		asked, left, failed  int
	}{{0, 0, 5 * time.Second, 10, 50, 50, 0}, {time.Hour, 2 * time.Second, 11 * time.Second, 0, 6, 95, 5}} {
		synctest.Test(t, func(t *testing.T) {
			d, start := &dns{slow: c.slow}, time.Now()
			r := d.resolver()
			r.Parallel, r.Rate, r.Timeout, r.Total = 1, c.rate, c.timeout, c.total
			got := r.Resolve(t.Context(), pairs)
			if took := time.Since(start); len(d.asked) != c.asked || got.Failed != c.failed || got.Unasked != c.left || took > c.total {
				t.Errorf("%d asked about, %d not, %d failed, in %v", len(d.asked), got.Unasked, got.Failed, took)
			}
		})
	}
}

// TestResolveCanceled checks that nothing is looked up after cancellation.
func TestResolveCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := &dns{}
	if got := d.resolver().Resolve(ctx, many(t, 20)); got.Unasked != 20 || len(d.asked) != 0 {
		t.Errorf("%d asked about, %d not", len(d.asked), got.Unasked)
	}
	if got := d.resolver().Resolve(ctx, nil); got.Unasked != 0 || len(got.Names) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestResolveOddErrors checks that an error that isn't the DNS's counts as no answer.
func TestResolveOddErrors(t *testing.T) {
	r := &Resolver{LookupAddr: func(context.Context, string) ([]string, error) { return nil, errors.New("odd") }}
	if got := r.Resolve(t.Context(), many(t, 2)); got.Failed != 2 || got.Unasked != 0 {
		t.Errorf("%+v", got)
	}
}
