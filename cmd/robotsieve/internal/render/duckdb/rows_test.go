//go:build cgo

package duckdb

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/robotsieve/robotsieve/internal/test/must"
)

// program is what make build has built.
const program = "../../../../../bin/robotsieve"

// inputs are audits whose rows DuckDB reads: of the sample, and of a log that means harm.
func inputs(t *testing.T) map[string][]string {
	sample := func(name string) string { return filepath.Join("../../../../../testdata/sample", name) }
	dir := t.TempDir()
	log, robots := filepath.Join(dir, "hostile.log"), filepath.Join(dir, "robots.txt")
	var lines strings.Builder
	for i, target := range []string{
		"/", `/a\"b`, "/,;|", "/=1+1", "=cmd|'/C calc'!A0", "+1", "/\x00\x01\x1b[2J", "/\xff\xfe", `/\xff\x5c`,
		"/\u202e\ufeff", "/ü–\U0001f577", "/" + strings.Repeat("\x1b", 9000), "/'); DROP TABLE rows; --", "/null", "/NULL",
		"/NaN", "/true",
	} {
		for _, agent := range []string{"GPTBot/1", "Mozilla/5.0 (compatible; Some-Bot/2)", "=SUM(1) Bot/1"} {
			fmt.Fprintf(&lines, "192.0.2.%d - - [10/Nov/2026:12:00:%02d +0000] \"GET %s HTTP/1.1\" %d %d \"-\" \"%s\"\n", i, i,
				target, []int{200, 404, 304}[i%3], i*1000, agent)
		}
	}
	for name, text := range map[string]string{log: lines.String(),
		robots: "user-agent: *\ndisallow: /a\ndisallow: /\"=,\ndisallow: /\xff\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	}
	return map[string][]string{
		"the sample": {"audit", "--policy", sample("policy.csv"), "--host", "https://lantern.example", "--crawlers",
			sample("crawlers.json"), "--ip-ranges", sample("ranges"), sample("access.log.gz")},
		"hostile": {"audit", "--robots", robots, "--max-unparsed", "100", log},
	}
}

func run(t *testing.T, args []string, flags ...string) []byte {
	t.Helper()
	var messages strings.Builder
	command := exec.Command(program, append(slices.Clone(args), flags...)...)
	command.Stderr = &messages
	out, err := command.Output()
	if err != nil {
		t.Fatal(err, messages.String())
	}
	return out
}

// kinds are the types of columns as docs/reference/rows.md names them, and as DuckDB has them in Parquet.
var kinds = map[string]string{"string": "VARCHAR", "number": "BIGINT", "time": "TIMESTAMP WITH TIME ZONE",
	"bool": "BOOLEAN"}

// columns returns the names of the columns and their types in DuckDB, by docs/reference/rows.md.
func columns(t *testing.T) (names, types []string) {
	page := must.Get(os.ReadFile("../../../../../docs/reference/rows.md"))(t)
	for _, m := range regexp.MustCompile("(?m)^- `(\\w+)`(?: \\((\\w+)\\))?: ").FindAllStringSubmatch(string(page), -1) {
		names, types = append(names, m[1]), append(types, kinds[cmp.Or(m[2], "number")])
	}
	return names, types
}

// TestRowsInDuckDB checks that DuckDB reads the rows in each format with the types of
// docs/reference/rows.md, that all have the same requests, and that each crawler has as many rows
// as the report says.
func TestRowsInDuckDB(t *testing.T) {
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%s has not been built: make build", program)
	}
	db := database(t)
	names, types := columns(t)
	for name, args := range inputs(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var schema []string
			for i := range names {
				schema = append(schema, fmt.Sprintf("'%s': '%s'", names[i], types[i]))
			}
			reads := map[string]string{"ndjson": "read_json('%s', columns = {" + strings.Join(schema, ", ") + "})",
				"csv": "read_csv('%s', header = true, all_varchar = false)", "parquet": "read_parquet('%s')"}
			for form, read := range reads {
				file := filepath.Join(dir, "rows."+form)
				must.Do(t, os.WriteFile(file, run(t, args, "--list", "all", "--output", form), 0o666))
				if _, err := db.Exec("CREATE OR REPLACE TABLE " + form + " AS SELECT * FROM " +
					fmt.Sprintf(read, file)); err != nil {
					t.Fatal(form, err)
				}
			}
			if _, err := db.Exec("CREATE OR REPLACE TABLE guessed AS SELECT * FROM read_json_auto('" +
				filepath.Join(dir, "rows.ndjson") + "')"); err != nil {
				t.Error(err)
			}
			checkTypes(t, db, names, types)
			checkSame(t, db, name == "the sample", names, types)
			checkReport(t, db, run(t, args, "--output", "json"))
		})
	}
}

