package capture_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// site is a capture of the i-th origin.
func site(i int, body []byte) capture.Capture {
	host := fmt.Sprintf("host-%d.example", i)
	return capture.Capture{Origins: []origin.Origin{{Scheme: "https", Host: host, Port: 443}}, Status: 200, Body: body}
}

// live returns the bytes in use.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBodiesTakeBoundedMemory: 100 MB of distinct bodies in 4 MB. All of them come out again.
func TestBodiesTakeBoundedMemory(t *testing.T) {
	set := capture.Set{Memory: 4 << 20}
	body := bytes.Repeat([]byte("a"), 500_000)
	before := live()
	for i := range 200 {
		copy(body, fmt.Sprintf("User-agent: %04d\n", i))
		add(t, &set, site(i, body))
	}
	if taken := live() - before; taken > 8<<20 {
		t.Errorf("the set takes %d bytes", taken)
	}
	seen := map[string]bool{}
	for _, c := range set.Copies() {
		got, err := set.Body(c)
		if err != nil || len(got) != len(body) || len(c.Uses) != 1 {
			t.Fatalf("%d bytes for %v: %v", len(got), c.Uses, err)
		}
		var i int
		fmt.Sscanf(string(got), "User-agent: %d", &i)
		if want := fmt.Sprintf("https://host-%d.example:443", i); c.Uses[0].Key != want {
			t.Errorf("%s has the body of %s", c.Uses[0].Key, want)
		}
		seen[c.Uses[0].Key] = true
	}
	if err := set.Close(); err != nil || len(seen) != 200 {
		t.Errorf("%d origins, error %v", len(seen), err)
	}
}

// TestIndexTakesNoMoreThanItIsCharged: with many origins, with redirects, with captures that
// are replaced, and with a body for each origin; and the archive of them takes no more.
func TestIndexTakesNoMoreThanItIsCharged(t *testing.T) {
	const memory = 11 << 20
	for name, of := range map[string]func(i int) capture.Capture{
		"origins": func(i int) capture.Capture { return site(i, nil) },
		"long":    func(i int) capture.Capture { return site(i, nil) },
		"redirects": func(i int) capture.Capture {
			c := site(i, nil)
			c.Status, c.Location = 301, fmt.Sprintf("/%d%s", i, strings.Repeat("x", i%1000))
			return c
		},
		"replaced": func(i int) capture.Capture {
			c := site(i%100, nil)
			c.Status, c.Location = 301, fmt.Sprintf("/%d%s", i, strings.Repeat("x", i%1000))
			return c
		},
		"bodies": func(i int) capture.Capture { return site(i, []byte(fmt.Sprint(i))) },
	} {
		set := &capture.Set{Memory: memory}
		before, n, err := live(), 0, error(nil)
		for ; n < 1_000_000 && err == nil; n++ {
			c := of(n)
			if name == "long" {
				c.Origins[0].Host += strings.Repeat(".long", n%40)
			}
			err = set.Add(c)
		}
		if !errors.Is(err, capture.ErrMemory) {
			t.Errorf("%s: %d captures, error %v", name, n, err)
		}
		gathered := live() - before
		copies := set.Copies()
		listed := live() - before
		t.Logf("%s: %d captures, %d origins take %d bytes, their list %d", name, n, set.Len(), gathered, listed)
		if most := max(gathered, listed); most > memory*11/10 {
			t.Errorf("%s: %d bytes instead of %d", name, most, memory)
		}
		runtime.KeepAlive(copies)
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}
}
