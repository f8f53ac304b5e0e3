package history

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// asked is what a source gave: its error, what it told and printed, and the folder.
type asked struct {
	err           error
	warned, fault []string
	out           bytes.Buffer
	dir           string
	Summary
}

// ask has a source write a folder, or print.
func ask(t *testing.T, s Source, args []string, values ...string) *asked {
	t.Helper()
	a := &asked{dir: filepath.Join(t.TempDir(), "out")}
	q := &Query{Args: args, Values: map[string]string{}, Out: &a.out,
		Warn: func(m string) { a.warned = append(a.warned, m) }, Fault: func(m string) { a.fault = append(a.fault, m) }}
	for i := 0; i < len(values); i += 2 {
		q.Values[values[i]] = values[i+1]
	}
	var w *Writer
	if q.Values["urls"] == "" {
		var err error
		if w, err = NewWriter(a.dir, s.Times, 4<<20, q.Fault); err != nil {
			t.Fatal(err)
		}
	}
	if a.err = s.Read(context.Background(), q, w); w == nil {
		return a
	}
	if a.err != nil {
		if err := w.Discard(); err != nil {
			t.Fatal(err)
		}
	} else if a.err = w.Commit(context.Background()); a.err == nil {
		a.Summary = w.Summary
	}
	return a
}

