// Package duckdb tests that DuckDB can read the rows of audit --list, the queries of
// docs/howto/studies.sql and the verdicts of sidecars, and that scan/columnar can read what DuckDB
// writes. It is a separate module, which keeps its requirements apart, and its tests need cgo.
package duckdb
