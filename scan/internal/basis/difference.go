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

// Difference names the first difference between two bases. It returns "" if they are equal apart
// from names of files.
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

// differences are the possible differences of two bases, in the order of comparison.
var differences = []struct {
	what string
	of   func(b *Basis) any
}{
	{"whether a robots.txt was given:", func(b *Basis) any { return choose(b.None, "no", "yes") }},
	{"the flag that names robots.txt:", func(b *Basis) any {
		return choose(b.Constant, "option Robots", "option Policy")
	}},
	{"the robots.txt itself", func(b *Basis) any { return hidden{b.versions(b.Constant)} }},
	{"the versions of robots.txt", func(b *Basis) any { return hidden{b.versions(true)} }},
	{"option History", func(b *Basis) any { return choose(b.Observed, "observed", "deployed") }},
	{"option AssumeConstant", func(b *Basis) any { return b.AssumeConstant }},
	{"option Window", func(b *Basis) any { return english.Hours(b.Window) }},
	{"option Delay", func(b *Basis) any { return english.Hours(b.Delay) }},
	{"option Skew", func(b *Basis) any { return english.Hours(b.Skew) }},
	{"option Since", func(b *Basis) any { return boundText(b.Period.Since) }},
	{"option Until", func(b *Basis) any { return boundText(b.Period.Until) }},
	{"option Hosts", func(b *Basis) any { return b.Hosts }},
	{"option Dialect", func(b *Basis) any { return b.Dialect }},
	{"option MaxBytes", func(b *Basis) any { return max(b.MaxBytes, 0) }},
	{"the crawlers known, by option Crawlers or by the program's version",
		func(b *Basis) any { return hidden{b.Profiles} }},
	{"the lists of option Ranges", func(b *Basis) any { return hidden{b.lists()} }},
	{"option RangesMaxAge", func(b *Basis) any { return english.Hours(b.RangesMaxAge) }},
	{"option Names", func(b *Basis) any { return choose(b.Names != "", "given", "") }},
	{"the contents of the file of option Names", func(b *Basis) any { return hidden{b.NamesSum} }},
	{"option ClientIP", func(b *Basis) any { return b.ClientIP }},
	{"option TrustedProxies", func(b *Basis) any { return b.TrustedProxies }},
	{"option MaxUnparsed", func(b *Basis) any { return b.MaxUnparsed }},
	{"option Samples", func(b *Basis) any { return b.Samples }},
	{"option Sampled", func(b *Basis) any { return b.Sampled }},
}

// versions returns the rows with their bodies, sorted and without names of files. It omits the
// bodies unless they are wanted.
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

// lists describes the address lists, sorted and without names of files.
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

// boundText formats a limit of a period, "" if there is none.
func boundText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// hidden replaces values too long to show.
type hidden []any

// flagText formats the value of a flag.
func flagText(v any) string {
	text := fmt.Sprint(v)
	if list, ok := v.([]string); ok {
		text = strings.Join(list, ", ")
	}
	return cmp.Or(text, "none")
}
