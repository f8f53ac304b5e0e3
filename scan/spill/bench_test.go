package spill

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkSorter adds a million records of 60 bytes, nearly all distinct, and reads them. One
// operation is one record.
func BenchmarkSorter(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var input []byte
	for range 1 << 20 {
		input = append(input, auditRecord(nil, r)...)
	}
	for name, memory := range map[string]int64{"memory=256MB": 0, "memory=8MB": 8 << 20} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(60)
			b.ReportAllocs()
			s := New(Options{Memory: memory, Dir: b.TempDir()})
			defer s.Close()
			w := s.Writer()
			for i := range b.N {
				k := i % (1 << 20) * 60
				if err := w.Add(input[k : k+60]); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				b.Fatal(err)
			}
			sum := int64(0)
			for r, err := range s.All() {
				if err != nil {
					b.Fatal(err)
				}
				sum += r.N
			}
			if sum != int64(b.N) {
				b.Fatalf("%d records, want %d", sum, b.N)
			}
			b.ReportMetric(float64(len(s.disk)), "disk-runs")
		})
	}
}
