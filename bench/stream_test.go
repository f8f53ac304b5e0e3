package bench

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// BenchmarkStream times an audit of a log of 1 GB, from its file to the report, and
// beside it the decompressor alone: one goroutine that reads into one buffer. The
// log is a real one where there is one, else the sample's, over and over. The
// temporary folder must have room for it.
func BenchmarkStream(b *testing.B) {
	for _, codec := range []string{"plain", "gzip", "zstd"} {
		b.Run("codec="+codec, func(b *testing.B) {
			path, size, lines := writeLog(b, codec)
			how := func(name string, read func(b *testing.B, path string) int64, want int64) {
				b.Run("how="+name, func(b *testing.B) {
					b.SetBytes(size)
					for b.Loop() {
						if n := read(b, path); n != want {
							b.Fatalf("%d read, want %d", n, want)
						}
					}
				})
			}
			switch codec {
			case "gzip":
				how("alone", gunzip, size)
			case "zstd":
				how("alone", unzstd, size)
			}
			how("audit", auditFile, lines)
		})
	}
}

// writeLog writes the log to a file and returns its path, and its length before
// compression in bytes and in lines.
func writeLog(b *testing.B, codec string) (path string, size, lines int64) {
	b.Helper()
	log := sample(b, "access.log.gz")
	if data, err := os.ReadFile("../../shared/data/logs/wordpress-2016.combined.log.gz"); err == nil {
		log = inflate(b, data)
	}
	if log[len(log)-1] != '\n' {
		log = append(log, '\n')
	}
	path = filepath.Join(b.TempDir(), "access.log")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var w io.WriteCloser = f
	switch codec {
	case "gzip":
		w = gzip.NewWriter(f)
	case "zstd":
		if w, err = zstd.NewWriter(f); err != nil {
			b.Fatal(err)
		}
	}
	for size < 1e9 {
		if _, err := w.Write(log); err != nil {
			b.Fatal(err)
		}
		size += int64(len(log))
		lines += int64(bytes.Count(log, []byte("\n")))
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return path, size, lines
}

func gunzip(b *testing.B, path string) int64 {
	f := open(b, path)
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 256<<10))
	if err != nil {
		b.Fatal(err)
	}
	return drain(b, z)
}

func unzstd(b *testing.B, path string) int64 {
	f := open(b, path)
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	defer z.Close()
	return drain(b, z)
}

func open(b *testing.B, path string) *os.File {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// drain reads all into one buffer.
func drain(b *testing.B, r io.Reader) (n int64) {
	buffer := make([]byte, 512<<10)
	for {
		m, err := r.Read(buffer)
		n += int64(m)
		if err == io.EOF {
			return n
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// auditor judges by the sample's robots.txt.
func auditor(b *testing.B) *audit.Auditor {
	b.Helper()
	profiles := crawler.Builtin()
	set, err := crawler.New(profiles)
	if err != nil {
		b.Fatal(err)
	}
	p := policy.Constant(policy.Row{Body: sample(b, "robots.txt"), File: "robots.txt"}, policy.Options{})
	return audit.New(audit.Config{Crawlers: set, Policy: p})
}

// auditFile audits a log with a worker for each processor, and returns how many lines
// its report is about.
func auditFile(b *testing.B, path string) int64 {
	in, err := source.NewFile(path)
	if err != nil {
		b.Fatal(err)
	}
	head, err := in.Head(format.SampleBytes)
	if err != nil {
		b.Fatal(err)
	}
	f, err := format.Detect(head, false)
	if err != nil {
		b.Fatal(err)
	}
	run := auditor(b).Begin()
	defer run.Close()
	workers := make([]*audit.Worker, runtime.GOMAXPROCS(0))
	for i := range workers {
		workers[i] = run.Worker()
	}
	r := source.NewReader([]*source.Input{in}, source.Options{})
	if err := scan.Run(b.Context(), r, len(workers),
		func(i int, c *source.Chunk) { workers[i].Chunk(f, c.Data) }); err != nil {
		b.Fatal(err)
	}
	if res := r.Result(0); !res.Complete {
		b.Fatal(res.Err)
	}
	report, err := run.Report(audit.Inputs{})
	if err != nil {
		b.Fatal(err)
	}
	return report.Lines
}
