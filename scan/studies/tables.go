package studies

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// scopes are those of rows, in their order.
var scopes = [...]string{"all", "category", "operator", "crawler", "site"}

// key names a share, which is a row. Its scope is an index of scopes.
type key struct {
	scope         int
	name, measure string
	identity      report.Identity
}

type share struct {
	part, of, requests int64
	unit               string
}

// tables counts records, which come in their order.
type tables struct {
	profiles map[string]*crawler.Profile
	shares   map[key]*share
	unplaced int64 // requests of which no session is known

	// Of the crawler, identity and site that come now:
	group                            []byte
	names                            [len(scopes)]string
	identity                         report.Identity
	known                            bool
	decided, complied                int64
	firstFetch, lastFetch, firstPage int64

	session session
}

// session is the session whose requests come now.
type session struct {
	client        uint64
	last, decided int64 // the time of the last request, and how many were decided
	what          uint  // the set of what its requests were
	checked       bool  // robots.txt, before any page
}

const (
	never      = math.MaxInt64
	second     = int64(1e9)
	sessionEnd = 300 * second
	fixed      = 8 + 8 + 1 // bytes of a record after the site
)

func newTables(profiles []crawler.Profile) *tables {
	t := &tables{profiles: map[string]*crawler.Profile{}, shares: map[key]*share{}}
	for i := range profiles {
		t.profiles[profiles[i].Name] = &profiles[i]
	}
	return t
}

// count adds to a share in the first scopes.
func (t *tables) count(measure, unit string, part, of, requests int64, in int) {
	for scope, name := range t.names[:in] {
		k := key{scope, name, measure, t.identity}
		if t.shares[k] == nil {
			t.shares[k] = &share{unit: unit}
		}
		s := t.shares[k]
		s.part, s.of, s.requests = s.part+part, s.of+of, s.requests+requests
	}
}

func isOf(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// begin turns to another crawler, identity or site.
func (t *tables) begin(b []byte) {
	name, rest, _ := bytes.Cut(b, []byte{0})
	t.names = [...]string{"", report.Unknown, report.Unknown, "(unknown crawlers)", string(rest[1 : len(rest)-1])}
	p := t.profiles[string(name)]
	if t.known = p != nil; t.known {
		t.names[1], t.names[2], t.names[3] = p.Category, p.Operator, p.Name
	}
	t.group, t.identity, t.decided, t.complied = append(t.group[:0], b...), report.Identity(rest[0]), 0, 0
	t.firstFetch, t.lastFetch, t.firstPage = never, never, never
}

func (t *tables) add(b []byte) {
	group, f := b[:len(b)-fixed], b[len(b)-fixed:]
	client, time, what := binary.BigEndian.Uint64(f), int64(binary.BigEndian.Uint64(f[8:])^1<<63), f[16]
	if !bytes.Equal(group, t.group) {
		t.end()
		t.begin(group)
	}
	s := &t.session
	if client == anyClient {
		t.fetch(time)
		return
	}
	if client != s.client || time-s.last > sessionEnd {
		t.endSession()
	}
	isDecided := isOf(what == permitted || what == forbidden)
	t.decided, t.complied = t.decided+isDecided, t.complied+isOf(what == permitted)
	if what >= permitted {
		t.firstPage = min(t.firstPage, time)
	}
	if client == noClient {
		t.unplaced++
		return
	}
	s.checked = s.checked || what == fetched && s.what < 1<<permitted
	s.client, s.last, s.decided, s.what = client, time, s.decided+isDecided, s.what|1<<what
}

func (t *tables) fetch(time int64) {
	for _, hours := range []int64{12, 24, 48, 72, 168} { // as Kim and others
		if t.known && t.lastFetch != never {
			t.count(fmt.Sprintf("recheck_%dh", hours), "gaps", isOf(time-t.lastFetch <= hours*3600*second), 1, 0, len(scopes))
		}
	}
	t.firstFetch, t.lastFetch = min(t.firstFetch, time), time
}

func (t *tables) endSession() {
	s := &t.session
	if s.decided > 0 {
		t.count("sessions_complied", "sessions", isOf(s.what&(1<<forbidden) == 0), 1, s.decided, len(scopes))
	}
	if s.what >= 1<<permitted {
		t.count("session_checked_first", "sessions", isOf(s.checked), 1, 0, len(scopes))
	}
	*s = session{}
}

// end ends a crawler, identity and site.
func (t *tables) end() {
	t.endSession()
	if t.decided > 0 {
		t.count("requests_complied", "requests", t.complied, t.decided, t.decided, len(scopes))
	}
	if t.known && t.firstPage != never {
		t.count("checked_first", "visits", isOf(t.firstFetch <= t.firstPage), 1, 0, len(scopes))
		t.count("never_checked", "visits", isOf(t.firstFetch == never), 1, 0, len(scopes))
	}
}

// countCrawlers counts the known crawlers with decided requests.
func (t *tables) countCrawlers() {
	for k, s := range maps.Clone(t.shares) {
		p := t.profiles[k.name]
		if scopes[k.scope] != "crawler" || k.measure != "requests_complied" || p == nil {
			continue
		}
		k.measure = "never_checked"
		checked, complied := isOf(t.shares[k].part < t.shares[k].of), isOf(s.part == s.of)
		t.names, t.identity = [...]string{1: p.Category, 2: p.Operator, 4: ""}, k.identity
		t.count("crawlers_complied", "crawlers", complied, 1, s.of, 3)
		t.count("crawlers_checked", "crawlers", checked, 1, s.of, 3)
		t.count("crawlers_checked_and_complied", "crawlers", checked*complied, 1, s.of, 3)
	}
}

// rows ends the counting. A log without fetches of robots.txt says nothing of checks.
func (t *tables) rows(r *report.Report) (list []report.StudyRow) {
	t.end()
	t.countCrawlers()
	for _, k := range slices.SortedFunc(maps.Keys(t.shares), func(x, y key) int {
		return cmp.Or(cmp.Compare(x.scope, y.scope), cmp.Compare(x.name, y.name), cmp.Compare(x.identity, y.identity),
			cmp.Compare(x.measure, y.measure))
	}) {
		s := t.shares[k]
		row := shareRow(k.measure, scopes[k.scope], k.name, s.unit, s.part, s.of)
		row.Identity, row.Requests = k.identity.String(), s.requests
		if r.RobotsTxt.Logged || !strings.Contains(k.measure, "check") {
			list = append(list, row)
		}
	}
	return list
}

// shareRow returns the row of a share, of sessions with Wilson's interval of 95 per cent.
func shareRow(measure, scope, name, unit string, part, of int64) report.StudyRow {
	const z = 1.959963984540054
	n, p := float64(of), float64(part)/float64(of)
	row := report.StudyRow{Measure: measure, Scope: scope, Name: name, Unit: unit, N: of, Value: p, Low: math.NaN(),
		High: math.NaN()}
	if unit == "sessions" {
		middle, width := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
		row.Low, row.High = max((middle-width)/(1+z*z/n), 0), min((middle+width)/(1+z*z/n), 1)
	}
	return row
}
