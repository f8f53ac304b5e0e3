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
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	text  string // as logged, without its end
	crlf  bool
	truth truth
}

// logged returns the line of a request with its truth, completed from the request.
func logged(r request, t truth) line {
	if down(r.at) {
		r.status = 503
	}
	t.told = t.told && (r.status == 200 || r.status == 304)
	t.method, t.outcome = methodOf(r.line), outcomeOf(r.status)
	return line{at: r.at, text: r.String(), truth: t}
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
	files := map[string][]byte{
		"robots.txt":            []byte(robotsTxt),
		"robots-2026-09-07.txt": []byte(robotsBefore),
		"robots-2026-11-17.txt": []byte(robotsTxt),
		"policy.csv":            []byte(manifest),
		"crawlers.json":         []byte(crawlers),
		"access.log.gz":         packed,
		"expected.json":         append(expected, '\n'),
	}
	for name, list := range ranges {
		files[filepath.Join("ranges", name)] = []byte(list)
	}
	if err := os.MkdirAll(filepath.Join(dir, "ranges"), 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
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
	lines = append(lines, grabbit(random())...)
	lines = append(lines, dormouse(random())...)
	lines = append(lines, impostors(random())...)
	lines = append(lines, moss()...)
	lines = append(lines, gull()...)
	lines = append(lines, notable()...)
	lines = append(lines, oddities()...)
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	return lines
}

// compressed is the log as the archive keeps it. Its last line has no newline:
// the log was copied while it was being written.
func compressed(lines []line) ([]byte, error) {
	var plain bytes.Buffer
	for i, l := range lines {
		plain.WriteString(l.text)
		if l.crlf {
			plain.WriteByte('\r')
		}
		if i < len(lines)-1 {
			plain.WriteByte('\n')
		}
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain.Bytes()); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}