// versions lists the versions of a folder as an audit reads them: time, origins, status, and the
// body, the location or the digest.
func versions(t *testing.T, dir string) (list []string) {
	t.Helper()
	rows, _, err := policy.ReadManifest(filepath.Join(dir, policy.ManifestName), 1<<20, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := policy.New(rows, policy.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for _, o := range r.Origins {
			list = append(list, fmt.Sprintf("%s %v %d %q%s%s", time.Unix(0, r.From).UTC().Format(time.RFC3339Nano), o, r.Status,
				r.Body, r.Location, r.Digest))
		}
	}
	slices.Sort(list)
	return list
}

// equal compares a folder with a manifest that was made by hand, beside whose files it is: fields
// as in a policy, with bodies in place of the names of files.
func equal(t *testing.T, a *asked, hand string) {
	t.Helper()
	if a.err != nil {
		t.Fatal(a.err)
	}
	dir := t.TempDir()
	var manifest strings.Builder
	manifest.WriteString("from,origin,status,file,location,digest\n")
	for i, line := range strings.Split(strings.TrimSpace(hand), "\n") {
		f := strings.Split(strings.TrimSpace(line), ",")
		for len(f) < 6 {
			f = append(f, "")
		}
		if f[3] != "" {
			name := fmt.Sprintf("%d.txt", i)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(f[3]), 0o600); err != nil {
				t.Fatal(err)
			}
			f[3] = name
		}
		manifest.WriteString(strings.Join(f, ",") + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, policy.ManifestName), []byte(manifest.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got, want := versions(t, a.dir), versions(t, dir)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func origins(t *testing.T, text string) []origin.Origin {
	t.Helper()
	list, err := origin.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// write writes rows.
func write(t *testing.T, times string, rows ...Row) *asked {
	t.Helper()
	return ask(t, Source{Times: times, Read: func(_ context.Context, _ *Query, w *Writer) error {
		for _, r := range rows {
			if err := w.Add(&r); err != nil {
				return err
			}
		}
		return nil
	}}, nil)
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// TestWriter checks that rows in any order are sorted by time, that redundant ones are dropped when
// deployed and kept when observed, and that digests find bodies in other rows.
func TestWriter(t *testing.T) {
	const one, two = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
	const three, four = "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z"
	both := origins(t, "example.com")
	https := both[1:]
	rows := []Row{
		{Origins: https, Time: at(four), Status: 200, Body: []byte("B"), Place: "=4"},
		{Origins: both, Time: at(one), Status: 200, Body: []byte("A")},
		{Origins: https, Time: at(three), Status: 200, Digest: SHA1([]byte("A"))},
		{Origins: https, Time: at(two), Status: 200, Body: []byte("A")},
		{Origins: both[:1], Time: at(two), Status: 301, Location: "=https://x/\n"},
		{Origins: https, Time: at(four), Order: 1, Status: 200, Digest: "sha1:X"},
		{Origins: https, Time: at(four), Order: 1, Status: 200, Digest: "sha1:X"},
		{Origins: both[:1], Time: at(three), Status: policy.Unreachable},
		{Origins: both[:1], Time: at(four), Status: 200},
		{Origins: https, Time: time.Unix(1<<40, 0), Status: 404, Place: "far"},
		{Origins: []origin.Origin{{Scheme: "gopher", Host: "a"}, {Scheme: "http", Host: "a/b", Port: 80}},
			Time: at(one), Status: 404},
	}
	const deployed = `
		2026-01-01T00:00:00Z,example.com,200,A
		2026-01-02T00:00:00Z,http://example.com,301,,"""=https://x/\n"""
		2026-01-03T00:00:00Z,http://example.com,unreachable
		2026-01-04T00:00:00Z,http://example.com,200,,,unknown
		2026-01-04T00:00:00Z,https://example.com,200,B
		2026-01-04T00:00:00.000000001Z,https://example.com,200,,,sha1:X`
	a := write(t, policy.Deployed, rows...)
	equal(t, a, deployed)
	if want := (Summary{Origins: 2, Rows: 6, Bodies: 2, Unknown: 2}); a.Summary != want {
		t.Errorf("%+v, want %+v", a.Summary, want)
	}
	if len(a.fault) != 3 || !strings.HasPrefix(a.fault[0], "far: ") {
		t.Errorf("faults %q", a.fault)
	}
	slices.Reverse(rows)
	b := write(t, policy.Observed, rows...)
	equal(t, b, deployed+`
		2026-01-02T00:00:00Z,https://example.com,200,A
		2026-01-03T00:00:00Z,https://example.com,200,A`)
	text, err := os.ReadFile(filepath.Join(a.dir, policy.ManifestName))
	if err != nil || !strings.Contains(string(text), `,deployed,"""=4"""`+"\n") ||
		strings.Count(string(text), "example.com,") != 6 {
		t.Errorf("%s, %v", text, err)
	}
}

// repo makes a repository of commits: each is a time and a shell script.
func repo(t *testing.T, commits ...[2]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	script := "set -e\ngit init -q -b main\n"
	for _, c := range commits {
		script += "export GIT_AUTHOR_DATE=" + c[0] + " GIT_COMMITTER_DATE=" + c[0] + "\n" + c[1] + "\ngit add -A\n" +
			"git diff --cached --quiet || git commit -qm x\n"
	}
	sh := exec.Command("sh", "-c", script)
	sh.Dir = dir
	sh.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e", "HOME=" + dir}
	if out, err := sh.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// fileCommits are commits of one file: a change on a branch, its merge, a rename, a deletion, and a
// file that comes back.
var fileCommits = [][2]string{
	{"2026-01-01T00:00:00Z", "mkdir old; printf 'A\n1\n2\n3\n' > old/robots.txt; echo x > other"},
	{"2026-01-02T00:00:00Z", "git checkout -qb side; printf 'A\n1\n2\n3\n4\n' > old/robots.txt"},
	{"2026-01-03T00:00:00Z", "git checkout -q main; echo y > other"},
	{"2026-01-04T00:00:00Z", "git merge -q --no-ff -m m side"},
	{"2026-01-05T00:00:00Z", "mkdir public; git mv old/robots.txt public/robots.txt"},
	{"2026-01-06T00:00:00Z", "git rm -q public/robots.txt"},
	{"2026-01-07T00:00:00Z", "mkdir -p public; printf C > public/robots.txt"},
	{"2026-01-08T00:00:00+02:00", "printf D > public/robots.txt"},
	{"2026-01-07T12:00:00Z", "printf E > public/robots.txt"}, // by a clock that is late
}

// TestGit compares the versions of a file, from a folder and a bare repository, with a manifest
// made by hand. The file before a rename is not a version, whatever the repository's settings.
func TestGit(t *testing.T) {
	dir := repo(t, append(fileCommits, [2]string{"2026-01-09T00:00:00Z",
		"git config log.follow true; git config diff.renames copies; git clone -q --bare . ../bare.git"})...)
	t.Cleanup(func() { os.RemoveAll(dir + "/../bare.git") })
	for _, from := range []string{dir, dir + "/../bare.git"} {
		a := ask(t, git, []string{from}, "path", "public/robots.txt", "origin", "https://example.com")
		if a.err != nil {
			t.Fatal(a.err)
		}
		got := strings.Join(versions(t, a.dir), "\n")
		const want = `2026-01-05T00:00:00Z https://example.com 200 "A\n1\n2\n3\n4\n"
2026-01-06T00:00:00Z https://example.com 404 ""
2026-01-07T00:00:00.000000001Z https://example.com 200 ""unknown
2026-01-07T00:00:00Z https://example.com 200 "C"
2026-01-07T22:00:00.000000001Z https://example.com 200 "E"
2026-01-07T22:00:00Z https://example.com 200 "D"`
		if got != want || len(a.fault) > 0 || len(a.warned) != 2 {
			t.Errorf("%s: %q, %q\n%s\nwant\n%s", from, a.warned, a.fault, got, want)
		}
	}
}

// TestGitWrongClock checks that around a commit with an impossible date no file is known, because
// the previous one may already have been replaced.
func TestGitWrongClock(t *testing.T) {
	for name, c := range map[string]struct{ dates, want string }{
		"future": {"2026-01-01T00:00:00Z 2099-01-01T00:00:00Z 2026-01-20T00:00:00Z", `
			2026-01-01T00:00:00Z,a.example,200,0
			2026-01-01T00:00:00.000000001Z,a.example,200,,,unknown
			2026-01-20T00:00:00Z,a.example,200,1
			2026-01-20T00:00:00.000000001Z,a.example,200,2`},
		"late": {"2026-01-01T00:00:00Z 2026-03-01T00:00:00Z 2026-02-01T00:00:00Z 2026-04-01T00:00:00Z", `
			2026-01-01T00:00:00Z,a.example,200,0
			2026-01-01T00:00:00.000000001Z,a.example,200,,,unknown
			2026-03-01T00:00:00Z,a.example,200,1
			2026-03-01T00:00:00.000000001Z,a.example,200,2
			2026-04-01T00:00:00Z,a.example,200,3`},
		"minutes": {"2026-01-01T00:00:00Z 2026-01-02T00:30:00Z 2026-01-02T00:00:00Z", `
			2026-01-01T00:00:00Z,a.example,200,0
			2026-01-02T00:00:00Z,a.example,200,1
			2026-01-02T00:00:00.000000001Z,a.example,200,2`},
	} {
		var commits [][2]string
		for i, date := range strings.Fields(c.dates) {
			commits = append(commits, [2]string{date, fmt.Sprintf("printf %d > robots.txt", i)})
		}
		a := ask(t, git, []string{repo(t, commits...)}, "path", "robots.txt", "origin", "a.example")
		equal(t, a, c.want)
		if isSaid := len(a.warned) == 2; isSaid != (name != "minutes") {
			t.Errorf("%s: %q", name, a.warned)
		}
	}
}

// TestGitPathOfItsOwn checks that a file has the commits of its own path, even if it was a copy or
// replaced a folder, and if the argument is a folder inside the repository.
func TestGitPathOfItsOwn(t *testing.T) {
	dir := repo(t,
		[2]string{"2026-01-01T00:00:00Z", "mkdir a; printf A > a/robots.txt"},
		[2]string{"2026-01-02T00:00:00Z", "git rm -q a/robots.txt; mkdir -p a/robots.txt; " +
			"printf X > a/robots.txt/robots.txt"},
		[2]string{"2026-01-03T00:00:00Z", "git rm -qr a; mkdir a; printf B > other"},
		[2]string{"2026-01-04T00:00:00Z", "mkdir -p a; cp other a/robots.txt; printf C > other; git config diff.relative true"})
	const want = `
		2026-01-01T00:00:00Z,a.example,200,A
		2026-01-02T00:00:00Z,a.example,404
		2026-01-04T00:00:00Z,a.example,200,B`
	for from, path := range map[string]string{dir: "a/robots.txt", dir + "/a": "./robots.txt"} {
		equal(t, ask(t, git, []string{from}, "path", path, "origin", "a.example"), want)
	}
}

// TestGitFolder checks that a folder of files named by host gives many origins, and that other
// files are reported and skipped.
func TestGitFolder(t *testing.T) {
	dir := repo(t,
		[2]string{"2026-01-01T00:00:00Z", "mkdir -p sites/b.example; printf A > sites/a.example.txt;" +
			"printf B > sites/b.example/robots.txt"},
		[2]string{"2026-01-02T00:00:00Z", "git mv sites/a.example.txt sites/c.example;" +
			"printf B2 > sites/b.example/robots.txt"},
		[2]string{"2026-01-03T00:00:00Z", "cd sites; printf x > 'd.example.erb'; printf x > 'a b\n.example';" +
			"ln -s /etc/passwd e.example; printf 'version https://git-lfs.github.com/spec/v1\n' > f.example; " +
			"head -c 17000000 /dev/zero > g.example"})
	a := ask(t, git, []string{dir}, "path", "sites/")
	equal(t, a, `
		2026-01-01T00:00:00Z,a.example,200,A
		2026-01-01T00:00:00Z,b.example,200,B
		2026-01-02T00:00:00Z,a.example,404
		2026-01-02T00:00:00Z,b.example,200,B2
		2026-01-02T00:00:00Z,c.example,200,A
		2026-01-03T00:00:00Z,e.example,200,,,unknown
		2026-01-03T00:00:00Z,f.example,200,,,unknown
		2026-01-03T00:00:00Z,g.example,200,,,unknown`)
	told := strings.Join(a.fault, "\n")
	if len(a.fault) != 5 || !strings.Contains(told, "sites/d.example.erb: a template") {
		t.Errorf("faults %q", a.fault)
	}
}

// TestGitFilesOfOneHost checks that a file renamed for the same host isn't missing, and that if two
// differ it is unknown which was sent, until one is removed.
func TestGitFilesOfOneHost(t *testing.T) {
	dir := repo(t,
		[2]string{"2026-01-01T00:00:00Z", "mkdir s; printf A > s/a.example; printf B > s/b.example.txt"},
		[2]string{"2026-01-02T00:00:00Z", "git mv s/a.example s/a.example.txt; git mv s/b.example.txt s/b.example"},
		[2]string{"2026-01-03T00:00:00Z", "printf A > s/A.example"},
		[2]string{"2026-01-04T00:00:00Z", "printf X > s/A.example"},
		[2]string{"2026-01-05T00:00:00Z", "git rm -q s/A.example"},
		[2]string{"2026-01-06T00:00:00Z", "git rm -q s/a.example.txt"})
	a := ask(t, git, []string{dir}, "path", "s")
	equal(t, a, `
		2026-01-01T00:00:00Z,a.example,200,A
		2026-01-01T00:00:00Z,b.example,200,B
		2026-01-04T00:00:00Z,a.example,200,,,unknown
		2026-01-05T00:00:00Z,a.example,200,A
		2026-01-06T00:00:00Z,a.example,404`)
	if len(a.fault) != 1 || !strings.HasSuffix(a.fault[0], "which file was sent: s/A.example, s/a.example.txt") {
		t.Errorf("faults %q", a.fault)
	}
}

// TestGitFolderIsAll checks that the files may be at the top of the repository, and that its settings hide none.
func TestGitFolderIsAll(t *testing.T) {
	dir := repo(t, [2]string{"2026-01-01T00:00:00Z", "printf A > a.example"})
	for name, value := range map[string]string{"log.showRoot": "false", "diff.orderFile": "nowhere"} {
		if err := exec.Command("git", "-C", dir, "config", name, value).Run(); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{".", "/", "./"} {
		equal(t, ask(t, git, []string{dir}, "path", path), "2026-01-01T00:00:00Z,a.example,200,A")
	}
}

// TestGitRunsNothing checks that nothing configured by a hostile repository is run.
func TestGitRunsNothing(t *testing.T) {
	dir := repo(t, append(fileCommits, [2]string{"2026-01-09T00:00:00Z", `
		cat > run <<'E'
#!/bin/sh
touch "$(dirname "$0")/ran"
E
		chmod +x run
		printf '*.txt diff=x filter=x\n' > .gitattributes
		for key in core.fsmonitor core.pager core.sshCommand diff.external diff.x.textconv diff.x.command filter.x.smudge \
			filter.x.clean gpg.program core.alternateRefsCommand alias.log alias.cat-file core.editor; do
			git config $key "$PWD/run"
		done
		git config alias.log "!$PWD/run"
		git config log.showSignature true
		git config core.hooksPath "$PWD"
		git config remote.origin.url "ext::$PWD/run"
		git config remote.origin.promisor true
		git config extensions.partialClone origin
		git config protocol.ext.allow always
		for hook in post-index-change reference-transaction post-checkout; do cp run $hook; done
		rm -f ran .git/objects/$(git rev-parse HEAD~1:public/robots.txt | sed 's,^..,&/,')`})...)
	os.Remove(filepath.Join(dir, "ran"))
	a := ask(t, git, []string{dir}, "path", "public/robots.txt", "origin", "https://example.com")
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a program of the repository was run")
	}
	if a.err == nil && len(a.fault) == 0 {
		t.Error("the missing object is not reported")
	}
}

func TestGitRefused(t *testing.T) {
	dir := repo(t, fileCommits[0])
	none := filepath.Join(dir, "none")
	for _, c := range []struct {
		args []string
		path string
		of   string
		want string
	}{
		{[]string{dir}, "robots.txt.erb", "a.example", "is a template"},
		{[]string{dir}, "app/robots.TS", "a.example", "is a template"},
		{[]string{dir, dir}, "robots.txt", "a.example", "one repository"},
		{[]string{dir}, "old", "a.example", "option Origin is for one file"},
		{[]string{dir}, "old/robots.txt", "", "option Origin says whose"},
		{[]string{dir}, "old/robots.txt", "https://a/b", "option Origin"},
		{[]string{none}, "robots.txt", "a.example", "no such file"},
		{[]string{dir}, "--output=x", "a.example", "no commit"},
		{[]string{filepath.Join(dir, "other")}, "robots.txt", "a.example", "bundle"},
	} {
		a := ask(t, git, c.args, "path", c.path, "origin", c.of)
		if a.err == nil || !strings.Contains(a.err.Error(), c.want) {
			t.Errorf("%q %q: %v, want %q", c.args, c.path, a.err, c.want)
		}
	}
}
