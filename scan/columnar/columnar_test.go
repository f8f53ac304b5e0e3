package columnar

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// page is a row of the test files.
type page struct {
	URL     *string  `parquet:"url,optional"`
	Null    *string  `parquet:"null,optional"` // whose pages have levels and no value
	Plain   string   `parquet:"plain,plain"`
	Dict    string   `parquet:"dict,dict"`
	Lengths string   `parquet:"lengths,delta"`
	Millis  int64    `parquet:"millis,timestamp(millisecond)"`
	Micros  int64    `parquet:"micros,timestamp(microsecond)"`
	Nanos   int64    `parquet:"nanos,timestamp(nanosecond)"`
	Day     int32    `parquet:"day,date"`
	Number  int64    `parquet:"number,delta"`
	Small   *int32   `parquet:"small,optional"`
	Status  float64  `parquet:"status"`
	When    string   `parquet:"when"`
	Request *request `parquet:"request,optional"`
	Tags    []string `parquet:"tags,list"`
	Bool    bool     `parquet:"bool"`
}

type request struct {
	URL *string `parquet:"url,optional"`
	Raw []byte  `parquet:"raw"`
}

func pointer[T any](v T) *T { return &v }

// start is the time of the first row.
var start = time.Date(2024, 2, 29, 23, 59, 59, 500e6, time.UTC)

// pagesOf makes rows; every seventh has no URL and every fifth no request.
func pagesOf(n int) []page {
	rows := make([]page, n)
	for i := range rows {
		at := start.Add(time.Duration(i) * time.Second)
		r := page{
			URL: pointer(fmt.Sprintf("https://example.com/%d/a?b=c", i)), Plain: fmt.Sprintf("plain\n%d",
				i), Dict: fmt.Sprintf("dict %d", i%9), Lengths: fmt.Sprint("lengths ", i),
			Millis: at.UnixMilli(), Micros: at.UnixMicro(), Nanos: at.UnixNano(), Day: int32(at.Unix() / 86400),
			Number: int64(i)*int64(i) - 500,
			Small:  pointer(int32(i)), Status: 200, When: at.Format(time.RFC3339), Tags: []string{"a", "b"}, Bool: i%2 == 0,
			Request: &request{URL: pointer(fmt.Sprint("http://a/", i)), Raw: []byte("tab\t")},
		}
		if i%7 == 3 {
			r.URL, r.Small = nil, nil
		}
		if i%5 == 1 {
			r.Request = nil
		} else if i%5 == 2 {
			r.Request.URL = nil
		}
		rows[i] = r
	}
	return rows
}

