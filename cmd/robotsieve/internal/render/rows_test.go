package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/audit"
	profiles "github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

var updateRows = flag.Bool("update-rows", false, "write the lists of columns in docs/reference anew")

// TestColumnsOfRowsAreDescribed checks that the pages about rows have the descriptions of all
// columns.
func TestColumnsOfRowsAreDescribed(t *testing.T) {
	describe(t, requestRows, "reference/rows.md")
	describe(t, classRows(), "reference/classes.md")
	describe(t, signalRows(), "reference/signals.md")
	describe(t, crawlerRows(), "reference/json.md")
}

func describe[T any](t *testing.T, of columns[T], name string) {
	const docs, head = "../../../../docs/", "<!-- made by TestColumnsOfRowsAreDescribed -->\n\n"
	text := must.Get(os.ReadFile(docs + name))(t)
	before, after, _ := strings.Cut(string(text), head)
	_, after, _ = strings.Cut(after, "\n<!-- end -->\n")
	want := before + head
	for _, c := range of {
		kind := ""
		if rowKinds[c.kind] != "number" {
			kind = " (" + rowKinds[c.kind] + ")"
		}
		want += fmt.Sprintf("- `%s`%s: %s\n", c.name, kind, c.means)
	}
	if want += "\n<!-- end -->\n" + after; *updateRows {
		must.Do(t, os.WriteFile(docs+name, []byte(want), 0o666))
	} else if want != string(text) {
		t.Errorf("docs/%s does not have the columns as they are: go test ./cmd/robotsieve/internal/render -run Rows "+
			"-update-rows", name)
	}
}

// hostileTexts are texts of logs that could act on what reads them.
var hostileTexts = []string{
	"/", "/a b", `/"quoted"`, `/back\slash`, `\.`, "/,", "=1+1", " =1", "\t=1", "＝1", "'", "-", "@x",
	"/\x00\x01\x1b[2J\x7f", "/\u202e\u2028\ufeff", "/\xff\xc3", `/\xff`, `/\x5c`, "\r\n", "/ü–\U0001f577",
	"</script><script>alert(1)</script>", "/`$(id)`", strings.Repeat("\x1b", 8<<10), "\ufffd", " ", "/\u00a0",
}

// hostileRows are requests with these texts, and with all kinds of values.
func hostileRows() (list []*audit.Event) {
	profile := &profiles.Profile{Name: "GPTBot", Operator: "OpenAI", Role: "fetcher"}
	for i, text := range hostileTexts {
		j := &audit.Event{
			Place: audit.Place{Number: int64(i + 1)},
			Request: audit.Request{Address: []byte(text), Agent: []byte(text), Method: []byte(text), Target: []byte(text),
				Origin: text, Time: int64(i-3) * 86_399_123_456_789, HasTime: i%5 > 0, Status: i * 41 % 600, Size: int64(i%7) - 2,
				Outcome: report.Outcome(i % 6)},
			Client: audit.Client{Name: text, Identity: report.Identity(i % 4)},
			Decision: audit.Decision{Informed: i%2 == 0, InformedKnown: i%4 > 0,
				Rule: report.RuleInfo{Line: i, Rule: text, File: text, Version: reporttest.Time("2026-11-17T10:00:00Z")}},
			N: 1,
		}
		j.Verdict, j.Reason, j.Evasive = report.Verdict(i%9), report.Reason(i%9), i%3 == 0
		if i%2 == 0 {
			j.Crawler = profile
		}
		if i%3 == 0 {
			j.Rule.Version, j.Address = report.Time{}, nil
		}
		list = append(list, j)
	}
	return list
}

// listed returns a list of requests in an output.
func listed(t *testing.T, output string, key []byte, requests ...*audit.Event) []byte {
	t.Helper()
	var b bytes.Buffer
	rows := NewRows(&b, output, key)
	add := rows.Appender()
	for _, j := range requests {
		must.Get(rows.Write(add(nil, j, "access.log")))(t)
	}
	must.Do(t, rows.Close())
	return b.Bytes()
}

