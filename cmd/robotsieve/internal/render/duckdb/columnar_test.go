//go:build cgo

package duckdb

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/columnar"
)

// open opens a Parquet file until the end of the test.
func open(t *testing.T, name string) *columnar.File {
	t.Helper()
	file := must.Get(os.Open(name))(t)
	t.Cleanup(func() { file.Close() })
	info := must.Get(file.Stat())(t)
	return must.Get(columnar.Open(file, info.Size()))(t)
}

// TestParquetOfDuckDB checks the values of files written by DuckDB, in each codec and both versions
// of the format.
func TestParquetOfDuckDB(t *testing.T) {
	db := database(t)
	if _, err := db.Exec(`CREATE TABLE pages AS SELECT
		CASE WHEN i % 7 <> 3 THEN 'https://example.com/' || (i * 7919) END AS url, 'https://' || (i % 11) || '.example/' AS host,
		{'url': 'http://a/' || i, 'n': CASE WHEN i % 2 = 0 THEN i END} AS request, i * i - 5 AS number, i::DOUBLE / 4 AS fraction, [i, i] AS list,
		TIMESTAMP '2024-02-29 23:59:59.5' + to_seconds(i) AS at, DATE '2024-02-29' + (i % 1000)::INTEGER AS day, i % 3 = 0 AS odd
		FROM (SELECT unnest(range(20000)) AS i)`); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"COMPRESSION uncompressed", "COMPRESSION snappy", "COMPRESSION gzip",
		"COMPRESSION zstd", "COMPRESSION brotli", "COMPRESSION lz4_raw"} {
		for _, version := range []string{"V1", "V2"} {
			t.Run(form+" "+version, func(t *testing.T) {
				name := filepath.Join(t.TempDir(), "pages.parquet")
				if _, err := db.Exec(fmt.Sprintf("COPY pages TO '%s' (FORMAT parquet, %s, PARQUET_VERSION %s, ROW_GROUP_SIZE "+
					"6144)", name, form, version)); err != nil {
					t.Fatal(err)
				}
				checkLines(t, open(t, name))
				checkValues(t, open(t, name))
			})
		}
	}
}

func checkLines(t *testing.T, f *columnar.File) {
	r := must.Get(f.Lines(context.Background(), columnar.Options{URL: "URL", Date: "at"}))(t)
	defer r.Close()
	got := must.Get(io.ReadAll(r))(t)
	var want bytes.Buffer
	for i := range 20000 {
		url := ""
		if i%7 != 3 {
			url = fmt.Sprint("https://example.com/", i*7919)
		}
		fmt.Fprintf(&want, "%s\t%d\n", url, 1709251199+i)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("the lines differ: they begin with %.200s", got)
	}
}

func checkValues(t *testing.T, f *columnar.File) {
	rows := must.Get(f.Select(context.Background(), "request.url", "request.n", "host", "number", "day"))(t)
	i := 0
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		n := ""
		if i%2 == 0 {
			n = fmt.Sprint(i)
		}
		want := fmt.Sprintf("http://a/%d|%s|https://%d.example/|%d|", i, n, i%11, i*i-5)
		if got := string(bytes.Join(row, []byte("|"))); !strings.HasPrefix(got, want) ||
			!strings.HasSuffix(got, "T00:00:00Z") {
			t.Fatalf("row %d: %s, want %s", i, got, want)
		}
		i++
	}
	if i != 20000 {
		t.Errorf("%d rows", i)
	}
}

// TestSidecarInDuckDB checks that DuckDB reads a sidecar, and joins it with its file by position.
func TestSidecarInDuckDB(t *testing.T) {
	db, dir := database(t), t.TempDir()
	pages, verdicts := filepath.Join(dir, "pages.parquet"), filepath.Join(dir, "verdicts.parquet")
	if _, err := db.Exec("COPY (SELECT 'http://a/' || i AS url, i AS id FROM (SELECT unnest(range(10000)) AS i)) TO '" +
		pages + "' (FORMAT parquet)"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, join string }{
		{"", "read_parquet('%s', file_row_number = true) p JOIN '%s' v ON p.file_row_number = v.position"},
		{"id", "'%s' p JOIN '%s' v ON p.id = v.key"},
		{"url", "'%s' p JOIN '%s' v ON p.url = v.key"},
	} {
		t.Run("key "+c.key, func(t *testing.T) {
			writeSidecar(t, verdicts, open(t, pages), c.key)
			var rows, allowed, barred, unknown, lines int
			query := "SELECT count(*), count(*) FILTER (allowed), count(*) FILTER (list_contains(barred, 'GPTBot')), count(*) " +
				"FILTER (allowed IS NULL AND class = 'no_url' AND len(barred) = 0), count(*) FILTER (line = id) FROM "
			if err := db.QueryRow(query+fmt.Sprintf(c.join, pages, verdicts)).Scan(&rows, &allowed, &barred, &unknown,
				&lines); err != nil {
				t.Fatal(err)
			}
			if rows != 10000 || allowed != 3333 || barred != 3333 || unknown != 3334 || lines != 10000 {
				t.Error(rows, allowed, barred, unknown, lines)
			}
		})
	}
}

// writeSidecar writes a third of the verdicts as unknown, a third as allowed and a third as barred.
func writeSidecar(t *testing.T, name string, f *columnar.File, key string) {
	var keys *columnar.Keys
	if key != "" {
		var err error
		if keys, err = f.Keys(key); err != nil {
			t.Fatal(err)
		}
	}
	to := must.Get(os.Create(name))(t)
	defer to.Close()
	s := columnar.NewSidecar(to, keys)
	var rows []byte
	for i := range int32(10000) {
		row := [...]columnar.SidecarRow{{Class: "no_url"}, {Class: "allowed", Known: true, Allowed: true},
			{Class: "disallowed", Known: true, Barred: []string{"CCBot", "GPTBot"}}}[i%3]
		row.Line = i
		rows = columnar.AppendSidecarRow(rows, &row)
	}
	must.Get(s.Write(rows))(t)
	must.Do(t, s.Close())
}
