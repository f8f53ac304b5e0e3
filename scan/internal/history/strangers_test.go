package history

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// TestBodyOfItsOwnCapture checks that without a digest a body belongs to the host and time in its
// path only, however similar others are.
func TestBodyOfItsOwnCapture(t *testing.T) {
	var cdx strings.Builder
	hosts := []string{"https://a.example", "http://a.example", "https://ba.example", "https://a.example:8443",
		"https://a.example.org", "https://web.archive.org", "https://1.example"}
	for _, host := range hosts {
		fmt.Fprintf(&cdx, "20260101000000 %s/robots.txt 200\n20260101000001 %s/robots.txt 200\n", host, host)
	}
	const first = "2026-01-01T00:00:00Z "
	for name, want := range map[string][]string{
		"20260101000000/a.example/robots.txt":                                        {first + "http://a.example", first + "https://a.example"},
		"20260101000000id_/https:/a.example/robots.txt":                              {first + "https://a.example"},
		"web.archive.org/web/20260101000000id_/https:/a.example/robots.txt":          {first + "https://a.example"},
		"web.archive.org/web/20260101000000id_/http:/a.example/robots.txt":           {first + "http://a.example"},
		"web.archive.org/web/20260101000000id_/https:/a.example:8443/robots.txt":     {first + "https://a.example:8443"},
		"web.archive.org/web/20260101000000id_/https%3A/a.example%3A8443/robots.txt": {first + "https://a.example:8443"},
		"web.archive.org/web/20260101000000id_/https:/web.archive.org/robots.txt":    {first + "https://web.archive.org"},
		"web.archive.org/web/20260101000000id_/https:/c.example/robots.txt":          nil,
		"a.example/20260101000000/robots.txt":                                        {first + "http://a.example", first + "https://a.example"},
		"a.example/20260101000000_ba.example.txt":                                    {first + "https://ba.example"},
		"20260101000000_a.example":                                                   {first + "http://a.example", first + "https://a.example"},
		"20260101000000id_https_a.example_robots.txt":                                {first + "https://a.example"},
		"20260101000000-1.example.txt":                                               {first + "https://1.example"},
		"20260101000000a.example.txt":                                                nil,
		"202601010000001.example":                                                    nil,
		"20260101000000_xa.example.txt":                                              nil,
		"20260101000000_a.example.com.txt":                                           nil,
		"20260101000000_robots.txt":                                                  nil,
		"20260102000000/a.example/robots.txt":                                        nil,
		"a.example/robots.txt":                                                       nil,
		"a.example/20260101000000/b.example":                                         nil,
	} {
		dir := files(t, map[string]string{"a.cdx": cdx.String(), "b/" + name: "BODY"})
		a := ask(t, wayback, []string{dir + "/a.cdx"}, "bodies", dir+"/b", "fl", "timestamp,original,statuscode")
		if a.err != nil {
			t.Fatal(a.err)
		}
		var got []string
		for _, v := range versions(t, a.dir) {
			if of, has := strings.CutSuffix(v, ` 200 "BODY"`); has {
				got = append(got, of)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s belongs to %q, want %q", name, got, want)
		}
	}
}

// TestDigestDecides checks that a file whose digest differs from the capture named by its path is
// reported once and not used, and that the right one is used, wherever it is.
func TestDigestDecides(t *testing.T) {
	line := "k 20260101000000 https://a.example/robots.txt text/plain 200 " + sha("A") + " 1\n"
	dir := files(t, map[string]string{"a.cdx": line + line, "b/20260101000000/a.example/robots.txt": "X",
		"b/20260101000000_robots.txt": "Y", "b/elsewhere": "A"})
	a := ask(t, wayback, []string{dir + "/a.cdx"}, "bodies", dir+"/b")
	equal(t, a, "2026-01-01T00:00:00Z,https://a.example,200,A")
	if len(a.fault) != 1 || !strings.HasSuffix(a.fault[0], "b/20260101000000/a.example/robots.txt is not used: its SHA-1 "+
		"differs from the capture's") {
		t.Errorf("%q", a.fault)
	}
}

// TestPagesOfJSON checks that a file may have the pages of several requests, and that a truncated
// page is reported and the rows before it are used.
func TestPagesOfJSON(t *testing.T) {
	const head = `[["urlkey","timestamp","original","mimetype","statuscode","digest","length"]`
	row := func(day int) string {
		return fmt.Sprintf(`,["k","202601%02d000000","https://a.example/robots.txt","text/plain","200","%s","1"]`, day, sha("A"))
	}
	const text = "k 20260101000000 https://a.example/robots.txt text/plain 200 A 1\n"
	for name, c := range map[string]struct {
		text  string
		rows  int
		fault string // "" for none
	}{
		"one":            {head + row(1) + "]", 1, ""},
		"two":            {head + row(1) + "]\n" + head + row(2) + row(3) + "]\n", 3, ""},
		"no space":       {head + row(1) + "]" + head + row(2) + "]" + "[]", 2, ""},
		"indented":       {"\r\n\t " + head + row(1) + "\n]\n\n[\n]\n" + head + row(2) + "]", 2, ""},
		"other order":    {head + row(1) + `][["original","timestamp"],["https://a.example/robots.txt","20260102000000"]]`, 2, "no status"},
		"key":            {head + row(1) + `,[],["key"]][]` + head + row(2) + "]", 2, ""},
		"text with key":  {text + "\nkey\n", 1, ""},
		"text, cut":      {text + "com,exam", 1, "not a row of CDX"},
		"a word first":   {"com,exam\n" + text, 1, "not a row of CDX"},
		"one word":       {head + row(1) + `,["key"]` + row(2) + "]", 2, "not a row of CDX"},
		"numbers":        {head + row(1) + `,["k",20260102000000],null,{"a":1},7` + row(3) + "]", 2, "not a row of CDX"},
		"cut":            {head + row(1) + row(2), 2, "cut off after row 3"},
		"cut comma":      {head + row(1) + row(2) + ",", 2, "from row 4 on"},
		"cut in a row":   {head + row(1) + row(2)[:40], 1, "from row 3 on"},
		"second cut":     {head + row(1) + "]" + head + row(2), 2, "cut off after row 4"},
		"only begun":     {head + row(1) + "][", 1, "cut off after row 2"},
		"then text":      {head + row(1) + "]\n<html>", 1, "no page of CDX follows"},
		"then an object": {head + row(1) + `]{"a":1}`, 1, "no page of CDX follows"},
		"long":           {head + row(1) + `,["` + strings.Repeat("x", 2<<20) + `"]]`, 1, "from row 3 on"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, map[string]string{"a.json": c.text})
			a := ask(t, wayback, []string{dir + "/a.json"})
			if a.err != nil || a.Rows != int64(c.rows) || (len(a.fault) > 0) != (c.fault != "") ||
				!strings.Contains(strings.Join(a.fault, "\n"), c.fault) {
				t.Errorf("%v, %d rows, want %d, faults %q", a.err, a.Rows, c.rows, a.fault)
			}
		})
	}
}

