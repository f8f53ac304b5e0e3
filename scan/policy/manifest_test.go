package policy

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// files writes files, by their paths, into a new folder, and returns it. A path that ends in a slash is a folder.
func files(t testing.TB, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		folder, isFile := filepath.Dir(path), true
		if strings.HasSuffix(name, "/") {
			folder, isFile = path, false
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if isFile {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// sumOf returns the SHA-256 of a whole file in a folder, empty if it has no name.
func sumOf(t testing.TB, dir, name string) string {
	t.Helper()
	if name == "" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

func TestReadManifest(t *testing.T) {
	const head, noonOf = "from,origin,status,file\n", "2026-11-01T12:00:00Z,"
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).UnixNano()
	a := origins(t, "https://example.com")
	for manifest, want := range map[string][]Row{
		head + noonOf + "https://example.com,200,r/a.txt\n": {{Origins: a, From: noon, Status: 200, Body: []byte("abcd"),
			Size: 4, File: "r/a.txt", Where: ":2"}},
		// A longer file has one byte more than the limit.
		head + noonOf + "https://example.com,200,long.txt": {{Origins: a, From: noon, Status: 200, Body: []byte("12345"),
			Size: 9, File: "long.txt", Where: ":2"}},
		head + noonOf + "https://example.com,206,r/a.txt": {{Origins: a, From: noon, Status: 206, Body: []byte("abcd"),
			Size: 4, File: "r/a.txt", Where: ":2"}},
		// A bare host is two origins.
		head + noonOf + "Example.COM.,404,": {{Origins: origins(t, "example.com"), From: noon, Status: 404, Where: ":2"}},
		head + noonOf + "example.com:8080,404,": {{Origins: origins(t, "example.com:8080"), From: noon, Status: 404,
			Where: ":2"}},
		// A mark, CRLF, quotes, blank lines, columns in another order, all of them.
		"\ufefforigin,status,from,file,location,max_age\r\n\r\n" +
			"\"https://example.com\",301,2026-11-01T12:00:00Z,,\"http://b/robots.txt,\r\nx\",3600\r\n" +
			"https://example.com,unreachable,2026-11-01T12:00:01Z,,,\r\n": {
			{Origins: a, From: noon, Status: 301, MaxAge: time.Hour, Location: "http://b/robots.txt,\nx", Where: ":3"},
			{Origins: a, From: noon + int64(time.Second), Status: Unreachable, Where: ":5"}},
		head + "2026-11-01T14:30:00.000000001+02:30,https://example.com,204,": {{Origins: a, From: noon + 1, Status: 204,
			Where: ":2"}},
		head + "2026-11-01,https://example.com,404,": {{Origins: a, From: noon - 12*int64(time.Hour), Status: 404,
			Where: ":2"}},
		// An endless max_age.
		"from,origin,status,file,max_age\n" + noonOf + "https://example.com,404,,99999999999999999999999\n" +
			noonOf + "https://example.com,404,,9223372037": {
			{Origins: a, From: noon, Status: 404, MaxAge: math.MaxInt64, Where: ":2"},
			{Origins: a, From: noon, Status: 404, MaxAge: math.MaxInt64, Where: ":3"}},
	} {
		dir := files(t, map[string]string{"m.csv": manifest, "r/a.txt": "abcd", "long.txt": "123456789"})
		path := filepath.Join(dir, "m.csv")
		for i := range want {
			want[i].Where, want[i].Sum = path+want[i].Where, sumOf(t, dir, want[i].File)
		}
		if rows, _, err := ReadManifest(path, 4, 1<<30); err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("%q: %v\ngot  %+v\nwant %+v", manifest, err, rows, want)
		}
	}
}

// TestManifestRefused checks that errors name the file and the line. New finds second rows.
func TestManifestRefused(t *testing.T) {
	const head = "from,origin,status,file,max_age,location\n"
	const row = head + "2026-11-02T00:00:00Z,https://example.com,"
	const ok = "2026-11-01T00:00:00Z,https://example.com,200,a.txt,,\n"
	twice := func(line string) string {
		return "M:" + line + ": second row for https://example.com at 2026-11-01T00:00:00Z, the first is M:2"
	}
	const namesColumns = "the first line of a manifest names its columns, with commas between: from,origin,status,file"
	cases := map[string]string{ // what is wrong with manifests
		"":                               "M: no rows",
		head:                             "M: no rows",
		"from,origin,status\n":           `M:1: no column "file"`,
		"from,origin,status,file,etag\n": `M:1: unknown column "etag"`,
		"from,origin,status,file,from\n": `M:1: column "from" is there twice`,
		ok:                               `M:1: unknown column "2026-11-01T00:00:00Z": ` + namesColumns,
		"from;origin;status;file\r\n":    `M:1: unknown column "from;origin;status;file": ` + namesColumns,
		"sep=;\r\nfrom;origin\r\n":       `M:1: unknown column "sep=;": ` + namesColumns,
		"User-agent: *\nDisallow: /\n":   `M:1: unknown column "User-agent: *": ` + namesColumns,
		head + ok + "\n2026-11-01T00:00:00Z,https://example.com\n": "M:4: wrong number of fields",
		head + "a,b,c,d,e,f,g\n":                                   "M:2: wrong number of fields",
		head + "a\"b,c,d,e,f,g\n":                                  `M:2: bare " in non-quoted-field`,
		head + ok + "\"a,b\n":                                      `M:3: extraneous or missing " in quoted-field`,
		row + "200,b.txt,,":                                        "M:2: stat D/b.txt: no such file or directory",
		row + "200,sub,,":                                          "M:2: D/sub: not a regular file",
		row + "200,c.gz,,":                                         "M:2: D/c.gz: compressed with gzip: decompress it first",
		row + "200,,,":                                             "M:2: status 200 without a file",
		row + "404,a.txt,,":                                        "M:2: a file for status 404",
		row + "301,a.txt,,http://b/":                               "M:2: a file for status 301",
		row + "unreachable,a.txt,,":                                "M:2: a file for status unreachable",
		strings.Replace(row, "location", "digest", 1) + "404,,,x":  "M:2: a digest for status 404",
		strings.Replace(row, "location", "history", 1) + "404,,,x": `M:2: the history "x" is neither deployed nor observed`,
		head + ",example.com,404,,,":                               "M:2: " + errNoFrom.Error(),
		row + "404,,-1,":                                           `M:2: bad max_age "-1"`,
		row + "404,,1h,":                                           `M:2: bad max_age "1h"`,
		head + ok + row[len(head):] + "404,,,\n" + ok:              twice("4"),
		// At another hour of the world, and by a bare host.
		head + ok + "2026-11-01T01:00:00.000+01:00,https://EXAMPLE.com:443,404,,,": twice("3"),
		head + ok + "2026-11-01T00:00:00Z,example.com,404,,,":                      twice("3"),
	}
	for _, status := range []string{"gone", "", "0", "099", "1000", "-20"} {
		cases[row+status+",,,"] = fmt.Sprintf("M:2: unknown status %q", status)
	}
	const form, years = "like 2026-11-01T00:00:00Z", "of the years 1700 to 2199"
	for when, why := range map[string]string{"2026-02-30": form, "2026-11-02T00:00:00": form, "2026-02-30T00:00:00Z": form,
		"1699-12-31T23:59:59Z": years, "2200-01-01T00:00:00Z": years} {
		cases[head+when+",https://example.com,404,,,"] = fmt.Sprintf("M:2: bad time %q: not %s", when, why)
	}
	for origin, why := range map[string]string{
		"https://example.com/robots.txt": "more than an origin: path, query or user are not part of it",
		"":                               `not a host name: ""`,
		"gopher://example.com":           "scheme is none of http, https and ftp",
	} {
		cases[head+"2026-11-02T00:00:00Z,"+origin+",404,,,"] = fmt.Sprintf("M:2: bad origin %q: %s", origin, why)
	}
	dir := files(t, map[string]string{"a.txt": "", "c.gz": "\x1f\x8b\x08", "sub/": ""})
	path := filepath.Join(dir, "m.csv")
	for manifest, want := range cases {
		if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, _, err := ReadManifest(path, 100, 1<<30)
		if err == nil {
			_, err = New(rows, Options{})
		}
		want = strings.ReplaceAll(strings.ReplaceAll(want, "M:", path+":"), "D/", dir+string(filepath.Separator))
		if err == nil || err.Error() != want {
			t.Errorf("%q: error %v\nwant  %v", manifest, err, want)
		}
	}
	for _, name := range []string{filepath.Join(t.TempDir(), "none.csv"), t.TempDir()} {
		if _, _, err := ReadManifest(name, 1, 1<<30); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("no manifest: %v", err)
		}
	}
}

func TestReadDirectory(t *testing.T) {
	dir := files(t, map[string]string{
		"example.com/2026-11-01T00:00:00Z.txt":      "a",
		"example.com/2026-11-02T123000Z.txt":        "bcd",
		"example.com/2026-11-03.txt":                "c",
		"example.com/.DS_Store":                     "",
		"sub.example.com:8080/2026-11-01.txt":       "d",
		".git/HEAD":                                 "",
		"xn--exmple-cua.com/2026-11-01T000000Z.txt": "e",
	})
	rows, err := readDirectory(dir, 1, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	row := func(host, file string, from time.Time, body string, size int64) Row {
		return Row{Origins: origins(t, host), From: from.UnixNano(), Status: 200, Body: []byte(body), Size: size,
			Sum: sumOf(t, dir, host+"/"+file), File: host + "/" + file, Where: filepath.Join(dir, host, file)}
	}
	want := []Row{
		row("example.com", "2026-11-01T00:00:00Z.txt", day, "a", 1),
		row("example.com", "2026-11-02T123000Z.txt", day.Add(36*time.Hour+30*time.Minute), "bc", 3),
		row("example.com", "2026-11-03.txt", day.AddDate(0, 0, 2), "c", 1),
		row("sub.example.com:8080", "2026-11-01.txt", day, "d", 1),
		row("xn--exmple-cua.com", "2026-11-01T000000Z.txt", day, "e", 1),
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got  %+v\nwant %+v", rows, want)
	}
}

func TestDirectoryRefused(t *testing.T) {
	const first = "example.com/2026-11-01.txt"
	cases := map[string]string{ // of files in a folder
		"": "D: the folder is empty", ".DS_Store": "D: the folder is empty",
		"example.com/":       "D/example.com: the folder is empty",
		"README":             "D/README: a file where folders named by hosts are expected",
		"a b/2026-11-01.txt": `D/a b/2026-11-01.txt: bad origin "a b": not a host name: "a b"`,
		"example.com/0001-01-01.txt": `D/example.com/0001-01-01.txt: bad time "0001-01-01T00:00:00Z": not of the years 1700 ` +
			`to 2199`,
		first + "/": "D/" + first + ": not a regular file",
		first + "; example.com/2026-11-01T000000Z.txt": "D/example.com/2026-11-01T000000Z.txt: second row for " +
			"http://example.com at 2026-11-01T00:00:00Z, the first is D/" + first,
	}
	for _, name := range []string{"robots.txt", "2026-11-01", "2026-11-01T00:00:00.5Z.txt", "2026-11-01T000000,5Z.txt",
		"2026-11-01T00:00:00+01:00.txt", "2026-11-01T00:00Z.txt", "2026-02-30.txt"} {
		name = "example.com/" + name
		cases[name] = fmt.Sprintf("D/%s: bad time %q: not like 2026-11-01T00:00:00Z.txt", name, filepath.Base(name))
	}
	for names, want := range cases {
		texts := map[string]string{}
		for name := range strings.SplitSeq(names, "; ") {
			texts[name] = ""
		}
		delete(texts, "")
		dir := files(t, texts)
		rows, err := readDirectory(dir, 100, 1<<30)
		if err == nil {
			_, err = New(rows, Options{})
		}
		// Some systems word the error of a folder as fdopendir.
		if got := strings.Replace(strings.ReplaceAll(fmt.Sprint(err), dir, "D"), "fdopendir", "open", 1); got != want {
			t.Errorf("%s: error %s\nwant  %s", names, got, want)
		}
	}
	if _, err := readDirectory(filepath.Join(t.TempDir(), "none"), 1, 1<<30); err == nil {
		t.Error("no folder: no error")
	}
}

// FuzzManifest checks that any manifest gives an error with its name, or a usable policy.
func FuzzManifest(f *testing.F) {
	const head = "from,origin,status,file,max_age,location\n"
	f.Add(head + "2026-11-01T00:00:00Z,a,200,r,,\n2026-11-02T00:00:00Z,a,503,,99999999999999999999,\n")
	f.Add(head +
		"2026-11-01T00:00:00Z,http://a,301,,1,//b/robots.txt\n1700-01-01T00:00:00Z,b,302,,,http://a/x\n" +
		"2199-12-31T23:59:59Z,http://a,unreachable,,,")
	f.Add("\ufefffrom,origin,status,file\r\n\"2026-11-01T00:00:00Z\",[::1]:80,204,\r\n")
	f.Add("from,origin\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, _, err := parseManifest(strings.NewReader(text), "m.csv", 1<<30, func(name string) (file, error) {
			if len(name) > 3 {
				return file{}, fs.ErrNotExist
			}
			return file{body: []byte(name), size: 3}, nil
		})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "m.csv:") {
				t.Errorf("error %v", err)
			}
			return
		}
		for _, observed := range []bool{false, true} {
			p, err := New(rows, Options{Observed: observed})
			if err != nil {
				if !strings.HasPrefix(err.Error(), "m.csv:") {
					t.Errorf("error %v", err)
				}
				return
			}
			for i, o := range p.Origins() {
				site, ok := p.Site(o)
				if !ok || site != (Site{int32(i), 1}) {
					t.Errorf("%v is at %v, %v", o, site, ok)
				}
				if _, ok := p.Site(origin.Origin{Host: o.Host}); !ok {
					t.Errorf("no site for %s", o.Host)
				}
				for _, r := range rows {
					for _, class := range []answer.Class{answer.Others, answer.Google} {
						l := p.Lawful(int32(i), r.From, class)
						if failed := p.LawfulLong(int32(i), r.From, class); len(failed.Bodies) < len(l.Bodies) || !failed.Long {
							t.Errorf("failed: %+v, but %+v", failed, l)
						}
						if l.Quoted >= 0 != (len(l.Bodies) > 0) || l.Quoted >= int32(len(p.Versions(int32(i)))) {
							t.Errorf("cites %d of %v", l.Quoted, l.Bodies)
						}
					}
					if first, last := p.InForce(int32(i), r.From); first > last || last > len(p.Versions(int32(i))) {
						t.Errorf("in force %d to %d", first, last)
					}
				}
			}
		}
	})
}

