// Package duckdb tests that DuckDB reads the rows of audit --list, also by the queries of
// docs/howto/studies.sql, and the verdicts of sidecars, and that scan/columnar reads what DuckDB writes. It is
// a module of its own, whose requirements nothing else needs, and its tests need cgo.
package duckdb
