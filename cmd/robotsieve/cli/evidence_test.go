package cli

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/format"
)

// evidenceOf audits with --evidence and returns the folder.
func evidenceOf(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "evidence")
	r := command(t, stdin, append(args, "--evidence", dir)...)
	if r.code != exitDone || !strings.Contains(r.err, "the SHA-256 of its manifest is ") {
		t.Fatalf("%v: %d, %s", args, r.code, r.err)
	}
	return dir
}

func verifies(t *testing.T, dir string) {
	t.Helper()
	r := command(t, "", "verify", dir)
	if r.code != exitDone || !strings.Contains(r.out, "gives the same report and letters") {
		t.Errorf("%+v", r)
	}
}

func refuted(t *testing.T, what, dir string) {
	t.Helper()
	r := command(t, "", "verify", dir)
	if r.code != exitFound || !strings.Contains(r.out, "Does not hold: ") {
		t.Errorf("%s: %+v", what, r)
	}
}

// contents returns the files of a folder by their paths in it.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files[name] = string(plain(t, filepath.Join(dir, name)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestEvidenceOfFormats checks that lines of formats of every kind can be judged again without the rest of their log.
func TestEvidenceOfFormats(t *testing.T) {
	t.Parallel()     // it waits for the disk
	skipUnderRace(t) // readers of formats share nothing, and other tests of evidence run under it
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /\n")
	for i, name := range format.Names() {
		f, _ := format.ByName(name)
		isOfLines := f.Head() == "" && f.Sample()[0] != '{' // one reader has all of these
		if !f.HasAgent() || !f.HasTime() || isOfLines && i%4 > 0 {
			continue
		}
		crawler := strings.ReplaceAll(f.Sample(), "FooBot/1.0", "GPTBot/1.2")
		text := f.Head() + strings.Repeat(f.Sample()+"\n", 3) + strings.Repeat(crawler+"\n", 2) + f.Sample() + "\n" +
			crawler + "\n"
		log := file(t, "a.log", text)
		args := []string{"audit", "--robots", robots, log}
		bound := must.Get(f.For([]byte(text), true))(t)
		hosts, _ := format.Hosts(bound, []byte(text))
		for _, host := range hosts {
			args = append(args, "--host", host)
		}
		dir := evidenceOf(t, "", args...)
		verifies(t, dir)
		n := strings.Count(contents(t, dir)["lines-gptbot.log"], crawler+"\n")
		if n != 3 && format.Loss(bound, []byte(text)) != format.Rewritten { // of such paths nothing is known
			t.Errorf("%s: %d lines", name, n)
		}
	}
}

// TestEvidenceRestsOnOthers checks that the folder alone proves what the logs show: it includes
// answers to other clients, without their addresses, and fetches outside the period.
func TestEvidenceRestsOnOthers(t *testing.T) {
	at := func(line, time, status, address string) string {
		return strings.NewReplacer("10/Nov/2026:12:00:00", time, "\" 200 ", "\" "+status+" ", "192.0.2.1",
			address).Replace(line)
	}
	visitor := logLine("/robots.txt", "Mozilla/5.0")
	log := at(logLine("/robots.txt", "GPTBot/1"), "01/Nov/2026:12:00:00", "304", "192.0.2.1") + // before the period
		at(logLine("/robots.txt", "bingbot/2"), "02/Nov/2026:12:00:00", "200", "203.0.113.2") +
		at(logLine("/robots.txt", "FooBot/1"), "03/Nov/2026:12:00:00", "404", "192.0.2.1") + // it alone got none
		at(visitor, "08/Nov/2026:12:00:07", "200", "203.0.113.1") +
		at(visitor, "11/Nov/2026:12:00:07", "200", "203.0.113.1") +
		logLine("/p/1", "GPTBot/1") + logLine("/p/1", "FooBot/1") + logLine("/p/"+strings.Repeat("x", 40000), "GPTBot/1")
	name := file(t, "a.log", log)
	dir := filepath.Join(t.TempDir(), "evidence")
	r := command(t, "", "audit", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), "--since",
		"2026-11-05", "--list", "violations", "--evidence", dir, name)
	if r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	wants(t, r.err, "has not the evidence of 1 violation more")
	verifies(t, dir)
	files := contents(t, dir)
	wants(t, files["evidence.json"], `"violations": 3`)
	wants(t, files["report.json"], `"informed": true`)
	if text := files["lines-gptbot.log"] + files["lines-unknown.log"]; strings.Count(text, "\n") != 4 ||
		strings.Count(text, "/p/1") != 2 {
		t.Errorf("lines: %s", text)
	}
	for name, text := range files {
		if strings.Contains(text, "203.0.113") || strings.Contains(text, "Mozilla/5.0\"") ||
			strings.Contains(text, "bingbot/2") {
			t.Errorf("another client is in %s: %s", name, text)
		}
	}
	wants(t, files["answers.log"], "[2026-11-02T12:00:00Z] \"GET /robots.txt HTTP/1.1\" 200 ",
		"[2026-11-08T12:00:07Z]")
}

