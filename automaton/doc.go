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
// A Machine tries its rules in the order of their rank, and the first that
// matches decides. So specificity costs nothing when matching: it is the order
// of a list. Only where robots.txt has several groups for one crawler are there
// several lists, and then the ranks of their best rules are compared.
package automaton
