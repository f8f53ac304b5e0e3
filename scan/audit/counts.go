package audit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Rows and tallies as CBOR (RFC 8949), for deferred records and states: their exported fields,
// before the final pass, so that there are no violations in them yet. The same counts make the same
// bytes. What was read is not used as it is: it is added up like any other part of the input, which
// keeps all bounds. Texts are byte strings, because what clients send need not be UTF-8.

// The errors of both are nil: the options are valid.
var (
	toCBOR, _   = encodingOptions().EncMode()
	fromCBOR, _ = cbor.DecOptions{
		IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden, MaxNestedLevels: 16,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField, ByteStringToString: cbor.ByteStringToStringAllowed,
	}.DecMode()
)

func encodingOptions() cbor.EncOptions {
	o := cbor.CoreDetEncOptions()
	o.String = cbor.StringToByteString
	return o
}

// mostLines bounds the lines of an audit, so that no sum of its counts overflows. It would
// take a machine a century to count as many.
const mostLines = 1 << 53

// maxStatus is the highest status that a format reads.
const maxStatus = 999

// encode appends a value. Only values that cannot be encoded would be an error.
func encode(b []byte, v any) []byte {
	more, err := toCBOR.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(b, more...)
}

// appendRow appends a row without its name.
func appendRow(b []byte, r *row) []byte {
	r.cutPaths()
	return encode(b, r)
}

// cutPaths keeps as many paths and claims as a row has when all lines have been read.
func (r *row) cutPaths() {
	for _, r := range r.parts() {
		r.Figures.Paths.cut(r.Figures.Paths.paths)
		if r.Claims != nil {
			r.Claims.prune(1)
		}
	}
}

// appendTally appends a tally of workers that have ended.
func (a *Auditor) appendTally(b []byte, t *tally) []byte {
	t.Hosts.prune(1)
	t.Sizes.prune(1)
	t.ProxySample.prune(1)
	t.ProxySample.Rest = 0 // workers do not add all lines
	t.Sites.prune(1)
	t.Overlooked.prune(1)
	t.Rows = map[int]*row{}
	for p, r := range t.known {
		r.cutPaths()
		t.Rows[int(a.profiles[p])] = r
	}
	return encode(b, t)
}

// readTally makes a tally of what appendTally has written.
func (a *Auditor) readTally(b []byte) (*tally, error) {
	t := a.newTally()
	rest, err := a.decode(b, t, knownBounds, mostLines)
	profiles := a.config.Crawlers.Profiles()
	for number, r := range t.Rows {
		if number >= len(profiles) || len(rest) > 0 {
			return nil, errors.New("a crawler is not known")
		}
		p := &profiles[number]
		t.rowOf(crawler.Claim{Profile: p, Name: p.Name}).merge(r, 1)
	}
	return t, err
}

// decode reads a value, in which no number of lines is greater than most, and returns what follows
// it.
func (a *Auditor) decode(b []byte, v any, of bounds, most int64) (rest []byte, err error) {
	rest, err = fromCBOR.UnmarshalFirst(b, v)
	if err == nil && !(&limits{a.config.Policy, of, most}).hold(reflect.ValueOf(v)) {
		err = fmt.Errorf("a number of a %T is out of bounds", v)
	}
	return rest, err
}

// limits are what the numbers of a state must keep, so that adding them up overflows nothing and
// finds all that they are indexes of.
type limits struct {
	policy *policy.Policy
	bounds       // of a row
	most   int64 // of lines
}

// hold reports whether the exported numbers of a value keep the limits.
func (l *limits) hold(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil() || l.hold(v.Elem())
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			if i.Value().IsZero() || i.Key().Kind() == reflect.Struct && !l.hold(i.Key()) || !l.hold(i.Value()) {
				return false
			}
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return 0 <= v.Int() && (v.Int() <= l.most || v.Type() == reflect.TypeFor[byteSum]())
	case reflect.Array:
		for i := range v.Len() {
			if !l.hold(v.Index(i)) {
				return false
			}
		}
	case reflect.Slice:
		if counts, are := v.Interface().([]int64); are && len(counts) > 0 {
			return slices.Min(counts) >= 0 && slices.Max(counts) <= l.most
		}
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Struct && !l.hold(v.Index(i)) {
				return false
			}
		}
	case reflect.Struct:
		return l.holdStruct(v)
	}
	return true
}

// holdStruct is hold for structs, some of which have limits of their own.
func (l *limits) holdStruct(v reflect.Value) bool {
	isTime := func(t int64) bool { return earliest <= t && t <= latest }
	switch x := v.Interface().(type) {
	case period:
		return !x.Any && x == period{} || isTime(x.First) && isTime(x.Last)
	case timeline:
		for _, counts := range x.Counts {
			if counts != nil && len(counts) != len(x.Starts) {
				return false
			}
		}
		return x.Unit < report.Units && !slices.ContainsFunc(x.Starts, func(t int64) bool { return !isTime(t) }) &&
			l.hold(v.FieldByName("Counts"))
	case report.StatusCount:
		return 0 <= x.Status && x.Status <= maxStatus && 0 < x.N && x.N <= l.most
	case sizesAt:
		return x.When < ifCuts && hasSite(l.policy, policy.Site{First: x.Origin, N: 1})
	case sizeKey:
		return hasSite(l.policy, x.At) && x.At.N > 0 && x.Size >= 0 &&
			0 <= x.First && x.First <= x.Last && int(x.Last) <= len(l.policy.Versions(x.At.First))
	case siteKey:
		return hasSite(l.policy, x.At) && x.What >= 0
	case pathCounts:
		for _, k := range x.Kept {
			if k == nil || k.N < 0 || k.N > l.most {
				return false
			}
		}
		return (len(x.Cells) == 0 || len(x.Cells) == l.sums) && l.hold(v.FieldByName("Cells")) && 0 <= x.Robots &&
			x.Robots <= l.most
	case tally:
		for _, n := range x.totals.numbers() {
			if *n < 0 || *n > l.most {
				return false
			}
		}
		l.most = x.Read()
	case row:
		if s := x.Spoofed; s != nil && (s.Spoofed != nil || s.If != [2]*row{}) {
			return false // impostors have none
		}
		for _, of := range x.If {
			if of != nil && of.If != [2]*row{} {
				return false
			}
		}
	}
	for i := range v.NumField() {
		if v.Field(i).CanInterface() && !l.hold(v.Field(i)) {
			return false
		}
	}
	return true
}

// sumOf adds up numbers none of which is more than mostLines.
func sumOf(list []int64) (sum int64) {
	for _, n := range list {
		sum += n
	}
	return sum
}
