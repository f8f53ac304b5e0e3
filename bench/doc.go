// Package bench gives the same robots.txt and URLs to several engines, including this project's, times them and
// compares their verdicts. robotsieve bench and the module bench/peers are thin layers over it.
//
// An engine answers about [Site] values, in rounds: a round asks every question once. Engines in this process are
// made from a [Parser]; all others are commands that answer the cases of robotsieve check --jsonl (see [External]),
// or implement [Engine] themselves. [Measure] runs one warm-up round, whose verdicts are compared, and then the
// timed rounds.
//
// The benchmarks of this project are in the tests of this package: make bench-parts. The script ratios.sh times
// whole runs of the program: make bench.
package bench
