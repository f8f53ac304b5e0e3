package spill

import (
	"math/rand/v2"
	"testing"
)

// benchRecords is how many records one round of a benchmark has; b.N counts records.
const benchRecords = 1 << 20

func benchInput() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, 60*benchRecords)
	for range benchRecords {
		b = append(b, auditRecord(nil, r)...)
	}
	return b
}

// BenchmarkAdd adds records of 60 bytes until they are in runs, in memory or in the
// file. One operation is one record.
func BenchmarkAdd(b *testing.B) {
	input := benchInput()
	for _, c := range []struct {
		name   string
		memory int64
	}{{"memory=256MB", 0}, {"memory=8MB", 8 << 20}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(60)
			b.ReportAllocs()
			s := New(Options{Memory: c.memory, Dir: b.TempDir()})
			defer s.Close()
			w := s.Writer()
			for i := range b.N {
				k := i % benchRecords * 60
				if err := w.Add(input[k : k+60]); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				b.Fatal(err)
			}
			size := int64(len(s.memory)) * arenaBytes(s.size.arena)
			for _, r := range s.disk {
				size += r.end - r.off
			}
			b.ReportMetric(float64(size)/float64(b.N), "kept-B/record")
			b.ReportMetric(float64(len(s.disk)), "disk-runs")
		})
	}
}

// BenchmarkAll reads a million records of 60 bytes, nearly all distinct, from some sixty
// runs. One operation is one record.
func BenchmarkAll(b *testing.B) {
	input := benchInput()
	for _, c := range []struct {
		name   string
		memory int64
	}{{"runs=memory", 0}, {"runs=disk", 1 << 20}} {
		b.Run(c.name, func(b *testing.B) {
			s := New(Options{Memory: c.memory, Dir: b.TempDir()})
			defer s.Close()
			w := s.Writer()
			for k := 0; k < len(input); k += 60 {
				if err := w.Add(input[k : k+60]); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(60)
			b.ReportAllocs()
			b.ResetTimer()
			for done := 0; done < b.N; {
				sum, distinct := int64(0), 0
				for r, err := range s.All() {
					if err != nil {
						b.Fatal(err)
					}
					sum += r.N
					distinct++
					if done += int(r.N); done >= b.N {
						break
					}
				}
				if done < b.N && sum != benchRecords {
					b.Fatalf("%d records, want %d", sum, benchRecords)
				}
				b.ReportMetric(float64(distinct)/float64(sum), "distinct")
			}
			b.ReportMetric(float64(len(s.memory)+len(s.disk)), "runs")
		})
	}
}
