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

	"github.com/robotsieve/robotsieve/scan/origin"
)

// files writes files, by their paths, into a new folder, and returns it. A path that
// ends in a slash is a folder.
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
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).UnixNano()
	a := origins(t, "https://example.com")
	tests := []struct {
		name, manifest string
		want           []Row
	}{
		{"a file",
			"from,origin,status,file\n2026-11-01T12:00:00Z,https://example.com,200,r/a.txt\n",
			[]Row{{Origins: a, From: noon, Status: 200, Body: []byte("abcd"), Size: 4, File: "r/a.txt", Where: ":2"}}},
		{"a longer file has one byte more than the limit",
			"from,origin,status,file\n2026-11-01T12:00:00Z,https://example.com,200,long.txt",
			[]Row{{Origins: a, From: noon, Status: 200, Body: []byte("12345"), Size: 9, File: "long.txt", Where: ":2"}}},
		{"a bare host is two origins",
			"from,origin,status,file\n2026-11-01T12:00:00Z,Example.COM.,404,",
			[]Row{{Origins: origins(t, "example.com"), From: noon, Status: 404, Where: ":2"}}},
		{"a bare host with a port",
			"from,origin,status,file\n2026-11-01T12:00:00Z,example.com:8080,404,",
			[]Row{{Origins: origins(t, "example.com:8080"), From: noon, Status: 404, Where: ":2"}}},
		{"mark, CRLF, quotes, blank lines, columns in another order, all of them",
			"\ufefforigin,status,from,file,location,max_age\r\n\r\n" +
				"\"https://example.com\",301,2026-11-01T12:00:00Z,,\"http://b/robots.txt,\r\nx\",3600\r\n" +
				"https://example.com,unreachable,2026-11-01T12:00:01Z,,,\r\n",
			[]Row{
				{Origins: a, From: noon, Status: 301, MaxAge: time.Hour, Location: "http://b/robots.txt,\nx", Where: ":3"},
				{Origins: a, From: noon + int64(time.Second), Status: Unreachable, Where: ":5"},
			}},
		{"an offset and a fraction",
			"from,origin,status,file\n2026-11-01T14:30:00.000000001+02:30,https://example.com,204,",
			[]Row{{Origins: a, From: noon + 1, Status: 204, Where: ":2"}}},
		{"a date",
			"from,origin,status,file\n2026-11-01,https://example.com,404,",
			[]Row{{Origins: a, From: noon - 12*int64(time.Hour), Status: 404, Where: ":2"}}},
		{"2xx with a file", "from,origin,status,file\n2026-11-01T12:00:00Z,https://example.com,206,r/a.txt",
			[]Row{{Origins: a, From: noon, Status: 206, Body: []byte("abcd"), Size: 4, File: "r/a.txt", Where: ":2"}}},
		{"an endless max_age",
			"from,origin,status,file,max_age\n2026-11-01T12:00:00Z,https://example.com,404,,99999999999999999999999\n" +
				"2026-11-01T12:00:00Z,https://example.com,404,,9223372037",
			[]Row{
				{Origins: a, From: noon, Status: 404, MaxAge: math.MaxInt64, Where: ":2"},
				{Origins: a, From: noon, Status: 404, MaxAge: math.MaxInt64, Where: ":3"},
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := files(t, map[string]string{"m.csv": test.manifest, "r/a.txt": "abcd", "long.txt": "123456789"})
			path := filepath.Join(dir, "m.csv")
			for i := range test.want {
				test.want[i].Where = path + test.want[i].Where
				test.want[i].Sum = sumOf(t, dir, test.want[i].File)
			}
			rows, err := ReadManifest(path, 4, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(rows, test.want) {
				t.Errorf("got  %+v\nwant %+v", rows, test.want)
			}
		})
	}
}

