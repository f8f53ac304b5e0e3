//go:build cgo

package duckdb

import (
	"database/sql"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/must"
)

// queries are docs/howto/studies.sql.
const queries = "../../../../../docs/howto/studies.sql"

// logOf2015 is a real log, of a site whose robots.txt is not known: robotsOf2015 is made up.
const (
	logOf2015    = "../../../../../../shared/data/logs/semicomplete-2015.combined.log.gz"
	robotsOf2015 = "User-agent: *\nDisallow: /wp-\nDisallow: /*?\nDisallow: /files/\nCrawl-delay: 10\n\n" +
		"User-agent: GPTBot\nDisallow: /\n"
)

// TestStudiesInDuckDB compares the results of the queries in docs/howto/studies.sql with testdata.
// Its figures were counted by another program: the options --studies and --undeclared of audit,
// which the queries replaced.
func TestStudiesInDuckDB(t *testing.T) {
	robots := filepath.Join(t.TempDir(), "robots.txt")
	must.Do(t, os.WriteFile(robots, []byte(robotsOf2015), 0o666))
	t.Run("sample", func(t *testing.T) {
		db := studied(t, inputs(t)["the sample"])
		for view, query := range map[string]string{"study": "FROM study", "directives": "FROM directives",
			"before_after": "FROM before_after", "undeclared": mostUndeclared} {
			checkFigures(t, db, "sample."+view, query)
		}
	})
	t.Run("semicomplete", func(t *testing.T) {
		if _, err := os.Stat(logOf2015); err != nil {
			t.Skip("the real log is not there:", err)
		}
		db := studied(t, []string{"audit", "--robots", robots, logOf2015})
		checkFigures(t, db, "semicomplete.study", "FROM study WHERE scope IN ('all', 'category')")
		checkFigures(t, db, "semicomplete.undeclared", mostUndeclared)
	})
}

const mostUndeclared = "SELECT client, forbidden, headers, header, header_requests, rule, rule_line, rule_requests " +
	"FROM undeclared LIMIT 20"

// studied returns a database in which the queries have run over an audit.
func studied(t *testing.T, args []string) *sql.DB {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%s has not been built: make build", program)
	}
	text := must.Get(os.ReadFile(queries))(t)
	dir := t.TempDir()
	for name, flags := range map[string][]string{"rows.parquet": {"--list", "all", "--output", "parquet"},
		"undeclared.parquet": {"--list", "undeclared", "--output", "parquet"}, "report.json": {"--output", "json"}} {
		file := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(file, run(t, args, flags...), 0o666))
		text = []byte(strings.ReplaceAll(string(text), "'"+name+"'", "'"+file+"'"))
	}
	db := database(t)
	db.SetMaxOpenConns(1) // one session, which has the variable
	must.Get(db.Exec(string(text)))(t)
	return db
}

// checkFigures compares the rows of a query with a file in testdata.
func checkFigures(t *testing.T, db *sql.DB, name, query string) {
	t.Helper()
	file := must.Get(os.Open(filepath.Join("testdata", name+".csv")))(t)
	defer file.Close()
	want := must.Get(csv.NewReader(file).ReadAll())(t)
	rows, err := db.Query("SELECT coalesce(CAST(COLUMNS(*) AS VARCHAR), '') FROM (" + query + ")")
	if err != nil {
		t.Fatal(name, err)
	}
	defer rows.Close()
	var got [][]string
	for rows.Next() {
		row, to := make([]string, len(want[0])), make([]any, len(want[0]))
		for i := range row {
			to[i] = &row[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(name, err)
		}
		got = append(got, row)
	}
	want = want[1:]
	slices.SortFunc(got, slices.Compare)
	slices.SortFunc(want, slices.Compare)
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d rows, not %d", name, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("%s: %q, not %q", name, got[i], want[i])
		}
	}
}

// TestClientsInDuckDB checks that addresses of the same IPv6 /64, or of the same IPv4 in any form,
// count as one client.
func TestClientsInDuckDB(t *testing.T) {
	text := must.Get(os.ReadFile(queries))(t)
	db := database(t)
	macro := string(text[strings.Index(string(text), "CREATE OR REPLACE MACRO client"):])
	must.Get(db.Exec(macro[:strings.Index(macro, ";")]))(t)
	for address, want := range map[string]string{"192.0.2.1": "192.0.2.1", "::FFFF:192.0.2.1": "192.0.2.1",
		"2001:DB8:0:1::7": "2001:db8:0:1::/64", "2001:db8::1": "2001:db8:0:0::/64", "2001:0db8:0000:0001:2:3:4:5": "2001:db8:0:1::/64",
		"::1": "0:0:0:0::/64", "host4.example": "host4.example"} {
		var got string
		if err := db.QueryRow("SELECT client(?)", address).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, not %s (%v)", address, got, want, err)
		}
	}
}
