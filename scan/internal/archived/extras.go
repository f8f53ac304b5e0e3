package archived

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/preference"
	"github.com/robotsieve/robotsieve/scan/report"
)

// extras are what an archive stores about a body besides its rules: the last line of archive.Entry.Via, after
// extrasMark. The lines before it are URLs.
type extras struct {
	// Page means that the body is a web page, without a line that names a user agent.
	Page    bool                  `json:"page,omitempty"`
	Signals []preference.Crawlers `json:"signals,omitempty"`
}

const extrasMark = "="

// Extras returns what an archive stores about a body besides its rules, as a text; "" if there is nothing.
// maxBytes is as in compile.Options.
func Extras(r *compile.Robots, body []byte, isPage bool, maxBytes int) string {
	x := extras{Page: isPage && len(r.Groups) == 0}
	if slices.ContainsFunc(r.Records, func(r compile.Record) bool { return preference.IsSignal(r.Key) }) {
		x.Signals = stated(body, maxBytes)
	}
	if !x.Page && x.Signals == nil {
		return ""
	}
	text, _ := json.Marshal(x) // which cannot fail
	return extrasMark + string(text)
}

// stated returns the statements in the lines of a body, without line numbers.
func stated(body []byte, maxBytes int) (list []preference.Crawlers) {
	all, _ := preference.Read(compile.Compile(body, compile.Options{MaxBytes: maxBytes}))
	for _, c := range all {
		c.Statements = slices.DeleteFunc(c.Statements, func(s preference.Statement) bool {
			return len(s.Lines) == 0 || s.Signal == preference.ControlToken
		})
		for i := range c.Statements {
			c.Statements[i].Lines = nil
		}
		if len(c.Statements) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// Via returns an Entry.Via of URLs and Extras.
func Via(urls []string, extras string) string {
	if extras != "" {
		urls = append(slices.Clone(urls), extras)
	}
	return strings.Join(urls, "\n")
}

// redirectsOf returns the URLs of an Entry.Via, one a line.
func redirectsOf(via string) string {
	if at := strings.LastIndexByte(via, '\n') + 1; strings.HasPrefix(via[at:], extrasMark) {
		return strings.TrimSuffix(via[:at], "\n")
	}
	return via
}

func extrasIn(via string) (x extras) {
	if text, found := strings.CutPrefix(strings.TrimPrefix(via[len(redirectsOf(via)):], "\n"), extrasMark); found {
		_ = json.Unmarshal([]byte(text), &x) // the contents of a forged archive are its own fault
	}
	return x
}

// Signals calls each for every preference that a version of a robots.txt states, and for every group of a control
// token: of all versions, or only those in force at an instant. It runs within the Use of Mapped.
func (p *Rules) Signals(all bool, at int64, each func(*report.SiteSignal) error) error {
	for o, err := range p.Archive.Origins() {
		if err = cmp.Or(err, p.ctx.Err()); err != nil {
			return err
		}
		for i, v := range o.Versions {
			row := report.SiteSignal{Origin: origin.OfKey(o.Key), From: v.From, Until: untilOf(o.Versions, i)}
			if !v.HasRules || !all && (at < row.From || row.Until <= at) {
				continue
			}
			p.Archive.Limit(p.Most)
			e, _, err := p.Archive.LookupAt(o.Key, p.Archive.Dialects()[0], v.From)
			if err == nil {
				err = EachSignal(row, append(extrasIn(e.Via).Signals, preference.Control(e.Ruleset)...), each)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// EachSignal calls each for every statement of a list, completing a row.
func EachSignal(row report.SiteSignal, list []preference.Crawlers, each func(*report.SiteSignal) error) error {
	for _, c := range list {
		agents := c.Agents
		if len(agents) == 0 {
			agents = []string{""}
		}
		for _, agent := range agents {
			row.Agent = strings.ToLower(agent)
			for _, s := range c.Statements {
				row.Signal, row.Use, row.Path, row.Value = s.Signal, s.Use, s.Path, s.Value
				if err := each(&row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// untilOf returns when a version ceases to be in force.
func untilOf(list []archive.Version, i int) int64 {
	if i+1 < len(list) {
		return list[i+1].From
	}
	return math.MaxInt64
}
