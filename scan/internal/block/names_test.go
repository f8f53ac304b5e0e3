package block

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// headersOf adds the last columns of a file of lines.
func headersOf(t *testing.T, r io.Reader, headers map[string]bool) {
	t.Helper()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		header := lines.Text()[strings.LastIndexByte(lines.Text(), '\t')+1:]
		if text, err := strconv.Unquote(header); err == nil {
			header = text
		}
		headers[header] = true
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// published returns the headers of all available crawlers, and whether the suites' are among them.
func published(t *testing.T) (headers map[string]bool, suites bool) {
	t.Helper()
	headers = map[string]bool{}
	own, err := os.Open(filepath.Join("..", "..", "crawler", "testdata", "headers.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	headersOf(t, own, headers)
	bots := filepath.Join("..", "..", "..", "..", "shared", "data", "bots")
	for _, name := range []string{"suites.tsv.xz", "bot-user-agents.tsv.xz"} {
		f, err := os.Open(filepath.Join(bots, name))
		if err != nil {
			t.Log("without the suites of others, so that how many of its own a rule refuses is not asked: ", err)
			return headers, false
		}
		defer f.Close()
		x, err := xz.NewReader(bufio.NewReader(f))
		if err != nil {
			t.Fatal(err)
		}
		headersOf(t, x, headers)
	}
	f, err := os.Open(filepath.Join(bots, "crawler-user-agents.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Instances []string }
	if err := json.NewDecoder(z).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		for _, header := range l.Instances {
			headers[header] = true
		}
	}
	return headers, true
}

// TestNameRefusesNoOther checks that a rule by a crawler's name refuses nearly all of its headers,
// and none that the audit attributes to another, on any server.
func TestNameRefusesNoOther(t *testing.T) {
	o := world(t)
	headers, suites := published(t)
	profiles := o.Crawlers.Profiles()
	names, begins := map[*crawler.Profile]Name{}, map[string][]*crawler.Profile{} // by the first bytes of their words
	for i := range profiles {
		p := &profiles[i]
		n, ok := nameOf(p, p.Words, o.Crawlers)
		if !ok {
			continue
		}
		names[p] = n
		for _, word := range n.Words {
			begins[word[:3]] = append(begins[word[:3]], p)
		}
	}
	reader := o.Crawlers.Reader()
	own, whole, part := 0, 0, 0
	for header := range headers {
		c := reader.Read([]byte(header))
		low := strings.ToLower(header)
		may := map[*crawler.Profile]bool{}
		for i := range max(len(low)-2, 0) {
			for _, p := range begins[low[i:i+3]] {
				may[p] = true
			}
		}
		for p := range may {
			n := names[p]
			if !slices.ContainsFunc(n.Words, func(word string) bool { return strings.Contains(low, word) }) {
				continue
			}
			onServers, onCloudflare := n.isIn([]byte(header))
			if c.Profile != p && (onServers || onCloudflare) {
				t.Errorf("the rule for %s refuses %s (servers %t, cloudflare %t): %.300s", p.Name, c.Name, onServers,
					onCloudflare, header)
			}
			if c.Profile == p && !c.Ambiguous {
				own++
				if onServers {
					whole++
				}
				if onCloudflare {
					part++
				}
			}
		}
	}
	if suites && (own < 100 || 100*whole < 98*own || 100*part < 90*own) {
		t.Errorf("%d headers, %d of names: %d and %d refused", len(headers), own, whole, part)
	}
}
