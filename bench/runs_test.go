package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

// BenchmarkStream times an audit of a log of 1 GB, from its file to the report. The log is a real one if available,
// otherwise the sample's lines repeated. The temporary folder must have enough space for it.
func BenchmarkStream(b *testing.B) {
	log := realLog(b)
	n := 1e9/len(log) + 1
	for codec, packed := range map[string]func(w io.Writer) (io.WriteCloser, error){
		"plain": nil,
		"gzip":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"zstd":  func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	} {
		b.Run("codec="+codec, func(b *testing.B) {
			data := bytes.Repeat(log, n)
			b.SetBytes(int64(len(data)))
			if packed != nil {
				var out bytes.Buffer
				w := must(packed(&out))
				must(w.Write(data))
				must(0, w.Close())
				data = out.Bytes()
			}
			path := writeFile(b, "access.log", data)
			want := int64(n * bytes.Count(log, []byte("\n")))
			for b.Loop() {
				if got := auditFile(b, path); got != want {
					b.Fatalf("%d lines, want %d", got, want)
				}
			}
		})
	}
}

// auditFile audits a log by the sample's robots.txt, and returns how many lines its report is about.
func auditFile(b *testing.B, path string) int64 {
	return must(job.Audit(b.Context(), job.AuditOptions{
		// Some formats name the host.
		LogOptions: job.LogOptions{Logs: job.Inputs{Names: []string{path}}, Hosts: []string{"www.example.com"}},
		Judging:    job.Judging{Robots: job.RobotsFile{Name: "../testdata/sample/robots.txt"}},
	})).Report.Lines
}

// filterFile times whole runs of filter, from a file of URLs to a discarded output. MB/s counts the decompressed
// file, and MURL/s its URLs.
func filterFile(b *testing.B, o job.FilterOptions, path string, agents ...string) {
	o.URLs = job.Inputs{Names: []string{path}}
	for _, a := range agents {
		o.Agents = append(o.Agents, job.Agent{Name: a})
	}
	var f *job.Filtered
	b.ReportAllocs()
	for b.Loop() {
		f = must(job.Filter(b.Context(), o, io.Discard))
	}
	size := int64(0)
	for _, in := range f.Inputs {
		size += max(in.Bytes, in.Disk)
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(size)/seconds/1e6, "MB/s")
	b.ReportMetric(float64(f.Read)/seconds/1e6, "MURL/s")
}

// BenchmarkFilter times lists of URLs against one robots.txt and against their hosts' robots.txt.
func BenchmarkFilter(b *testing.B) {
	const manyHosts = "data/urls/with-robots.txt.gz"
	medium := func(b *testing.B) job.FilterOptions {
		return job.FilterOptions{Robots: job.RobotsFile{Name: sharedFile(b, "data/bench/robots_medium.txt")}}
	}
	web := func(b *testing.B) job.FilterOptions { return job.FilterOptions{Archive: corpusArchive(b)} }
	for _, c := range []struct {
		name, urls string
		shuffled   bool
		options    func(b *testing.B) job.FilterOptions
	}{
		{"rules=one", "data/bench/urls_10k.txt", false, func(b *testing.B) job.FilterOptions {
			robots := writeFile(b, "robots.txt", []byte("user-agent: *\ndisallow: /nowhere"))
			return job.FilterOptions{Robots: job.RobotsFile{Name: robots}}
		}},
		{"rules=medium", "data/bench/urls_10k.txt", false, medium},
		{"rules=medium/urls=many-hosts", manyHosts, false, medium},
		{"rules=web", manyHosts, false, web},
		{"rules=web/urls=shuffled", manyHosts, true, web},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := c.options(b)
			urls := lines(shared(b, c.urls))
			if c.shuffled {
				rng := rand.New(rand.NewPCG(1, 2))
				rng.Shuffle(len(urls), func(i, j int) { urls[i], urls[j] = urls[j], urls[i] })
			}
			text := append(bytes.Join(urls, []byte("\n")), '\n')
			path := writeFile(b, "urls.txt", bytes.Repeat(text, 100<<20/len(text)+1))
			for o.Workers = 1; o.Workers <= 2; o.Workers++ {
				b.Run(fmt.Sprintf("workers=%d", o.Workers), func(b *testing.B) { filterFile(b, o, path, "FooBot") })
			}
		})
	}
}

