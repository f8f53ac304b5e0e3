package bench

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/source"
)

// BenchmarkPlain times what an audit of a plain log of 1 GB consists of, on all processors: each
// step does what the one before does, and more.
func BenchmarkPlain(b *testing.B) {
	path, size, lines := writeLog(b, "plain")
	step := func(name string, newCount func() func(chunk []byte) int64) {
		b.Run("step="+name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				if n := countChunks(b, path, newCount); n != 0 && n != lines {
					b.Fatalf("%d lines, want %d", n, lines)
				}
			}
		})
	}
	step("read", func() func([]byte) int64 {
		return func([]byte) int64 { return 0 }
	})
	step("newlines", func() func([]byte) int64 {
		return func(chunk []byte) int64 { return int64(bytes.Count(chunk, []byte("\n"))) }
	})
	records := func(newLook func() func(format.Reader, *format.Record)) func() func([]byte) int64 {
		return func() func([]byte) int64 {
			reader, look := format.Default().NewReader(), newLook()
			var r format.Record
			return func(chunk []byte) (n int64) {
				for reader.Reset(chunk); reader.Next(&r) != format.End; n++ {
					look(reader, &r)
				}
				return n
			}
		}
	}
	newMemo := func() func(format.Reader, *format.Record) {
		known := map[string]bool{}
		return func(_ format.Reader, r *format.Record) {
			if !known[string(r.Agent)] {
				known[string(r.Agent)] = true
			}
		}
	}
	step("records", records(func() func(format.Reader, *format.Record) {
		return func(format.Reader, *format.Record) {}
	}))
	step("agents", records(newMemo))
	step("fields", records(func() func(format.Reader, *format.Record) {
		look := newMemo()
		return func(reader format.Reader, r *format.Record) {
			reader.Complete(r)
			look(reader, r)
		}
	}))
	b.Run("step=audit", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if n := auditFile(b, path); n != lines {
				b.Fatalf("%d lines, want %d", n, lines)
			}
		}
	})
}

// countChunks gives the chunks of a file to a worker for each processor, and returns the sum of
// what these count.
func countChunks(b *testing.B, path string, newCount func() func(chunk []byte) int64) int64 {
	in, err := source.NewFile(path)
	if err != nil {
		b.Fatal(err)
	}
	workers := make([]func([]byte) int64, runtime.GOMAXPROCS(0))
	for i := range workers {
		workers[i] = newCount()
	}
	var n atomic.Int64
	r := source.NewReader([]*source.Input{in}, source.Options{})
	if err := scan.Run(b.Context(), r, len(workers), func(i int, c *source.Chunk) { n.Add(workers[i](c.Data)) }); err != nil {
		b.Fatal(err)
	}
	return n.Load()
}
