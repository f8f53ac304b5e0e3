package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"regexp"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// site is a robots.txt, and the questions that one agent has for it.
type site struct {
	robotsURL string // of the origin that all of the URLs have
	agent     string
	body      []byte
	urls      []string
	recorded  []automaton.Verdict // of the reference in C++; empty if nobody asked it

	want  []verdict // of robotsieve in the dialect google
	robot *compile.Robots
	lines []uint32 // that decided
}

// Where the inputs are, seen from this folder.
const (
	realVectors  = "../../../shared/vectors/google-real.jsonl.gz"
	sampleFolder = "../../testdata/sample/"
)

// corpus is what all peers are asked.
type corpus struct {
	name  string
	sites []site
}

// loadCorpus reads the real robots.txt where there are any, and the sample that
// comes with the project elsewhere. Of more than most sites it takes so many,
// evenly spaced; 0 is all.
func loadCorpus(most int) (*corpus, error) {
	c := &corpus{name: "real robots.txt with real URLs of their sites"}
	var err error
	c.sites, err = loadVectors(realVectors)
	if errors.Is(err, fs.ErrNotExist) {
		c.name = "the sample site, asked by three agents (no vectors of real sites were found)"
		c.sites, err = loadSample(sampleFolder)
	}
	if err != nil {
		return nil, err
	}
	c.sites = spaced(c.sites, most)
	for i := range c.sites {
		c.sites[i].judge()
	}
	return c, nil
}

// spaced takes most sites from all over the list.
func spaced(sites []site, most int) []site {
	if most <= 0 || len(sites) <= most {
		return sites
	}
	taken := make([]site, most)
	for i := range taken {
		taken[i] = sites[i*len(sites)/most]
	}
	return taken
}

// urls is the number of questions, bytes that of the octets of all robots.txt.
func (c *corpus) urls() (n int) {
	for i := range c.sites {
		n += len(c.sites[i].urls)
	}
	return n
}

func (c *corpus) bytes() (n int) {
	for i := range c.sites {
		n += len(c.sites[i].body)
	}
	return n
}

// loadVectors reads robots.txt with the verdicts of the reference in C++. A
// robots.txt is for one origin, and some peers insist on it: where URLs have two
// (http and https), it becomes two sites.
func loadVectors(name string) ([]site, error) {
	data, err := readGzip(name)
	if err != nil {
		return nil, err
	}
	var sites []site
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var v struct {
			Robots []byte  `json:"robots_b64"`
			Agent  string  `json:"agent"`
			Cases  []vcase `json:"cases"`
		}
		if err := d.Decode(&v); err == io.EOF {
			return sites, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		byOrigin := map[string]int{}
		for _, c := range v.Cases {
			robotsURL := robotsOf(c.url)
			at, known := byOrigin[robotsURL]
			if !known {
				at = len(sites)
				byOrigin[robotsURL] = at
				sites = append(sites, site{robotsURL: robotsURL, agent: v.Agent, body: v.Robots})
			}
			s := &sites[at]
			s.urls, s.recorded = append(s.urls, c.url), append(s.recorded, c.verdict)
		}
	}
}

// vcase is a case of the vectors: [URL, allowed, line].
type vcase struct {
	url     string
	verdict automaton.Verdict
}

// UnmarshalJSON reads the array that a case is.
func (c *vcase) UnmarshalJSON(data []byte) error {
	var allowed bool
	parts := []any{&c.url, &allowed, &c.verdict.Line}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	c.verdict.Disallowed = !allowed
	return nil
}

// robotsOf is where the robots.txt for a URL is.
func robotsOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "http://unknown.example/robots.txt"
	}
	return u.Scheme + "://" + u.Host + "/robots.txt"
}

var requestLine = regexp.MustCompile(`"(?:GET|HEAD|POST) (/\S*) HTTP/`)

// loadSample makes questions of the paths in the sample's access log.
func loadSample(folder string) ([]site, error) {
	const origin = "https://lantern.example"
	body, err := os.ReadFile(folder + "robots.txt")
	if err != nil {
		return nil, err
	}
	log, err := readGzip(folder + "access.log.gz")
	if err != nil {
		return nil, err
	}
	var urls []string
	seen := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(log)); lines.Scan(); {
		m := requestLine.FindSubmatch(lines.Bytes())
		if m == nil || seen[string(m[1])] {
			continue
		}
		seen[string(m[1])] = true
		urls = append(urls, origin+string(m[1]))
	}
	var sites []site
	for _, agent := range []string{"Googlebot", "GPTBot", "GrabbitBot"} {
		sites = append(sites, site{robotsURL: origin + "/robots.txt", agent: agent, body: body, urls: urls})
	}
	return sites, nil
}

func readGzip(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// judge answers the questions by robotsieve's dialect google: what all peers are
// compared with.
func (s *site) judge() {
	s.robot = compile.Compile(s.body, googleWhole)
	var scratch automaton.Scratch
	for _, u := range s.urls {
		v := s.robot.Ruleset.Match(&scratch, []byte(s.agent), []byte(u))
		s.want = append(s.want, verdictOf(v.Allowed()))
		s.lines = append(s.lines, v.Line)
	}
}

// googleWhole reads a whole body as google/robotstxt does.
var googleWhole = compile.Options{Dialect: automaton.Google, MaxBytes: -1}

// recordedDifferences counts the verdicts that the reference in C++ gave, and
// those in which it differs from robotsieve, line included.
func (c *corpus) recordedDifferences() (recorded, differ int) {
	for i := range c.sites {
		s := &c.sites[i]
		for j, v := range s.recorded {
			recorded++
			if verdictOf(v.Allowed()) != s.want[j] || v.Line != s.lines[j] {
				differ++
			}
		}
	}
	return recorded, differ
}
