package main

import (
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
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/compile"
)

// Where the inputs are, seen from this folder: robots.txt with URLs of their sites, and the sample.
const (
	realVectors  = "../../../shared/vectors/google-real.jsonl.gz"
	sampleFolder = "../../testdata/sample/"
)

// corpus is what all peers are asked. Its lists have an entry for each site.
type corpus struct {
	name  string
	sites []bench.Site // the URLs of one site have one origin
	// recorded are the verdicts of the reference in C++; empty if it was not asked.
	recorded [][]automaton.Verdict

	// The reference, if it was asked in this run.
	live   string // its version
	result bench.Result
	tap    *tap

	// What robotsieve answers in the dialect google, and the verdicts that peers are compared with.
	robots   []*compile.Robots
	verdicts [][]automaton.Verdict
	want     [][]bench.Verdict
}

// loadCorpus reads the real robots.txt, or the sample where there are none. Of more than most sites it takes so
// many, evenly spaced; 0 is all.
func loadCorpus(most int) (*corpus, error) {
	c := &corpus{name: "real robots.txt"}
	err := c.loadVectors(realVectors)
	if errors.Is(err, fs.ErrNotExist) {
		c.name = "robots.txt of the sample, as no real ones were found"
		err = c.loadSample(sampleFolder)
	}
	if err != nil {
		return nil, err
	}
	c.sites, c.recorded = spaced(c.sites, most), spaced(c.recorded, most)
	c.judge()
	return c, nil
}

// spaced takes most entries from all over the list.
func spaced[T any](list []T, most int) []T {
	if most <= 0 || len(list) <= most {
		return list
	}
	taken := make([]T, most)
	for i := range taken {
		taken[i] = list[i*len(list)/most]
	}
	return taken
}

func (c *corpus) size() (octets, urls int) {
	for i := range c.sites {
		octets, urls = octets+len(c.sites[i].Body), urls+len(c.sites[i].URLs)
	}
	return octets, urls
}

// loadVectors reads robots.txt with the verdicts of the reference. Some peers insist on one origin: of URLs of
// http and https it makes two sites.
func (c *corpus) loadVectors(name string) error {
	data, err := readGzip(name)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var v struct {
			Robots []byte   `json:"robots_b64"`
			Agent  string   `json:"agent"`
			Cases  [][3]any `json:"cases"` // URL, allowed, line
		}
		if err := d.Decode(&v); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		byOrigin := map[string]int{}
		for _, one := range v.Cases {
			url := one[0].(string)
			robotsURL := robotsOf(url)
			at, known := byOrigin[robotsURL]
			if !known {
				at = len(c.sites)
				byOrigin[robotsURL] = at
				c.sites = append(c.sites, bench.Site{RobotsURL: robotsURL, Agent: v.Agent, Body: v.Robots})
				c.recorded = append(c.recorded, nil)
			}
			c.sites[at].URLs = append(c.sites[at].URLs, url)
			verdict := automaton.Verdict{Disallowed: !one[1].(bool), Line: uint32(one[2].(float64))}
			c.recorded[at] = append(c.recorded[at], verdict)
		}
	}
}

func robotsOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "http://unknown.example/robots.txt"
	}
	return u.Scheme + "://" + u.Host + "/robots.txt"
}

var requestLine = regexp.MustCompile(`"(?:GET|HEAD|POST) (/\S*) HTTP/`)

// loadSample makes questions of the paths in the sample's access log.
func (c *corpus) loadSample(folder string) error {
	const origin = "https://lantern.example"
	body, err := os.ReadFile(folder + "robots.txt")
	if err != nil {
		return err
	}
	log, err := readGzip(folder + "access.log.gz")
	if err != nil {
		return err
	}
	var urls []string
	for _, m := range requestLine.FindAllSubmatch(log, -1) {
		if url := origin + string(m[1]); !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	for _, agent := range []string{"Googlebot", "GPTBot", "GrabbitBot"} {
		c.sites = append(c.sites, bench.Site{RobotsURL: origin + "/robots.txt", Agent: agent, Body: body, URLs: urls})
	}
	return nil
}

func readGzip(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data []byte
	r, err := gzip.NewReader(f)
	if err == nil {
		data, err = io.ReadAll(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// judge answers the questions by robotsieve's dialect google.
func (c *corpus) judge() {
	for i := range c.sites {
		robots, verdicts, want := bench.Judge(&c.sites[i], googleWhole)
		c.robots, c.verdicts, c.want = append(c.robots, robots), append(c.verdicts, verdicts), append(c.want, want)
	}
}

// recordedDifferences counts the reference's verdicts, and those in which robotsieve differs, line included.
func (c *corpus) recordedDifferences() (recorded, differ int) {
	for i, list := range c.recorded {
		for j, v := range list {
			recorded++
			if v != c.verdicts[i][j] {
				differ++
			}
		}
	}
	return recorded, differ
}
