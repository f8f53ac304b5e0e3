// Package spill keeps the records of an audit that can be judged only when all
// the input has been read: it puts them in order, in bounded memory.
//
// A record is any bytes, up to [MaxRecord] of them. The order is that of
// bytes.Compare, and equal records are kept once, with their number. What to put
// into a record, and in which place, is the caller's business: what is to come out
// together goes to the front, times are written big-endian.
//
// It works as sorting with tapes did. A [Writer], one a goroutine, copies records
// into its arena; when that is full it sorts them, adds up equal ones and hands a
// run, compressed, to the [Sorter]. When the runs in memory have reached three
// quarters of their share, they are merged into one run at the end of a temporary
// file, while the rest fills. To read everything is to merge all runs, those in
// memory, those on disk, and those of earlier audits that were adopted. Three things
// make it more than that:
//
// First, records of one audit share long beginnings with their neighbours. A run
// keeps of each record only what differs from the one before. The length of what
// they share is also all that the merge mostly looks at, see merge.
//
// Second, there may be more runs on disk than there is memory for blocks of them.
// The smallest are then merged first, into a longer one, until the rest fits. The
// space of merged runs in the file is not used again.
//
// Third, a run that comes from a file may be damaged, or made to do damage. Its
// blocks have checksums, a block or record that is too long is refused before it is
// read, and each record must come after the one before it.
//
// # Format
//
// A run as [Sorter.WriteTo] writes it is a header and blocks. Numbers of fixed size
// are little-endian; uvarint is that of encoding/binary.
//
//	header (32 bytes)
//	    8  "rsvrun1\n"
//	    8  length of the run in bytes, with this header
//	    8  number of records, equal ones counted once
//	    4  length of the longest payload
//	    4  CRC32C of the 28 bytes above
//	block, until the length is reached
//	    4  length of the payload, not 0
//	    4  CRC32C of the payloads' lengths and payloads up to here, from the first on
//	    .  payload: records
//	record
//	    uvarint  number of bytes it shares with the beginning of the record before
//	    uvarint  number of bytes that follow
//	    .        those bytes
//	    uvarint  how many equal records, not 0
//
// The shared number is exact, so that the first byte that follows tells the order;
// only a record of more than 1024 bytes shares none, so that a reader can leave it
// in its block instead of keeping a copy beside. No record is split between blocks,
// and the record before may be in another block. A block is 32 KiB at most, unless
// a single longer record fills it. What is written depends on the records and their
// numbers alone, not on who added them in which order or how much memory there was.
//
// Runs in the temporary file are the same without header, and with blocks whose size
// depends on Options.Memory; runs in memory are payloads alone.
package spill
