package docs_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/source"
)

// TestRealLogs compares real-logs.tsv with what Detect and the readers make of the logs of other projects.
func TestRealLogs(t *testing.T) {
	const name = "testdata/real-logs.tsv"
	var rows []string
	for _, logs := range []string{"many-formats.tar.xz", "filebeat-fixtures.tar.xz"} {
		f, err := os.Open(filepath.Join("..", "..", "shared", "data", "logs", logs))
		if err != nil {
			t.Skip("no real logs here: ", err)
		}
		defer f.Close()
		x := must.Get(xz.NewReader(f))(t)
		archive := tar.NewReader(x)
		for h, err := archive.Next(); !errors.Is(err, io.EOF); h, err = archive.Next() {
			if err != nil {
				t.Fatal(err)
			}
			if h.Typeflag == tar.TypeReg && !noLog.MatchString(h.Name) {
				rows = append(rows, rowOf(t, h.Name, archive))
			}
		}
	}
	slices.Sort(rows)
	want := "file\tformat\tlines\trequests\tother\tunparsed\twhy\n" + strings.Join(rows, "")
	if *update {
		must.Do(t, os.WriteFile(name, []byte(want), 0o666))
	}
	got := read(t, name)
	for line := range strings.Lines(want) {
		if !strings.Contains(got, line) {
			t.Errorf("%s has another row: go test ./docs -run RealLogs -update\n%s", name, line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s has other rows", name)
	}
}

// noLog are the files of the archives that are no logs.
var noLog = regexp.MustCompile(`(^|/)LICENSE[^/]*$|\.xml$`)

// rowOf reads a log, and returns its row: of what is other by design, and why it or its first unparsed line is not read.
func rowOf(t *testing.T, name string, archive io.Reader) string {
	t.Helper()
	r := must.Get(source.NewInput(name, archive, -1).Open())(t)
	data := must.Get(io.ReadAll(r))(t)
	f, err := format.Detect(data[:min(len(data), format.SampleBytes)], len(data) < format.SampleBytes)
	if err != nil {
		why, _, _ := strings.Cut(err.Error(), ". The ")
		why, _, _ = strings.Cut(why, "; the first is")
		lines := bytes.Count(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) + min(1, len(data))
		return fmt.Sprintf("%s\t(not read)\t%d\t0\t0\t0\t%s\n", name, lines, why)
	}
	why, n := "", map[format.Kind]int{}
	if !f.HasAgent() {
		why = "no User-Agent"
	}
	var record format.Record
	reader := f.NewReader()
	reader.Reset(data)
	lines := 0
	for kind := reader.Next(&record); kind != format.End; kind = reader.Next(&record) {
		lines++
		if n[kind]++; kind == format.Request {
			reader.Complete(&record)
		} else if kind == format.Unparsed && n[kind] == 1 {
			why = fmt.Sprintf("%.60q", record.Line)
		}
	}
	other := lines - n[format.Request] - n[format.Unparsed]
	return fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d\t%s\n", name, f.Name(), lines, n[format.Request], other,
		n[format.Unparsed], why)
}

// TestFormatTable compares the names of formats in formats.md with the code.
func TestFormatTable(t *testing.T) {
	checkMade(t, "reference/formats.md", "TestFormatTable: go test ./docs -run FormatTable -update",
		"\n`"+strings.Join(format.Names(), "`, `")+"`\n\n")
}

// TestFormatExamples parses the custom formats in own-format.md.
func TestFormatExamples(t *testing.T) {
	examples := regexp.MustCompile("`--format '([^\n]*)'` \\|").FindAllStringSubmatch(read(t, "howto/own-format.md"), -1)
	for _, e := range examples {
		if _, err := format.Parse(e[1]); err != nil {
			t.Errorf("%s: %v", e[1], err)
		}
	}
	if len(examples) < 5 {
		t.Errorf("only %d examples", len(examples))
	}
}

// TestEnvelopeTable compares the list of envelopes in formats.md with the code.
func TestEnvelopeTable(t *testing.T) {
	list := "\n"
	for _, e := range format.Envelopes() {
		list += fmt.Sprintf("- `%s`: %s\n", e.Name, e.By)
	}
	checkMade(t, "reference/formats.md", "TestEnvelopeTable: go test ./docs -run EnvelopeTable -update", list+"\n")
}

func read(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile(name))(t)
	return string(text)
}

var update = flag.Bool("update", false, "write the parts of pages that are made by tests anew")

// checkMade holds a part of a page to what it must be, or rewrites it with -update.
func checkMade(t *testing.T, page, by, want string) {
	t.Helper()
	begin, end := "<!-- made by "+by+" -->\n", "<!-- end -->\n"
	before, rest, ok1 := strings.Cut(read(t, page), begin)
	part, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok1 || !ok2:
		t.Fatalf("%s has no place for %q", page, by)
	case part == want:
	case *update:
		must.Do(t, os.WriteFile(page, []byte(before+begin+want+end+after), 0o666))
	default:
		t.Errorf("a part of %s is not as the code makes it; write it anew: %s", page, by)
		for _, line := range strings.Split(want, "\n") {
			if !strings.Contains(part, line+"\n") {
				t.Log(line)
			}
		}
	}
}