// valueOf returns a value as encoding/json would have it; nil if there is none.
func valueOf(c *column[row], r *row) any {
	switch v := c.value(r); {
	case v.none:
		return nil
	case c.kind == textRow:
		return v.word + string(v.octets)
	case c.kind == boolRow:
		return v.number == 1
	case c.kind == timeRow:
		return time.UnixMicro(v.number).UTC().Format(time.RFC3339Nano)
	default:
		return v.number
	}
}

// TestRowsAreWrittenAsOtherOutputs checks that rows with hostile text equal the JSON and CSV of the
// other outputs.
func TestRowsAreWrittenAsOtherOutputs(t *testing.T) {
	var inJSON, inCSV bytes.Buffer
	cells := csv.NewWriter(&inCSV)
	cells.Write(strings.Split(strings.TrimSpace(requestRows.csvHeader()), ","))
	for _, j := range hostileRows() {
		var fields, record []string
		for i := range requestRows {
			c := &requestRows[i]
			r := newRow(j, "access.log")
			v := valueOf(c, &r)
			var field bytes.Buffer
			written := v
			if text, ok := v.(string); ok {
				written = report.ToUTF8(text)
			}
			must.Do(t, WriteJSON(&field, written, ""))
			fields = append(fields, fmt.Sprintf("%q:%s", c.name, strings.TrimSuffix(field.String(), "\n")))
			if text, ok := v.(string); ok && c.kind == textRow {
				v = report.Printable(text)
			}
			if v == nil {
				v = ""
			}
			record = append(record, Cell(fmt.Sprint(v)))
		}
		fmt.Fprintf(&inJSON, "{%s}\n", strings.Join(fields, ","))
		cells.Write(record)
	}
	cells.Flush()
	if got := listed(t, "ndjson", nil, hostileRows()...); !bytes.Equal(got, inJSON.Bytes()) {
		t.Errorf("rows as JSON are\n%s\nnot\n%s", got, inJSON.Bytes())
	}
	if got := listed(t, "csv", nil, hostileRows()...); !bytes.Equal(got, inCSV.Bytes()) {
		t.Errorf("rows as CSV are\n%s\nnot\n%s", got, inCSV.Bytes())
	}
}

// TestRowsAsParquet checks that Parquet has the same values as JSON.
func TestRowsAsParquet(t *testing.T) {
	for _, requests := range [][]*audit.Event{nil, hostileRows()} {
		text := listed(t, "parquet", nil, requests...)
		file := must.Get(parquet.OpenFile(bytes.NewReader(text), int64(len(text))))(t)
		if file.NumRows() != int64(len(requests)) {
			t.Errorf("%d rows, not %d", file.NumRows(), len(requests))
		}
		for i, field := range file.Schema().Fields() {
			if field.Name() != requestRows[i].name {
				t.Errorf("column %d is %s, not %s", i, field.Name(), requestRows[i].name)
			}
		}
		lines := json.NewDecoder(bytes.NewReader(listed(t, "ndjson", nil, requests...)))
		reader := parquet.NewReader(file)
		for n := 0; ; n++ {
			rows := []parquet.Row{nil}
			if _, err := reader.ReadRows(rows); errors.Is(err, io.EOF) && rows[0] == nil {
				break
			}
			var want map[string]any
			must.Do(t, lines.Decode(&want))
			for i, v := range rows[0] {
				c := &requestRows[i]
				if got, want := parquetText(c, v), want[c.name]; got != fmt.Sprint(want) {
					t.Errorf("row %d: %s is %q, not %q", n, c.name, got, want)
				}
			}
		}
	}
}

// parquetText formats a value like fmt.Sprint formats the one from encoding/json.
func parquetText(c *column[row], v parquet.Value) string {
	switch {
	case v.IsNull():
		return "<nil>"
	case c.kind == timeRow:
		return time.UnixMicro(v.Int64()).UTC().Format(time.RFC3339Nano)
	case c.kind == textRow:
		return string(v.ByteArray())
	}
	return v.String()
}

