// Package basis holds everything that an audit rests on except its logs, by content: robots.txt with
// its versions, the known crawlers, the lists of addresses, and the options that decide verdicts.
//
// There is one encoding of it (Packed, Unpack): a JSON document, and the texts that are too long for
// it as files. The head of a state holds both, without the lists; in a folder of evidence they are files.
package basis

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Basis is what an audit rests on. States with equal bases add up.
type Basis struct {
	report.BasisInfo
	Rows                []Row
	Bodies              []Body // of the rows, each once
	Window, Delay, Skew time.Duration
	Dialect             string // "auto", or one for all crawlers
	MaxBytes            int    // as compile.Options has it
	Profiles            []crawler.Profile
	Series              []Series // of addresses; Ranges follows from them
	NamesSum            []byte   // SHA-256 of the file that Names is
	Samples             int
	Period              audit.Period
	MaxUnparsed         float64 // in per cent
}

// Row is a policy.Row with its Body and Past in Bodies, at index BodyAt, which is -1 without one.
type Row struct {
	policy.Row
	BodyAt int `json:"Body"`
}

// Body is a text of robots.txt: the part that is read, and those later lines that may permit,
// each with the name of its file. PastFile is empty without such lines.
type Body struct {
	File, PastFile string
	Text, Past     []byte `json:"-"`
}

// Series are the lists of addresses of one crawler from one argument.
type Series struct {
	Crawler string
	Lists   []List
}

// List is a list of addresses. Source is the name of its original file, and File that of the copy;
// Created is in nanoseconds since 1970, 0 if unknown, and DatedBy names the source of that date.
type List struct {
	File, Source string
	Created      int64
	DatedBy      string
	Sum          []byte // SHA-256 of the file
}

// MaxDuration bounds Window, Delay and Skew.
const MaxDuration = 3660 * 24 * time.Hour

// InBounds reports whether a Window, Delay or Skew is within its bounds.
func InBounds(d, least time.Duration) bool { return d >= least && d <= MaxDuration }

// SetRows sets Rows and Bodies.
func (b *Basis) SetRows(rows []policy.Row) {
	known := map[[2]string]int{}
	files := map[*byte]int{} // rows that name one file share its bytes, which may be thousands
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
					b.Bodies = append(b.Bodies, newBody(i+1, r.Body, r.Past))
				}
				known[text], files[unsafe.SliceData(r.Body)] = i, i
			}
			row.BodyAt, row.Body, row.Past = i, nil, nil
		}
		b.Rows = append(b.Rows, row)
	}
}

// newBody returns the nth body.
func newBody(n int, text, past []byte) Body {
	body := Body{File: fmt.Sprintf("robots/%04d.txt", n), Text: text, Past: past}
	if len(past) > 0 {
		body.PastFile = fmt.Sprintf("robots/%04d-past-the-limit.txt", n)
	}
	return body
}

// FilesOf maps the name in reports of each robots.txt to the name of its Body's file.
func (b *Basis) FilesOf() map[string]string {
	files := map[string]string{}
	for _, r := range b.Rows {
		if r.BodyAt >= 0 {
			files[r.File] = b.Bodies[r.BodyAt].File
		}
	}
	return files
}

// Config makes the configuration of an audit. Bodies are compiled when first needed. It
// also sets the fields of report.BasisInfo that follow from the others, except those about the text of
// robots.txt, and leaves out Identities.
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
	return c, err
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

// check refuses a basis that cannot come from options and files.
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
			names[l.Sum] = cmp.Or(names[l.Sum], listName(len(names)+1, l.File))
			s.Lists = append(s.Lists, List{names[l.Sum], l.File, l.Created, l.DatedBy, l.Sum[:]})
		}
		b.Series = append(b.Series, s)
	}
	b.setRanges()
}
