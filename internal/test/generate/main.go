// Command generate writes the log of the sample that the demonstration audits: four days
// of The Lantern, a small magazine that does not exist.
//
//	go run ./internal/test/generate > testdata/sample/access.log.gz
//
// The same source always writes the same log. The other files of the sample are checked in. The
// expected findings, expected.json, must be recounted by hand if a line changes.
//
// The crawlers with real names break no rule. Crawlers that do are invented, or
// impostors. All addresses are from the ranges set aside for documentation.
package main

import (
	"compress/gzip"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	seed = 1987
	days = 4
)

// monday is the beginning of the log, 00:00 of its first day.
var monday = time.Date(2026, time.November, 16, 0, 0, 0, 0, time.UTC)

// A line is one line of the log, as logged, without its newline.
type line struct {
	at   time.Time
	text string
}

// logged returns the line of a request.
func logged(r request) line {
	if down(r.at) {
		r.status = 500
	}
	return line{r.at, r.String()}
}

// asked returns the line of an ordinary request for a path.
func asked(at time.Time, addr, agent, path string, status int) line {
	return logged(request{at: at, addr: addr, line: get(path), status: status, agent: agent})
}

// The last line has no newline: the log was copied while it was being written.
func main() {
	var texts []string
	for _, l := range fourDays() {
		texts = append(texts, l.text)
	}
	w, _ := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	_, err := io.WriteString(w, strings.Join(texts, "\n"))
	if err := errors.Join(err, w.Close()); err != nil {
		log.Fatal(err)
	}
}

// fourDays returns the lines of all clients in order of time. Each client has a separate random
// stream, so that a change to one doesn't affect the others.
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
	lines = slices.Concat(lines, grabbit(random()), dormouse(random()), impostors(random()), byHand())
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	return lines
}
