package bench

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/job"
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
