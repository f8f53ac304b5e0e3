// Package bench holds end-to-end benchmarks, for people: `make bench`. Those that
// match URLs, filter lists or read whole logs also check what they time; tests count what
// is no matter of time. Those on real data look for a folder shared beside the checkout
// and are skipped where there is none.
package bench