// TestRowsOfClasses checks rows of classes: hostile names are escaped, and times that no column can
// hold are missing.
func TestRowsOfClasses(t *testing.T) {
	list := func(output string) string {
		var b bytes.Buffer
		rows := NewClasses(&b, output)
		for _, c := range []report.SiteClass{
			{Origin: "http://a.example:80", From: math.MinInt64, Until: 86400, Status: 200, Agent: "=x;\x1b", Class: "full",
				Forbidden: "/", AllSomeNone: "all", Probed: "fully", Bias: -1},
			{From: 1 << 62, Until: math.MaxInt64, Status: 503, Agent: "GPTBot", Named: true, Class: "unreachable"},
		} {
			must.Do(t, rows.Add(&c))
		}
		must.Do(t, rows.Close())
		return b.String()
	}
	const head = "origin,from,until,status,agent,named,class,forbidden,allowed,data_provenance,imc_2025,bias\n"
	const text = `http://a.example:80,,1970-01-02T00:00:00Z,200,"'=x;\x1b",false,full,/,,all,fully,-1
,,,503,GPTBot,true,unreachable,,,,,
`
	if got := list("csv"); got != head+text {
		t.Errorf("CSV is\n%s", got)
	}
	table := list("parquet")
	file, err := parquet.OpenFile(strings.NewReader(table), int64(len(table)))
	if err != nil || file.NumRows() != 2 {
		t.Fatal(err, file)
	}
	rows := make([]parquet.Row, 1)
	_, err = parquet.NewReader(file).ReadRows(rows)
	if row := rows[0]; err != nil || row[4].String() != "=x;\x1b" || !row[1].IsNull() {
		t.Error(err, row)
	}
}

// TestPseudonyms checks that a pseudonym depends only on the address and the key, and that the
// address is nowhere else in the row.
func TestPseudonyms(t *testing.T) {
	of := func(key, address string) string {
		j := &audit.Event{Request: audit.Request{Address: []byte(address), Target: []byte("/")},
			Client: audit.Client{Name: "GPTBot"}, N: 1}
		text := listed(t, "ndjson", []byte(key), j)
		var row struct{ Address string }
		if err := json.Unmarshal(text, &row); err != nil || strings.Contains(string(text), address) {
			t.Errorf("%s (%v)", text, err)
		}
		return row.Address
	}
	const key = "0123456789abcdef"
	// printf 192.0.2.1 | openssl dgst -sha256 -hmac 0123456789abcdef
	if got := of(key, "192.0.2.1"); got != "834648f6724c306a07b6ce902bc2c10e" || of(key, "::ffff:192.0.2.1") != got {
		t.Error(got)
	}
	if of(key, "2001:db8::1") != of(key, "2001:DB8:0:0::1") || of(key, "2001:db8::1") == of(key, "2001:db8::2") ||
		of(key, "a.example") == of("0123456789abcdeF", "a.example") {
		t.Error("an address has two pseudonyms, or two have one")
	}
}

// TestGuardRowsAllocateNothing checks that rows don't allocate once the buffers have grown.
func TestGuardRowsAllocateNothing(t *testing.T) {
	j := &audit.Event{Request: audit.Request{Address: []byte("2001:db8::1"), Method: []byte("GET"), Target: []byte("/a?b=c"),
		Origin: "https://example.com", HasTime: true, Status: 200, Size: 5}, Client: audit.Client{Name: "GPTBot"}, N: 1}
	for _, output := range RowOutputs() {
		for _, key := range []string{"", "0123456789abcdef"} {
			add, b := NewRows(io.Discard, output, []byte(key)).Appender(), make([]byte, 0, 4<<10)
			add(b, j, "access.log")
			if n := testing.AllocsPerRun(100, func() { add(b, j, "access.log") }); n > 0 {
				t.Errorf("%s: %v allocations a row", output, n)
			}
		}
	}
}