// database opens a database in memory until the test ends.
func database(t *testing.T) *sql.DB {
	t.Helper()
	db := must.Get(sql.Open("duckdb", ""))(t)
	t.Cleanup(func() { db.Close() })
	return db
}

func checkTypes(t *testing.T, db *sql.DB, names, types []string) {
	rows, err := db.Query("SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'parquet' " +
		"ORDER BY ordinal_position")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil || name != names[n] || kind != types[n] {
			t.Errorf("column %d is %s %s, not %s %s (%v)", n, name, kind, names[n], types[n], err)
		}
	}
	if n != len(names) {
		t.Errorf("%d columns, not %d", n, len(names))
	}
}

// checkSame compares the rows of all forms. Those of CSV have the same text only if nothing in it
// had to be escaped.
func checkSame(t *testing.T, db *sql.DB, harmless bool, names, types []string) {
	var all, exact []string
	for i, name := range names {
		text := fmt.Sprintf("CAST(%q AS %s)", name, types[i])
		all = append(all, text)
		if harmless && name != "user_agent" || types[i] != "VARCHAR" { // "; +https" gets an apostrophe
			exact = append(exact, text)
		}
	}
	for _, c := range []struct {
		form    string
		columns []string
	}{{"ndjson", all}, {"guessed", all}, {"csv", exact}} {
		list := strings.Join(c.columns, ", ")
		for _, pair := range [][2]string{{c.form, "parquet"}, {"parquet", c.form}} {
			n := 0
			err := db.QueryRow(fmt.Sprintf("SELECT count(*) FROM (SELECT %s FROM %s EXCEPT ALL SELECT %s FROM %s)", list,
				pair[0], list, pair[1])).Scan(&n)
			if err != nil || n > 0 {
				t.Errorf("%d rows of %s are not in %s (%v)", n, pair[0], pair[1], err)
			}
		}
	}
}

func checkReport(t *testing.T, db *sql.DB, text []byte) {
	var report struct {
		Totals   struct{ Requests int64 }
		Crawlers []struct {
			Crawler  string
			Verdicts map[string]int64
		}
	}
	must.Do(t, json.Unmarshal(text, &report))
	if report.Totals.Requests == 0 {
		t.Error("the audit has no request")
	}
	for _, form := range []string{"ndjson", "csv", "parquet"} {
		var n int64
		if err := db.QueryRow("SELECT count(*) FROM " + form).Scan(&n); err != nil || n != report.Totals.Requests {
			t.Errorf("%s: %d rows, not %d (%v)", form, n, report.Totals.Requests, err)
		}
		for _, c := range report.Crawlers {
			for verdict, want := range c.Verdicts {
				err := db.QueryRow("SELECT count(*) FROM "+form+" WHERE crawler = ? AND verdict = ?", c.Crawler, verdict).Scan(&n)
				if err != nil || n != want {
					t.Errorf("%s: %d rows of %s with the verdict %s, not %d (%v)", form, n, c.Crawler, verdict, want, err)
				}
			}
		}
	}
}
