package job

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// basis is everything that an audit rests on except the logs. As JSON it is in the head
// of a state: states with the same basis add up.
type basis struct {
	audit.Basis
	Rows     []basisRow
	Bodies   []basisBody // of the rows, each once
	Window   time.Duration
	Delay    time.Duration
	Skew     time.Duration
	Dialect  string // "auto" or one for all crawlers
	MaxBytes int    // as compile.Options has it
	Profiles []crawler.Profile
	Sums     [][]byte // SHA-256 of the files of Ranges, and of Names
	Samples  int
	Period   audit.Period
	// MaxUnparsed is AuditOptions.MaxUnparsed.
	MaxUnparsed float64
}

// basisRow is a policy.Row with its body as an index in Bodies, -1 if it has none.
type basisRow struct {
	policy.Row
	Body int
}

// basisBody is Body and Past of a policy.Row.
type basisBody struct{ Text, Past []byte }

// readBasis reads the files that the options name, except the files of addresses.
func (o *AuditOptions) readBasis(ctx context.Context) (*basis, error) {
	b := &basis{
		Basis:  audit.Basis{AssumeConstant: o.AssumeConstant, Sampled: o.Sampled, ClientIP: cmp.Or(o.ClientIP, "addr"), TrustedProxies: o.TrustedProxies},
		Window: cmp.Or(o.Window, policy.MinWindow), Delay: cmp.Or(o.Delay, policy.MinDelay), Skew: cmp.Or(o.Skew, policy.MinSkew),
		MaxBytes: cmp.Or(o.Robots.MaxBytes, compile.DefaultMaxBytes), Dialect: "auto", Samples: o.Samples,
		MaxUnparsed: defaultMaxUnparsed,
	}
	if o.MaxUnparsed != nil {
		b.MaxUnparsed = *o.MaxUnparsed
	}
	if o.Dialect != nil {
		b.Dialect = o.Dialect.String()
	}
	for _, host := range o.Hosts {
		site, _, _ := hostOf(host)
		list, err := origin.Parse(site)
		if err != nil {
			return nil, usageError("--host %w", err)
		}
		for _, o := range list {
			b.Hosts = append(b.Hosts, o.String())
		}
	}
	slices.Sort(b.Hosts)
	b.Hosts = slices.Compact(b.Hosts)
	var err error
	if b.Profiles, err = knownProfiles(o.Crawlers); err != nil {
		return nil, err
	}
	if o.Robots.Name != "" {
		row, err := o.Robots.row(ctx, o.budget)
		b.Constant, b.File = true, o.Robots.Name
		b.keep([]policy.Row{row})
		return b, err
	}
	return b, b.readVersions(o.Policy, o.History, o.budget)
}

func (b *basis) readVersions(path, history string, memory *budget) error {
	info, err := disk.Stat(path)
	if err != nil {
		return inputError(err)
	}
	read := policy.ReadManifest
	if info.IsDir() {
		read = policy.ReadDirectory
	}
	rows, err := read(path, b.MaxBytes, memory.room())
	if err != nil {
		return memory.failed(err)
	}
	b.File = path
	b.Observed = history == "observed" || history != "deployed" && info.IsDir()
	b.keep(rows)
	return nil
}

// keep sets Rows and Bodies.
func (b *basis) keep(rows []policy.Row) {
	known := map[[2]string]int{}
	b.Rows = make([]basisRow, 0, len(rows))
	files := map[*byte]int{} // rows that name one file share its bytes, and thousands may
	for _, r := range rows {
		row := basisRow{r, -1}
		if i, seen := files[unsafe.SliceData(r.Body)]; seen && len(r.Body) > 0 {
			row.Body, row.Row.Body, row.Past = i, nil, nil
		} else if r.Status/100 == 2 {
			text := [2]string{string(r.Body), string(r.Past)}
			i, seen := known[text]
			if !seen {
				i = len(b.Bodies)
				known[text] = i
				b.Bodies = append(b.Bodies, basisBody{r.Body, r.Past})
			}
			files[unsafe.SliceData(r.Body)] = i
			row.Body, row.Row.Body, row.Past = i, nil, nil
		}
		b.Rows = append(b.Rows, row)
	}
}

