// Package source turns command-line arguments into chunks of whole lines.
//
// It reads files, globs, directories and standard input, undoes gzip, zstd, bzip2 and xz (recognised by their first bytes,
// never by name), and hands out chunks that end on a newline. It knows nothing of what the lines say: carriage returns, NULs
// and byte order marks pass through untouched.
//
//	ins, warnings, errs := source.Inputs(args, os.Stdin)
//	r := source.NewReader(ins, source.Options{Workers: 2})
//	// in each worker:
//	for {
//		c, ok := r.Next()
//		if !ok {
//			break
//		}
//		// use c.Data
//		r.Release(c)
//	}
//	// after the last worker: r.Results()
//
// Three promises hold whatever the input is. Memory is bounded by the options and the windows of the decompressors, not by the
// length of a file or of a line. Nothing is lost uncounted: what could not be read is an error in [Result], and the bytes
// of a line too long to keep are counted in [Chunk.Cut]. And a chunk in steady state costs no allocation, for plain, gzip and zstd
// input (bzip2 and xz decoders allocate for each of their blocks).
//
// The files, from the outside in: resolve.go finds the inputs, input.go opens one, reader.go hands out its chunks (chunk.go
// holds their buffers), plain.go reads ranges of plain files, stream.go cuts everything else, turns.go says who reads compressed
// files, codec.go chooses among gzip.go, zstd.go, bzip2.go and xz.go, and result.go says how it ended.
package source
