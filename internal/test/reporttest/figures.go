package reporttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// Figures are the figures of a report by name, such as "lines" or "GPTBot: verdicts violation":
// numbers, texts and ranges. Values that are 0, empty or false are omitted.
type Figures map[string]any

// Range is a number that can be computed in several ways.
type Range struct{ Low, High float64 }

// FiguresOf reads a report as JSON.
func FiguresOf(out string) (Figures, error) {
	var report map[string]any
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		return nil, fmt.Errorf("%w in %.200q", err, out)
	}
	f := Figures{}
	f.read("", report)
	return f, nil
}

// read adds the figures of a JSON value.
func (f Figures) read(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			f.read(strings.TrimSpace(name+" "+key), v)
		}
	case []any:
		for i, v := range value {
			if object, ok := v.(map[string]any); ok {
				f.readMember(name, i, object)
			}
		}
	case float64:
		f.Add(name, value)
	case string, bool:
		if value != "" && value != false {
			f[name] = value
		}
	}
}

// readMember adds the figures of an object in a list, identified by its distinguishing text; for
// violations and rules only the number.
func (f Figures) readMember(list string, i int, object map[string]any) {
	switch _, last, _ := strings.Cut(list, ": "); {
	case list == "crawlers":
		f[fmt.Sprint("crawler ", i)] = object["crawler"]
		f.read(fmt.Sprint(object["crawler"], ":"), object)
	case last == "violations":
		f.Add(fmt.Sprintln(list, object["identity"], object["outcome"], object["method"], object["informed"]),
			object["n"].(float64))
	case last == "rules":
		f.Add(fmt.Sprintln(list, object["origin"], object["line"], object["rule"], object["version"]),
			object["violations"].(float64))
	case last == "statuses":
		f.Add(fmt.Sprint(list, " ", object["status"]), object["n"].(float64))
	default:
		f.read(fmt.Sprint(list, " ", i), object)
	}
}

// Add adds to a number.
func (f Figures) Add(name string, n float64) {
	if n != 0 {
		f[name] = f.Number(name) + n
	}
}

// Number returns a figure that is a number.
func (f Figures) Number(name string) float64 {
	n, _ := f[name].(float64)
	return n
}

// Told are the figures that the oracle predicts, except for Crawl-delay, which it predicts for some worlds.
var Told = lazy.Regexp(`^(schema|lines|blank|unparsed|not_crawlers|other_host|not_judged|partial` +
	`|http_libraries|identity_no_list|totals (requests|evasive|verified_content|fetchers .*)` +
	`|robots_txt (requests|served|none|failed)` +
	`|crawler \d+|.*: (operator|role|requests|(verdicts|reasons|identity|outcomes|violations|rules) .*|evasive` +
	`|grace_informed|informed_known|robots_txt (fetches|first|last|answers .*|gaps|.*_gap_seconds|within_24h)))\s*$`)

// Difference is a wrong figure.
type Difference struct {
	Figure    string
	Got, Want any
}

// String describes the difference.
func (d Difference) String() string {
	return fmt.Sprintf("%s: got %v, want %v", strings.TrimSpace(d.Figure), d.Got, d.Want)
}

// CompareFigures returns the figures in which a report differs from the truth.
func CompareFigures(got, want Figures) (found []Difference) {
	names := maps.Clone(want)
	for name := range got {
		if Told().MatchString(name) {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		is := got[name] == want[name]
		if r, ok := want[name].(Range); ok {
			is = got.Number(name) >= r.Low && got.Number(name) <= r.High
		}
		if !is {
			found = append(found, Difference{name, got[name], want[name]})
		}
	}
	return found
}

// FirstDifference shows where two texts first differ.
func FirstDifference(got, want string) string {
	n := 0
	for n < len(got) && n < len(want) && got[n] == want[n] {
		n++
	}
	around := func(s string) string { return s[max(0, n-100):min(len(s), n+60)] }
	return fmt.Sprintf("byte %d: got\n…%s…\nwant\n…%s…", n, around(got), around(want))
}