// TestManifestLimits checks that an endless row is rejected when it is too long, not when memory is
// full, and that rows with the same content share it.
func TestManifestLimits(t *testing.T) {
	open := func(string) (file, error) { return file{}, nil }
	for _, endless := range []string{"\x00", "a", "\"\n", "\"a\n,"} {
		text := io.MultiReader(strings.NewReader("from,origin,status,file\n"+endless[:1]),
			strings.NewReader(strings.Repeat(endless[1:]+"x", 4<<20)))
		if _, _, err := parseManifest(text, "m.csv", 1<<30, open); err == nil ||
			!strings.Contains(err.Error(), "limit of 1 MiB") {
			t.Errorf("%q: %v", endless, err)
		}
	}
	dir := files(t, map[string]string{"a.txt": "user-agent: *\n", "b.txt": "user-agent: *\n", "c.txt": "user-agent: x\n"})
	f := newBodyFiles(disk.OpenRegular, 0, 1<<40)
	a, errA := f.read(filepath.Join(dir, "a.txt"))
	b, errB := f.read(filepath.Join(dir, "b.txt"))
	if errA != nil || errB != nil || &a.body[0] != &b.body[0] || f.size != int64(len(a.body)) {
		t.Error(errA, errB, f.size)
	}
	f.size = maxBodies
	if _, err := f.read(filepath.Join(dir, "c.txt")); err == nil || !strings.Contains(err.Error(), "limit of 1024 MiB") {
		t.Error(err)
	}
}

