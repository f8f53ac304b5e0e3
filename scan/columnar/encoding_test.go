package columnar

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// column returns a file with one column that is called v, which is written by the library. It leaves
// its dictionary within the column if that grows.
func column(t *testing.T, node parquet.Node, values []parquet.Value, pageBytes, version int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, parquet.NewSchema("root", parquet.Group{"v": node}),
		parquet.PageBufferSize(pageBytes), parquet.DataPageVersion(version), parquet.DictionaryMaxBytes(2000))
	for i := range values {
		if _, err := w.WriteRows([]parquet.Row{values[i : i+1]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// valuesOf returns the values of the column v, with null as a dash.
func valuesOf(t *testing.T, file []byte) (all []string) {
	t.Helper()
	rows, err := open(t, file).Select(context.Background(), "v")
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range rows {
		switch {
		case err != nil:
			t.Fatal(err)
		case row[0] == nil:
			all = append(all, "-")
		default:
			all = append(all, string(row[0]))
		}
	}
	return all
}

// TestEncodings reads random texts and numbers, with and without nulls, in each encoding.
func TestEncodings(t *testing.T) {
	for name, node := range map[string]parquet.Node{
		"plain":       parquet.Encoded(parquet.String(), &parquet.Plain),
		"dictionary":  parquet.Encoded(parquet.String(), &parquet.RLEDictionary),
		"lengths":     parquet.Encoded(parquet.String(), &parquet.DeltaLengthByteArray),
		"prefixes":    parquet.Encoded(parquet.String(), &parquet.DeltaByteArray),
		"plain 64":    parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.Plain),
		"dict 64":     parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.RLEDictionary),
		"delta 64":    parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.DeltaBinaryPacked),
		"plain 32":    parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.Plain),
		"delta 32":    parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked),
		"unsigned 32": parquet.Encoded(parquet.Uint(32), &parquet.Plain),
		"unsigned 64": parquet.Encoded(parquet.Uint(64), &parquet.DeltaBinaryPacked),
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range 12 {
				r := rand.New(rand.NewSource(int64(seed)))
				optional, different := seed%3 > 0, 1<<(seed%12)
				want := make([]string, r.Intn(3000))
				values := make([]parquet.Value, len(want))
				for i := range want {
					v, text := random(r, node.Type(), different)
					level := 0
					if optional {
						level = 1
					}
					if optional && r.Intn(seed) == 0 {
						v, text, level = parquet.NullValue(), "-", 0
					}
					values[i], want[i] = v.Level(0, level, 0), text
				}
				leaf := node
				if optional {
					leaf = parquet.Optional(node)
				}
				got := valuesOf(t, column(t, leaf, values, 256<<(seed%8), 1+seed%2))
				if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
					t.Fatalf("seed %d: %s", seed, firstDifference(a, b))
				}
			}
		})
	}
}

// random returns one of so many values of a type, and its text.
func random(r *rand.Rand, of parquet.Type, different int) (parquet.Value, string) {
	n := int64(r.Intn(different))
	wide := n * n * n * 0x9e3779b97f4a7c1 << (n % 17)
	_, isUnsigned := strings.CutPrefix(of.String(), "INT(64,false")
	switch {
	case of.Kind() == parquet.ByteArray:
		text := ""
		if n%5 > 0 {
			text = fmt.Sprintf("https://%d.example/%s", n%7, strings.Repeat("a", int(n)))
		}
		return parquet.ByteArrayValue([]byte(text)), text
	case of.Kind() == parquet.Int32 && strings.Contains(of.String(), "false"):
		return parquet.Int32Value(int32(wide)), fmt.Sprint(uint32(wide))
	case of.Kind() == parquet.Int32:
		return parquet.Int32Value(int32(wide)), fmt.Sprint(int32(wide))
	case isUnsigned:
		return parquet.Int64Value(wide), fmt.Sprint(uint64(wide))
	}
	return parquet.Int64Value(wide), fmt.Sprint(wide)
}

