// Package source turns command-line arguments into chunks of whole lines.
//
// It reads files, globs, directories and standard input, and the members of tar and zip archives,
// each as an input of its own. It decompresses gzip, zstd, bzip2 and xz (recognised by their first
// bytes, never by name), and returns chunks that end on a newline. It does not look into lines:
// carriage returns, NULs and byte order marks are kept.
//
//	ins, warnings, errs := source.Inputs(ctx, args, os.Stdin, source.Limits{})
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
// Three promises hold for every input. Memory is bounded by the options and by [Windows], not by
// the length of a file or of a line. Nothing is lost uncounted: bytes that could not be read are an
// error in [Result], and the bytes of a line too long to keep are counted in [Chunk.Cut]. And a
// chunk in steady state costs no allocation, for plain, gzip and zstd input (bzip2 and xz decoders
// allocate for each of their blocks).
//
// The files, from the outside in: resolve.go finds the inputs and sorts them, archive.go looks into
// archives (index.go finds the members of a tar, zip.go the members of a zip, spool.go keeps members of a
// compressed tar), input.go opens one input, reader.go returns its chunks, plain.go finds and reads
// ranges of plain files, stream.go decodes everything else and cuts it, codec.go has what decoders
// share (they are in gzip.go, zstd.go and xz.go, and windows.go bounds their memory), parts.go reads
// members of gzip one by one, and result.go
// holds how the reading of an input ended.
package source
