// Package basis holds all inputs of an audit except its logs, by content: the versions of
// robots.txt, the known crawlers, the address lists, and the options that affect verdicts.
//
// It has one encoding (Packed, Unpack): a JSON document, and files for texts too long for it. The
// head of a state contains both, without the lists; in a folder of evidence they are files.
package basis

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Basis holds the inputs of an audit. States with equal bases can be merged.
type Basis struct {
	report.BasisInfo
	Rows                []Row
	Bodies              []Body // bodies of the rows, each once
	Window, Delay, Skew time.Duration
	Dialect             string // "auto", or the same for all crawlers
	MaxBytes            int    // as in compile.Options
	Profiles            []crawler.Profile
	Series              []Series // address lists; Ranges is derived from them
	NamesSum            []byte   // SHA-256 of the file with Names
	Samples             int
	Period              audit.Period
	MaxUnparsed         float64 // in per cent
}

// Row is a policy.Row whose Body and Past are in Bodies, at index BodyAt, or -1 if it has none.
type Row struct {
	policy.Row
	BodyAt int `json:"Body"`
}

// Body is the text of a robots.txt: the part that is parsed, and those later lines that may permit
// paths, each with the name of its file. PastFile is empty if there are no such lines.
type Body struct {
	File, PastFile string
	Text, Past     []byte `json:"-"`
}

// Series holds the address lists of one crawler from one argument.
type Series struct {
	Crawler string
	Lists   []List
}

// List is an address list. Source is the name of its original file, and File the name of the copy.
// Created is in nanoseconds since 1970, 0 if unknown, and DatedBy names the source of that date.
type List struct {
	File, Source string
	Created      int64
	DatedBy      string
	Sum          []byte // SHA-256 of the file
}

// MaxDuration limits Window, Delay and Skew.
const MaxDuration = 3660 * 24 * time.Hour

// InBounds reports whether a Window, Delay or Skew is within its limits.
func InBounds(d, least time.Duration) bool { return d >= least && d <= MaxDuration }

// SetRows sets Rows and Bodies.
func (b *Basis) SetRows(rows []policy.Row) {
	known := map[[2]string]int{}
	files := map[*byte]int{} // rows for the same file share its bytes, of which there may be many
	b.Rows = make([]Row, 0, len(rows))
	for _, r := range rows {
		row := Row{r, -1}
		if r.Status/100 == 2 && r.Digest == "" {
			i, seen := files[unsafe.SliceData(r.Body)]
			if !seen || len(r.Body) == 0 {
				text := [2]string{string(r.Body), string(r.Past)}
				i, seen = known[text]
				if !seen {
					i = len(b.Bodies)
					b.Bodies = append(b.Bodies, Body{File: fmt.Sprintf("robots/%04d.txt", i+1), Text: r.Body, Past: r.Past})
					if len(r.Past) > 0 {
						b.Bodies[i].PastFile = fmt.Sprintf("robots/%04d-past-the-limit.txt", i+1)
					}
				}
				known[text], files[unsafe.SliceData(r.Body)] = i, i
			}
			row.BodyAt, row.Body, row.Past = i, nil, nil
		}
		b.Rows = append(b.Rows, row)
	}
}

// FilesOf maps the name of each robots.txt in reports to the name of its Body's file.
func (b *Basis) FilesOf() map[string]string {
	files := map[string]string{}
	for _, r := range b.Rows {
		if r.BodyAt >= 0 {
			files[r.File] = b.Bodies[r.BodyAt].File
		}
	}
	return files
}

// Config makes the configuration of an audit. Bodies are compiled on first use. Config also sets
// those fields of report.BasisInfo that follow from the others, and omits Identities.
func (b *Basis) Config() (audit.Config, error) {
	c := audit.Config{Samples: b.Samples, Period: b.Period,
		Basis: &b.BasisInfo}
	var err error
	if c.Crawlers, err = crawler.New(b.Profiles); err != nil {
		return c, err
	}
	if b.Dialect != "auto" {
		d, err := automaton.ParseDialect(b.Dialect)
		if err != nil {
			return c, err
		}
		c.Dialect = &d
	}
	o := policy.Options{
		Observed: b.Observed, Window: b.Window, Delay: b.Delay, Skew: b.Skew,
		AssumeConstant: b.AssumeConstant, MaxBytes: b.MaxBytes,
	}
	for _, text := range b.Hosts {
		list, err := origin.Parse(text)
		if err != nil {
			return c, err
		}
		o.Hosts = append(o.Hosts, list...)
	}
	rows := make([]policy.Row, 0, len(b.Rows))
	b.LastSeen = map[string]int64{}
	for _, r := range b.Rows {
		if r.BodyAt >= 0 {
			r.Body, r.Past = b.Bodies[r.BodyAt].Text, b.Bodies[r.BodyAt].Past
		}
		rows = append(rows, r.Row)
		for _, o := range r.Origins {
			if b.Observed {
				b.LastSeen[o.String()] = max(b.LastSeen[o.String()], r.From)
			}
		}
	}
	b.setRanges()
	switch {
	case b.None:
		c.Policy = policy.None(o)
	case b.Constant:
		c.Policy = policy.Constant(rows[0], o)
	default:
		c.Policy, err = policy.New(rows, o)
	}
	if err == nil {
		b.findOddities()
	}
	return c, err
}

