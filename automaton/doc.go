// Package automaton holds robots.txt rules in the form in which they are
// matched: immutable machines that answer with a verdict and the line that
// decided, without allocating, failing or locking.
//
// Everything here is match time. Package compile reads robots.txt, decides
// what every line means, computes how rules outrank one another and calls the
// constructors of this package, which check what they are given once; after
// that nothing can go wrong. What changes during a match lives in a Scratch,
// one for each goroutine; machines, rulesets and words are shared by all.
//
// The three dialects of robots.txt differ in three places only: how a URL
// becomes a path (Dialect.Path), in which form a path is compared (Form), and
// how rules are ranked, which is settled before a Machine exists.
//
// A Machine answers by one of two engines, chosen when it was compiled. A list
// tries its rules in the order of their rank, and the first that matches
// decides: so specificity costs nothing when matching, it is the order of a list.
// For more than a few rules a Table finds those that match without looking at the
// others: an automaton for what patterns begin with, and one for the segments
// behind gaps (table.go, match.go, segments.go, gaps.go). Only where robots.txt has
// several groups for one crawler are there several of these, and then the ranks of
// their best rules are compared.
//
// # What was tried
//
// In ns a URL, from URL to verdict, on 111,084 real URLs of 1,220 real robots.txt,
// and on generated files of 103 and 5,005 rules (BenchmarkReal and BenchmarkMatch in
// package bench, Go 1.26, one thread, the same machine):
//
//	                                                      real     103   5,005
//	a list with a set of octets each rule needs            134     258   6,900
//	table, all segments behind gaps in one automaton        92     184     500
//	... few rules of one prefix tried one by one            90     140     535
//	... filter and URL by 32 octets at a time (AVX2)         71     116     590
//	... an octet that all rules with gaps need               60     108     560
//	... the first four octets of a segment hashed            52      96     555
//	... arguments that fit in registers                      48      90     530
//
// And in a run of their own, in which the last of these took 54, 107 and 613:
//
//	segments in a hash, asked where one may begin            48      69     410
//	... a byte that tells of most that it is not there       46      64     307
//	... ends by two octets, the first filter inlined         46      59     309
//
// Part of the first of these is that what waits behind '?' is searched for before that
// is found: with ten rules 77 to 65 for URLs that have a query. To look at 128 octets
// before the first segment, to search for all that waits at a time, to search for all
// segments behind prefixes or for none, and to begin with the longest prefix took longer.
//
// A single deterministic automaton, with ranks in its states or in a register,
// passes 50,000 states on real files of 16 rules and was not built. A trie that
// reads octet by octet waits some five cycles for each; this one reads eight at a
// time. Of 47 ns by 103 rules, for URLs without a query, the path takes 11, calls 4,
// prefixes 11 and segments 21, of which half is the filter that nearly always says that
// there are none. With 5,005 rules of one vocabulary it is branches that nothing foretells,
// and lines of memory that are in no first-level cache: a URL is asked for 4 prefixes and 7
// segments, half of which it has, and of 100 URLs 99 match.
package automaton
