package filter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/list"
	"github.com/robotsieve/robotsieve/scan/source"
)

// crowd is a policy of many sites that holds the rules of no more than most of them: then it frees
// all, as an archive does when its rulesets do not fit into memory.
type crowd struct {
	*web
	most int

	mu    sync.Mutex
	held  map[string]bool
	freed uint64
	made  int
}

func (c *crowd) Find(q Query, rules []Rules) (Span, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held) > c.most {
		clear(c.held)
		c.freed++
	}
	if host := q.Origin.Host; !c.held[host] {
		c.held[host], c.made = true, c.made+1
	}
	return c.web.Find(q, rules)
}

func (c *crowd) epoch() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freed
}

// TestSitesInRandomOrder: where the rules of all sites do not fit into memory, a chunk is judged site by site, so that
// the rules of each are made once for it; the output is the same, in the order of the input.
func TestSitesInRandomOrder(t *testing.T) {
	const sites, rows, chunk = 60, 20_000, 64 << 10
	bodies := map[string]string{}
	for i := range sites {
		bodies[fmt.Sprintf("http://site-%02d.example", i)] = fmt.Sprintf("user-agent: *\ndisallow: /%d", i%10)
	}
	all := newWeb(t, automaton.RFC9309, bodies, nil)
	urls := make([]string, rows)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range urls {
		urls[i] = fmt.Sprintf("http://site-%02d.example/%d/%d", r.IntN(sites+1), r.IntN(10), i)
	}
	urls[7] = "no URL"
	json := make([]string, rows)
	for i, url := range urls {
		json[i] = fmt.Sprintf(`{"n":%d,"url":"%s"}`, i, strings.ReplaceAll(url, "/", `\/`))
	}
	for name, text := range map[string]string{
		"URLs":     "\ufeff" + strings.Join(urls, "\n") + "\n",
		"CSV":      "n,url\n1," + strings.Join(urls, "\n1,"),
		"JSON":     strings.Join(json, "\r\n"),
		"annotate": strings.Join(json, "\n"),
	} {
		c := Config{Dialects: []automaton.Dialect{automaton.RFC9309}, NoPolicy: true, Quotes: 3}
		if name != "URLs" {
			kind := map[bool]list.Kind{true: list.CSV, false: list.JSON}[name == "CSV"]
			layout, err := list.New(kind, []byte(text), list.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c.Layouts = []*list.Layout{layout}
		}
		if name == "annotate" {
			c.Annotate = NewJSON([]string{"x"})
		}
		read := func(policy Policy, epoch func() uint64, workers int) (string, Summary) {
			c.Policy, c.Epoch = policy, epoch
			in := source.NewInput("list", strings.NewReader(text), int64(len(text)))
			return filteredBy(t, c, source.Options{Workers: workers, ChunkSize: chunk, InOrder: true}, in)
		}
		want, count := read(all, nil, 1)
		for _, workers := range []int{1, 4} {
			few := &crowd{web: all, most: 20, held: map[string]bool{}}
			got, counted := read(few, few.epoch, workers)
			if got != want || fmt.Sprint(counted) != fmt.Sprint(count) {
				t.Errorf("%s, %d workers: another output, or %+v instead of %+v", name, workers, counted, count)
			}
			chunks := len(text)/chunk + workers
			if most := (chunks + 3*workers) * (sites + 1) * workers; few.made > most {
				t.Errorf("%s, %d workers: rules were made %d times, want at most %d; there are %d rows", name, workers, few.made,
					most, rows)
			}
		}
	}
}

// TestGuardOfRules: what the rules say is given up if the guard fails.
func TestGuardOfRules(t *testing.T) {
	failed := fmt.Errorf("changed")
	c := Config{
		Dialects: []automaton.Dialect{automaton.RFC9309}, Site: []Rules{{}},
		Guard: func(f func() error) error { _ = f(); return failed },
	}
	var out strings.Builder
	in := source.NewInput("list", strings.NewReader("http://a/\n"), -1)
	s, err := Run(context.Background(), source.NewReader([]*source.Input{in}, source.Options{Workers: 1, InOrder: true}),
		1, c, &out)
	if err != failed || out.Len() > 0 || s.Read > 0 {
		t.Errorf("%+v, %q, error %v", s, out.String(), err)
	}
}
