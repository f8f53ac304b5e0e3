package basis

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Difference names the first thing in which two bases differ; "" if they are the same, whatever the
// names of their files.
func Difference(one, other *Packed) string {
	same := func(x, y []byte) bool { return bytes.Equal(x, y) }
	if same(one.Basis, other.Basis) && maps.EqualFunc(one.Files, other.Files, same) {
		return ""
	}
	a, invalid := one.Unpack()
	b, alsoInvalid := other.Unpack()
	if invalid != nil || alsoInvalid != nil {
		return "one of them is invalid"
	}
	for _, d := range differences {
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

// differences are what two bases may differ in, in the order in which they are compared.
var differences = []struct {
	what string
	of   func(b *Basis) any
}{
	{"whether a robots.txt was given:", func(b *Basis) any { return choose(b.None, "no", "yes") }},
	{"the flag that names robots.txt:", func(b *Basis) any { return choose(b.Constant, "--robots", "--policy") }},
	{"the robots.txt itself", func(b *Basis) any { return hidden{b.versions(b.Constant)} }},
	{"the versions of robots.txt", func(b *Basis) any { return hidden{b.versions(true)} }},
	{"--history", func(b *Basis) any { return choose(b.Observed, "observed", "deployed") }},
	{"--assume-constant", func(b *Basis) any { return b.AssumeConstant }},
	{"--window", func(b *Basis) any { return english.Hours(b.Window) }},
	{"--delay", func(b *Basis) any { return english.Hours(b.Delay) }},
	{"--skew", func(b *Basis) any { return english.Hours(b.Skew) }},
	{"--since", func(b *Basis) any { return boundText(b.Period.Since) }},
	{"--until", func(b *Basis) any { return boundText(b.Period.Until) }},
	{"--host", func(b *Basis) any { return b.Hosts }},
	{"--dialect", func(b *Basis) any { return b.Dialect }},
	{"--max-bytes", func(b *Basis) any { return max(b.MaxBytes, 0) }},
	{"the crawlers known, by --crawlers or by the program's version", func(b *Basis) any { return hidden{b.Profiles} }},
	{"the lists of --ip-ranges", func(b *Basis) any { return hidden{b.lists()} }},
	{"--ranges-max-age", func(b *Basis) any { return english.Hours(b.RangesMaxAge) }},
	{"--resolved-names", func(b *Basis) any { return choose(b.Names != "", "given", "") }},
	{"the contents of the file of --resolved-names", func(b *Basis) any { return hidden{b.NamesSum} }},
	{"--client-ip", func(b *Basis) any { return b.ClientIP }},
	{"--trusted-proxies", func(b *Basis) any { return b.TrustedProxies }},
	{"--max-unparsed", func(b *Basis) any { return b.MaxUnparsed }},
	{"--samples", func(b *Basis) any { return b.Samples }},
	{"--sampled", func(b *Basis) any { return b.Sampled }},
}

// versions returns the rows with their bodies, in one order and without the names of files; none
// unless they are wanted.
func (b *Basis) versions(wanted bool) (list []policy.Row) {
	for _, r := range b.Rows {
		if !wanted {
			break
		}
		if r.BodyAt >= 0 {
			r.Body, r.Past = b.Bodies[r.BodyAt].Text, b.Bodies[r.BodyAt].Past
		}
		r.File, r.Where = "", ""
		list = append(list, r.Row)
	}
	slices.SortFunc(list, func(x, y policy.Row) int {
		return cmp.Or(cmp.Compare(x.From, y.From), strings.Compare(fmt.Sprint(x.Origins), fmt.Sprint(y.Origins)))
	})
	return list
}

// lists describes the lists of addresses, in one order and without the names of files.
func (b *Basis) lists() (list []string) {
	for _, s := range b.Series {
		for _, l := range s.Lists {
			list = append(list, fmt.Sprintf("%s %d %x", s.Crawler, l.Created, l.Sum))
		}
	}
	slices.Sort(list)
	return list
}

func choose(first bool, x, y string) string {
	if first {
		return x
	}
	return y
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
