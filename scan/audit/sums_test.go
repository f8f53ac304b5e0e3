package audit

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// noSum are the numbers of a report that are no counts, and unbounded those counts of which
// one more may be true: that is noticed only if it is more than there can be.
var (
	noSum = regexp.MustCompile(`^(MaxUnparsedPercent|Policy\.(Bytes|Notes|\w+Seconds|Versions\[\d+\]\.(Status|Bytes|MaxAgeSeconds))|` +
		`RobotsTxt\.(Listed\[\d+\]\.(Bytes|Expected\[\d+\])|ClearedBy\[\d+\]\.Status)|` +
		`Crawlers\[\d+\]\.(Rules\[\d+\]\.Line|RobotsTxt\.(MedianGap|LongestGap)|CrawlDelay\[\d+\]\.(Delay|Median|P10)))$`)
	unbounded = regexp.MustCompile(`^(Blank|Other|Operators\[\d+\]\.(Crawled|Referred)|Inputs\[\d+\]\.(Disk|Bytes)|HTTPLibraries|CDNAgents|IdentityNoList|EndInZero|Policy\.Versions\[\d+\]\.Cited|RobotsTxt\.(Requests|Served|None|Failed|Sizes|Differing|Listed\[\d+\]\.N)|` +
		`Crawlers\[\d+\]\.(Evasive|AmbiguousForbidden|GraceInformed|GraceAfterFetch|ClaimsNotListed|Addresses\.N|(Violation)?Paths\.(Sample|List\[\d+\]\.N)|Rules\[\d+\]\.Paths\.List\[\d+\]\.N|Statuses\[\d+\]\.Status|RobotsTxt\.(Gaps|Within24h|Refused\[\d+\]\.Status)|CrawlDelay\[\d+\]\.(Gaps|Shorter)))$`)
)

// tenth is the tenth of a list or a later one: nine of each are enough.
var tenth = regexp.MustCompile(`\[\d\d`)

// eachNumber calls f for each number of a report, with its name.
func eachNumber(v reflect.Value, name string, f func(name string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Anonymous {
				eachNumber(v.Field(i), name, f)
			} else {
				eachNumber(v.Field(i), strings.TrimPrefix(name+"."+field.Name, "."), f)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachNumber(v.Index(i), fmt.Sprintf("%s[%d]", name, i), f)
		}
	case reflect.Int, reflect.Int64, reflect.Float64:
		f(name, v)
	}
}

