//go:build !cgo

package duckdb

import "testing"

func TestRowsInDuckDB(t *testing.T) { t.Skip("DuckDB needs cgo") }
