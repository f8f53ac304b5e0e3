package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// eachHour is a log with a request in each hour of a day, in UTC.
func eachHour(t *testing.T) string {
	t.Helper()
	var log strings.Builder
	for hour := range 24 {
		log.WriteString(strings.Replace(logLine("/p", "GPTBot/1"), "12:00:00", fmt.Sprintf("%02d:00:00", hour), 1))
	}
	return file(t, "hours.log", log.String())
}

func TestPeriod(t *testing.T) {
	robots, log := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), eachHour(t)
	for name, c := range map[string]struct {
		args         []string
		lines        float64
		since, until string
	}{
		"none":            {nil, 24, "", ""},
		"since a time":    {[]string{"--since", "2026-11-10T20:00:00Z"}, 4, "2026-11-10T20:00:00Z", ""},
		"until a time":    {[]string{"--until", "2026-11-10T20:00:00Z"}, 20, "", "2026-11-10T20:00:00Z"},
		"with an offset":  {[]string{"--until", "2026-11-10T05:30:00.5+05:30"}, 1, "", "2026-11-10T00:00:00.5Z"},
		"dates":           {[]string{"--since", "2026-11-09", "--until", "2026-11-10"}, 0, "2026-11-09T00:00:00Z", "2026-11-10T00:00:00Z"},
		"dates in a zone": {[]string{"--since", "2026-11-10", "--until", "2026-11-11", "--time-zone", "America/New_York"}, 19, "2026-11-10T05:00:00Z", "2026-11-11T05:00:00Z"},
		"an offset":       {[]string{"--until", "2026-11-10", "--time-zone", "-03:30"}, 4, "", "2026-11-10T03:30:00Z"},
	} {
		r := command(t, "", append([]string{"audit", "--robots", robots, "--output", "json", log}, c.args...)...)
		report := auditJSON(t, r)
		if r.code != exitDone || report["lines"] != c.lines || report["out_of_period"] != 24-c.lines || report["since"] != c.since || report["until"] != c.until {
			t.Errorf("%s: code %d, %v lines, %v outside of %v to %v, stderr %q", name, r.code, report["lines"], report["out_of_period"], report["since"], report["until"], r.err)
		}
	}
	r := command(t, "", "audit", "--full", "--robots", robots, "--since", "2026-11-10T20:00:00Z", log)
	wants(t, r.out, "4 of 4 crawler requests broke robots.txt", "Period:    from 2026-11-10 20:00:00 UTC\n", "not among them: 20 outside of the period\n",
		"Only requests from 2026-11-10T20:00:00Z on are", "20 lines outside of this")
}

// A period may count back from now: cron jobs do.
func TestPeriodBeforeNow(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Hour)
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	var log strings.Builder
	for days := range 40 { // the youngest line is of half an hour ago
		at := now.Add(-time.Duration(days)*24*time.Hour - 30*time.Minute)
		log.WriteString(strings.Replace(logLine("/p", "GPTBot/1"), "10/Nov/2026:12:00:00", at.Format("02/Jan/2006:15:04:05"), 1))
	}
	name := file(t, "days.log", log.String())
	for lines, args := range map[float64][]string{
		1: {"--since", "24h"}, 7: {"--since", "7d"}, 14: {"--since", "2w"}, 10: {"--until", "30d"}, 3: {"--since", "10d", "--until", "7d"},
	} {
		r := command(t, "", append([]string{"audit", "--robots", robots, "--output", "json", name}, args...)...)
		if report := auditJSON(t, r); r.code != exitDone || report["lines"] != lines {
			t.Errorf("%v: code %d, %v lines from %v to %v, want %v: %s", args, r.code, report["lines"], report["since"], report["until"], lines, r.err)
		}
	}
}

// Times that name no zone are those of --time-zone, and the report says so; others keep theirs.
func TestTimeZone(t *testing.T) {
	const line = `Nov 10 12:00:00 lb haproxy[14389]: 10.0.1.2:33317 [10/Nov/2026:12:00:00.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {example.com|Mozilla/5.0 (compatible; GPTBot/1.2)} "GET /p HTTP/1.1"` + "\n"
	robots, zoneless, other := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "haproxy.log", strings.Repeat(line, 3)), file(t, "a.log", logLine("/p", "GPTBot/1"))
	for name, c := range map[string]struct {
		args       []string
		from, says string
	}{
		"default": {[]string{zoneless}, "2026-11-10T12:00:00Z", "taken as those of UTC, and may be wrong by 14 h (--time-zone)."},
		"a name":  {[]string{"--time-zone", "Asia/Tokyo", zoneless}, "2026-11-10T03:00:00Z", "taken as those of Asia/Tokyo, as requested."},
		"offset":  {[]string{"--time-zone", "-05:00", zoneless}, "2026-11-10T17:00:00Z", "taken as those of -05:00, as requested."},
		"another": {[]string{"--time-zone", "Asia/Tokyo", other}, "2026-11-10T12:00:00Z", ""},
	} {
		r := command(t, "", append([]string{"audit", "--robots", robots, "--host", "example.com", "--output", "json"}, c.args...)...)
		report := auditJSON(t, r)
		assumptions := fmt.Sprint(report["assumptions"])
		if r.code != exitDone || report["from"] != c.from || !strings.Contains(assumptions, c.says) || strings.Contains(assumptions, "name no zone") != (c.says != "") {
			t.Errorf("%s: code %d, from %v, stderr %q, assumptions %s", name, r.code, report["from"], r.err, assumptions)
		}
	}
	// States read in different zones add up, and their sum says in which.
	one := makeState(t, "--robots", robots, "--host", "example.com", "--time-zone", "Asia/Tokyo", zoneless)
	two := makeState(t, "--robots", robots, "--host", "example.com", "--time-zone", "-05:00", file(t, "b.log", line))
	r := command(t, "", "merge", "--output", "json", one, two)
	if report := auditJSON(t, r); r.code != exitDone || report["from"] != "2026-11-10T03:00:00Z" || report["to"] != "2026-11-10T17:00:00Z" || !strings.Contains(r.out, "those of Asia/Tokyo") || !strings.Contains(r.out, "those of -05:00") {
		t.Errorf("code %d, from %v to %v, stderr %q", r.code, report["from"], report["to"], r.err)
	}
}

// What no audit of a log can find is said before it is read.
func TestLogsThatCannotBeAuditedAreToldAtOnce(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	common := strings.Replace(logLine("/p", "x"), ` "-" "x"`, "", 1)
	one, two := file(t, "one.log", common), file(t, "two.log", strings.Replace(common, "192.0.2.1", "192.0.2.2", 1))
	r := command(t, "", "audit", "--full", "--robots", robots, one, two)
	if strings.Count(r.err, "has no User-Agent, so no line of it can name a crawler") != 1 || !strings.Contains(r.out, "Warning: the format common has no User-Agent") {
		t.Errorf("stderr %q, stdout %q", r.err, r.out)
	}
}