func TestReadManifestWithoutLimit(t *testing.T) {
	dir := files(t, map[string]string{"r.txt": "12345"})
	manifest := filepath.Join(dir, "m.csv")
	// An absolute path, as one with dots, is of the same file.
	text := "from,origin,status,file\n2026-11-01T12:00:00Z,a,200," + filepath.Join(dir, "r.txt") +
		"\n2026-11-01T12:00:00Z,b,200,./x/../r.txt\n"
	if err := os.WriteFile(manifest, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	rows, err := ReadManifest(manifest, -1, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if string(rows[0].Body) != "12345" || &rows[0].Body[0] != &rows[1].Body[0] {
		t.Errorf("bodies %q and %q, want one that is read once", rows[0].Body, rows[1].Body)
	}
}

// TestManifestRefused: the errors name the file and the line. A second row is found
// by New.
func TestManifestRefused(t *testing.T) {
	const head = "from,origin,status,file,max_age,location\n"
	const row = head + "2026-11-02T00:00:00Z,https://example.com,"
	const ok = "2026-11-01T00:00:00Z,https://example.com,200,a.txt,,\n"
	tests := []struct{ name, manifest, want string }{
		{"no header", "", "M: no rows"},
		{"no rows", head, "M: no rows"},
		{"missing column", "from,origin,status\n", `M:1: no column "file"`},
		{"unknown column", "from,origin,status,file,etag\n", `M:1: unknown column "etag"`},
		{"column twice", "from,origin,status,file,from\n", `M:1: column "from" is there twice`},
		{"no header, but rows", ok, `M:1: unknown column "2026-11-01T00:00:00Z"`},
		{"too few fields", head + ok + "\n2026-11-01T00:00:00Z,https://example.com\n", "M:4: wrong number of fields"},
		{"too many fields", head + "a,b,c,d,e,f,g\n", "M:2: wrong number of fields"},
		{"a quote in a field", head + "a\"b,c,d,e,f,g\n", `M:2: bare " in non-quoted-field`},
		{"a quote that does not end", head + ok + "\"a,b\n", `M:3: extraneous or missing " in quoted-field`},
		{"missing file", head + ok + "2026-11-02T00:00:00Z,https://example.com,200,b.txt,,",
			"M:3: stat D/b.txt: no such file or directory"},
		{"a folder for a file", row + "200,sub,,", "M:2: D/sub: not a regular file"},
		{"a compressed file", row + "200,c.gz,,", "M:2: D/c.gz: compressed with gzip: decompress it first"},
		{"200 without a file", row + "200,,,", "M:2: status 200 without a file"},
		{"a file for 404", row + "404,a.txt,,", "M:2: a file for status 404"},
		{"a file for 301", row + "301,a.txt,,http://b/", "M:2: a file for status 301"},
		{"a file for unreachable", row + "unreachable,a.txt,,", "M:2: a file for status unreachable"},
		{"a word for a status", row + "gone,,,", `M:2: unknown status "gone"`},
		{"no status", row + ",,,", `M:2: unknown status ""`},
		{"status 0", row + "0,,,", `M:2: unknown status "0"`},
		{"status 99", row + "099,,,", `M:2: unknown status "099"`},
		{"status 1000", row + "1000,,,", `M:2: unknown status "1000"`},
		{"status +20", row + "-20,,,", `M:2: unknown status "-20"`},
		{"a date that is not", head + "2026-02-30,https://example.com,404,,,",
			`M:2: bad time "2026-02-30": not like 2026-11-01T00:00:00Z`},
		{"a time without a zone", head + "2026-11-02T00:00:00,https://example.com,404,,,",
			`M:2: bad time "2026-11-02T00:00:00": not like 2026-11-01T00:00:00Z`},
		{"a day that is not", head + "2026-02-30T00:00:00Z,https://example.com,404,,,",
			`M:2: bad time "2026-02-30T00:00:00Z": not like 2026-11-01T00:00:00Z`},
		{"a year that does not fit", head + "1699-12-31T23:59:59Z,https://example.com,404,,,",
			`M:2: bad time "1699-12-31T23:59:59Z": not of the years 1700 to 2199`},
		{"nor this", head + "2200-01-01T00:00:00Z,https://example.com,404,,,",
			`M:2: bad time "2200-01-01T00:00:00Z": not of the years 1700 to 2199`},
		{"a URL for an origin", head + "2026-11-02T00:00:00Z,https://example.com/robots.txt,404,,,",
			`M:2: bad origin "https://example.com/robots.txt": more than an origin: path, query or user are not part of it`},
		{"no origin", head + "2026-11-02T00:00:00Z,,404,,,", `M:2: bad origin "": not a host name: ""`},
		{"a scheme that is none", head + "2026-11-02T00:00:00Z,gopher://example.com,404,,,",
			`M:2: bad origin "gopher://example.com": scheme is none of http, https and ftp`},
		{"negative max_age", row + "404,,-1,", `M:2: bad max_age "-1"`},
		{"max_age that is no number", row + "404,,1h,", `M:2: bad max_age "1h"`},
		{"second row", head + ok + "2026-11-02T00:00:00Z,https://example.com,404,,,\n" + ok,
			"M:4: second row for https://example.com at 2026-11-01T00:00:00Z, the first is M:2"},
		{"second row at another hour of the world", head + ok +
			"2026-11-01T01:00:00.000+01:00,https://EXAMPLE.com:443,404,,,",
			"M:3: second row for https://example.com at 2026-11-01T00:00:00Z, the first is M:2"},
		{"second row by a bare host", head + ok + "2026-11-01T00:00:00Z,example.com,404,,,",
			"M:3: second row for https://example.com at 2026-11-01T00:00:00Z, the first is M:2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := files(t, map[string]string{"m.csv": test.manifest, "a.txt": "", "c.gz": "\x1f\x8b\x08", "sub/": ""})
			path := filepath.Join(dir, "m.csv")
			rows, err := ReadManifest(path, 100, 1<<30)
			if err == nil {
				_, err = New(rows, Options{})
			}
			want := strings.ReplaceAll(strings.ReplaceAll(test.want, "M:", path+":"), "D/", dir+string(filepath.Separator))
			if err == nil || err.Error() != want {
				t.Errorf("error %v\nwant  %v", err, want)
			}
		})
	}
	if _, err := ReadManifest(filepath.Join(t.TempDir(), "none.csv"), 1, 1<<30); err == nil ||
		!strings.Contains(err.Error(), "none.csv") {
		t.Errorf("no manifest: %v", err)
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
	rows, err := ReadDirectory(dir, 1, 1<<30)
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
	const ok = "example.com/2026-11-01.txt"
	badTime := func(name string) string {
		return fmt.Sprintf("D/example.com/%s: bad time %q: not like 2026-11-01T00:00:00Z.txt", name, name)
	}
	tests := []struct{ name, file, want string }{
		{"empty", "", "D: the folder is empty"},
		{"nothing but hidden files", ".DS_Store", "D: the folder is empty"},
		{"a host without files", "example.com/", "D/example.com: the folder is empty"},
		{"a file among the hosts", "README", "D/README: a file where folders named by hosts are expected"},
		{"a folder that is no host", "a b/2026-11-01.txt",
			`D/a b: the folder is not named by a host: "a b": not a host name: "a b"`},
		{"another name", "example.com/robots.txt", badTime("robots.txt")},
		{"another ending", "example.com/2026-11-01", badTime("2026-11-01")},
		{"a fraction", "example.com/2026-11-01T00:00:00.5Z.txt", badTime("2026-11-01T00:00:00.5Z.txt")},
		{"a fraction behind a comma", "example.com/2026-11-01T000000,5Z.txt", badTime("2026-11-01T000000,5Z.txt")},
		{"an offset", "example.com/2026-11-01T00:00:00+01:00.txt", badTime("2026-11-01T00:00:00+01:00.txt")},
		{"no seconds", "example.com/2026-11-01T00:00Z.txt", badTime("2026-11-01T00:00Z.txt")},
		{"a day that is not", "example.com/2026-02-30.txt", badTime("2026-02-30.txt")},
		{"a year that does not fit", "example.com/0001-01-01.txt",
			`D/example.com/0001-01-01.txt: bad time "0001-01-01.txt": not of the years 1700 to 2199`},
		{"a folder in a host's", "example.com/2026-11-01.txt/", "D/example.com/2026-11-01.txt: not a regular file"},
		{"the same time twice", "example.com/2026-11-01T000000Z.txt",
			"D/example.com/2026-11-01T000000Z.txt: second row for http://example.com at 2026-11-01T00:00:00Z, the first is " +
				"D/example.com/2026-11-01.txt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			texts := map[string]string{test.file: ""}
			if test.file == "" {
				texts = nil
			}
			if strings.Contains(test.want, "second") {
				texts[ok] = ""
			}
			dir := files(t, texts)
			rows, err := ReadDirectory(dir, 100, 1<<30)
			if err == nil {
				_, err = New(rows, Options{})
			}
			got := ""
			if err != nil {
				got = strings.ReplaceAll(err.Error(), dir, "D")
			}
			if strings.HasPrefix(got, "fdopendir") { // as some systems word it
				got = "open" + strings.TrimPrefix(got, "fdopendir")
			}
			if got != test.want {
				t.Errorf("error %s\nwant  %s", got, test.want)
			}
		})
	}
	if _, err := ReadDirectory(filepath.Join(t.TempDir(), "none"), 1, 1<<30); err == nil {
		t.Error("no folder: no error")
	}
}

// FuzzManifest: whatever stands in a manifest, there is an error with its name, or a
// policy that can be asked.
func FuzzManifest(f *testing.F) {
	const head = "from,origin,status,file,max_age,location\n"
	f.Add(head + "2026-11-01T00:00:00Z,a,200,r,,\n2026-11-02T00:00:00Z,a,503,,99999999999999999999,\n")
	f.Add(head +
		"2026-11-01T00:00:00Z,http://a,301,,1,//b/robots.txt\n1700-01-01T00:00:00Z,b,302,,,http://a/x\n" +
		"2199-12-31T23:59:59Z,http://a,unreachable,,,")
	f.Add("\ufefffrom,origin,status,file\r\n\"2026-11-01T00:00:00Z\",[::1]:80,204,\r\n")
	f.Add("from,origin\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := parseManifest(strings.NewReader(text), "m.csv", 1<<30, func(name string) (file, error) {
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
					for _, google := range []bool{false, true} {
						l := p.Lawful(int32(i), r.From, google)
						if failed := p.LawfulLong(int32(i), r.From, google); len(failed.Bodies) < len(l.Bodies) || !failed.Long {
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

// A folder is no manifest, and no body of one.
func TestManifestOfAFolder(t *testing.T) {
	dir := t.TempDir()
	if rows, err := ReadManifest(dir, 0, 1<<30); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder as a manifest: %v, %v", rows, err)
	}
	name := filepath.Join(dir, "policy.csv")
	if err := os.WriteFile(name, []byte("from,origin,status,file\n2026-01-01,example.com,200,.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if rows, err := ReadManifest(name, 0, 1<<30); err == nil || !strings.Contains(err.Error(), "policy.csv:2") {
		t.Errorf("a folder as a body: %v, %v", rows, err)
	}
}

// TestManifestLimits: a row that does not end is refused when it is too long, not when memory is
// full, and rows of the same content
// share it.
func TestManifestLimits(t *testing.T) {
	open := func(string) (file, error) { return file{}, nil }
	for _, endless := range []string{"\x00", "a", "\"\n", "\"a\n,"} {
		text := io.MultiReader(strings.NewReader("from,origin,status,file\n"+endless[:1]),
			strings.NewReader(strings.Repeat(endless[1:]+"x", 4<<20)))
		if _, err := parseManifest(text, "m.csv", 1<<30, open); err == nil ||
			!strings.Contains(err.Error(), "limit of 1 MiB") {
			t.Errorf("%q: %v", endless, err)
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("user-agent: *\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := newBodyFiles(0, 1<<40)
	a, errA := f.read(filepath.Join(dir, "a.txt"))
	b, errB := f.read(filepath.Join(dir, "b.txt"))
	if errA != nil || errB != nil || &a.body[0] != &b.body[0] || f.size != int64(len(a.body)) {
		t.Error(errA, errB, f.size)
	}
	f.size = maxBodies
	os.WriteFile(filepath.Join(dir, "c.txt"), []byte("user-agent: x\n"), 0o600)
	if _, err := f.read(filepath.Join(dir, "c.txt")); err == nil || !strings.Contains(err.Error(), "limit of 1024 MiB") {
		t.Error(err)
	}
}

// TestManifestThatCannotBeRead: an error of the first read is not taken for the end of the file.
func TestManifestThatCannotBeRead(t *testing.T) {
	r := io.MultiReader(strings.NewReader("fr"),
		iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("om,origin"))))
	if _, err := parseManifest(r, "M", 1<<30, nil); !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
}
