package job

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOverlap checks that logs are reported to overlap if the first lines of one occur in another, and only then.
func TestOverlap(t *testing.T) {
	lines := func(from, to int) (list []string) {
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf("192.0.2.%d - - [10/Nov/2026:%02d:%02d:00 +0000] "+
				`"GET /%d HTTP/1.1" 200 10 "-" "GPTBot/1.0"`,
				i%9, i/60, i%60, i))
		}
		return list
	}
	same := slices.Repeat(lines(5, 6), 20)
	otherServer := lines(50, 70)
	otherServer[3] = strings.Replace(otherServer[3], " 200 ", " 404 ", 1)
	for name, c := range map[string]struct {
		logs [][]string
		want string
	}{
		"one after the other":     {[][]string{lines(0, 60), lines(60, 99)}, ""},
		"an hour in both":         {[][]string{lines(0, 60), lines(40, 99)}, "2.log in 1.log"},
		"in the other order":      {[][]string{lines(40, 99), lines(0, 60)}, "1.log in 2.log"},
		"copied before it ended":  {[][]string{lines(0, 60), lines(0, 30)}, "2.log in 1.log"},
		"three, in one":           {[][]string{lines(0, 99), lines(10, 30), lines(30, 50)}, "2.log in 1.log, 3.log in 1.log"},
		"seven lines":             {[][]string{lines(0, 60), lines(53, 60)}, ""},
		"seven lines and others":  {[][]string{lines(0, 60), lines(53, 99)}, ""},
		"one line is not there":   {[][]string{lines(0, 99), otherServer}, ""},
		"a line that comes again": {[][]string{append(lines(0, 9), same...), same}, ""},
		"all of it":               {[][]string{lines(0, 60), lines(0, 60)}, ""}, // told apart from this
		"begins with few lines":   {[][]string{lines(0, 99), lines(20, 24)}, ""},
	} {
		dir := t.TempDir()
		o := AuditOptions{Judging: Judging{Robots: RobotsFile{Name: filepath.Join(dir, "robots.txt")}}, LogOptions: LogOptions{Hosts: []string{"a.example"}}}
		o.Workers = 2
		files := map[string]string{"robots.txt": "User-agent: *\nDisallow: /private/\n"}
		for i, log := range c.logs {
			files[fmt.Sprintf("%d.log", i+1)] = strings.Join(log, "\n") + "\n"
			o.Logs.Names = append(o.Logs.Names, filepath.Join(dir, fmt.Sprintf("%d.log", i+1)))
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		a, err := Audit(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range a.Report.Warnings {
			if _, list, found := strings.Cut(w, "the first 8 lines of "); found {
				got = strings.ReplaceAll(list, dir+string(filepath.Separator), "")
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
