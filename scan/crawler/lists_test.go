package crawler

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

// write makes files in a new directory, in which a name that ends in a slash is a directory.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// listedSet makes a set of crawlers of which some have lists that their operators publish.
func listedSet(t testing.TB) *Set {
	t.Helper()
	published := func(names ...string) (lists []List) {
		for _, name := range names {
			lists = append(lists, List{Name: name, URL: "https://lists.example/published-" + name, Seen: "2026-11-01"})
		}
		return lists
	}
	profile := func(name, operator string, lists ...string) Profile {
		return Profile{Name: name, Operator: operator, Words: []string{name}, Tokens: []string{name}, Obeys: "unknown",
			Lists: published(lists...)}
	}
	slurp := profile("Slurp", "Yahoo!")
	slurp.Words = []string{"Yahoo! Slurp", "Slurp/3.0"}
	control := profile("Google-Extended", "Google", "googlebot.json")
	control.Words, control.Control = nil, true
	return newSet(t, []Profile{
		profile("Googlebot", "Google", "googlebot.json"), profile("Googlebot-Image", "Google", "googlebot.json"), control,
		profile("AdsBot-Google", "Google", "special-crawlers.json"), profile("GPTBot", "OpenAI", "gptbot.json"), slurp,
		profile("FooBot", "Foo Inc.", "ips.json"), profile("BarBot", "Bar Ltd.", "ips.json"),
	})
}

// TestLoadSeries reads arguments of --ip-ranges. $ stands for the directory.
func TestLoadSeries(t *testing.T) {
	const list = `{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`
	const dated = `{"creationTime":"2026-01-01T00:00:00","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`
	set := listedSet(t)
	dir := write(t, map[string]string{
		"some.txt":               "192.0.2.1",
		"dated.json":             dated,
		"odd@name.txt":           "192.0.2.1",
		"odd@2026-11-03.txt":     "192.0.2.1",
		"day@2026-11-04":         "192.0.2.1",
		"bad.txt":                "192.0.2.1\n10.0.0.0/8",
		"dated/2026-01.json":     dated,
		"dated/2026-02.json":     `{"creationTime":"2026-02-01T00:00:00","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`,
		"dated/.hidden":          "no list",
		"dated/sub/x.txt":        "192.0.2.1",
		"named/2026-11-01.txt":   "192.0.2.1",
		"named/b-20261102.json":  dated,
		"named/c.txt":            "192.0.2.1",
		"all/googlebot.json":     list,
		"all/GoogleBot.txt":      "192.0.2.1",
		"all/GPTBot.TXT":         "192.0.2.2",
		"all/googlesc.json":      "not read",
		"all/README.md":          "not read",
		"all/gptbot.json.orig":   "not read",
		"all/.gptbot.json":       "not read",
		"all/gptbot/":            "",
		"none/README.md":         "not read",
		"empty/":                 "",
		"broken/gptbot.txt":      "x",
		"a=b/gptbot.txt":         "192.0.2.1",
		"shared/ips.json":        list,
		"dates/2026-11-01.txt":   "192.0.2.1",
		"services/services.json": `{"prefixes":[{"ipv4Prefix":"192.0.2.0/24","services":["B","gptbot","A"]},{"ipv4Prefix":"192.0.2.0/24","services":["A"]}]}`,
	})
	for _, row := range cases.Rows(t, "series.txt") {
		c := struct{ name, arg, want, skipped, says string }{row[0], row[1], row[2], row[3], row[4]}
		t.Run(c.name, func(t *testing.T) {
			l, err := LoadSeries(strings.ReplaceAll(c.arg, "$", dir), set, 1<<30)
			var got []string
			for _, s := range l.Series {
				var lists []string
				for _, list := range s.Lists {
					lists = append(lists, filepath.Base(list.File))
					if list.Created != 0 || list.DatedBy != "" {
						made := time.Unix(0, list.Created).UTC().Format(time.RFC3339)
						lists = append(lists, strings.TrimSuffix(made, "T00:00:00Z"), list.DatedBy)
					}
				}
				got = append(got, fmt.Sprintf("%s[%s]", s.Profile.Name, strings.Join(lists, " ")))
			}
			for i := range l.Skipped {
				l.Skipped[i] = filepath.Base(l.Skipped[i])
			}
			says, argument := strings.CutPrefix(c.says, "argument")
			_, isArgument := errors.AsType[ArgumentError](err)
			if (err != nil) != (c.says != "") || isArgument != argument {
				t.Fatalf("error %v, want %q", err, c.says)
			}
			if err != nil {
				if !strings.Contains(err.Error(), strings.TrimPrefix(says, ": ")) {
					t.Errorf("%q does not say %q", err, says)
				}
				return
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("series %s, want %s", s, c.want)
			}
			if s := strings.Join(l.Skipped, " "); s != c.skipped {
				t.Errorf("skipped %s, want %s", s, c.skipped)
			}
		})
	}
	l, err := LoadSeries("GPTBot="+filepath.Join(dir, "services", "services.json"), set, 1<<30)
	if err != nil || len(l.Unknown) != 1 || fmt.Sprint(l.Unknown[0].Services) != "[A B]" ||
		filepath.Base(l.Unknown[0].File) != "services.json" {
		t.Errorf("unknown services %v, %v", l.Unknown, err)
	}
}

// TestDateInName finds the dates in the names of files.
func TestDateInName(t *testing.T) {
	for _, row := range cases.Rows(t, "dates.txt") {
		name, want := row[0], row[1]
		got := ""
		if made := dateIn(name); made != 0 {
			got = time.Unix(0, made).UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q belongs to %q, want %q", name, got, want)
		}
	}
}
