package job

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
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

// extrasOf returns the extras of a body as a text, "" if there are none.
func (o CompileOptions) extrasOf(r *compile.Robots, body []byte, isPage bool) string {
	x := extras{Page: isPage && len(r.Groups) == 0}
	if slices.ContainsFunc(r.Records, func(r compile.Record) bool { return preference.IsSignal(r.Key) }) {
		x.Signals = o.stated(body)
	}
	if !x.Page && x.Signals == nil {
		return ""
	}
	text, _ := json.Marshal(x) // which cannot fail
	return extrasMark + string(text)
}

// stated returns the statements in the lines of a body, without line numbers.
func (o CompileOptions) stated(body []byte) (list []preference.Crawlers) {
	all, _ := preference.Read(compile.Compile(body, compile.Options{MaxBytes: o.MaxBytes}))
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

// appendExtras returns an Entry.Via.
func appendExtras(urls []string, extras string) string {
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

// extrasIn returns the extras of an Entry.Via.
func extrasIn(via string) (x extras) {
	if text, found := strings.CutPrefix(strings.TrimPrefix(via[len(redirectsOf(via)):], "\n"), extrasMark); found {
		_ = json.Unmarshal([]byte(text), &x) // the contents of a forged archive are its own fault
	}
	return x
}

// SignalOptions select what Signals lists.
type SignalOptions struct {
	Archive string
	AsOf    string // as in ClassOptions
}

// Signals calls each for every preference that a version of a robots.txt in an archive states, and for every group of
// a control token, in the order of ListArchive. An error of each ends the list. Errors are of type *Error.
func Signals(ctx context.Context, o SignalOptions, each func(*report.SiteSignal) error) error {
	c, err := newClassifier(ctx, ClassOptions{Archive: o.Archive, AsOf: o.AsOf, Memory: 1})
	if err != nil {
		return err
	}
	return c.list(o.Archive, func(o archive.Origin) error {
		for i, v := range o.Versions {
			row := report.SiteSignal{Origin: string(o.Key), From: v.From, Until: untilOf(o.Versions, i)}
			if !v.HasRules || !c.all && (c.at < row.From || row.Until <= c.at) {
				continue
			}
			c.archive.Limit(c.most)
			e, _, err := c.archive.LookupAt(o.Key, c.archive.Dialects()[0], v.From)
			if err == nil {
				err = eachSignal(row, append(extrasIn(e.Via).Signals, preference.Control(e.Ruleset)...), each)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// eachSignal calls each for every statement of a list, completing a row.
func eachSignal(row report.SiteSignal, list []preference.Crawlers, each func(*report.SiteSignal) error) error {
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

// TDMRep calls each for every preference of a /.well-known/tdmrep.json of this name, in its order, and warns of entries
// that state nothing. An error of each ends the list. Errors are of type *Error.
func TDMRep(ctx context.Context, file RobotsFile, messages Messages, each func(*report.SiteSignal) error) error {
	body, err := file.Read(ctx)
	if err != nil {
		return err
	}
	list, faults, err := preference.ReadTDMRep(body)
	if err != nil {
		return inputError(fmt.Errorf("%s: %w", file.Name, err))
	}
	for _, f := range faults {
		messages.warn("%s: entry %d: %s: %q", file.Name, f.Line, f.More, f.Text)
	}
	row := report.SiteSignal{From: math.MinInt64, Until: math.MaxInt64}
	return eachSignal(row, []preference.Crawlers{{Statements: list}}, each)
}
