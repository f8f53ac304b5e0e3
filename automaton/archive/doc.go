// Package archive keeps the rulesets of many origins in one file, and decodes them from a
// []byte, which may be a memory-mapped file.
//
// A Writer collects origins, each with the HTTP status of its robots.txt and a ruleset for each dialect; Open reads
// what it wrote. A key identifies an origin. It may be any bytes, as long as the programs that write and look up
// agree on them. The command writes keys as origin.AppendKey makes them, always with the port, and IPv6 addresses
// without brackets: https://example.com:443, http://::1:8080. Equal rulesets are stored once.
//
// An origin may have several versions, each with the instant at which it comes into force; LookupAt returns the one
// in force at a given instant. A version without an instant has always been in force.
//
// Opening verifies the checksum of header and directory, and decodes nothing. A group of
// origins is verified on the first lookup in it; a ruleset is verified and decoded on its
// first lookup, and then kept. So a lookup may fail, but a match never does.
//
// Checksums detect accidents, not attacks. Therefore every length is checked against the rest
// of the file, a lookup reads no more than 64 records, and decoding takes time and memory in
// proportion to the bytes. A malicious file can still contain any rules.
//
// # Format
//
// This is the format byte by byte; docs/reference/archive.md is an overview. Numbers of fixed size are
// little-endian and not aligned. A varint is one of package encoding/binary (unsigned LEB128), a signed varint its
// zigzag form. Checksums are CRC-32C. A file is a header, a directory, the offsets of the rulesets, the buckets,
// the records, and the rulesets, without anything between or after them.
//
// The header has 84 bytes:
//
//	 0  8 bytes  89 'r' 's' 'v' 0d 0a 1a 0a: the magic number, which transfer as text would break
//	 8  uint32   version of the format: 4
//	12  uint32   semantics of the rules: automaton.Semantics of the program that compiled them
//	16  uint32   checksum of the header except these four bytes, and of the directory
//	20  uint64   length of the file
//	28  uint32   number of origins
//	32  uint32   number of rulesets
//	36  uint8    b: there are 1<<b buckets, b at most 30
//	37  uint8    number of columns, 1 to 6
//	38  6 bytes  the columns: dialects by their numbers in automaton.Dialect, then ff if there is Entry.Via; then zeros
//	44  uint64   length of all records
//	52  uint64   length of all rulesets
//	60  uint64   seed of the hash of keys
//	68  16 bytes the release that wrote the file, such as 0.9.0, then zeros
//
// Groups have 64 buckets each; if there are fewer buckets, there is one group. The directory
// has an entry for each group, and one more for their end:
//
//	0  uint64  offset among the records of the first record of the group; at the end the length of all
//	8  uint32  checksum of the group: of the offsets of its buckets, the end of its
//	           last bucket, and its records; at the end 0
//
// The offsets of the rulesets are one uint64 per ruleset, and at the end the length of all. The
// buckets are (1<<b)+1 uint32, in the same way: for each bucket the lower half of the offset of
// its first record among the records.
//
// Then come the records, one for each origin. The record of an origin with a single version
// that has always been in force is:
//
//	0  uint32   fingerprint: the lower half of the key's hash
//	4  uint16   HTTP status, at most 999
//	6  uint16   length of the key
//	8  uint32   for each column: number of the ruleset, or ffffffff for none
//	   bytes    the key
//
// The record of any other origin is:
//
//	0  uint32   fingerprint
//	4  uint16   8000 (hexadecimal) and the number of versions, 1 to 16,384
//	6  uint16   length of the key
//	8  bytes    the key
//	   versions from the oldest to the newest, each
//	            int64   the instant at which it comes into force, in Unix seconds; the least
//	                    int64 for one without a beginning
//	            uint16  HTTP status
//	            uint32  for each column: number of the ruleset, or ffffffff for none
//
// The upper b bits of its key's hash are the number of a record's bucket. The records of a bucket
// are sorted by hash, then by their bytes, and there are 64 of them at most. So a lookup touches
// two places of the index, the bucket and the record, and then the table of decoded rulesets; a
// binary search among 87,000 keys would touch seventeen.
//
// The hash of a key depends on its length n and its bytes in words of eight, the last padded with zeros. Begin with
// h as the seed; for each word w, set h = fold(h ^ w, d6e8feb86659fd93); the hash is fold(h ^ n, a0761d6478bd642f),
// where fold(x, y) is the upper half of the 128 bits of x * y, xor the lower half.
//
// The seed is the first eight bytes of the SHA-256 of all keys, sorted by length, then by bytes,
// each after its length as a varint. If it were known beforehand, the owner of many domains could
// choose names that all fall into one bucket. As it is, a bucket has more than 64 records only if
// SHA-256 is broken; then no archive is written. A reader accepts any seed.
//
// Rulesets are in the order of the SHA-256 of their bytes. A ruleset is a uint32, the checksum of
// its number (as a uint32) and of what follows, and then:
//
//	byte     dialect
//	varints  number of rules, of lists, of machines, of agents
//	lists    of rules in the order of rank: a varint, the number of rules, then each rule
//	machines each a varint, the number of its lists, then their numbers as varints
//	agents   in the order of Ruleset.Agents, each a varint, the length of its token, the
//	         token, and a varint, the number of its machine
//	varint   1 + the number of the machine for *, or 0 if there is none
//
// A rule is:
//
//	byte     sum of 1 if the pattern ends with $; 2 if it disallows;
//	         0, 4, 8 or 12 for automaton.FormRaw, FormA, FormB, FormDecoded;
//	         16 if the lower half of the rank is the complement of the line
//	signed   the upper half of the rank, minus the previous rule's in this list (0 before the first)
//	varint   the lower half of the rank, unless it is the complement of the line
//	signed   the line, minus the previous rule's in this list (0 before the first)
//	pattern  a varint, its length, and its bytes
//
// In the column ff the number refers to an Entry.Via, which is stored among the rulesets: a checksum
// like theirs, and the text.
//
// Lists shared by several machines, and machines shared by several agents, are stored once.
// Decoding restores the sharing.
package archive