// forge changes the files of a folder, and makes their hashes anew. It reports whether any was changed.
func forge(t *testing.T, dir string, edit func(name, text string) string) (changed bool) {
	t.Helper()
	sums := ""
	for name, text := range contents(t, dir) {
		if name == "SHA256SUMS" {
			continue
		}
		forged := edit(name, text)
		changed = changed || forged != text
		write(t, filepath.Join(dir, name), forged)
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(forged)), name)
	}
	write(t, filepath.Join(dir, "SHA256SUMS"), sums)
	return changed
}

// in returns an edit of the first occurrence of a text in the files whose names have another.
func in(file, old, new string) func(name, text string) string {
	return func(name, text string) string {
		if strings.Contains(name, file) {
			return strings.Replace(text, old, new, 1)
		}
		return text
	}
}

// forgeable is a folder of violations by two crawlers with fetches and answers.
func forgeable(t *testing.T) string {
	t.Helper()
	log := file(t, "a.log", logLine("/p/1", "GPTBot/1")+logLine("/ok/1", "GPTBot/1")+logLine("/p/2",
		"GPTBot/1")+logLine("/robots.txt", "GPTBot/1")+logLine("/p/3", "FooBot/1")+logLine("/robots.txt", "Mozilla/5.0"))
	return evidenceOf(t, "", "audit", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /p\ndisallow: /q\n"),
		"--made-by", "Jane", log)
}

