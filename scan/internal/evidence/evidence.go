// Package evidence defines the layout of an evidence folder, as described in
// docs/howto/evidence.md: the log lines of crawlers that broke robots.txt, the policy by which they
// are judged, and the resulting report and letters. It doesn't depend on logs or on judging, which
// belong to package job.
package evidence

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // for the text of letters
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The names of files in a folder. Package basis names the other files.
const (
	SumsFile    = "SHA256SUMS" // the manifest, in the format of sha256sum
	DetailsFile = "evidence.json"
	Basis       = "basis.json"
	ReportFile  = "report.json"
)

// Schema is the version of the layout of a folder.
const Schema = "robotsieve.evidence/6"

// Details has what is needed, besides the basis, to audit the lines of a folder again. It also has
// facts that the folder can't prove, from the audit of the logs: Violations, of which the folder may
// not have all lines, Partial, Proxied and AddressesCut as in report.Report, and the SHA-256 of the
// logs.
type Details struct {
	Schema       string             `json:"schema"`
	Program      string             `json:"program"`
	Command      string             `json:"command"`
	MadeBy       string             `json:"made_by"`
	Partial      bool               `json:"partial"`
	Proxied      bool               `json:"proxied"`
	AddressesCut bool               `json:"addresses_cut"`
	Violations   int64              `json:"violations"`
	TimeZone     string             `json:"time_zone"`
	Lines        []Lines            `json:"lines"`
	Logs         []report.InputInfo `json:"logs"`
}

// Lines is a file of log lines from one crawler or, if that is "", from unknown crawlers or of
// answers. Origins apply if the lines name no hosts. Only means that lines naming other hosts
// aren't judged.
type Lines struct {
	File    string   `json:"file"`
	Crawler string   `json:"crawler"`
	Format  string   `json:"format"`
	Origins []string `json:"origins"`
	Only    bool     `json:"only"`
}

// Rewrite returns a copy in which write was called once for each text.
func (l Lines) Rewrite(write report.Rewriter) Lines {
	write.Texts(&l.File, &l.Crawler, &l.Format)
	write.Lists(&l.Origins)
	return l
}

// Rewrite returns a copy in which write was called once for each text.
func (d Details) Rewrite(write report.Rewriter) Details {
	write.Texts(&d.Schema, &d.Program, &d.Command, &d.MadeBy, &d.TimeZone)
	report.Each(&d.Lines, func(l *Lines) { *l = l.Rewrite(write) })
	report.Each(&d.Logs, func(in *report.InputInfo) { in.Rewrite(write) })
	return d
}

// other matches characters that file names may not contain.
var other = lazy.Regexp(`[^a-z0-9]+`)

// Name returns a name for a file that isn't taken. The name has only lower-case letters, digits and
// hyphens before a number and ext, because stem may contain the name of a crawler, which anybody can
// choose.
func Name[V any](stem, ext string, taken map[string]V) string {
	stem = strings.Trim(other().ReplaceAllString(strings.ToLower(stem[:min(len(stem), 50)]), "-"), "-")
	name := stem + ext
	for n := 2; ; n++ {
		if _, isTaken := taken[name]; !isTaken {
			return name
		}
		name = fmt.Sprintf("%s.%d%s", stem, n, ext)
	}
}

// JSON returns a document of a folder.
func JSON(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return text.Bytes(), err
}

// Sums maps names of files to their SHA-256 in hexadecimal, or for links, pipes and devices to another
// text.
type Sums map[string]string

// Has reports whether there is a regular file.
func (s Sums) Has(name string) bool { return len(s[name]) == 2*sha256.Size }

// SumOf returns the SHA-256 of a text.
func SumOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// SumsOf hashes all files of a folder. It opens regular files only.
func SumsOf(ctx context.Context, dir string) (Sums, error) {
	sums := Sums{}
	return sums, disk.WalkDir(dir+string(filepath.Separator), func(path string, e fs.DirEntry, err error) error {
		if err = cmp.Or(err, ctx.Err()); err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		if sums[name] = "irregular"; err != nil || !e.Type().IsRegular() {
			return err
		}
		file, err := disk.OpenRegular(path)
		if err != nil {
			return err
		}
		defer file.Close()
		sum := sha256.New()
		_, err = io.Copy(sum, file)
		sums[name] = fmt.Sprintf("%x", sum.Sum(nil))
		return err
	})
}

// Manifest returns the manifest of files, which Stated reads.
func (s Sums) Manifest() []byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(s)) {
		b = fmt.Appendf(b, "%s  %s\n", s[name], name)
	}
	return b
}

// Stated returns the contents of a manifest.
func Stated(manifest []byte) Sums {
	s := Sums{}
	for line := range strings.Lines(string(manifest)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		s[name] = sum
	}
	return s
}

// Differ lists files that are missing, differ, or are unexpected.
func (s Sums) Differ(want Sums, different, more string) (list []string) {
	all := maps.Clone(s)
	maps.Copy(all, want)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case s[name] == "":
			list = append(list, name+" is missing")
		case want[name] == "":
			list = append(list, name+more)
		case s[name] != want[name]:
			list = append(list, name+different)
		}
	}
	return list
}

// Letter is a letter to the operator of a crawler with violations. letter.tmpl reads its fields.
type Letter struct {
	// Report is the report on the lines of the folder, which includes Crawler.
	Report  *report.Report
	Crawler *report.CrawlerInfo
	// MadeBy names the maker of the folder; "" omits it. Lines are the files with lines of the
	// crawler. Robots maps report.RuleInfo.File to the files with robots.txt.
	MadeBy string
	Lines  []string
	Robots map[string]string
}

//go:embed letter.tmpl
var letterText string

var letter = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("letter").Funcs(template.FuncMap{
		"quote": quoted, "plural": english.Plural, "list": english.List,
		"hours": func(seconds int64) string { return english.Hours(time.Duration(seconds) * time.Second) },
		"base":  func(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) },
		"words": func(name string) string { return strings.ReplaceAll(name, "_", " ") },
		"count": func(c *report.CrawlerInfo) int64 { return c.Verdicts[report.Violation] },
	}).Parse(letterText))
})

// AddTo adds the letter to a map of files by name. It claims no more than the lines show. Pasting it
// into a shell is harmless: text from logs and files is in single quotes unless it is plain, and its
// own sentences contain no quotes.
func (l *Letter) AddTo(files map[string][]byte) error {
	var b bytes.Buffer
	err := letter().Execute(&b, l)
	files[Name("letter-"+l.Crawler.Crawler, ".txt", files)] = b.Bytes()
	return err
}

// plain matches text that a shell reads as plain words.
var plain = lazy.Regexp(`^[A-Za-z0-9_./:,@%+=-][A-Za-z0-9_./:,@%+= -]*$`)

// quoted returns text from a log or a file for a letter, without control characters, and in single
// quotes unless it is plain.
func quoted(text string) string {
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	if text = report.Printable(text); !plain().MatchString(text) {
		text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
