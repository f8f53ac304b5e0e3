package bench

import (
	"bufio"
	"bytes"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/logwriter"
	"github.com/robotsieve/robotsieve/scan/format"
)

var formatsMB = flag.Int("formats-mb", 20, "size in MB of the combined log that BenchmarkFormats writes in all formats")

// BenchmarkFormats times the audit of one log, written in each format, from its file to the report, alternating
// with the same log in combined. It reports the speed and its ratio to combined, for bytes and for lines.
func BenchmarkFormats(b *testing.B) {
	requests := loggedRequests(b)
	combined := logwriter.Writers(format.ByName)[1]
	if combined.Name() != "combined/nginx" {
		b.Fatal("the second writer writes ", combined.Name())
	}
	dir := b.TempDir()
	base := writeFormat(b, filepath.Join(dir, "combined"), combined, requests, int64(*formatsMB)*1e6)
	done := map[string]bool{}
	for _, w := range logwriter.Writers(format.ByName) {
		if done[w.Format] {
			continue
		}
		done[w.Format] = true
		b.Run("format="+w.Format, func(b *testing.B) {
			log := writeFormat(b, filepath.Join(b.TempDir(), "log"), w, requests, int64(*formatsMB)*1e6)
			var octets, lines, octetsRatio, linesRatio []float64
			for b.Loop() {
				of, by := base.audit(b), log.audit(b)
				octets, lines = append(octets, by.octets/1e6), append(lines, by.lines)
				octetsRatio, linesRatio = append(octetsRatio, by.octets/of.octets), append(linesRatio, by.lines/of.lines)
			}
			b.ReportMetric(Median(octets), "MB/s")
			b.ReportMetric(Median(lines), "lines/s")
			b.ReportMetric(Median(octetsRatio), "octets/combined")
			b.ReportMetric(Median(linesRatio), "lines/combined")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// formatLog is a log in a file.
type formatLog struct {
	path  string
	size  int64
	lines int64 // excluding the head's, which are not requests
}

type speed struct{ octets, lines float64 }

func (l *formatLog) audit(b *testing.B) speed {
	begin := time.Now()
	if n := auditFile(b, l.path); n != l.lines {
		b.Fatalf("%d lines, want %d", n, l.lines)
	}
	took := time.Since(begin).Seconds()
	return speed{float64(l.size) / took, float64(l.lines) / took}
}

// writeFormat writes the requests over and over until the log has a size.
func writeFormat(b *testing.B, path string, w *logwriter.Writer, requests []*logwriter.Request, size int64) *formatLog {
	b.Helper()
	f := must(os.Create(path))
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	out.WriteString(w.Head)
	log := &formatLog{path: path, size: int64(len(w.Head))}
	var line []byte
	for i := 0; log.size < size; i++ {
		line, _, _ = w.Write(line[:0], requests[i%len(requests)])
		line = append(line, '\n')
		out.Write(line)
		log.size += int64(len(line))
		log.lines++
	}
	must(0, out.Flush())
	return log
}

// loggedRequests are the requests of a combined log, the real one where there is one and else the sample's.
func loggedRequests(b *testing.B) []*logwriter.Request {
	b.Helper()
	data := realLog(b)
	var requests []*logwriter.Request
	var r format.Record
	reader := format.Default().NewReader()
	for reader.Reset(data[:min(len(data), 20e6)]); ; {
		kind := reader.Next(&r)
		if kind == format.End {
			return requests
		}
		if kind != format.Request {
			continue
		}
		reader.Complete(&r)
		addr, err := netip.ParseAddr(string(r.Addr))
		if err != nil || !bytes.HasPrefix(r.Target, []byte("/")) || r.Status == 0 {
			continue // not every format has such requests
		}
		request := logwriter.Ordinary()
		request.Client, request.Time = netip.AddrPortFrom(addr, 51234), time.Unix(0, r.Time).UTC()
		request.Method, request.Target = string(r.Method), string(r.Target)
		request.Status, request.Size = r.Status, max(r.Size, 0)
		request.Agent, request.Referer = []string{string(r.Agent)}, nil
		if quoted := strings.Split(string(r.Line), `"`); len(quoted) > 3 && quoted[3] != "-" {
			request.Referer = []string{quoted[3]}
		}
		requests = append(requests, request)
	}
}
