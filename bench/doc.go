// Package bench holds end-to-end benchmarks, for people: `make bench`. Each also
// checks the answers that it times; tests count what is no matter of time. Those on
// real data look for a folder shared beside the checkout and are skipped where there
// is none.
package bench