// TestKinds reads values of the other types that can be text.
func TestKinds(t *testing.T) {
	day := uint32(julianEpoch + 20000)
	for name, c := range map[string]struct {
		node  parquet.Node
		value parquet.Value
		want  string
	}{
		"double":    {parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(200), "200"},
		"fraction":  {parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(-0.25), "-0.25"},
		"float":     {parquet.Leaf(parquet.FloatType), parquet.FloatValue(404), "404"},
		"no number": {parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.NaN()), "-"},
		"INT96": {parquet.Leaf(parquet.Int96Type), parquet.Int96Value(deprecated.Int96{500e6, 0, day}),
			"2024-10-04T00:00:00.5Z"},
		"millis": {parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(-1), "1969-12-31T23:59:59.999Z"},
		"micros": {parquet.Timestamp(parquet.Microsecond), parquet.Int64Value(1e15 + 1), "2001-09-09T01:46:40.000001Z"},
		"nanos":  {parquet.Timestamp(parquet.Nanosecond), parquet.Int64Value(1e18 + 1), "2001-09-09T01:46:40.000000001Z"},
		"date":   {parquet.Date(), parquet.Int32Value(-1), "1969-12-31T00:00:00Z"},
		"enum":   {parquet.Enum(), parquet.ByteArrayValue([]byte("a")), "a"},
		"JSON":   {parquet.JSON(), parquet.ByteArrayValue([]byte(`"a"`)), `"a"`},
		"bytes":  {parquet.Leaf(parquet.ByteArrayType), parquet.ByteArrayValue([]byte("\xff")), "\xff"},
	} {
		got := valuesOf(t, column(t, c.node, []parquet.Value{c.value.Level(0, 0, 0)}, 1000, 2))
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: %q, want %s", name, got, c.want)
		}
	}
	for name, node := range map[string]parquet.Node{
		"a boolean": parquet.Leaf(parquet.BooleanType), "a decimal": parquet.Decimal(2, 9,
			parquet.Int64Type), "a time of day": parquet.Time(parquet.Microsecond), "a UUID": parquet.UUID(),
		"BSON": parquet.BSON(),
	} {
		if _, err := open(t, column(t, node, nil, 1000, 2)).Select(context.Background(), "v"); err == nil ||
			!strings.Contains(err.Error(), "which cannot be read") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInstants reads times as Unix seconds, rounded down.
func TestInstants(t *testing.T) {
	for _, c := range []struct {
		node  parquet.Node
		value parquet.Value
		want  string
	}{
		{parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(-1), "-1"},
		{parquet.Timestamp(parquet.Nanosecond), parquet.Int64Value(1e18 + 1), "1000000000"},
		{parquet.Date(), parquet.Int32Value(1), "86400"},
		{parquet.Leaf(parquet.Int96Type), parquet.Int96Value(deprecated.Int96{0, 0, julianEpoch + 1}), "86400"},
		{parquet.Leaf(parquet.Int64Type), parquet.Int64Value(1709251199), "1709251199"},
		{parquet.Leaf(parquet.Int64Type), parquet.Int64Value(1709251199123), "1709251199"},
		{parquet.Leaf(parquet.Int64Type), parquet.Int64Value(20240229235959), "1709251199"},
		{parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(1709251199.5), "1709251199"},
		{parquet.String(), parquet.ByteArrayValue([]byte("2024-02-29T23:59:59Z")), "1709251199"},
		{parquet.String(), parquet.ByteArrayValue([]byte("yesterday")), ""},
		{parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.NaN()), ""},
	} {
		text, err := readLines(t, open(t, column(t, c.node, []parquet.Value{c.value.Level(0, 0, 0)}, 1000, 2)),
			Options{URL: "v", Date: "v"})
		if _, got, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\t"); got != c.want || err != nil {
			t.Errorf("%v of %v: %s, %v, want %s", c.value, c.node.Type(), strconv.Quote(text), err, c.want)
		}
	}
}

// TestGuardLines checks that the allocations of lines don't exceed those of pages.
func TestGuardLines(t *testing.T) {
	rows := pagesOf(50_000)
	f := open(t, write(t, rows, parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(1<<20)))
	allocations := testing.AllocsPerRun(1, func() {
		if _, err := readLines(t, f, Options{URL: "url", Date: "micros"}); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 500 {
		t.Errorf("%v allocations for %d rows", allocations, len(rows))
	}
}
