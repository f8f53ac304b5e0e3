// Package must ends tests where something fails that they need but do not test.
package must

import "testing"

// Get returns a function that returns the value, or ends a test with the error if there is one.
func Get[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		Do(tb, err)
		return value
	}
}

// Do ends a test with the error if there is one.
func Do(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
