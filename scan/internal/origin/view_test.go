package origin

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// agree fails if View and Prefix say of a URL anything that Of does not.
func agree(t *testing.T, url string) (viewed bool) {
	t.Helper()
	want, err := Of([]byte(url))
	o, viewed := View([]byte(url))
	if viewed && (err != nil || o != want) {
		t.Errorf("View(%q) = %+v, but Of says %+v, %v", url, o, want, err)
	}
	if host, port, errHost := parseOddHost(o.Host); viewed && (host != o.Host || port != 0 || errHost != nil) {
		t.Errorf("View(%q) = %+v, but the host is %q, port %d, %v", url, o, host, port, errHost)
	}
	n, ok := Prefix([]byte(url))
	if !ok && (n != 0 || !errors.Is(err, errNotAbsolute)) {
		t.Errorf("Prefix(%q) = %d, %v, but Of says %v", url, n, ok, err)
	}
	if !ok {
		return viewed
	}
	got, errPrefix := Of([]byte(url[:n]))
	if got != want || (errPrefix == nil) != (err == nil) {
		t.Errorf("%q: its prefix has the origin %+v, %v, and itself %+v, %v", url, got, errPrefix, want, err)
	}
	if end := url[n:]; end != "" && !strings.ContainsAny(end[:1], "/?#") {
		t.Errorf("Prefix(%q) = %d, in the middle of the authority", url, n)
	}
	return viewed
}

// TestViewAgreesWithOf checks this on all short hosts of bytes that View supports and some others, and on long ones.
func TestViewAgreesWithOf(t *testing.T) {
	alphabet := []string{"a", "0", "1", ".", "-", "xn--", "A", "_", ":", "@", "ä", "/", "?", "#", ";", "%", "\x00", " "}
	longest, rounds := 3, 50_000
	viewed := 0
	count := func(url string) {
		if agree(t, url) {
			viewed++
		}
	}
	hosts := []string{""}
	for last := hosts; longest > 0; longest-- {
		var next []string
		for _, host := range last {
			for _, letter := range alphabet {
				next = append(next, host+letter)
			}
		}
		hosts, last = append(hosts, next...), next
	}
	for _, host := range hosts {
		count("http://" + host)
		count("https://" + host + "/path")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	schemes := []string{"http://", "https://", "https://", "HTTP://", "ftp://", "http:/", "://", "a:b://", "/http://"}
	for range rounds {
		var url strings.Builder
		url.WriteString(schemes[rng.IntN(len(schemes))])
		letters := 5 + rng.IntN(len(alphabet)-4)
		for range rng.IntN(80) {
			if rng.IntN(3) > 0 {
				url.WriteString("a1-"[rng.IntN(3):][:1])
			} else {
				url.WriteString(alphabet[rng.IntN(letters)])
			}
		}
		count(url.String())
	}
	if viewed < rounds/100 {
		t.Errorf("only %d URLs were such as View knows", viewed)
	}
}

func TestViewKnowsOrdinaryURLs(t *testing.T) {
	for url, want := range map[string]Origin{
		"https://www.example.com/a?b":  {"https", "www.example.com", 443},
		"http://a-b.example":           {"http", "a-b.example", 80},
		"http://192.0.2.1?q":           {"http", "192.0.2.1", 80},
		"https://example.com#fragment": {"https", "example.com", 443},
	} {
		if got, ok := View([]byte(url)); !ok || got != want {
			t.Errorf("View(%q) = %+v, %v", url, got, ok)
		}
	}
}

func TestGuardViewAllocs(t *testing.T) {
	url := []byte("https://www.example.com/a?b")
	if n := testing.AllocsPerRun(100, func() {
		View(url)
		Prefix(url)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzView(f *testing.F) {
	for _, url := range []string{
		"https://www.example.com/a", "http://a..b", "http://.a", "http://a.", "http://xn--a", "http://-",
		"https://1.2.3.4:80",
		"http://" + strings.Repeat("a", 64), "http://u:p@h/", "http://[::1]/", "://", "http:///", "http://ä",
	} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) { agree(t, url) })
}
