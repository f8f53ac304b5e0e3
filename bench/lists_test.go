package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

// listURL returns the i-th URL of a list, of some 60 bytes.
func listURL(i int) string {
	return fmt.Sprintf("https://www.site%05d.example/articles/%07x/%09d.html", i/20, uint32(i)*2654435761%(1<<28), i)
}

// listForms write lists of n URLs in each form.
var listForms = map[string]func(b *testing.B, n int) []byte{
	"urls": func(_ *testing.B, n int) []byte {
		var out bytes.Buffer
		for i := range n {
			fmt.Fprintln(&out, listURL(i))
		}
		return out.Bytes()
	},
	"csv": func(_ *testing.B, n int) []byte {
		out := bytes.NewBufferString("id,url,title,score\n")
		for i := range n {
			fmt.Fprintf(out, "%d,%s,\"A title, with a comma\",0.%d\n", i, listURL(i), i)
		}
		return out.Bytes()
	},
	"jsonl": func(b *testing.B, n int) []byte {
		var out bytes.Buffer
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range n / 16 { // documents of 2 kB
			var text strings.Builder
			for text.Len() < 1800 {
				fmt.Fprintf(&text, "word%d %s ", rng.IntN(1000), []string{"and", "\"so\"", "on\n"}[rng.IntN(3)])
			}
			line, err := json.Marshal(map[string]any{"text": text.String(), "id": i,
				"metadata": map[string]string{"url": listURL(i), "lang": "en"}})
			if err != nil {
				b.Fatal(err)
			}
			out.Write(append(line, '\n'))
		}
		return out.Bytes()
	},
	"cdxj": func(_ *testing.B, n int) []byte {
		var out bytes.Buffer
		for i := range n {
			fmt.Fprintf(&out, "example,site%05d)/articles/%d 20261001000000 {\"url\": \"%s\", \"mime\": \"text/html\", "+
				"\"status\": \"200\", \"digest\": \"XYZ\", \"length\": \"%d\"}\n", i/20, i, listURL(i), i)
		}
		return out.Bytes()
	},
	"parquet": func(b *testing.B, n int) []byte {
		var out bytes.Buffer
		w := columnar.NewWriter(&out, "docs", []columnar.Field{{Name: "text"}, {Name: "url"}})
		for i := range n {
			if _, err := w.Write(columnar.AppendText(columnar.AppendText(nil, "a text that is not read"),
				listURL(i))); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		return out.Bytes()
	},
	"warc": func(_ *testing.B, n int) []byte {
		var out []byte
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range n / 500 { // pages of 50 kB
			var text strings.Builder
			text.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head><title>x</title></head><body>")
			for text.Len() < 50_000 {
				fmt.Fprintf(&text, "word%d %s ", rng.IntN(5000), []string{"and", "so", "on"}[rng.IntN(3)])
			}
			out = source.AppendMember(out, fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: "+
				"%s\r\nWARC-Date: 2026-10-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
				listURL(i), text.Len(), text.String()))
		}
		return out
	},
}

// BenchmarkLists times whole jobs of filter, by 100 rules, from a file of each form to a discarded output,
// on two workers: MB/s is of the
// file, decompressed, and MURL/s of its URLs. "decompressed" is a WARC file that is only decompressed.
func BenchmarkLists(b *testing.B) {
	const robots = "../../shared/data/bench/robots_medium.txt"
	if _, err := os.Stat(robots); err != nil {
		b.Skipf("no shared data: %v", err)
	}
	const urls = 1_000_000
	file := func(b *testing.B, form string) string {
		name := filepath.Join(b.TempDir(), "list."+form)
		if err := os.WriteFile(name, listForms[form](b, urls), 0o600); err != nil {
			b.Fatal(err)
		}
		return name
	}
	filter := func(b *testing.B, name string, agents ...string) {
		o := job.FilterOptions{Robots: job.RobotsFile{Name: robots}, URLs: job.Inputs{Names: []string{name}}, Workers: 2}
		for _, a := range agents {
			o.Agents = append(o.Agents, job.Agent{Name: a})
		}
		var f *job.Filtered
		var err error
		for b.Loop() {
			if f, err = job.Filter(context.Background(), o, io.Discard); err != nil {
				b.Fatal(err)
			}
		}
		size := int64(0)
		for _, in := range f.Inputs {
			size += max(in.Bytes, in.Disk)
		}
		seconds := b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(float64(size)/seconds/1e6, "MB/s")
		b.ReportMetric(float64(f.Read)/seconds/1e6, "MURL/s")
	}
	for _, form := range []string{"urls", "csv", "jsonl", "cdxj", "parquet", "warc"} {
		b.Run("form="+form, func(b *testing.B) { filter(b, file(b, form), "MyBot") })
	}
	b.Run("form=warc/decompressed", func(b *testing.B) {
		name := file(b, "warc")
		for b.Loop() {
			in, err := source.NewFile(name)
			if err != nil {
				b.Fatal(err)
			}
			r, err := in.Open()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r); err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
	eight := []string{"GPTBot", "CCBot", "ClaudeBot", "Bytespider", "Googlebot", "PerplexityBot", "AhrefsBot", "MyBot"}
	for _, agents := range [][]string{eight[7:], eight} {
		b.Run(fmt.Sprintf("agents=%d", len(agents)), func(b *testing.B) { filter(b, file(b, "urls"), agents...) })
	}
}
