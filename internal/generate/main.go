// Command generate writes the sample that the demonstration audits: four days
// of The Lantern, a small magazine that does not exist.
//
//	go run ./internal/generate -o testdata/sample
//
// It writes the log, the two versions of robots.txt with the manifest that dates
// them, the profiles of invented crawlers, lists of invented addresses, and
// expected.json. Every line of the log is made together with its correct verdict,
// so expected.json is known by construction, and a test compares an audit with it.
// The same source always writes the same files.
//
// The crawlers with real names break no rule. Crawlers that do are invented, or
// impostors. All addresses are from the ranges set aside for documentation.
package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	seed = 1987
	days = 4
)

// monday is when the log begins, 00:00 of its first day.
var monday = time.Date(2026, time.November, 16, 0, 0, 0, 0, time.UTC)

// A line is one line of the log and the truth about it.
type line struct {
	at    time.Time
	text  string // as logged, without its newline
	truth truth
}

// logged returns the line of a request with its truth, completed from the request.
func logged(r request, t truth) line {
	if down(r.at) {
		r.status = 500
	}
	t.told = r.line == get(robotsPath) && (r.status == 200 || r.status == 304)
	t.toldAlone = t.told && (r.status == 304 || !r.at.Before(changed))
	t.method, t.outcome = methodOf(r.line), r.outcome()
	return line{at: r.at, text: r.String(), truth: t}
}

// asked returns the line of a request for a path as everybody makes it.
func asked(at time.Time, addr, agent, path string, status int, t truth) line {
	return logged(request{at: at, addr: addr, line: get(path), status: status, agent: agent}, t)
}

func main() {
	dir := flag.String("o", "", "folder to write the sample to")
	flag.Parse()
	if *dir == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := generate(*dir); err != nil {
		log.Fatal(err)
	}
}

func generate(dir string) error {
	lines := fourDays()
	packed, err := compressed(lines)
	if err != nil {
		return err
	}
	expected, err := json.MarshalIndent(expectations{tally(lines, false), tally(lines, true)}, "", "  ")
	if err != nil {
		return err
	}
	files := maps.Clone(ranges)
	files["robots.txt"] = robotsTxt
	files["robots-2026-09-07.txt"] = robotsBefore
	files["robots-2026-11-17.txt"] = robotsTxt
	files["policy.csv"] = manifest
	files["crawlers.json"] = crawlers
	files["access.log.gz"] = packed
	files["expected.json"] = string(expected) + "\n"
	if err := os.MkdirAll(filepath.Join(dir, "ranges"), 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fourDays returns the lines of all clients in order of time. Each client has a random
// stream of its own, so that a change to one leaves the lines of the others alone.
func fourDays() []line {
	stream := uint64(0)
	random := func() *rand.Rand {
		stream++
		return rand.New(rand.NewPCG(seed, stream))
	}
	lines := readers(random())
	for _, c := range obedient {
		lines = append(lines, c.requests(random())...)
	}
	lines = slices.Concat(lines, grabbit(random()), dormouse(random()), impostors(random()), moss(), gull(), notable(), oddities())
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	return lines
}

// compressed is the log as the archive keeps it. Its last line has no newline:
// the log was copied while it was being written.
func compressed(lines []line) (string, error) {
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.text)
	}
	var packed strings.Builder
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(w, strings.Join(texts, "\n"))
	err = errors.Join(err, w.Close())
	return packed.String(), err
}