// TestVerifyFindsForgery checks that recomputed hashes don't make a violation.
func TestVerifyFindsForgery(t *testing.T) {
	t.Parallel() // it waits for the disk
	folder := forgeable(t)
	everywhere := func(old, new string) func(name, text string) string {
		return func(_, text string) string { return strings.ReplaceAll(text, old, new) }
	}
	for name, edit := range map[string]func(name, text string) string{
		"another path":         in("lines-gptbot", "/p/1", "/ok/1"),
		"a path as forbidden":  in("lines-gptbot", "/p/1", "/p/7"),
		"another client":       in("lines-gptbot", "192.0.2.1", "192.0.2.2"),
		"another time":         everywhere("12:00:00 ", "12:00:01 "),
		"a line fewer":         in("lines-gptbot", logLine("/p/2", "GPTBot/1"), ""),
		"a line more":          in("lines-gptbot", "", logLine("/p/9", "GPTBot/1")),
		"a line of no crawler": in("lines-gptbot", "", logLine("/p/9", "Mozilla/5.0")),
		"no line at all":       in("lines-gptbot", "", "x\n"),
		"another robots.txt":   in("robots/0001.txt", "disallow: /p", "disallow: /x"),
		"a letter":             in("letter-gptbot", "2 requests", "9 requests"),
		"a sentence":           in("letter-foobot", "intended", "not intended"),
		"a space in a letter":  in("letter-foobot", " ", "  "),
		"who made it":          in("letter-foobot", "Jane", "John"),
		"the maker alone":      in("evidence.json", "Jane", "John"),
		"a report":             in("report.json", `"violation": 2`, `"violation": 9`),
		"all counts":           everywhere("2 requests", "9 requests"),
		"a name in a report":   in("report.json", "OpenAI", "Another"),
		"another profile":      in("basis.json", "OpenAI", "Another"),
		"answers":              in("answers", `200 5`, `200 6`),
		"a crawler in answers": in("answers", "", "[2026-11-02T12:00:00Z] \"GET /p/9 HTTP/1.1\" 200 5 \"GPTBot/1\"\n"),
		"lines of no file":     in("evidence.json", `"lines-unknown.log"`, `"lines-gptbot.log"`),
		"another format":       in("evidence.json", `"combined"`, `"common"`),
		"a part":               in("evidence.json", `"partial": false`, `"partial": true`),
		"another command":      in("evidence.json", `"command": "`, `"command": "x `),
	} {
		dir := copied(t, folder)
		if !forge(t, dir, edit) {
			t.Errorf("%s: nothing was forged", name)
		}
		refuted(t, name, dir)
	}
	dir := copied(t, folder)
	forge(t, dir, in("", "", ""))
	verifies(t, dir)
	write(t, filepath.Join(dir, "more.txt"), "x")
	forge(t, dir, in("", "", ""))
	wants(t, command(t, "", "verify", dir).out, "more.txt is one file more than evidence has")
	for _, name := range []string{"letter-foobot.txt", "report.json", "lines-unknown.log", "robots/0001.txt",
		"basis.json"} {
		dir := copied(t, folder)
		must.Do(t, os.Remove(filepath.Join(dir, name)))
		forge(t, dir, in("", "", ""))
		refuted(t, "without "+name, dir)
	}
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	must.Do(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// TestVerifyHostileFolders checks that verify rejects malicious folders, and opens nothing outside
// them.
func TestVerifyHostileFolders(t *testing.T) {
	t.Parallel() // it waits for the disk
	folder := forgeable(t)
	for _, c := range [][2]string{
		{`"robots/0001.txt"`, `"../../../../../../etc/passwd"`}, {`"robots/0001.txt"`, `"/dev/zero"`},
		{`"lines-gptbot.log"`, `"../lines-gptbot.log"`}, {`"lines-gptbot.log"`, `"/dev/zero"`},
		{`"lines-gptbot.log"`, `"robots"`}, {`"lines-gptbot.log"`, `""`},
		{`"Rows": [`, `"Rows": [null,`}, {`"lines": [`, `"lines": [null,`}, {`"Body": 0`, `"Body": 7`}, {`"time_zone": ""`, `"time_zone": "Mars"`},
		{`"time_zone": ""`, `"time_zone": "local"`}, {`"combined"`, `"/etc/passwd:x"`}, {`"combined"`, `"nonsense"`},
		{`"combined"`, `""`}, {`"lines": [`, `"lines": [],"more":[`}, {`"Window": 86400000000000`, `"Window": 1`},
		{`"schema": "robotsieve.evidence/6"`, `"schema": "robotsieve.evidence/9"`}, {`{`, `[`},
	} {
		dir := copied(t, folder)
		details, basis := in("evidence.json", c[0], c[1]), in("basis.json", c[0], c[1])
		if !forge(t, dir, func(name, text string) string { return details(name, basis(name, text)) }) {
			t.Errorf("no %s", c[0])
		}
		if r := command(t, "", "verify", dir); r.code != exitFound && r.code != exitInput {
			t.Errorf("%v: %+v", c, r)
		}
	}
	dir := copied(t, folder)
	sparse := filepath.Join(dir, "evidence.json")
	must.Do(t, os.Truncate(sparse, 257<<20))
	forge(t, dir, in("", "", ""))
	if r := command(t, "", "verify", dir); r.code != exitInput || !strings.Contains(r.err, "evidence.json: longer than the limit") {
		t.Errorf("a large document: %+v", r)
	}
}

// TestEvidenceOfHostileNames checks crawlers' names that are special to a file system or differ
// only in case.
func TestEvidenceOfHostileNames(t *testing.T) {
	t.Parallel() // it waits for the disk
	log := ""
	for _, name := range []string{"CONbot", "..bot", "FooBot", "FOOBOT", "Foo-Bot", "-rfbot", "NULbot", "unknownbot"} {
		log += logLine("/p/1", name+"/1.0 (+https://bot.example/"+name+")")
	}
	dir := evidenceOf(t, "", "audit", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"),
		file(t, "a.log", log))
	verifies(t, dir)
	seen := map[string]bool{}
	for name := range contents(t, dir) {
		isSafe := regexp.MustCompile(`^(SHA256SUMS|[a-z][a-z0-9/-]*(\.[23])?\.[a-z]+)$`).MatchString(name)
		if !isSafe || seen[strings.ToLower(name)] {
			t.Errorf("the name %q", name)
		}
		seen[strings.ToLower(name)] = true
	}
}

// TestChangedOctetOfEvidence checks that verify detects a changed byte in any file.
func TestChangedOctetOfEvidence(t *testing.T) {
	t.Parallel() // it waits for the disk
	dir := forgeable(t)
	for name, text := range contents(t, dir) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		changed := []byte(text)
		changed[len(text)/2] ^= 4
		write(t, path, string(changed))
		refuted(t, name, dir)
		write(t, path, text)
	}
	verifies(t, dir)
}

// TestFaultsOfEvidence makes each file operation fail: either a whole folder remains or none.
func TestFaultsOfEvidence(t *testing.T) {
	log, robots := file(t, "a.log", logLine("/p", "GPTBot/1")+logLine("/robots.txt", "GPTBot/1")),
		file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	parent := t.TempDir()
	dir := filepath.Join(parent, "evidence")
	for n := 1; ; n += 1 + n/20 { // of many operations most are as others
		var ops atomic.Int64
		failed := disk.Op("")
		restore := disk.Inject(func(op disk.Op, _ string) error {
			if ops.Add(1) == int64(n) {
				failed = op
				return errnos[n%len(errnos)]
			}
			return nil
		})
		r := command(t, "", "audit", "--robots", robots, "--workers", "1", "--evidence", dir, log)
		restore()
		if failed == "" {
			break
		}
		_, err := os.Stat(dir)
		switch {
		case r.code == exitDone && err == nil:
			verifies(t, dir)
		case r.code == exitInput && failed == disk.OpRemove, r.code == exitInput && err != nil:
		case r.code == exitInput && command(t, "", "verify", dir).code == exitDone: // the folder could not be synced
		default:
			t.Errorf("operation %d, %s: %v, %+v", n, failed, err, r)
		}
		os.RemoveAll(dir)
		left, _ := os.ReadDir(parent)
		if failed != disk.OpRemove && len(left) > 0 {
			t.Errorf("operation %d, %s: left %v", n, failed, left)
		}
		for _, e := range left {
			os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}

// TestEvidenceOfLookedUpNames checks that a client verified by DNS is verified in the folder, too.
func TestEvidenceOfLookedUpNames(t *testing.T) {
	dns := &fakeDNS{names: map[string][]string{"192.0.2.1": {"crawl-1.googlebot.com."}},
		addrs: map[string][]string{"crawl-1.googlebot.com": {"192.0.2.1"}, "crawl-1.googlebot.com.": {"192.0.2.1"}}}
	log := file(t, "a.log", logLine("/p", "Googlebot/2.1")+logLine("/p", "GPTBot/1"))
	dir := filepath.Join(t.TempDir(), "evidence")
	r, _ := resolveWith(t, t.Context(), dns, "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"),
		"--evidence", dir, log)
	if files := contents(t, dir); !strings.Contains(files["letter-googlebot.txt"], "client verified") {
		t.Errorf("nobody is verified: %+v", r)
	}
	verifies(t, dir)
}
