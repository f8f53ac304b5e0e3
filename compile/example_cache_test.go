package compile_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// maxAge is how long a copy of robots.txt is used: no more than 24 hours, says RFC 9309 2.4, unless
// the file cannot be reached.
const maxAge = 24 * time.Hour

// cache has the robots.txt of hosts. It is safe for concurrent use.
type cache struct {
	client *http.Client // its transport fetches; redirects are followed by it
	now    func() time.Time

	mu    sync.Mutex
	hosts map[string]*host // by scheme, host and port
}

// host is one host. Its lock lets one goroutine fetch, while the others wait for what it gets.
type host struct {
	mu      sync.Mutex
	robots  *compile.Robots
	fetched time.Time
}

// allowed reports whether a crawler may fetch a URL.
func (c *cache) allowed(agent string, u *url.URL) bool {
	origin := u.Scheme + "://" + u.Host
	c.mu.Lock()
	h := c.hosts[origin]
	if h == nil {
		h = &host{}
		c.hosts[origin] = h
	}
	c.mu.Unlock()

	h.mu.Lock()
	defer h.mu.Unlock()
	if h.robots == nil || c.now().Sub(h.fetched) >= maxAge {
		h.robots, h.fetched = c.fetch(origin), c.now()
	}
	var scratch automaton.Scratch
	return h.robots.Ruleset.Match(&scratch, []byte(agent), []byte(u.String())).Allowed()
}

// fetch asks a host. Where there is no answer, everything is forbidden until the next time. The
// client follows up to ten redirects; a longer chain is an error, and so no answer.
func (c *cache) fetch(origin string) *compile.Robots {
	status, header, body := 0, http.Header(nil), []byte(nil)
	if answer, err := c.client.Get(origin + "/robots.txt"); err == nil {
		defer answer.Body.Close()
		body, err = io.ReadAll(io.LimitReader(answer.Body, compile.DefaultMaxBytes+1))
		if err == nil {
			status, header = answer.StatusCode, answer.Header
		}
	}
	robots, _ := compile.FromResponse(status, header, body)
	if robots == nil { // a redirect that leads nowhere
		robots, _ = compile.FromResponse(0, nil, nil)
	}
	return robots
}

// A cache asks each host for robots.txt once a day.
func Example_cache() {
	fetches := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetches++
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	}))
	defer server.Close()

	now := time.Now()
	c := &cache{client: server.Client(), now: func() time.Time { return now }, hosts: map[string]*host{}}
	ask := func(path string) {
		u, _ := url.Parse(server.URL + path)
		fmt.Println(path, c.allowed("ExampleBot", u), "after fetches:", fetches)
	}
	ask("/private/1")
	ask("/public")
	now = now.Add(maxAge)
	ask("/public")
	// Output:
	// /private/1 false after fetches: 1
	// /public true after fetches: 1
	// /public true after fetches: 2
}