// TestManifestThatCannotBeRead checks that an error of the first read doesn't count as the end of the file.
func TestManifestThatCannotBeRead(t *testing.T) {
	r := io.MultiReader(strings.NewReader("fr"),
		iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("om,origin"))))
	if _, _, err := parseManifest(r, "M", 1<<30, nil); !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
}

// TestHistories checks that the history of a manifest comes from its rows, and that a digest can replace a body.
func TestHistories(t *testing.T) {
	for rows, want := range map[string]string{
		"2026-01-01,a,200,,observed,x,here\n2026-01-02,a,404,,observed,,": Observed,
		"2026-01-01,a,200,,observed,x,\n2026-01-02,a,404,,,,":             Observed,
		"2026-01-01,a,200,,,x,\n2026-01-02,a,404,,deployed,,":             Deployed,
		"2026-01-01,a,200,,observed,x,\n2026-01-02,a,404,,deployed,,":     Mixed,
		"2026-01-01,a,200,,,x,\n2026-01-02,a,404,,,,":                     "",
	} {
		text := strings.NewReader("from,origin,status,file,history,digest,source\n" + rows)
		got, history, err := parseManifest(text, "M", 1<<30, nil)
		if err != nil || history != want || got[0].Digest != "x" || got[0].Size != -1 {
			t.Errorf("%q: %q, %v, %+v", rows, history, err, got)
		}
	}
}
