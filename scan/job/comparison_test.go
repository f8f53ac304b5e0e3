package job

import (
	"archive/tar"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/source"
)

// describedAgainst describes a robots.txt, compared with an older one.
func describedAgainst(t *testing.T, before, after string) *explain.Description {
	t.Helper()
	c, err := NewChecker(t.Context(), CheckOptions{Robots: RobotsFile{Name: "-", Stdin: strings.NewReader(after)},
		Against: RobotsFile{Name: "-", Stdin: strings.NewReader(before)}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Describe(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// verdictOn returns the verdict on a path for an agent, and the line that decides.
func verdictOn(t *testing.T, body, agent, path string) (allowed bool, line int) {
	t.Helper()
	c, err := NewChecker(t.Context(), CheckOptions{Robots: RobotsFile{Name: "-", Stdin: strings.NewReader(body)},
		Agents: []Agent{{Name: agent}}})
	if err != nil {
		t.Fatal(err)
	}
	answers, err := c.Check(path)
	if err != nil {
		t.Fatal(err)
	}
	return answers[0].Allowed, answers[0].Line
}

// TestRealDifferences compares the first and the last version of several real files. The results for known crawlers
// and *, here and in the table of barred crawlers, must agree with check for the paths.
func TestRealDifferences(t *testing.T) {
	in, err := source.NewFile("../../../shared/data/history/monthly-robots-2025-2026.tar.xz")
	if err != nil {
		t.Skip("real data are not part of the module:", err)
	}
	r, err := in.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first, last := map[string]string{}, map[string]string{}
	for files := tar.NewReader(r); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		body, errRead := io.ReadAll(files)
		if err != nil || errRead != nil {
			t.Fatal(err, errRead)
		}
		name := filepath.Base(h.Name)
		if !strings.HasSuffix(name, ".robots.txt") || len(body) > 20_000 {
			continue
		}
		if _, known := first[name]; !known && len(first) < 250 {
			first[name] = string(body)
		}
		last[name] = string(body)
	}
	checked := 0
	for name, before := range first {
		after := last[name]
		d := describedAgainst(t, before, after)
		if len(d.Undecided) > 0 {
			t.Errorf("%s: not decided for %q", name, d.Undecided)
		}
		set, _ := Crawlers("")
		for _, x := range d.Differences {
			if p := set.ByName(x.Agent); x.Agent != "*" && (p == nil || p.Name != x.Agent) {
				continue
			}
			was, lineBefore := verdictOn(t, before, x.Agent, x.Path)
			is, lineAfter := verdictOn(t, after, x.Agent, x.Path)
			if was == is || is != (x.Change == explain.NowAllowed) || lineBefore != x.LineBefore || lineAfter != x.LineAfter {
				t.Errorf("%s: %+v, but %v by line %d, and now %v by line %d", name, x, was, lineBefore, is, lineAfter)
			}
			checked++
		}
		for _, row := range d.Barred {
			if row.Forbidden != "" {
				if allowed, _ := verdictOn(t, after, row.Agents[0], row.Forbidden); allowed {
					t.Errorf("%s: %+v", name, row)
				}
			}
			if row.Allowed != "" {
				if allowed, _ := verdictOn(t, after, row.Agents[0], row.Allowed); !allowed {
					t.Errorf("%s: %+v", name, row)
				}
			}
		}
	}
	t.Logf("%d files, %d differences", len(first), checked)
	if checked < 50 {
		t.Errorf("%d differences", checked)
	}
}
