package basis

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
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
		switch x, y := d.of(a), d.of(b); {
		case x == y:
		case d.isLong:
			return d.what
		default:
			return fmt.Sprintf("%s %s and %s", d.what, cmp.Or(x, "none"), cmp.Or(y, "none"))
		}
	}
	return ""
}

// differences are the possible differences of two bases, in the order of comparison.
var differences = []struct {
	what   string
	isLong bool
	of     func(b *Basis) string
}{
	{"whether a robots.txt was given:", false, func(b *Basis) string { return choose(b.None, "no", "yes") }},
	{"the flag that names robots.txt:", false, func(b *Basis) string {
		return choose(b.Constant, "option Robots", "option Policy")
	}},
	{"the robots.txt itself", true, func(b *Basis) string { return choose(b.Constant, b.versions(), "") }},
	{"the versions of robots.txt", true, (*Basis).versions},
	{"option History", false, func(b *Basis) string { return choose(b.Observed, "observed", "deployed") }},
	{"option AssumeConstant", false, func(b *Basis) string { return strconv.FormatBool(b.AssumeConstant) }},
	{"option Window", false, func(b *Basis) string { return english.Hours(b.Window) }},
	{"option Delay", false, func(b *Basis) string { return english.Hours(b.Delay) }},
	{"option Skew", false, func(b *Basis) string { return english.Hours(b.Skew) }},
	{"option Since", false, func(b *Basis) string { return boundText(b.Period.Since) }},
	{"option Until", false, func(b *Basis) string { return boundText(b.Period.Until) }},
	{"option Hosts", false, func(b *Basis) string { return strings.Join(b.Hosts, ", ") }},
	{"option Dialect", false, func(b *Basis) string { return b.Dialect }},
	{"option MaxBytes", false, func(b *Basis) string { return strconv.Itoa(max(b.MaxBytes, 0)) }},
	{"the crawlers known, by option Crawlers or by the program's version", true, func(b *Basis) string {
		text, _ := json.Marshal(b.Profiles) // which has no errors
		return string(text)
	}},
	{"the lists of option Ranges", true, (*Basis).lists},
	{"option RangesMaxAge", false, func(b *Basis) string { return english.Hours(b.RangesMaxAge) }},
	{"option Names", false, func(b *Basis) string { return choose(b.Names != "", "given", "") }},
	{"the contents of the file of option Names", true, func(b *Basis) string { return string(b.NamesSum) }},
	{"option ClientIP", false, func(b *Basis) string { return b.ClientIP }},
	{"option TrustedProxies", false, func(b *Basis) string { return strings.Join(b.TrustedProxies, ", ") }},
	{"option MaxUnparsed", false, func(b *Basis) string { return fmt.Sprint(b.MaxUnparsed) }},
	{"option Samples", false, func(b *Basis) string { return strconv.Itoa(b.Samples) }},
	{"option Sampled", false, func(b *Basis) string { return b.Sampled }},
}

// versions describes the rows, sorted and without the names of files.
func (b *Basis) versions() string {
	var list []string
	for _, r := range b.Rows {
		if r.BodyAt >= 0 {
			r.Body, r.Past = b.Bodies[r.BodyAt].Text, b.Bodies[r.BodyAt].Past
		}
		list = append(list, fmt.Sprintf("%q %d %d %x %x %d %q %d %q %q %t", r.Origins, r.From, r.Status,
			sha256.Sum256(r.Body), sha256.Sum256(r.Past), r.Size, r.Sum, r.MaxAge, r.Location, r.Digest, r.Committed))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// lists describes the lists of addresses, sorted and without the names of files.
func (b *Basis) lists() string {
	var list []string
	for _, s := range b.Series {
		for _, l := range s.Lists {
			list = append(list, fmt.Sprintf("%q %d %x", s.Crawler, l.Created, l.Sum))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
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
