package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/columnar"
)

// sites writes n lines of JSON, each with a robots.txt of its own of about size bytes.
func sites(n, size int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"host":"h%d.example","body":"User-agent: *\nDisallow: /%d/%s"}`+"\n", i, i,
			strings.Repeat("a", size))
	}
	return b.String()
}

// archiveOf compiles lines of JSON in some memory.
func archiveOf(t *testing.T, lines string, memory int64, maxBytes int) ([]byte, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "rules.rsv")
	c, err := Compile(t.Context(), CompileOptions{
		Sources: []string{"-"}, Stdin: strings.NewReader(lines), Output: out, Memory: memory, MaxBytes: maxBytes,
	})
	if err != nil {
		if _, statErr := os.Stat(out); statErr == nil {
			t.Error("there is an archive in spite of an error")
		}
		return nil, err
	}
	data, readErr := os.ReadFile(out)
	if readErr != nil || int64(len(data)) != c.Size {
		t.Errorf("%d bytes instead of %d: %v", len(data), c.Size, readErr)
	}
	return data, nil
}

// TestCompileInLittleMemoryGivesTheSameArchive checks that bodies and rulesets that spill to files come back.
func TestCompileInLittleMemoryGivesTheSameArchive(t *testing.T) {
	lines := sites(200, 20_000)
	opened := 0
	restore := disk.Inject(func(op disk.Op, name string) error {
		if op == disk.OpOpen && filepath.Dir(name) == filepath.Clean(os.TempDir()) {
			opened++
		}
		return nil
	})
	little, err := archiveOf(t, lines, 2_000_000, 30_000)
	restore()
	if err != nil {
		t.Fatal(err)
	}
	much, err := archiveOf(t, lines, 0, 30_000)
	if err != nil || !bytes.Equal(little, much) {
		t.Errorf("%d bytes instead of %d, error %v", len(little), len(much), err)
	}
	if opened < 2 {
		t.Errorf("%d temporary files, want one of bodies and one of rulesets at least", opened)
	}
}

// TestCompileSaysWhichMemoryWouldDo checks this for the longest robots.txt.
func TestCompileSaysWhichMemoryWouldDo(t *testing.T) {
	_, err := archiveOf(t, sites(1, 1), 1_000_000, 0)
	if kindOf(err) != Usage ||
		!strings.Contains(err.Error(), "up to 512,000 bytes: option Memory 48MB would do") {
		t.Errorf("got %v", err)
	}
	if _, err := archiveOf(t, sites(1, 1), 48_000_000, 0); err != nil {
		t.Errorf("the memory that would do: %v", err)
	}
}

// TestCompileEndsWhenTheDiskFails checks that an error of a temporary file ends the job and leaves nothing behind.
func TestCompileEndsWhenTheDiskFails(t *testing.T) {
	full := errors.New("full")
	for n := range 20 {
		writes := 0
		restore := disk.Inject(func(op disk.Op, _ string) error {
			if op != disk.OpWrite {
				return nil
			}
			if writes++; writes != n+1 {
				return nil
			}
			return full
		})
		_, err := archiveOf(t, sites(60, 20_000), 1_000_000, 30_000)
		restore()
		if !errors.Is(err, full) && (err != nil || writes > n) {
			t.Errorf("write %d of %d fails: %v", n+1, writes, err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	_, err := Compile(ctx, CompileOptions{Sources: []string{"-"}, Stdin: strings.NewReader(sites(1, 1)),
		Output: filepath.Join(t.TempDir(), "x")})
	if kindOf(err) != Interrupted {
		t.Errorf("interrupted: %v", err)
	}
}

// folder writes files of a directory.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestEveryFormOfSource checks that the same copies give the same archive, whatever their form.
func TestEveryFormOfSource(t *testing.T) {
	bodies := map[string]string{"a.example": "user-agent: *\ndisallow: /a\n",
		"b.example": "user-agent: x\ndisallow: /\n", "c.example": ""}
	files, lines, named, dated := map[string]string{}, "", "", map[string]map[string]string{}
	var rows [][]string
	for host, body := range bodies {
		text, _ := json.Marshal(body)
		files["2026-01-15/"+host+".robots.txt"] = body
		lines += fmt.Sprintf(`{"host":%q,"body":%s}`+"\n", host, text)
		named += fmt.Sprintf(`{"meta":{"domain":%q,"at":"2026-01-15"},"robots":%s}`+"\n", host, text)
		dated[host] = map[string]string{"2026-01-15": body}
		rows = append(rows, []string{host, "long text", body})
	}
	table := tableOf(t, []columnar.Field{{Name: "domain"}, {Name: "text"}, {Name: "robots"}}, rows...)
	object, err := json.MarshalIndent(dated, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	compiled := func(source, fields string, all bool) string {
		t.Helper()
		o := CompileOptions{Sources: []string{source}, Output: filepath.Join(t.TempDir(), "a.rsv"), AllVersions: all,
			Fields: fields}
		c, err := Compile(t.Context(), o)
		if err != nil || c.Origins != 6 || c.Lost {
			t.Fatalf("%s: %+v, %v", source, c, err)
		}
		data, err := os.ReadFile(o.Output)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	plain := compiled(file(t, "a.jsonl", lines), "", false)
	if got := compiled(file(t, "a.parquet", table), "host=domain,body=robots", false); got != plain {
		t.Error("Parquet gives another archive than lines of JSON")
	}
	answers := `{"host":"a.example","body":"user-agent: *\ndisallow: /a\n","status":200}
{"host":"b.example","body":"user-agent: *\ndisallow: /\n","status":503}
{"host":"c.example","status":301,"location":"http://a.example/robots.txt"}`
	table = tableOf(t, []columnar.Field{{Name: "Status"}, {Name: "host"}, {Name: "body"}, {Name: "location"}},
		[]string{"200", "a.example", "user-agent: *\ndisallow: /a\n", ""},
		[]string{"503", "b.example", "user-agent: *\ndisallow: /\n", ""},
		[]string{"301", "c.example", "moved", "http://a.example/robots.txt"})
	if compiled(file(t, "a.parquet", table), "", false) != compiled(file(t, "a.jsonl", answers), "", false) {
		t.Error("statuses in Parquet give another archive than those in lines of JSON")
	}
	want := compiled(file(t, "a.ndjson", named), "host=meta.domain,body=robots,date=meta.at", true)
	if got := compiled(file(t, "a.json", string(object)), "", true); got != want {
		t.Error("an object of dates gives another archive than lines of JSON with dates")
	}
	if got := compiled(folder(t, files), "", true); got != want {
		t.Error("folders of dates give another archive than lines of JSON with dates")
	}
}

// TestTablesThatCannotBeRead checks that unreadable tables are named, and so are rows without a host.
func TestTablesThatCannotBeRead(t *testing.T) {
	table := tableOf(t, []columnar.Field{{Name: "host"}, {Name: "body"}}, []string{"a.example", forbidsAll},
		[]string{"a b", forbidsAll})
	var said strings.Builder
	o := CompileOptions{
		Sources: []string{file(t, "a.parquet", table), file(t, "b.parquet", "PAR1"),
			file(t, "c.parquet", table[:len(table)-9])},
		Output:   filepath.Join(t.TempDir(), "a.rsv"),
		Messages: Messages{Warn: func(text string) { said.WriteString(text + "\n") }},
	}
	c, err := Compile(t.Context(), o)
	if err != nil || c.Origins != 2 || !c.Lost {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, want := range []string{`a.parquet: row 2: not the name of a host or origin: "a b"`, "b.parquet: ",
		"c.parquet: ", "input that could not be read to its end: 2"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not in %s", want, said.String())
		}
	}
}

// TestDatesThatAreNotRead checks that, with all versions, a warning counts the copies whose date no field names, in
// JSON and in tables, unless a folder gives their date.
func TestDatesThatAreNotRead(t *testing.T) {
	line := `{"host":"a.example","body":"","date":"2026-01-15"}` + "\n"
	table := tableOf(t, []columnar.Field{{Name: "host"}, {Name: "body"}, {Name: "date"}},
		[]string{"a.example", forbidsAll, "2026-01-15"})
	for _, test := range []struct {
		source, fields string
		want           bool
	}{
		{file(t, "a.jsonl", line), "", true},
		{file(t, "a.jsonl", line), "host=host,body=body", true},
		{file(t, "a.jsonl", line), "host=host,body=body,date=date", false},
		{file(t, "a.jsonl", `{"host":"a.example","body":"\"date\":","date":"soon"}`), "", false},
		{file(t, "a.parquet", table), "", true},
		{file(t, "a.parquet", table), "host=host,body=body,date=date", false},
		{folder(t, map[string]string{"2026-01-15/a.example.txt": forbidsAll}), "", false},
	} {
		var said strings.Builder
		_, err := Compile(t.Context(), CompileOptions{Sources: []string{test.source}, AllVersions: true,
			Fields: test.fields, Output: filepath.Join(t.TempDir(), "a.rsv"),
			Messages: Messages{Warn: func(text string) { said.WriteString(text + "\n") }}})
		if err != nil || strings.Contains(said.String(), "called date, is not read: 1") != test.want {
			t.Errorf("%s, %q: %v, %s", test.source, test.fields, err, said.String())
		}
	}
}
