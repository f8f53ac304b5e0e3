// Package automaton matches URLs with the rules of robots.txt. Its machines are immutable;
// they return a verdict and the line that decided, without allocating, failing or locking.
//
// Package compile turns a robots.txt into a Ruleset, with a Machine for each crawler that is
// named and one for all others. Ruleset.Match is the simplest way to a verdict. The mutable
// state of a match is in a Scratch, one per goroutine; rulesets and machines can be shared.
// Builder, Source, Rule and Form are for code that makes machines, such as packages compile
// and archive.
//
// The dialects of robots.txt differ in how a URL becomes a path (Dialect.Path), in the form
// in which paths and patterns are compared (Form), and in how rules are ranked, which is
// settled before a Machine exists.
//
// A Machine uses one of two engines, chosen when it is made. A list tries its rules in order
// of rank, and the first match decides. For more than a few rules a table (package
// internal/table) finds the rules that match without looking at the others. If robots.txt has
// several groups for one crawler, its machine has one engine for each, and compares the ranks
// of their best rules.
//
// # What was tried
//
// In ns a URL, from URL to verdict, on 111,084 real URLs of 1,220 real robots.txt, and on
// generated files of 103 and 5,005 rules (BenchmarkReal and BenchmarkMatch in package bench,
// Go 1.26, one thread, the same machine):
//
//	                                                      real     103   5,005
//	a list with a set of bytes each rule needs            134     258   6,900
//	table, all segments after gaps in one automaton        92     184     500
//	... few rules of one prefix tried one by one            90     140     535
//	... filter and URL by 32 bytes at a time (AVX2)        71     116     590
//	... the first four bytes of a segment hashed           52      96     555
//	... arguments that fit in registers                     48      90     530
//
// And in a run of its own, in which the last of these took 54, 107 and 613:
//
//	segments in a hash, asked where one may begin           48      69     410
//	... a byte that shows for most that it is not there     46      64     307
//	... ends by two bytes, the first filter inlined        46      59     309
//
// A single deterministic automaton passes 50,000 states on real files of 16 rules and was not
// built. A trie that reads byte by byte waits some five cycles for each; this one reads
// eight at a time. Searching for all segments after prefixes, or for none, took longer. Both
// ways to find segments are needed: see package internal/table.
package automaton
