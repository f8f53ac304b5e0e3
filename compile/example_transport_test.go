package compile_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"
)

// errForbidden is the error of requests that robots.txt forbids.
var errForbidden = errors.New("robots.txt forbids it")

// obedient is an http.RoundTripper that sends only what robots.txt allows. A client with it asks
// before every redirect too.
type obedient struct {
	agent  string // the product token
	robots *cache // of Example_cache; its client must not have this transport
	next   http.RoundTripper
}

func (o *obedient) RoundTrip(r *http.Request) (*http.Response, error) {
	if !o.robots.allowed(o.agent, r.URL) {
		if r.Body != nil {
			r.Body.Close() // as the contract of RoundTripper asks
		}
		return nil, errForbidden
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", o.agent+"/1.0 (+https://example.com/bot)")
	return o.next.RoundTrip(r)
}

// A client obeys robots.txt through its transport, also where a redirect leads.
func Example_roundTripper() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		case "/moved":
			http.Redirect(w, r, "/private/2", http.StatusFound)
		}
	}))
	defer server.Close()

	client := &http.Client{Transport: &obedient{agent: "ExampleBot", next: http.DefaultTransport,
		robots: &cache{client: server.Client(), now: time.Now, hosts: map[string]*host{}}}}
	for _, path := range []string{"/public", "/private/1", "/moved"} {
		answer, err := client.Get(server.URL + path)
		if err != nil {
			fmt.Println(path, errors.Is(err, errForbidden))
			continue
		}
		answer.Body.Close()
		fmt.Println(path, answer.Status)
	}
	// Output:
	// /public 200 OK
	// /private/1 true
	// /moved true
}