// files returns the files of a manifest, whose names are relative to its folder.
func (b *basis) files() (names []string) {
	for _, r := range b.Rows {
		switch name := r.File; {
		case name == "":
		case filepath.IsAbs(name):
			names = append(names, name)
		default:
			names = append(names, filepath.Join(filepath.Dir(b.File), name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// maxOddFiles bounds the files whose oddities are listed.
const maxOddFiles = 10

// findOddities returns warnings about the robots.txt files, and audit.Basis.NoRule.
func (b *basis) findOddities() (list []string, without string) {
	rest, ruled := int64(0), false
	seen := map[int]bool{}
	for _, r := range b.Rows {
		if answer.Of(r.Status, answer.Others) != answer.File || seen[r.Body] {
			continue
		}
		seen[r.Body] = true
		text, name := b.Bodies[r.Body].Text, cmp.Or(r.File, r.Where)
		robots := compile.Compile(text, compile.Options{MaxBytes: b.MaxBytes, Engine: compile.EngineList})
		ruled = ruled || hasRule(robots, text)
		if !ruled && without == "" {
			without = lookOf(robots, text)
		}
		odd := Oddities(robots, text, name)
		if form := capture.FormOf(text); form != nil { // by which it is judged all the same: it may be what was sent
			odd = []string{fmt.Sprintf("%s: %s, not a robots.txt", name, form.Form)}
		}
		if len(list) >= maxOddFiles {
			rest += int64(min(1, len(odd)))
			continue
		}
		list = append(list, odd...)
	}
	if rest > 0 {
		list = append(list, fmt.Sprintf("and %s of the policy %s of the same kind", english.Plural(rest, "more file"), english.Verb(rest, "is", "are")))
	}
	if ruled {
		without = ""
	}
	return list, without
}

// config compiles the files of the basis. It sets those fields of audit.Basis that follow
// from them.
func (b *basis) config() (audit.Config, error) {
	c := audit.Config{Samples: b.Samples, Period: b.Period, Basis: &b.Basis}
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
	o := policy.Options{Observed: b.Observed, Window: b.Window, Delay: b.Delay, Skew: b.Skew, AssumeConstant: b.AssumeConstant, MaxBytes: b.MaxBytes}
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
		if r.Body >= 0 {
			r.Row.Body, r.Past = b.Bodies[r.Body].Text, b.Bodies[r.Body].Past
		}
		rows = append(rows, r.Row)
		for _, o := range r.Origins {
			if b.Observed {
				b.LastSeen[o.String()] = max(b.LastSeen[o.String()], r.From)
			}
		}
	}
	b.Oddities, b.NoRule = b.findOddities()
	if b.Constant {
		c.Policy = policy.Constant(rows[0], o)
	} else {
		c.Policy, err = policy.New(rows, o)
	}
	return c, err
}

// identify reads the files of addresses and names.
func (o *AuditOptions) identify(b *basis, c *audit.Config) (options crawler.IdentityOptions, err error) {
	b.RangesMaxAge = cmp.Or(o.RangesMaxAge, 365*24*time.Hour)
	options.MaxAge = b.RangesMaxAge
	for _, arg := range o.Ranges {
		loaded, err := crawler.LoadSeries(arg, c.Crawlers, o.budget.room())
		if mistake, ok := errors.AsType[crawler.ArgumentError](err); ok {
			return options, usageError("--ip-ranges %w", mistake)
		}
		if err != nil {
			return options, o.budget.failed(err)
		}
		o.budget.loaded += loaded.Bytes
		for _, path := range loaded.Skipped {
			why := "its name is not that of a known crawler or list"
			if info, err := disk.Stat(path); err == nil && info.IsDir() {
				why = "a folder in a folder of lists is not read"
			}
			o.Messages.warn("%s: skipped: %s", path, why)
		}
		for _, u := range loaded.Unknown {
			o.Messages.warn("%s: services that name no known crawler: %s. Their addresses prove nothing.", u.File, english.List(u.Services))
		}
		options.Series = append(options.Series, loaded.Series...)
	}
	for _, series := range options.Series {
		for _, list := range series.Lists {
			info := audit.RangeInfo{Crawler: series.Profile.Name, File: list.File, DatedBy: list.DatedBy}
			if list.Created != 0 {
				info.Created = time.Unix(0, list.Created).UTC().Format(time.RFC3339)
			}
			b.Ranges, b.Sums = append(b.Ranges, info), append(b.Sums, list.Sum[:])
		}
	}
	if b.Names = o.Names; b.Names != "" {
		f, err := disk.Open(b.Names)
		if err != nil {
			return options, inputError(err)
		}
		defer f.Close()
		sum := sha256.New()
		if options.Names, err = crawler.ReadNames(io.TeeReader(disk.Text(f), sum), filepath.ToSlash(b.Names), o.budget.room()); err != nil {
			return options, o.budget.failed(err)
		}
		b.Sums = append(b.Sums, sum.Sum(nil))
		o.budget.loaded += options.Names.Bytes()
	}
	if c.ClientIP, err = crawler.ParseClientIP(b.ClientIP, b.TrustedProxies); err != nil {
		return options, usageError("--client-ip, --trusted-proxies: %w", err)
	}
	c.Identities, c.Addresses = crawler.NewIdentities(c.Crawlers, options), o.Resolver != nil
	return options, nil
}

// stateHead is the head of a state.
type stateHead struct {
	Basis    json.RawMessage
	Inputs   []logInfo
	Warnings []string
	Notes    []string
	Partial  bool
	// Unmatched are the values HOST=PATTERN of AuditOptions.Hosts that name no log of a part.
	Unmatched []string `json:",omitempty"`
}

// head returns the head of the state. Texts that are not UTF-8 are kept.
func (a *auditing) head() ([]byte, error) {
	data, err := json.Marshal(audit.Texts(*a.basis, audit.ToUTF8))
	if err != nil {
		return nil, err
	}
	return json.Marshal(audit.Texts(stateHead{data, a.logs, a.inputs.Warnings, a.inputs.Notes, a.inputs.Partial, a.unmatched}, audit.ToUTF8))
}

// check refuses a basis, read from a state, that no options and files could have given.
func (b *basis) check() error {
	profiles, err := json.Marshal(b.Profiles)
	if err != nil {
		return err
	}
	if _, err := crawler.Read(profiles); err != nil {
		return err
	}
	if b.Constant && (len(b.Rows) != 1 || b.Rows[0].Body != 0 || len(b.Rows[0].Origins) > 0) {
		return errors.New("not one robots.txt")
	}
	if !inBounds(b.Window, policy.MinWindow) || !inBounds(b.Delay, policy.MinDelay) || !inBounds(b.Skew, policy.MinSkew) || b.Samples < 0 || b.MaxUnparsed < 0 || b.MaxUnparsed > 100 {
		return errors.New("a number is out of its bounds")
	}
	if p := b.Period; !p.Since.IsZero() && !p.Until.IsZero() && !p.Since.Before(p.Until) {
		return errors.New("a period ends before it begins")
	}
	for _, r := range b.Rows {
		if r.Body < -1 || r.Body >= len(b.Bodies) || (r.Body >= 0) != (r.Status/100 == 2) || r.Size < -1 || r.MaxAge < 0 {
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

// canonical returns the basis without the names of files, and with those lists in one
// order whose order means nothing: two bases are the same if these are equal.
func (b *basis) canonical() *basis {
	c := *b
	c.File = ""
	if c.Names != "" {
		c.Names = "given"
	}
	numbers := make([]int, len(b.Bodies)) // in the order of the bodies
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortFunc(numbers, func(i, j int) int {
		x, y := b.Bodies[i], b.Bodies[j]
		return cmp.Or(bytes.Compare(x.Text, y.Text), bytes.Compare(x.Past, y.Past))
	})
	c.Bodies, c.Rows = nil, slices.Clone(b.Rows)
	place := make([]int, len(numbers))
	for i, n := range numbers {
		c.Bodies, place[n] = append(c.Bodies, b.Bodies[n]), i
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		r.File, r.Where = "", ""
		if 0 <= r.Body && r.Body < len(place) {
			r.Body = place[r.Body]
		}
	}
	slices.SortFunc(c.Rows, func(x, y basisRow) int {
		return cmp.Or(cmp.Compare(x.From, y.From), strings.Compare(fmt.Sprint(x.Origins), fmt.Sprint(y.Origins)))
	})
	c.Ranges, c.Sums = sortedRanges(b.Ranges, b.Sums)
	return &c
}

// sortedRanges returns lists of addresses without the names of their files, and the hashes
// of these, sorted by crawler and content. Further hashes stay behind them.
func sortedRanges(infos []audit.RangeInfo, sums [][]byte) ([]audit.RangeInfo, [][]byte) {
	type list struct {
		info audit.RangeInfo
		sum  []byte
	}
	n := min(len(infos), len(sums))
	lists, others := make([]list, n), sums[n:]
	for i := range lists {
		lists[i] = list{audit.RangeInfo{Crawler: infos[i].Crawler, Created: infos[i].Created}, sums[i]}
	}
	slices.SortFunc(lists, func(x, y list) int {
		return cmp.Or(strings.Compare(x.info.Crawler, y.info.Crawler), strings.Compare(x.info.Created, y.info.Created), bytes.Compare(x.sum, y.sum))
	})
	infos, sums = nil, nil
	for _, l := range lists {
		infos, sums = append(infos, l.info), append(sums, l.sum)
	}
	return infos, append(sums, others...)
}

// difference names the first thing in which two bases, as states have them, differ; "" if
// they are the same, whatever the names of their files.
func difference(one, other json.RawMessage) string {
	var a, b *basis
	if json.Unmarshal(one, &a) != nil || json.Unmarshal(other, &b) != nil || a == nil || b == nil {
		return "one of them is invalid"
	}
	a, b = a.canonical(), b.canonical()
	choose := func(first bool, x, y string) string {
		if first {
			return x
		}
		return y
	}
	for _, d := range []struct {
		what string
		of   func(b *basis) any
	}{
		{"the flag that names robots.txt:", func(b *basis) any { return choose(b.Constant, "--robots", "--policy") }},
		{choose(a.Constant, "the robots.txt itself", "the versions of robots.txt"), func(b *basis) any { return hidden{b.Bodies, b.Rows} }},
		{"--history", func(b *basis) any { return choose(b.Observed, "observed", "deployed") }},
		{"--assume-constant", func(b *basis) any { return b.AssumeConstant }},
		{"--window", func(b *basis) any { return english.Hours(b.Window) }},
		{"--delay", func(b *basis) any { return english.Hours(b.Delay) }},
		{"--skew", func(b *basis) any { return english.Hours(b.Skew) }},
		{"--since", func(b *basis) any { return boundText(b.Period.Since) }},
		{"--until", func(b *basis) any { return boundText(b.Period.Until) }},
		{"--host", func(b *basis) any { return b.Hosts }},
		{"--dialect", func(b *basis) any { return b.Dialect }},
		{"--max-bytes", func(b *basis) any { return max(b.MaxBytes, 0) }},
		{"the crawlers known, by --crawlers or by the program's version", func(b *basis) any { return hidden{b.Profiles} }},
		{"the lists of --ip-ranges", func(b *basis) any { return hidden{b.Ranges} }},
		{"--ranges-max-age", func(b *basis) any { return english.Hours(b.RangesMaxAge) }},
		{"--resolved-names", func(b *basis) any { return b.Names }},
		{"the contents of the files of --ip-ranges or --resolved-names", func(b *basis) any { return hidden{b.Sums} }},
		{"--client-ip", func(b *basis) any { return b.ClientIP }},
		{"--trusted-proxies", func(b *basis) any { return b.TrustedProxies }},
		{"--max-unparsed", func(b *basis) any { return b.MaxUnparsed }},
		{"--samples", func(b *basis) any { return b.Samples }},
		{"--sampled", func(b *basis) any { return b.Sampled }},
	} {
		x, y := d.of(a), d.of(b)
		if reflect.DeepEqual(x, y) {
			continue
		}
		if _, isHidden := x.(hidden); isHidden {
			return d.what
		}
		return fmt.Sprintf("%s %s and %s", d.what, flagText(x), flagText(y))
	}
	return ""
}

// boundText is a bound of a period, "" if it is none.
func boundText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// hidden are values too long to be shown.
type hidden []any

// flagText is the value of a flag.
func flagText(v any) string {
	text := fmt.Sprint(v)
	if list, ok := v.([]string); ok {
		text = strings.Join(list, ", ")
	}
	return cmp.Or(text, "none")
}
