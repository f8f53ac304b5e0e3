// Package spill sorts records in bounded memory, such as requests that an audit can judge only
// after reading all input.
//
// A record is any bytes, up to [MaxRecord] of them. Records are sorted by bytes.Compare, and equal
// records are stored once, with a count. The caller decides the contents, with the fields to sort
// by first and times in big-endian order.
//
// A [Writer], one per goroutine, copies records into its arena. When the arena is full, the Writer
// sorts it, passes it to the [Sorter] as a run, and gets an empty one. When runs have filled three
// quarters of the memory, the Sorter merges them into one compressed run at the end of a temporary
// file, while Writers fill the rest. Reading merges all runs: those in memory, those in the
// temporary file, and saved runs, which an earlier WriteRun has written and AddSaved adds. If there
// are more runs in files than memory for a block of each, the smallest are first merged into longer
// ones until the rest fits. The file space of merged runs isn't reused.
//
// A saved run may be damaged or malicious. Its blocks have checksums, oversized blocks and records
// are rejected before they are read, and each record must sort after the previous one.
//
// # Format
//
// A run as [WriteRun] writes it is blocks and a footer. Numbers of fixed size
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
// The shared number is exact, so that the first byte that follows determines the order; only a record
// of more than 1024 bytes shares none. No record is split between blocks, but the previous record may
// be in the previous block. A block has at most 32 KiB, unless a single longer record fills it. The
// bytes depend only on the records and their counts, not on the order in which records were added or
// on the memory.
//
// Runs in the temporary file have no footer, the size of their blocks depends on Options.Memory,
// and with Options.Compress they are compressed as S2 blocks.
//
// [Records] is a Sorter for a single goroutine.
package spill
