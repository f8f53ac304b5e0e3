// Package source turns command-line arguments into chunks of whole lines.
//
// It reads files, globs, directories, standard input, and the members of tar and zip archives as
// separate inputs. It decompresses gzip, zstd, bzip2 and xz, which it recognizes by their first
// bytes, never by name, and returns chunks that end with a newline. It doesn't interpret lines:
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
// Three guarantees hold for every input. Memory is bounded by the options and by [Windows], not by
// the length of files or lines. All losses are reported: unreadable bytes are an error in [Result],
// and [Chunk.Cut] counts the dropped bytes of a line that is too long. In steady state chunks need
// no allocations for plain, gzip and zstd input (bzip2 and xz decoders allocate for each of their
// blocks).
//
// The files, from the outside in: resolve.go finds and sorts the inputs, archive.go opens archives
// (index.go finds the members of a tar, zip.go the members of a zip, spool.go keeps members of a
// compressed tar), input.go opens an input, reader.go returns its chunks, plain.go finds and reads
// ranges of plain files, stream.go decodes everything else and splits it into chunks, codec.go has
// what the decoders share (gzip.go, zstd.go and xz.go, with memory limits in windows.go), parts.go
// reads gzip members one by one, and result.go describes how the reading of an input ended.
package source
