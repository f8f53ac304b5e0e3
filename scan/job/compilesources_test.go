package job

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/columnar"
)

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

// TestEveryFormOfSource: the same copies give the same archive, in whatever form they come.
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
		o := CompileOptions{Sources: []string{source}, Output: filepath.Join(t.TempDir(), "a.rsv"), AllVersions: all}
		if fields != "" {
			var err error
			if o.Fields, err = capture.ParseFields(fields); err != nil {
				t.Fatal(err)
			}
		}
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
	want := compiled(file(t, "a.ndjson", named), "host=meta.domain,body=robots,date=meta.at", true)
	if got := compiled(file(t, "a.json", string(object)), "", true); got != want {
		t.Error("an object of dates gives another archive than lines of JSON with dates")
	}
	if got := compiled(folder(t, files), "", true); got != want {
		t.Error("folders of dates give another archive than lines of JSON with dates")
	}
}

// TestTablesThatCannotBeRead are named, and so are rows without a host.
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
