package bench

import (
	"bytes"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
)

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

// BenchmarkAudit times one worker on lines that come to it in one buffer, chunk by
// chunk, as they do when they are read.
func BenchmarkAudit(b *testing.B) {
	for _, log := range []struct {
		name string
		data func(b *testing.B) []byte
	}{
		{"sample", func(b *testing.B) []byte { return sample(b, "access.log.gz") }},
		{"wordpress-2016", func(b *testing.B) []byte { return shared(b, "data/logs/wordpress-2016.combined.log.gz") }},
	} {
		b.Run("log="+log.name, func(b *testing.B) {
			data := log.data(b)
			f, err := format.Detect(data[:min(len(data), format.SampleBytes)], false)
			if err != nil {
				b.Fatal(err)
			}
			run := auditor(b).Begin()
			defer run.Close()
			w := run.Worker()
			buffer := make([]byte, 512<<10)
			read := func() {
				for at := 0; at < len(data); {
					n := copy(buffer, data[at:])
					n = bytes.LastIndexByte(buffer[:n], '\n') + 1
					w.Chunk(f, buffer[:n])
					at += n
				}
			}
			read()
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}