// fullReport is a report with all that is counted.
func fullReport(t *testing.T) *Report {
	t.Helper()
	a := stateAuditor(t)
	lines := stateLog(rand.New(rand.NewPCG(3, 4)), 4000)
	run := begin(t, a)
	w := run.Worker()
	w.Chunk(byName(t, "vhost_combined"), []byte(strings.Join(lines, "\n")+"\n\n"))
	n, unparsed, _ := w.Counted()
	r, err := run.Report(Inputs{List: []InputInfo{{Name: "a", Lines: n - 10, Unparsed: unparsed}, {Name: "b", Lines: 10}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Whichever number of a report is changed, the report is not given out.
func TestEveryBrokenSumIsNoticed(t *testing.T) {
	r := fullReport(t)
	seen := map[string]bool{}
	eachNumber(reflect.ValueOf(r).Elem(), "", func(name string, v reflect.Value) {
		if noSum.MatchString(name) || tenth.MatchString(name) {
			return
		}
		seen[regexp.MustCompile(`\[\d+\]`).ReplaceAllString(name, "")] = true
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		set := func(n int64) {
			if v.Kind() == reflect.Float64 {
				v.SetFloat(float64(n))
			} else {
				v.SetInt(n)
			}
		}
		of := func() int64 {
			if v.Kind() == reflect.Float64 {
				return int64(v.Float())
			}
			return v.Int()
		}()
		changes := []int64{-1, math.MinInt64, math.MaxInt64, of + 1}
		if of > 0 {
			changes = append(changes, of-1)
		}
		for _, n := range changes {
			if regexp.MustCompile(`^(Blank|Other|Inputs\[\d+\]\.(Disk|Bytes))$`).MatchString(name) && n > 0 || unbounded.MatchString(name) && (n == of+1 || n == of-1 || strings.HasSuffix(name, ".Status")) {
				continue
			}
			if set(n); r.wrongSum() == "" {
				t.Errorf("%s is %d, not %v: nothing is wrong", name, n, was)
			}
			v.Set(was)
		}
		if wrong := r.wrongSum(); wrong != "" {
			t.Fatal(wrong)
		}
	})
	for _, name := range []string{
		"Lines", "Totals.Verdicts", "Totals.VerifiedContent", "Totals.VerifiedShare", "Totals.Fetchers.Requests", "Crawlers.Requests", "Crawlers.Verdicts", "Crawlers.Reasons",
		"Crawlers.Identity", "Crawlers.Outcomes", "Crawlers.Violations.N", "Crawlers.Rules.Violations", "Crawlers.RulesNotListed", "Crawlers.RobotsTxt.Answers",
		"Crawlers.RobotsTxt.Refused.N", "Crawlers.CrawlDelay.Shorter", "RobotsTxt.ClearedBy.N", "RobotsTxt.Listed.N", "OtherHosts.Requests", "OtherHostsNotListed",
		"Crawlers.Bytes", "Crawlers.ViolationBytes", "Crawlers.Statuses.N", "Crawlers.Addresses.N", "Crawlers.Paths.List.N", "Crawlers.ViolationPaths.List.N", "Crawlers.Rules.Paths.List.N",
		"Policy.Versions.Cited", "Inputs.Lines", "Inputs.Unparsed",
	} {
		if !seen[name] {
			t.Errorf("the report has no %s", name)
		}
	}
}

// A report says nothing of violations under names that do not exist, or twice.
func TestViolationsOfNoKindAreNoticed(t *testing.T) {
	for what, change := range map[string]func(*CrawlerInfo){
		"identity": func(c *CrawlerInfo) { c.Violations[0].Identity = "proven" },
		"outcome":  func(c *CrawlerInfo) { c.Violations[0].Outcome = "served" },
		"method":   func(c *CrawlerInfo) { c.Violations[0].Method = "TRACE" },
		"twice": func(c *CrawlerInfo) {
			c.Violations[0].N--
			one := c.Violations[0]
			one.N = 1
			c.Violations = append(c.Violations, one)
		},
	} {
		r := fullReport(t)
		if change(&r.Crawlers[0]); r.wrongSum() == "" {
			t.Errorf("%s: nothing is wrong", what)
		}
	}
}

// Every way to a report checks it.
func TestReportThatDoesNotAddUpIsAnError(t *testing.T) {
	a := stateAuditor(t)
	lines := stateLog(rand.New(rand.NewPCG(3, 4)), 100)
	for name, in := range map[string]Inputs{"whole": {}, "partial": {Partial: true}} {
		run := begin(t, a)
		w := run.Worker()
		w.Chunk(byName(t, "vhost_combined"), []byte(strings.Join(lines, "\n")))
		w.tally.NotCrawlers++
		if _, err := run.Report(in); !errors.Is(err, errSum) || !strings.Contains(err.Error(), "lines") {
			t.Errorf("%s: %v", name, err)
		}
	}
	run := begin(t, a)
	run.Worker().Chunk(byName(t, "vhost_combined"), []byte(strings.Join(lines, "\n")))
	if _, err := run.Report(Inputs{List: []InputInfo{{Lines: 1}}}); !errors.Is(err, errSum) || !strings.Contains(err.Error(), "input") {
		t.Errorf("lines of inputs: %v", err)
	}
}

// States whose sums would overflow are refused, not added up to few.
func TestStatesOfTooManyLinesAreRefused(t *testing.T) {
	a := stateAuditor(t)
	many := a.newTally()
	many.Lines, many.NotCrawlers = mostLines-1, mostLines-1
	state := joined(t, string(a.appendTally(nil, many)))
	if _, err := reportOf(a, state); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		states := make([][]byte, n+2)
		for i := range states {
			states[i] = state
		}
		if _, err := reportOf(a, states...); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "lines in all") {
			t.Errorf("%d states: %v", len(states), err)
		}
	}
}

// named is a file in memory.
type named struct {
	io.ReaderAt
	name string
}

func (n named) Name() string { return n.name }

// The error of a damaged state names its file among others, and what is wrong.
func TestDamageNamesItsFile(t *testing.T) {
	a := stateAuditor(t)
	lines := stateLog(rand.New(rand.NewPCG(1, 2)), 200)
	good := stateOf(t, a, lines)
	tally, records := savedParts(t, good)
	one := pendingOf(t, records)
	bad := one
	bad.Data = append([]byte{}, one.Data...)
	bad.Data[2] = 99
	for what, state := range map[string][]byte{
		"it is of no kind": joined(t, tally, append(records, bad)...),
		"do not add up":    joined(t, tally, append(records, one)...),
	} {
		run := begin(t, a)
		for name, b := range map[string][]byte{"good.state": good, "bad.state": state, "also.state": good} {
			s, err := ReadState(named{strings.NewReader(string(b)), name}, int64(len(b)))
			if err := errors.Join(err, run.Add(s)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := run.Report(Inputs{})
		if !errors.Is(err, ErrDamaged) || !strings.HasPrefix(err.Error(), "bad.state: ") || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