// write returns a file of rows, with a row group for each third.
func write[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	for len(rows) > 0 {
		n := min(len(rows), max(1000, len(rows)/3))
		if _, err := w.Write(rows[:n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, file []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// readLines returns the lines of a file and the error.
func readLines(t testing.TB, f *File, o Options) (string, error) {
	t.Helper()
	r, err := f.Lines(context.Background(), o)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

// codecs are the codecs of pages that are read.
var codecs = map[string]compress.Codec{"plain": &parquet.Uncompressed, "snappy": &parquet.Snappy,
	"gzip": &parquet.Gzip, "brotli": &parquet.Brotli, "zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw}

func TestLines(t *testing.T) {
	rows := pagesOf(2500)
	want := map[Options]func(i int, r *page) string{
		{URL: "url"}:     func(_ int, r *page) string { return text0(r.URL) },
		{URL: "PLAIN"}:   func(i int, _ *page) string { return fmt.Sprint("plain%0A", i) },
		{URL: "null"}:    func(int, *page) string { return "" },
		{URL: "dict"}:    func(_ int, r *page) string { return r.Dict },
		{URL: "lengths"}: func(_ int, r *page) string { return r.Lengths },
		{URL: "number"}:  func(_ int, r *page) string { return fmt.Sprint(r.Number) },
		{URL: "request.url"}: func(_ int, r *page) string {
			if r.Request == nil {
				return ""
			}
			return text0(r.Request.URL)
		},
		{URL: "request.raw", Date: "millis"}: func(i int, r *page) string {
			raw := ""
			if r.Request != nil {
				raw = "tab%09"
			}
			return fmt.Sprint(raw, "\t", start.Unix()+int64(i))
		},
		{URL: "url", Date: "day"}:  func(_ int, r *page) string { return fmt.Sprint(text0(r.URL), "\t", int64(r.Day)*86400) },
		{URL: "url", Date: "dict"}: func(_ int, r *page) string { return text0(r.URL) + "\t" },
	}
	for _, date := range []string{"micros", "nanos", "when"} {
		want[Options{URL: "url", Date: date}] = func(i int, r *page) string {
			return fmt.Sprint(text0(r.URL), "\t", start.Unix()+int64(i))
		}
	}
	for name, codec := range codecs {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprint(name, version), func(t *testing.T) {
				f := open(t, write(t, rows, parquet.Compression(codec), parquet.DataPageVersion(version),
					parquet.PageBufferSize(4<<10)))
				for o, line := range want {
					var b strings.Builder
					for i := range rows {
						b.WriteString(line(i, &rows[i]) + "\n")
					}
					if got, err := readLines(t, f, o); err != nil || got != b.String() {
						t.Errorf("%v: %v, %s", o, err, firstDifference(got, b.String()))
					}
				}
			})
		}
	}
}

func text0(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// firstDifference returns where two texts begin to differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: %q, want %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a)-1, len(b)-1)
}

func TestRefusedColumns(t *testing.T) {
	f := open(t, write(t, pagesOf(10)))
	for column, want := range map[string]string{
		"tags.list.element": "it is a list, of which a row may have several values", "bool": "it has values of the " +
			"type BOOLEAN",
		"link": "no column \"link\": the file has \"url\", \"null\", \"plain\", ",
	} {
		if _, err := readLines(t, f, Options{URL: column}); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "Parquet: ") {
			t.Errorf("%s: %v, want %q", column, err, want)
		}
	}
}

func TestSelect(t *testing.T) {
	rows := pagesOf(3000)
	f := open(t, write(t, rows, parquet.Compression(&parquet.Zstd)))
	seq, err := f.Select(context.Background(), "number", "url", "micros", "status", "small", "day")
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for row, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		at := time.UnixMicro(rows[i].Micros).UTC()
		want := fmt.Sprint(rows[i].Number, "|", text0(rows[i].URL), "|", at.Format(time.RFC3339Nano), "|200|", i, "|",
			at.Format("2006-01-02T00:00:00Z"))
		if rows[i].URL == nil {
			want = strings.Replace(want, fmt.Sprint("|", i, "|"), "||", 1)
		}
		if got := string(bytes.Join(row, []byte("|"))); got != want {
			t.Fatalf("row %d: %s, want %s", i, got, want)
		}
		if (row[1] == nil) != (rows[i].URL == nil) || (row[4] == nil) != (rows[i].Small == nil) {
			t.Fatalf("row %d: %q: which values are null", i, row)
		}
		i++
	}
	if i != len(rows) {
		t.Errorf("%d rows, want %d", i, len(rows))
	}
}

// verdict is a row of a sidecar as a reader has it.
type verdict struct {
	Position *int64   `parquet:"position"`
	Key      *string  `parquet:"key,optional"`
	Allowed  *bool    `parquet:"allowed,optional"`
	Class    string   `parquet:"class"`
	Barred   []string `parquet:"barred,list"`
	Line     int32    `parquet:"line"`
}

func TestSidecar(t *testing.T) {
	rows := pagesOf(3000)
	f := open(t, write(t, rows))
	for _, key := range []string{"", "url"} {
		var keys *Keys
		if key != "" {
			var err error
			if keys, err = f.Keys(key); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		s := NewSidecar(&out, keys)
		var want []string
		for i := 0; i < len(rows); i += 100 {
			var b []byte
			for j := i; j < i+100; j++ {
				r := SidecarRow{Known: j%3 > 0, Allowed: j%3 == 1, Class: "allowed", Line: int32(j),
					Barred: []string{"GPTBot", "CCBot"}[:j%3]}
				b = AppendSidecarRow(b, &r)
				want = append(want, fmt.Sprint(r))
			}
			if _, err := s.Write(b); err != nil {
				t.Fatal(err)
			}
			clear(b) // which the sidecar must not have kept
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := parquet.Read[verdict](bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil || len(got) != len(rows) {
			t.Fatal(len(got), err)
		}
		for i, v := range got {
			r := SidecarRow{Known: v.Allowed != nil, Allowed: v.Allowed != nil && *v.Allowed, Class: v.Class, Barred: v.Barred,
				Line: v.Line}
			if fmt.Sprint(r) != want[i] || key == "" && *v.Position != int64(i) || key != "" &&
				text0(v.Key) != text0(rows[i].URL) {
				t.Fatalf("row %d: %v, want %s", i, v, want[i])
			}
		}
		if _, err := Open(bytes.NewReader(out.Bytes()[:out.Len()-1]), int64(out.Len()-1)); err == nil {
			t.Error("a sidecar without its last byte is accepted")
		}
	}
}

// small returns a file of few rows and few columns.
func small(t testing.TB, codec compress.Codec, version int) []byte {
	type row struct {
		URL    *string `parquet:"url,optional,dict"`
		Plain  string  `parquet:"plain,plain"`
		Delta  string  `parquet:"delta,delta"`
		Number int64   `parquet:"number,delta"`
		At     int64   `parquet:"at,timestamp(millisecond)"`
	}
	rows := make([]row, 5)
	for i := range rows {
		rows[i] = row{Plain: "http://a", Delta: strings.Repeat("d", i), Number: int64(i * i), At: start.UnixMilli()}
		if i%2 == 0 {
			rows[i].URL = pointer("http://a/\n")
		}
	}
	return write(t, rows, parquet.Compression(codec), parquet.DataPageVersion(version))
}

// TestWriterIsDeterministic writes many rows in calls of different lengths, and compares the bytes.
func TestWriterIsDeterministic(t *testing.T) {
	var want []byte
	for _, most := range []int{1, 7, 256, 1000, 1 << 30} {
		var out bytes.Buffer
		s := NewSidecar(&out, nil)
		var b []byte
		for i := range 60_000 {
			b = AppendSidecarRow(b, &SidecarRow{Class: strings.Repeat("c", i%700), Line: int32(i), Barred: []string{"a", "b"}[:i%3%2]})
			if i%most == most-1 || i == 59_999 {
				if _, err := s.Write(b); err != nil {
					t.Fatal(err)
				}
				b = b[:0]
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = out.Bytes()
		} else if !bytes.Equal(want, out.Bytes()) {
			t.Errorf("calls of up to %d rows: other bytes", most)
		}
	}
}