// maxOddFiles bounds how many files have their oddities listed.
const maxOddFiles = 10

// findOddities sets Oddities and NoRule.
func (b *Basis) findOddities() {
	b.Oddities, b.NoRule = nil, ""
	rest, ruled := int64(0), false
	seen := map[int]bool{}
	for _, r := range b.Rows {
		if answer.Of(r.Status, answer.Others) != answer.File || r.BodyAt < 0 || seen[r.BodyAt] {
			continue
		}
		seen[r.BodyAt] = true
		text, name := b.Bodies[r.BodyAt].Text, cmp.Or(r.File, r.Where)
		robots := compile.Compile(text, compile.Options{MaxBytes: b.MaxBytes})
		ruled = ruled || capture.HasRule(robots, text)
		if !ruled && b.NoRule == "" {
			b.NoRule = capture.LookOf(robots, text)
		}
		odd := capture.Oddities(robots, text, name)
		if form := capture.FormOf(text); form != nil { // it is used all the same: it may be what was sent
			odd = []string{fmt.Sprintf("%s: %s, not a robots.txt", name, form.Form)}
		}
		if len(b.Oddities) >= maxOddFiles {
			rest += int64(min(1, len(odd)))
			continue
		}
		b.Oddities = append(b.Oddities, odd...)
	}
	if rest > 0 {
		b.Oddities = append(b.Oddities, fmt.Sprintf("and %s of the policy %s of the same kind",
			english.Plural(rest, "more file"), english.Verb(rest, "is", "are")))
	}
	if ruled {
		b.NoRule = ""
	}
}

func (b *Basis) setRanges() {
	b.Ranges = nil
	for _, s := range b.Series {
		for _, list := range s.Lists {
			info := report.RangeInfo{Crawler: s.Crawler, File: list.Source, DatedBy: list.DatedBy}
			if list.Created != 0 {
				info.Created = report.At(list.Created)
			}
			b.Ranges = append(b.Ranges, info)
		}
	}
}

// check rejects a basis that can't result from options and files.
func (b *Basis) check() error {
	profiles, err := json.Marshal(b.Profiles)
	if err != nil {
		return err
	}
	if _, err := crawler.Read(profiles); err != nil {
		return err
	}
	if b.Constant && (len(b.Rows) != 1 || b.Rows[0].BodyAt != 0 || len(b.Rows[0].Origins) > 0) {
		return errors.New("not one robots.txt")
	}
	if b.None && (b.Constant || len(b.Rows) > 0) {
		return errors.New("a robots.txt, and none")
	}
	if !InBounds(b.Window, policy.MinWindow) || !InBounds(b.Delay, policy.MinDelay) ||
		!InBounds(b.Skew, policy.MinSkew) || b.Samples < 0 ||
		b.MaxUnparsed < 0 || b.MaxUnparsed > 100 {
		return errors.New("a number is out of its bounds")
	}
	if p := b.Period; !p.Since.IsZero() && !p.Until.IsZero() && !p.Since.Before(p.Until) {
		return errors.New("a period ends before it begins")
	}
	for _, r := range b.Rows {
		hasBody := r.BodyAt >= 0
		if r.BodyAt < -1 || r.BodyAt >= len(b.Bodies) || hasBody != (r.Status/100 == 2 && r.Digest == "") ||
			r.Digest != "" && r.Status/100 != 2 || r.Size < -1 || r.MaxAge < 0 {
			return errors.New("a version is invalid")
		}
		for _, o := range r.Origins {
			if list, err := origin.Parse(o.String()); err != nil || !slices.Contains(list, o) {
				return fmt.Errorf("%q is no origin", o.String())
			}
		}
	}
	return nil
}

// SetSeries sets Series and Ranges.
func (b *Basis) SetSeries(list []crawler.Series) {
	names := map[[32]byte]string{}
	b.Series = []Series{}
	for _, of := range list {
		s := Series{Crawler: of.Profile.Name, Lists: []List{}}
		for _, l := range of.Lists {
			ext := ".txt"
			if strings.EqualFold(path.Ext(l.File), ".json") {
				ext = ".json"
			}
			names[l.Sum] = cmp.Or(names[l.Sum], fmt.Sprintf("lists/%04d%s", len(names)+1, ext))
			s.Lists = append(s.Lists, List{names[l.Sum], l.File, l.Created, l.DatedBy, l.Sum[:]})
		}
		b.Series = append(b.Series, s)
	}
	b.setRanges()
}