// listURL returns the i-th URL of a list, of some 60 bytes.
func listURL(i int) string {
	return fmt.Sprintf("https://www.site%05d.example/articles/%07x/%09d.html", i/20, uint32(i)*2654435761%(1<<28), i)
}

// listForms append the i-th row of a list of each form; of some only every n-th makes a row.
var listForms = []struct {
	form string
	each int
	row  func(out []byte, i int) []byte
}{
	{"urls", 1, func(out []byte, i int) []byte { return fmt.Appendln(out, listURL(i)) }},
	{"csv", 1, func(out []byte, i int) []byte {
		if i == 0 {
			out = append(out, "id,url,title,score\n"...)
		}
		return fmt.Appendf(out, "%d,%s,\"A title, with a comma\",0.%d\n", i, listURL(i), i)
	}},
	{"jsonl", 16, func(out []byte, i int) []byte { // documents of 2 kB
		line, _ := json.Marshal(map[string]any{"text": prose(i, 1800, "and", "\"so\"", "on\n"), "id": i,
			"metadata": map[string]string{"url": listURL(i), "lang": "en"}})
		return append(append(out, line...), '\n')
	}},
	{"cdxj", 1, func(out []byte, i int) []byte {
		return fmt.Appendf(out, "example,site%05d)/articles/%d 20261001000000 {\"url\": \"%s\", \"mime\": \"text/html\", "+
			"\"status\": \"200\", \"digest\": \"XYZ\", \"length\": \"%d\"}\n", i/20, i, listURL(i), i)
	}},
	{"warc", 500, func(out []byte, i int) []byte { // pages of 50 kB
		page := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head><title>x</title></head><body>" +
			prose(i, 50_000, "and", "so", "on")
		return source.AppendMember(out, fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: "+
			"%s\r\nWARC-Date: 2026-10-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", listURL(i), len(page), page))
	}},
}

// prose makes a text of n bytes, and some more.
func prose(seed, n int, words ...string) string {
	rng := rand.New(rand.NewPCG(1, uint64(seed)))
	var text strings.Builder
	for text.Len() < n {
		fmt.Fprintf(&text, "word%d %s ", rng.IntN(5000), words[rng.IntN(len(words))])
	}
	return text.String()
}

// parquetList is a list of n URLs in Parquet.
func parquetList(b *testing.B, n int) []byte {
	b.Helper()
	var out bytes.Buffer
	w := columnar.NewWriter(&out, "docs", []columnar.Field{{Name: "text"}, {Name: "url"}})
	for i := range n {
		must(w.Write(columnar.AppendText(columnar.AppendText(nil, "a text that is not read"), listURL(i))))
	}
	must(0, w.Close())
	return out.Bytes()
}

// BenchmarkLists times lists of each form by 100 rules, on two workers.
func BenchmarkLists(b *testing.B) {
	const urls = 1_000_000
	o := job.FilterOptions{Robots: job.RobotsFile{Name: sharedFile(b, "data/bench/robots_medium.txt")}, Workers: 2}
	for _, f := range listForms {
		b.Run("form="+f.form, func(b *testing.B) {
			var list []byte
			for i := range urls / f.each {
				list = f.row(list, i)
			}
			filterFile(b, o, writeFile(b, "list."+f.form, list), "MyBot")
		})
	}
	b.Run("agents=8", func(b *testing.B) {
		var list []byte
		for i := range urls {
			list = listForms[0].row(list, i)
		}
		filterFile(b, o, writeFile(b, "list.urls", list), "GPTBot", "CCBot", "ClaudeBot", "Bytespider", "Googlebot",
			"PerplexityBot", "AhrefsBot", "MyBot")
	})
	b.Run("form=parquet", func(b *testing.B) {
		filterFile(b, o, writeFile(b, "list.parquet", parquetList(b, urls)), "MyBot")
	})
}
