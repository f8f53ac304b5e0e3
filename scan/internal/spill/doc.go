// Package spill sorts records in bounded memory, such as requests that an audit can judge
// only when all the input has been read.
//
// A record is any bytes, up to [MaxRecord] of them. Records are in the order of
// bytes.Compare, and equal records are kept once, with a count. The caller decides
// the contents: the fields to sort by come first, and times are big-endian.
//
// A [Writer], one for each goroutine, copies records into its arena. When the arena is
// full, the Writer sorts it, gives it to the [Sorter] as a run, and gets an empty one.
// When runs have filled three quarters of the memory, the Sorter merges them into one
// compressed run at the end of a temporary file, while Writers fill the rest. Reading
// merges all runs: those in memory, those in the temporary file, and saved runs, which
// WriteTo has written earlier and AddSaved adds. If there are more runs in files than
// there is memory for a block of each, the smallest are first merged into a longer one,
// until the rest fits. The space of merged runs in the file is not used again.
//
// A saved run may be damaged, or forged to do damage. Its blocks have checksums, a block
// or record that is too long is refused before it is read, and each record must come
// after the one before it.
//
// # Format
//
// A run as [Sorter.WriteTo] writes it is blocks and a footer. Numbers of fixed size
// are little-endian; uvarint is as in encoding/binary.
//
//	block, until the footer
//	    4  length of the payload, not 0
//	    4  CRC32C of the payloads' lengths and payloads up to here, from the first on
//	    .  payload: records
//	footer (32 bytes)
//	    8  "rsvrun1\n"
//	    8  length of the run in bytes, with this footer
//	    8  number of records, equal ones counted once
//	    4  length of the longest payload
//	    4  CRC32C of the 28 bytes above
//	record
//	    uvarint  number of bytes it shares with the beginning of the record before
//	    uvarint  number of bytes that follow
//	    .        those bytes
//	    uvarint  how many equal records, not 0
//
// The shared number is exact, so that the first byte that follows shows the order; only a
// record of more than 1024 bytes shares none. No record is split between blocks, and the
// record before may be in another block. A block has at most 32 KiB, unless a single
// longer record fills it. The bytes depend on the records and their numbers alone, not on
// the order in which records were added or on the memory.
//
// Runs in the temporary file have no footer, the size of their blocks depends on
// Options.Memory, and with Options.Compress they are compressed as blocks of S2.
//
// [Records] is a Sorter for one goroutine.
package spill