// TestStatusesOfAnIndex checks that invalid HTTP statuses are reported, and make no row.
func TestStatusesOfAnIndex(t *testing.T) {
	const row = "https://a.example/robots.txt 2026-01-0%dT00:00:00Z %d A -\n"
	var rows strings.Builder
	for i, status := range []int{200, 0, -1, 99, 1000, -2147483648, 404} {
		fmt.Fprintf(&rows, row, i+1, status)
	}
	file := filepath.Join(t.TempDir(), "a.parquet")
	writeIndex(t, file, rows.String(), false, indexColumns...)
	a := ask(t, index, []string{file})
	equal(t, a, "2026-01-01T00:00:00Z,https://a.example,200,,,sha1:"+sha("A")+"\n2026-01-07T00:00:00Z,https://a.example,404")
	if len(a.fault) != 1 || !strings.HasSuffix(a.fault[0], ": captures without a time or a status: 5") {
		t.Errorf("%q", a.fault)
	}
}

// TestManifestOfStrangers checks that for hostile servers and file names no cell of the manifest
// begins a formula or can control a terminal, and that the manifest preserves the values.
func TestManifestOfStrangers(t *testing.T) {
	texts := []string{"=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", "\r\n=1", "a\x1b]0;x\a", "\u202ea", `"`, `"=1"`, "\\", "\xff\xfe", "'",
		"a\x00b", "https://a.example/robots.txt"}
	var rows []Row
	for i, text := range texts {
		for _, host := range []string{"-o.example", "example.com"} {
			rows = append(rows, Row{Origins: origins(t, host), Time: at("2026-01-01T00:00:00Z").AddDate(0, 0, i), Status: 301,
				Location: text, Place: text}, Row{Origins: origins(t, host), Time: at("2027-01-01T00:00:00Z").AddDate(0, 0, i),
				Status: 200, Digest: text + ".", Place: text})
		}
	}
	a := write(t, policy.Observed, rows...)
	if a.err != nil {
		t.Fatal(a.err)
	}
	name := filepath.Join(a.dir, policy.ManifestName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range slices.Concat(cells...) {
		if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") || !utf8.ValidString(cell) ||
			strings.ContainsFunc(cell, func(c rune) bool { return !strconv.IsPrint(c) }) {
			t.Errorf("%q", cell)
		}
	}
	got, _, err := policy.ReadManifest(name, 0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	locations, digests, hosts := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range got {
		locations[r.Location]++
		digests[r.Digest]++
		hosts[r.Origins[0].Host]++
	}
	for _, text := range texts {
		if locations[text] != 2 || digests[text+"."] != 2 {
			t.Errorf("%q: %d locations and %d digests", text, locations[text], digests[text+"."])
		}
	}
	if hosts["-o.example"] != 2*len(texts) || hosts["example.com"] != 2*len(texts) {
		t.Errorf("%v", hosts)
	}
}

// TestBodiesInsideAlone checks that nothing outside the folder of bodies is read.
func TestBodiesInsideAlone(t *testing.T) {
	secret := filepath.Join(files(t, map[string]string{"a.example.txt": "secret"}), "a.example.txt")
	dir := files(t, map[string]string{"a.cdx": "20260101000000 https://a.example/robots.txt 200\n", "b/x": "x"})
	for _, to := range []string{secret, "/proc/self/environ", "/dev/zero", "../a.cdx"} {
		link := dir + "/b/20260101000000_a.example.txt"
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
		a := ask(t, wayback, []string{dir + "/a.cdx"}, "bodies", dir+"/b", "fl", "timestamp,original,statuscode")
		if equal(t, a, "2026-01-01T00:00:00Z,https://a.example,200,,,unknown"); len(a.fault) != 1 && to != "/proc/self/environ" {
			t.Errorf("%s: faults %q", to, a.fault)
		}
	}
}
