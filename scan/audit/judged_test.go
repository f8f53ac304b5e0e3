package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// given audits a log in chunks of so many lines, and returns what a sink gets of each of
// its lines, by their numbers.
func given(t *testing.T, a *Auditor, f *format.Format, lines []string, atOnce int) map[int64]Event {
	t.Helper()
	got := map[int64]Event{}
	a.config.Judged = listen(func(j *Event) {
		if _, again := got[j.Number]; again || j.N != 1 || j.Input != 7 {
			t.Errorf("line %d is given again, or %d times, or as one of input %d", j.Number, j.N, j.Input)
		}
		j.Line, j.Address, j.Method, j.Target = bytes.Clone(j.Line), bytes.Clone(j.Address), bytes.Clone(j.Method),
			bytes.Clone(j.Target)
		got[j.Number] = *j
	})
	run := begin(t, a)
	w := run.Worker()
	line := int64(1)
	for part := range slices.Chunk(lines, atOnce) {
		w.SetPlace(7, line)
		// with room after it, as chunks of a source
		chunk := append(make([]byte, 0, 1<<20), strings.Join(part, "\n")+"\n"...)
		w.Chunk(f, nil, chunk)
		line += int64(len(part))
	}
	resultOf(t, run)
	return got
}

// Judged has the place and all that the log says of each request, whether its verdict stands at
// once or waits, and in chunks of any size.
func TestJudgedSaysAllOfTheLine(t *testing.T) {
	lines := []string{
		entry{}.String(), "", entry{agent: browser}.String(), "no log",
		entry{target: "/private/" + strings.Repeat("x", 9000), method: "HEAD", status: "403", size: "-", addr: "-"}.String(),
		entry{addr: "192.0.2.9", target: "/robots.txt", size: "7"}.String(),
		entry{target: "/private/y", time: "-"}.String() + "\r",
		entry{target: "/?" + strings.Repeat("z", 7000), agent: acmebot + strings.Repeat(" a", 16<<10)}.String(),
	}
	for _, atOnce := range []int{1, 2, len(lines)} {
		got := given(t, newAuditor(t, robotsTxtBody, "https://example.com"), byName(t, "combined"), lines, atOnce)
		if len(got) != 5 {
			t.Fatalf("%d requests were given", len(got))
		}
		for number, j := range got {
			line := strings.TrimSuffix(lines[number-1], "\r")
			if string(j.Line) != line[:min(len(line), maxGivenLine)] || j.Cut != (len(line) > maxGivenLine) {
				t.Errorf("line %d is %.100q, cut %t", number, j.Line, j.Cut)
			}
			if j.Origin != "https://example.com" || !strings.Contains(line, string(j.Method)+" "+string(j.Target)) ||
				len(j.Target) == 0 {
				t.Errorf("line %d went to %q: %q %.100q", number, j.Origin, j.Method, j.Target)
			}
			if late := j.Verdict == report.Violation; late != (j.Worker == -1) {
				t.Errorf("%v came from worker %d", j.Verdict, j.Worker)
			}
		}
		if j := got[5]; j.Status != 403 || j.Size != -1 || j.Address != nil || len(j.Target) != maxGivenText ||
			j.Rule.Line != 2 {
			t.Errorf("status %d, size %d, address %q, %d bytes of the target, rule %+v", j.Status, j.Size, j.Address,
				len(j.Target), j.Rule)
		}
		if j := got[6]; j.Status != 200 || j.Size != 7 || string(j.Address) != "192.0.2.9" ||
			j.Verdict != report.RobotsFetch {
			t.Errorf("status %d, size %d, address %q, %v", j.Status, j.Size, j.Address, j.Verdict)
		}
	}
}

// The number of a line is its number in every format.
func TestJudgedNumbersLinesOfEveryFormat(t *testing.T) {
	for _, name := range format.Names() {
		f := byName(t, name)
		sample := strings.ReplaceAll(f.Sample(), "Mozilla/5.0", "GPTBot/1.2")
		lines := append(strings.Split(strings.TrimSuffix(f.Head(), "\n"), "\n"), "", sample, "no log", sample)
		if f.Head() == "" {
			lines = lines[1:]
		}
		for number, j := range given(t, newAuditor(t, robotsTxtBody), f, lines, len(lines)) {
			if want := lines[number-1]; string(j.Line) != want {
				t.Errorf("%s: line %d is %q, not %q", name, number, j.Line, want)
			}
		}
	}
	request := `{"ts":"2026-03-02T10:00:00Z","request":{"remote_ip":"192.0.2.17","method":"GET",` +
		`"host":"example.com","uri":"/","headers":{"User-Agent":["GPTBot"]}},"status":200,"size":1}`
	got := map[int64]int{}
	a := newAuditor(t, robotsTxtBody)
	a.config.Judged = listen(func(j *Event) { got[j.Number]++ })
	w := begin(t, a).Worker()
	w.SetPlace(0, 10)
	w.Chunk(byName(t, "caddy"), nil, []byte("["+request+","+request+"]\n\n"+request+"\n"))
	if got[10] != 2 || got[12] != 1 {
		t.Errorf("requests by line: %v", got)
	}
}

// What is given of a client that a list verifies or refutes is what the report says, also
// if it turns out that addresses prove nothing.
func TestJudgedIdentityIsFinal(t *testing.T) {
	for _, proxied := range []bool{false, true} {
		c := newAuditor(t, robotsTxtBody, "https://example.com").config
		c.Identities = known(t, c.Crawlers, map[string]string{"GPTBot": `{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`})
		a := New(c)
		var lines []string
		for i := range 2 * minLines {
			addr := "192.0.2.1"
			if !proxied {
				addr = fmt.Sprintf("%d.0.2.1", 100+i%100)
			}
			target := [...]string{"/", "/robots.txt", "/private/x", "/a~b"}[i/100%4]
			lines = append(lines, entry{addr: addr, target: target, time: at(i)}.String())
		}
		var verdicts report.VerdictCounts
		var identity report.IdentityCounts
		a.config.Judged = listen(func(j *Event) {
			verdicts[j.Verdict] += j.N
			identity[j.Identity] += j.N
		})
		r := auditText(t, a, "combined", strings.Join(lines, "\n"))
		if c := rowOf(r, "GPTBot"); r.Proxied != proxied || c.Verdicts != verdicts || c.Identity != identity {
			t.Errorf("proxied %t: %v %v, the report has %v %v", r.Proxied, verdicts, identity, c.Verdicts, c.Identity)
		}
	}
}

// With OnlyViolations nothing else is given, and nothing else waits for that.
func TestJudgedOnlyViolations(t *testing.T) {
	c := newAuditor(t, robotsTxtBody, "https://example.com").config
	c.Identities = known(t, c.Crawlers, map[string]string{"GPTBot": `{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`})
	c.OnlyViolations = true
	n := int64(0)
	c.Judged = listen(func(j *Event) {
		if n++; j.Verdict != report.Violation || j.Worker != -1 {
			t.Errorf("%v was given by worker %d", j.Verdict, j.Worker)
		}
	})
	lines := entry{target: "/"}.String() + "\n" + entry{target: "/private/x"}.String() + "\n" +
		entry{target: "/robots.txt"}.String() + "\n"
	if r := auditText(t, New(c), "combined", lines); n != 1 || r.Totals.Verdicts[report.Violation] != 1 {
		t.Errorf("%d requests were given, of %d violations", n, r.Totals.Verdicts[report.Violation])
	}
}
