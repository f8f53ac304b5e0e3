package twin

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// vectors is where the reference verdicts lie if they were put beside the
// module. They are data of others and no part of it.
const vectors = "../../../shared/vectors"

// A vector is one case with its reference verdict.
type vector struct {
	Robots  []byte `json:"robots_b64"`
	Agent   []byte `json:"agent_b64"`
	URL     []byte `json:"url_b64"`
	Allowed bool   `json:"allowed"`
	Line    int    `json:"line"`
}

func TestGoogleVectors(t *testing.T)   { testVectors(t, Google, 30968) }
func TestRFC9309Vectors(t *testing.T)  { testVectors(t, RFC9309, 20757) }
func TestOriginalVectors(t *testing.T) { testVectors(t, Original, 8845) }

func testVectors(t *testing.T, dialect Dialect, want int) {
	t.Parallel()
	n, differences := 0, 0
	eachVector(t, string(dialect), func(v vector) {
		n++
		allowed, line := Match(dialect, v.Robots, v.Agent, v.URL, 0, false)
		if allowed != v.Allowed || line != v.Line {
			differences++
			reportDifference(t, differences, v, allowed, line)
		}
	})
	t.Logf("%d cases, %d differences", n, differences)
	if n != want {
		t.Errorf("read %d cases, want %d", n, want)
	}
}

// A site is a real robots.txt with real URLs of its site.
type site struct {
	Robots []byte     `json:"robots_b64"`
	Agent  string     `json:"agent"`
	Cases  []siteCase `json:"cases"`
}

// A siteCase is written as [url, allowed, line].
type siteCase struct {
	url     string
	allowed bool
	line    int
}

func (c *siteCase) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&c.url, &c.allowed, &c.line})
}

// TestGoogleRealVectors parses each body once for all its URLs: the parsing is
// tested by the other vectors. In short mode it asks for every tenth URL.
func TestGoogleRealVectors(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 10
	}
	n, differences := 0, 0
	eachVector(t, "google-real", func(s site) {
		r := readings[Google]
		groups := r.parse(splitLines(s.Robots, 0), false, false)
		agents := [][]byte{[]byte(s.Agent)}
		for i := 0; i < len(s.Cases); i += step {
			c := s.Cases[i]
			n++
			allowed, line := r.match(groups, agents, r.path([]byte(c.url)))
			if allowed != c.allowed || line != c.line {
				differences++
				v := vector{s.Robots, agents[0], []byte(c.url), c.allowed, c.line}
				reportDifference(t, differences, v, allowed, line)
			}
		}
	})
	t.Logf("%d URLs, %d differences", n, differences)
	if want := 111084; step == 1 && n != want {
		t.Errorf("read %d URLs, want %d", n, want)
	}
}

// reportDifference reports the first differences and only counts the others.
func reportDifference(t *testing.T, n int, v vector, allowed bool, line int) {
	t.Helper()
	const most, longest = 20, 500
	if n > most {
		t.Fail()
		return
	}
	t.Errorf("got %v %d, want %v %d: agent %q, url %q, robots.txt %.*q",
		allowed, line, v.Allowed, v.Line, v.Agent, v.URL, longest, v.Robots)
}

// eachVector decodes the objects of a file of vectors, one after the other. It
// skips the test if there is no such file.
func eachVector[T any](t *testing.T, name string, use func(T)) {
	t.Helper()
	file, err := os.Open(filepath.Join(filepath.FromSlash(vectors), name+".jsonl.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("reference verdicts are not part of the module: no %s.jsonl.gz in %s", name, vectors)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for decoder := json.NewDecoder(lines); ; {
		var v T
		err := decoder.Decode(&v)
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		use(v)
	}
}
