package columnar

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// capture is a row like those of a columnar index of a crawl.
type capture struct {
	URL   string `parquet:"url,plain"`
	Host  string `parquet:"host,dict"`
	Fetch int64  `parquet:"fetch,timestamp(millisecond)"`
}

// BenchmarkLines reads URLs of 60 bytes. A value is a row.
func BenchmarkLines(b *testing.B) {
	const n = 1 << 19
	rows := make([]capture, n)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for i := range rows {
		mixed := uint32(i) * 2654435761
		host := fmt.Sprintf("https://www.site%05d.example/", i/97%50000)
		rows[i] = capture{URL: fmt.Sprintf("%sarticles/%07x/%09d.html", host, mixed&0xfffffff, mixed%1e9), Host: host,
			Fetch: at + int64(mixed>>8)}
	}
	files := map[string][]byte{}
	for _, name := range []string{"plain", "snappy", "gzip", "zstd"} {
		files[name] = write(b, rows, parquet.Compression(codecs[name]), parquet.DataPageVersion(1))
	}
	for _, c := range []struct {
		codec string
		o     Options
	}{{"plain", Options{URL: "url"}}, {"snappy", Options{URL: "url"}}, {"gzip", Options{URL: "url"}}, {"zstd",
		Options{URL: "url"}}, {"snappy", Options{URL: "host"}}, {"zstd", Options{URL: "url", Date: "fetch"}}} {
		b.Run(fmt.Sprintf("codec=%s/column=%s%s", c.codec, c.o.URL, c.o.Date), func(b *testing.B) {
			f := open(b, files[c.codec])
			b.ReportAllocs()
			for b.Loop() {
				r, err := f.Lines(context.Background(), c.o)
				if err != nil {
					b.Fatal(err)
				}
				size, err := io.Copy(io.Discard, r)
				if err != nil || size < n*20 {
					b.Fatal(size, err)
				}
				b.SetBytes(size)
				r.Close()
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkSidecar writes a million verdicts about two agents.
func BenchmarkSidecar(b *testing.B) {
	const n = 1 << 20
	var rows []byte
	for i := range n {
		r := Row{Known: true, Allowed: i%10 > 0, Class: "allowed", Line: int32(i % 10)}
		if !r.Allowed {
			r.Class, r.Barred = "disallowed", []string{"GPTBot", "CCBot"}
		}
		rows = AppendRow(rows, &r)
	}
	b.ReportAllocs()
	for b.Loop() {
		s := NewSidecar(io.Discard, nil)
		if _, err := s.Write(rows); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
