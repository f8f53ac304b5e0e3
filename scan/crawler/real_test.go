package crawler

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

// open opens a file of real headers, or skips the test where there are none.
func open(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "bots", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no real headers here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// lines returns the lines of a packed table, each cut at its first tab.
func lines(t *testing.T, name string) (rows [][2]string) {
	t.Helper()
	x, err := xz.NewReader(open(t, name))
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(x)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		left, right, _ := strings.Cut(s.Text(), "\t")
		rows = append(rows, [2]string{left, right})
	}
	if s.Err() != nil || len(rows) < 1000 {
		t.Fatalf("%d rows, %v", len(rows), s.Err())
	}
	return rows
}

var (
	stemOf    = regexp.MustCompile(`(?i)bot|spider|crawl|scrap|fetch|nutch`)
	contactOf = regexp.MustCompile(`://|www\.|@`)
	browserOf = regexp.MustCompile(`^(Mozilla/[345]\.0 \((Windows|X11|Macintosh|iPhone|iPad|Linux|compatible; MSIE)|Opera/).*(Chrome|Firefox|MSIE|Safari|Trident|Opera)/`)
	// dressedOf are crawlers in the clothes of a browser that carry no URL.
	dressedOf = regexp.MustCompile(`(?i)adbeat\.com|Datanyze|Google (Favicon|Web Preview)|GoogleImageProxy|ips-agent|researchscan|; BW/1\.1|BingPreview|GoogleOther|Mediapartners-Google|slurp$|/Nutch-`)
)

// TestRealHeaders reads the headers of real logs with their counts, and headers of crawlers
// collected by others. Each crawler with a hundred requests or more must be known, and so must the
// crawlers of more than 99.5 % of all crawler requests.
func TestRealHeaders(t *testing.T) {
	set := builtinSet(t)
	reader, spec := set.Reader(), newNaive(set.Profiles())
	browsers, bots, attributed, known, all := 0, 0, 0, 0, 0
	unknown := map[string]int{}
	for i, row := range lines(t, "log-user-agent-counts.tsv.xz") {
		n, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		header := []byte(row[1])
		got := reader.Read(header)
		if i < 2000 || i%4 == 0 && !testing.Short() { // the naive reader is slow
			checkHeader(t, set, reader, spec, header)
		}
		switch {
		case got.Profile != nil:
			known, all = known+n, all+n
		case got.Name != "" && !got.Nameless:
			unknown[strings.ToLower(got.Name)] += n
			all += n
		}
		if browserOf.Match(header) && !contactOf.Match(header) && !stemOf.Match(header) && !dressedOf.Match(header) {
			if browsers++; got.Name != "" {
				t.Errorf("a browser, %q, is %v", header, got)
			}
		}
		if strings.Contains(strings.ToLower(row[1]), "bot") {
			if bots += n; got.Name != "" {
				attributed += n
			}
		}
	}
	for name, n := range unknown {
		if n >= 100 {
			t.Errorf("%s, with %d requests, is not known", name, n)
		}
	}
	// Observed: 99.82 % attributed. The rest are phones, and headers that have the word in a URL only.
	if browsers < 500 || float64(attributed) < 0.998*float64(bots) || float64(known) < 0.995*float64(all) ||
		all < 100_000 {
		t.Errorf("%d browsers; of %d requests with bot in their header %d were attributed; of %d of crawlers %d are known",
			browsers, bots, attributed, all, known)
	}
	for i, row := range lines(t, "bot-user-agents.tsv.xz") {
		if i%10 == 0 {
			checkHeader(t, set, reader, spec, []byte(row[1]))
		}
	}
}
