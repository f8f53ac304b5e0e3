package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
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
	table := new(bytes.Buffer)
	w := columnar.NewWriter(table, "t", []columnar.Field{{Name: "domain"}, {Name: "text"}, {Name: "robots"}})
	for host, body := range bodies {
		text, _ := json.Marshal(body)
		files["2026-01-15/"+host+".robots.txt"] = body
		lines += fmt.Sprintf(`{"host":%q,"body":%s}`+"\n", host, text)
		named += fmt.Sprintf(`{"meta":{"domain":%q,"at":"2026-01-15"},"robots":%s}`+"\n", host, text)
		dated[host] = map[string]string{"2026-01-15": body}
		row := columnar.AppendText(columnar.AppendText(columnar.AppendText(nil, host), "long text"), body)
		if _, err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
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
	if got := compiled(file(t, "a.parquet", table.String()), "host=domain,body=robots", false); got != plain {
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
	var b bytes.Buffer
	w := columnar.NewWriter(&b, "t", []columnar.Field{{Name: "host"}, {Name: "body"}})
	for _, host := range []string{"a.example", "a b"} {
		if _, err := w.Write(columnar.AppendText(columnar.AppendText(nil, host), "user-agent: *\ndisallow: /")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	o := CompileOptions{
		Sources: []string{file(t, "a.parquet", b.String()), file(t, "b.parquet", "PAR1"),
			file(t, "c.parquet", b.String()[:b.Len()-9])},
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

// TestListOfAnArchive has each version of each origin, and their sum.
func TestListOfAnArchive(t *testing.T) {
	source := file(t, "a.jsonl", `{"host":"http://a.example","at":"2026-01-01",`+
		`"body":"user-agent: *\ndisallow: /a\ndisallow: /b\n\nuser-agent: x\nuser-agent: y\ndisallow: /"}
{"host":"http://a.example","status":404,"at":"2026-02-01"}
{"host":"http://b.example","status":503}
{"host":"http://c.example","status":301,"location":"http://elsewhere.example/robots.txt"}
`)
	fields, err := capture.ParseFields("host=host,body=body,status=status,location=location,date=at")
	if err != nil {
		t.Fatal(err)
	}
	o := CompileOptions{
		Sources: []string{source}, Output: filepath.Join(t.TempDir(), "a.rsv"), Fields: fields, AllVersions: true,
		Dialects: []automaton.Dialect{automaton.RFC9309},
	}
	if _, err := Compile(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	sum, err := ListArchive(t.Context(), o.Output, func(v ArchiveVersion) error {
		got[fmt.Sprintf("%s %s %d %d %d", v.Origin, v.From, v.Status, v.Groups, v.Rules)] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"http://a.example:80 2026-01-01T00:00:00Z 200 2 3", "http://a.example:80 2026-02-01T00:00:00Z 404 0 0",
		"http://b.example:80  503 0 0", "http://c.example:80  301 0 0",
	} {
		if !got[want] {
			t.Errorf("%q is not in %v", want, got)
		}
	}
	if sum.Origins != 3 || sum.Versions != 4 || sum.Dated != 2 || sum.Missing != 1 || sum.Unreachable != 1 ||
		sum.Redirected != 1 || sum.WithRules != 0 || len(got) != 4 {
		t.Errorf("%+v", sum)
	}
	if _, err := ListArchive(t.Context(), source, nil); kindOf(err) != Input {
		t.Errorf("a list of what is no archive: %v", err)
	}
}

// TestVerdictsAsOfATime are those of the version in force.
func TestVerdictsAsOfATime(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.rsv")
	o := CompileOptions{Sources: []string{"-"}, Output: archive, AllVersions: true, Stdin: strings.NewReader(
		versionOf("2026-01-01T00:00:00Z", "user-agent: *\ndisallow: /p") + versionOf("2026-06-01T00:00:00Z",
			"user-agent: *\ndisallow: /q"))}
	if _, err := Compile(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"": "allowed", "2026-07-01": "allowed", "2026-03-01": "disallowed",
		"2025-03-01": "unknown"} {
		c, err := NewChecker(t.Context(), CheckOptions{Agents: []Agent{{Name: "x"}}, Archive: archive, AsOf: at})
		if err != nil {
			t.Fatal(err)
		}
		answers, err := c.Check("http://a/p")
		if err != nil || len(answers) != 1 || answers[0].Verdict() != want {
			t.Errorf("as of %q: %+v, %v; want %s", at, answers, err, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := NewChecker(t.Context(), CheckOptions{Agents: []Agent{{Name: "x"}}, Robots: robotsFile(t),
		AsOf: "2026-01-01"}); kindOf(err) != Usage {
		t.Errorf("as of a time by a robots.txt: %v", err)
	}
}
