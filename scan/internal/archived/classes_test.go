package archived

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Of equal rulesets one is judged.
func TestRulesetsAreClassedOnce(t *testing.T) {
	w, err := archive.NewWriter(automaton.RFC9309)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 90 {
		body := fmt.Appendf(nil, "# %d\nUser-agent: *\nDisallow: /%d\n\nUser-agent: GPTBot\nDisallow: /\n", i%9, i%3)
		rules := compile.Compile(body, compile.Options{}).Ruleset
		if err := w.AddVersion(fmt.Sprintf("https://h%d.example:443", i), 0, 200, "", rules); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.rsv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteTo(f); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	rules, err := Open(t.Context(), path, NewAgent(crawler.Claim{Name: "GPTBot"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rules.Mapped.Close() })
	c, n := NewClasses(rules, true, 0), 0
	c.Each = func(*report.SiteClass) error { n++; return nil }
	if err := c.List(); err != nil || n != 90 || len(c.known) != 3 {
		t.Errorf("%d classes of %d rulesets, not 90 of 3 (%v)", n, len(c.known), err)
	}
}

// An archive whose dates lie ages apart is refused by month: its table would have no end.
func TestTrendOfAgesIsRefused(t *testing.T) {
	for last, refused := range map[int64]bool{253_402_300_799: false, math.MaxInt64 - 1: true} {
		tr := Months{Classes: NewClasses(&Rules{}, true, 0), first: math.MaxInt,
			changes: map[monthAgent]map[string]int64{}, end: math.MinInt}
		for _, from := range []int64{-62_135_596_800, last} { // from the year 1
			_ = tr.add(&report.SiteClass{Origin: "https://a.example:443", From: from, Until: math.MaxInt64, Class: "full"})
		}
		err := tr.Rows(func(*report.MonthClass) error { return nil })
		if refused != (err != nil) {
			t.Errorf("up to %d: %v", last, err)
		}
	}
}
