package docs_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/robotsieve/robotsieve/scan/format"
)

// realLogs are the archives with logs of other projects.
var realLogs = []string{"many-formats.tar.xz", "filebeat-fixtures.tar.xz"}

// realLog is a row of the table: a log of another project, or a rotated set of them.
type realLog struct {
	name                    string
	files                   int
	format                  string // empty if none was found
	lines, requests, others int    // others are blank and Other
	unparsed                int
	why                     string // the log is not read, or lines of it are not
}

// TestRealLogs compares real-logs.tsv with the results of Detect and the readers.
func TestRealLogs(t *testing.T) {
	var rows []realLog
	for _, name := range realLogs {
		f, err := os.Open(filepath.Join("..", "..", "shared", "data", "logs", name))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("no real logs here: ", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows = append(rows, readArchive(t, f)...)
	}
	const name = "testdata/real-logs.tsv"
	want := tableOf(rows)
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, name); got != want {
		t.Errorf("%s is not what the readers make of the logs: go test ./docs -run RealLogs -update", name)
		for line := range strings.Lines(want) {
			if !strings.Contains(got, line) {
				t.Log(line)
			}
		}
	}
}

// noLog are the files of the archives that are no logs.
var noLog = regexp.MustCompile(`(^|/)LICENSE[^/]*$|\.xml$`)

// readArchive returns the rows of the logs in a .tar.xz.
func readArchive(t *testing.T, f io.Reader) (rows []realLog) {
	t.Helper()
	x, err := xz.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(x); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || noLog.MatchString(h.Name) {
			continue
		}
		data, err := io.ReadAll(plain(t, h.Name, archive))
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, readReal(t, h.Name, data))
	}
}

// plain decompresses what the name says is compressed.
func plain(t *testing.T, name string, r io.Reader) io.Reader {
	t.Helper()
	var err error
	switch path.Ext(name) {
	case ".gz":
		r, err = gzip.NewReader(r)
	case ".zst":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readReal reads a log.
func readReal(t *testing.T, name string, data []byte) realLog {
	t.Helper()
	row := realLog{name: name, files: 1}
	f, err := format.Detect(data[:min(len(data), format.SampleBytes)], len(data) < format.SampleBytes)
	if err != nil {
		row.why = reason(err)
		row.lines = bytes.Count(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) + min(1, len(data))
		return row
	}
	row.format = f.Name()
	if !f.HasAgent() {
		row.why = "no User-Agent"
	}
	var r format.Record
	reader := f.NewReader()
	for reader.Reset(data); ; row.lines++ {
		switch reader.Next(&r) {
		case format.Request:
			reader.Complete(&r)
			row.requests++
		case format.Unparsed:
			if row.unparsed++; row.unparsed == 1 {
				row.why = kindOf(r.Line)
			}
		case format.End:
			if like := lineOf[row.format]; like != nil {
				if n := len(like.FindAll(data, -1)); n*2 <= row.requests {
					t.Errorf("%s: detected as %s, which %d lines are, but %d are read", name, row.format, n, row.requests)
				}
			}
			return row
		default:
			row.others++
		}
	}
}

// lineOf are the formats as regular expressions, of lines that begin with an
// address or with a host and an address.
var lineOf = map[string]*regexp.Regexp{
	"combined": regexp.MustCompile(`(?m)^[0-9A-Fa-f.:]+ \S+ .*\[\d\d/\w{3}/\d{4}[^]]*\] ".*" \d{3} \S+ ".*" ".*"`),
	"common":   regexp.MustCompile(`(?m)^[0-9A-Fa-f.:]+ \S+ .*\[\d\d/\w{3}/\d{4}[^]]*\] ".*" \d{3} [^"]*?\r?$`),
	"vhost_combined": regexp.MustCompile(`(?m)^[\w.:-]+ [0-9A-Fa-f.:]+ \S+ .*\[\d\d/\w{3}/\d{4}[^]]*\] ".*" \d{3} ` +
		`\S+ ".*" ".*"`),
}

// reason is an error of Detect without what it quotes.
func reason(err error) string {
	text := err.Error()
	for _, quoted := range []string{". The first line", ". The keys of its first line", "; the first is",
		". The first is"} {
		text, _, _ = strings.Cut(text, quoted)
	}
	return text
}

// kinds say what lines are that are no requests.
var kinds = []struct {
	line *regexp.Regexp
	is   string
}{
	{regexp.MustCompile(`\\x16\\x03|\x16\x03`), "TLS sent to a plain port"},
	{regexp.MustCompile(`"(-|)" \d{3}|"-","-",""`), "no request line"},
	{regexp.MustCompile(`"(?:[^"\\]|\\.)*" (4\d\d|501)|,(400|408|501),`), "no valid request line"},
	{regexp.MustCompile(`^ "`), "a line that is broken in two"},
	{regexp.MustCompile(`std(out|err) P `), "a part of a line"},
}

// kindOf says what a line is that is no request.
func kindOf(line []byte) string {
	for _, k := range kinds {
		if k.line.Match(line) {
			return k.is
		}
	}
	return fmt.Sprintf("%.60q", line)
}

// rotated is what rotation and copies append to the name of a log.
var rotated = regexp.MustCompile(`[.-]\d{8}$|\.\d$`)

// tableOf writes the rows as a table, rotated logs with the same result in one row.
func tableOf(rows []realLog) string {
	var merged []realLog
	for _, row := range rows {
		if strings.Contains(row.name, ".log") {
			row.name = rotated.ReplaceAllString(row.name, "*")
		}
		at := slices.IndexFunc(merged, func(m realLog) bool {
			return m.name == row.name && m.format == row.format && (m.format == "") == (row.format == "")
		})
		if at < 0 {
			merged = append(merged, row)
			continue
		}
		m := &merged[at]
		m.files++
		m.lines += row.lines
		m.requests += row.requests
		m.others += row.others
		m.unparsed += row.unparsed
		if m.why == "" {
			m.why = row.why
		}
	}
	slices.SortStableFunc(merged, func(a, b realLog) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	b.WriteString("file\tfiles\tformat\tlines\trequests\tother\tunparsed\twhy\n")
	for _, m := range merged {
		fmt.Fprintf(&b, "%s\t%d\t%s\t%d\t%d\t%d\t%d\t%s\n", m.name, m.files, cmp.Or(m.format, "(not read)"), m.lines,
			m.requests, m.others, m.unparsed, m.why)
	}
	return b.String()
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
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("a part of %s is not as the code makes it; write it anew: %s", page, by)
		for _, line := range strings.Split(want, "\n") {
			if !strings.Contains(part, line+"\n") {
				t.Log(line)
			}
		}
	}
}
