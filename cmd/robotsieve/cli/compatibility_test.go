package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/release"
	"github.com/robotsieve/robotsieve/internal/test/must"
)

// compatibilityFiles has a folder for each release whose files must be read: with a log, a robots.txt and a manifest,
// and what that release made of them.
const compatibilityFiles = "testdata/compatibility"

// TestCompatibility checks that files written by releases of the same minor version can be read and
// give the same results, as docs/reference/compatibility.md promises: states, archives, folders of
// evidence, manifests and reports. -update rewrites this release's own folder.
func TestCompatibility(t *testing.T) {
	if *update {
		t.Run("made", func(t *testing.T) { makeCompatibilityFiles(t, filepath.Join(compatibilityFiles, release.Number)) })
	}
	minor := release.Number[:strings.LastIndexByte(release.Number, '.')+1]
	folders, err := filepath.Glob(filepath.Join(compatibilityFiles, minor+"*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("no files of ", minor, err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Chdir(folder)
			merged := command(t, "", "merge", "--output", "json", "x.state")
			audited := command(t, "", "audit", "--policy", "manifest.csv", "--host", "https://a.example", "--output", "json",
				"x.log")
			for name, r := range map[string]result{"the state": merged, "the manifest": audited} {
				if r.code != exitDone {
					t.Errorf("%s: %+v", name, r)
				}
				for _, lost := range lostFields("", decoded(t, readFile(t, "report.json")), decoded(t, r.out)) {
					t.Errorf("%s: %s", name, lost)
				}
			}
			checked := command(t, "", "check", "--rules", "x.rsv", "--agent", "GPTBot", "--output", "json",
				"https://a.example/private/x", "https://a.example/", "https://b.example/x")
			for _, lost := range lostFields("", decoded(t, readFile(t, "check.json")), decoded(t, checked.out)) {
				t.Errorf("the archive: %s", lost)
			}
			if r := command(t, "", "verify", "evidence"); r.code != exitDone {
				t.Errorf("the evidence: %+v", r)
			}
			listed := command(t, "", "compile", "--list", "x.rsv")
			if by := "written by robotsieve " + filepath.Base(folder); !strings.Contains(listed.err, by) {
				t.Errorf("the archive was not %s: %s", by, listed.err)
			}
		})
	}
}

func makeCompatibilityFiles(t *testing.T, folder string) {
	t.Helper()
	makeDir(t, folder)
	t.Chdir(folder)
	var log strings.Builder
	for i, agent := range []string{"GPTBot/1.2", "CCBot/2.0", "Mozilla/5.0 (X11; Linux x86_64)", "GPTBot/1.2", "Googlebot/2.1"} {
		for j, path := range []string{"/robots.txt", "/", "/private/x"} {
			fmt.Fprintf(&log, "192.0.2.%d - - [1%d/Nov/2026:0%d:00:00 +0000] \"GET %s HTTP/1.1\" 200 %d \"-\" \"%s\"\n", i, i, j,
				path, 100+j, agent)
		}
	}
	for name, text := range map[string]string{
		"x.log": log.String(), "robots.txt": "User-agent: GPTBot\nDisallow: /private/\n\nUser-agent: *\nAllow: /\n",
		"a.example.robots.txt": "User-agent: GPTBot\nDisallow: /private/\n",
		"manifest.csv":         "from,origin,status,file\n2026-11-01T00:00:00Z,https://a.example,200,robots.txt\n",
	} {
		writeFile(t, name, text)
	}
	must.Do(t, os.RemoveAll("evidence"))
	outputs := map[string]string{}
	for name, args := range map[string][]string{
		"report.json": {"audit", "--policy", "manifest.csv", "--host", "https://a.example", "--output", "json", "--state",
			"x.state", "--force", "x.log"},
		"evidence": {"audit", "--quiet", "--policy", "manifest.csv", "--host", "https://a.example", "--evidence",
			"evidence", "x.log"},
		"x.rsv": {"compile", "a.example.robots.txt", "-o", "x.rsv", "--force"},
	} {
		r := command(t, "", args...)
		if r.code != exitDone {
			t.Fatalf("%+v", r)
		}
		outputs[name] = r.out
	}
	writeFile(t, "report.json", outputs["report.json"])
	writeFile(t, "check.json", command(t, "", "check", "--rules", "x.rsv", "--agent", "GPTBot", "--output", "json",
		"https://a.example/private/x", "https://a.example/", "https://b.example/x").out)
	must.Do(t, os.Chmod("x.state", 0o644))
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(text), 0o666))
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile(name))(t)
	return string(text)
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err, text)
	}
	return v
}

// lostFields says which fields of an older document a newer one has not, or with another value. It may have more. What
// made a report, and of which files, is another matter.
func lostFields(at string, older, newer any) (lost []string) {
	switch {
	case slices.Contains([]string{".program", ".command", ".inputs", ".warnings"}, at):
	case reflect.TypeOf(older) != reflect.TypeOf(newer):
		return []string{fmt.Sprintf("%s was %v, now %v", at, older, newer)}
	default:
		before, after := membersOf(older), membersOf(newer)
		for key, value := range before {
			if now, ok := after[key]; ok {
				lost = append(lost, lostFields(at+"."+key, value, now)...)
			} else {
				lost = append(lost, at+"."+key+" is gone")
			}
		}
		if len(before) == 0 && len(after) == 0 && !reflect.DeepEqual(older, newer) {
			lost = append(lost, fmt.Sprintf("%s was %v, now %v", at, older, newer))
		}
	}
	return lost
}
