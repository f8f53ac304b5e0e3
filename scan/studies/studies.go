// Package studies counts the requests of an audit as published studies of crawlers do, in rows whose
// measures docs/studies.md defines. A Sink keeps a short record of each judged request, sorted in
// bounded memory and perhaps on disk, and counts them in one pass (tables.go). What the report has
// counted already, of changes of robots.txt and of Crawl-delay, it takes from there (reported.go).
package studies

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// Sink keeps judged requests. A record has the crawler, empty if it is not known, the identity and the
// site; then the client, the time and what was requested. A fetch of robots.txt has two records.
type Sink struct {
	sorted   *spill.Sorter
	profiles []crawler.Profile
	seed     maphash.Seed
	writers  []writer // of the final pass, and of each worker
}

type writer struct {
	*spill.Writer
	record []byte
}

// Clients are hashes, but for these: that of a fetch as one of its crawler's, whoever the client was,
// which comes before all requests of the site; and that of a request of which no session is known.
const (
	anyClient uint64 = iota
	noClient
)

// What was requested. Of one moment a fetch comes first: logs have whole seconds.
const (
	fetched   byte = iota // robots.txt, by GET
	asked                 // robots.txt, in another way
	permitted             // this and what follows is a page
	forbidden
	undecided // or not bound, or an impostor's
)

// New returns a sink for an audit with workers that knows crawlers of these profiles.
func New(profiles []crawler.Profile, workers int, o spill.Options) *Sink {
	s := &Sink{sorted: spill.New(o), profiles: profiles, seed: maphash.MakeSeed()}
	for range workers + 1 {
		s.writers = append(s.writers, writer{Writer: s.sorted.Writer()})
	}
	return s
}

// Put keeps a request: it is audit.Config.Judged.
func (s *Sink) Put(j *audit.Judged) {
	w, what, client, time := &s.writers[j.Worker+1], undecided, noClient, int64(0)
	switch {
	case j.MethodClass == report.Get && (j.Verdict == report.RobotsFetch || string(j.Target) == "/robots.txt"):
		what = fetched
	case j.Verdict == report.RobotsFetch:
		what = asked
	case j.Verdict == report.Violation:
		what = forbidden
	case j.Verdict == report.Allowed:
		what = permitted
	}
	if j.HasTime {
		time = j.Time
	}
	if j.HasTime && len(j.Address) > 0 {
		client = (maphash.Bytes(s.seed, j.Address) + maphash.String(s.seed, j.Crawler)) | 2
	}
	for range j.N {
		w.add(j, client, time, what)
		if what == fetched && j.HasTime {
			w.add(j, anyClient, time, what)
		}
	}
}

// add adds a record. An error of the temporary file comes again from Flush.
func (w *writer) add(j *audit.Judged, client uint64, time int64, what byte) {
	b := w.record[:0]
	if j.Profile != nil {
		b = append(b, j.Crawler...)
	}
	b = append(append(append(b, 0, byte(j.Identity)), j.Origin...), 0)
	b = binary.BigEndian.AppendUint64(b, client)
	w.record = append(binary.BigEndian.AppendUint64(b, uint64(time)^1<<63), what)
	_ = w.Add(w.record)
}

// Rows returns the rows of all requests, whose report this is. No worker may call Put afterwards. It
// stops when ctx ends.
func (s *Sink) Rows(ctx context.Context, r *report.Report) ([]report.StudyRow, error) {
	s.sorted.StopAt(ctx)
	for _, w := range s.writers {
		if err := w.Flush(); err != nil {
			return nil, fmt.Errorf("keeping the requests for --studies: %w", err)
		}
	}
	t := newTables(s.profiles)
	for record, err := range s.sorted.All() {
		if err != nil {
			return nil, err
		}
		for range record.N {
			t.add(record.Data)
		}
	}
	rows := t.rows(r)
	return append(append(about(r, t.unplaced), rows...), reported(r)...), nil
}

// Close frees the memory and removes the temporary file. A nil Sink has none.
func (s *Sink) Close() error {
	if s == nil {
		return nil
	}
	return s.sorted.Close()
}
