package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
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

// verifies checks a folder, alone and with the logs.
func verifies(t *testing.T, dir string, logs ...string) {
	t.Helper()
	if r := command(t, "", "verify", dir); r.code != exitDone || !strings.Contains(r.out, "The logs were not given") {
		t.Errorf("alone: %+v", r)
	}
	if r := command(t, "", append([]string{"verify", dir}, logs...)...); r.code != exitDone ||
		!strings.Contains(r.out, "A new audit of the logs finds the same violations") {
		t.Errorf("with the logs: %+v", r)
	}
}

// refuted checks that verify finds something.
func refuted(t *testing.T, what string, args ...string) {
	t.Helper()
	r := command(t, "", append([]string{"verify"}, args...)...)
	if r.code != exitFound || !strings.Contains(r.out, "Does not hold: ") {
		t.Errorf("%s: %+v", what, r)
	}
}

// contents returns the files of a folder by their paths in it; what is compressed comes
// decompressed.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(plain(t, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestEvidenceOfAllFormats: lines of every format are judged again without the rest of their log.
func TestEvidenceOfAllFormats(t *testing.T) {
	t.Parallel()     // it waits for the disk
	skipUnderRace(t) // readers of formats share nothing, and other tests of evidence run under it
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /\n")
	for _, name := range format.Names() {
		f, _ := format.ByName(name)
		if !f.HasAgent() || !f.HasTime() {
			continue
		}
		crawler := strings.ReplaceAll(f.Sample(), "FooBot/1.0", "GPTBot/1.2")
		text := f.Head() + strings.Repeat(f.Sample()+"\n", 3) + strings.Repeat(crawler+"\n", 2) + f.Sample() + "\n" +
			crawler + "\n"
		log := file(t, "a.log", text)
		args := []string{"audit", "--robots", robots, log}
		bound, err := f.For([]byte(text), true)
		if err != nil {
			t.Fatal(err)
		}
		hosts, _ := format.Hosts(bound, []byte(text))
		for _, host := range hosts {
			args = append(args, "--host", host)
		}
		dir := evidenceOf(t, "", args...)
		verifies(t, dir, log)
		n := 0
		for file, text := range contents(t, dir) {
			if strings.HasSuffix(file, "-gptbot/violations.log.gz") {
				n = strings.Count(text, "\n")
			}
		}
		if n != 3 && format.Loss(bound, []byte(text)) != format.Rewritten { // of such paths nothing is known
			t.Errorf("%s: %d lines", name, n)
		}
	}
}

// TestEvidenceRestsOnOthers: what other clients were told is in the folder, without their
// addresses, and fetches outside of the
// period are, so that the folder alone shows what the logs show.
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
	verifies(t, dir, name)
	wants(t, command(t, "", "verify", dir).out, "1 more violation of the audit is not in the folder")
	files := contents(t, dir)
	rows := files["0001-foobot/violations.ndjson.gz"] + files["0002-gptbot/violations.ndjson.gz"]
	for line := range strings.Lines(rows) {
		informed := regexp.MustCompile(`"informed":(true|false|null)`).FindString(line)
		if path := regexp.MustCompile(`"target":"/p/1"`); !path.MatchString(line) || !strings.Contains(r.out, informed) {
			t.Errorf("a row: %s", line)
		}
	}
	if n := strings.Count(rows, "\n"); n != 2 || !strings.Contains(files["0002-gptbot/violations.ndjson.gz"],
		`"informed":true`) {
		t.Errorf("%d rows: %s", n, rows)
	}
	for name, text := range files {
		if strings.Contains(text, "203.0.113") || strings.Contains(text, "Mozilla/5.0\"") ||
			strings.Contains(text, "bingbot/2") {
			t.Errorf("another client is in %s: %s", name, text)
		}
	}
	wants(t, files["answers.0001.gz"], "[2026-11-02T12:00:00Z] \"GET /robots.txt HTTP/1.1\" 200 ",
		"[2026-11-08T12:00:07Z]")
}

// forge changes the files of a folder, and makes their hashes anew.
func forge(t *testing.T, dir string, edit func(name, text string) string) {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(plain(t, filepath.Join(dir, "manifest.json")), &m); err != nil {
		t.Fatal(err)
	}
	for _, f := range m["files"].([]any) {
		f := f.(map[string]any)
		name := f["name"].(string)
		text := edit(name, string(plain(t, filepath.Join(dir, name))))
		if strings.HasSuffix(name, ".gz") {
			text = gzipped(t, text)
		}
		write(t, filepath.Join(dir, name), text)
		f["sha256"], f["bytes"] = fmt.Sprintf("%x", sha256.Sum256([]byte(text))), len(text)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	text := edit("manifest.json", string(data))
	write(t, filepath.Join(dir, "manifest.json"), text)
	write(t, filepath.Join(dir, "manifest.json.sha256"), fmt.Sprintf("%x  manifest.json\n", sha256.Sum256([]byte(text))))
}

// TestVerifyFindsForgery: hashes made anew do not make a violation.
func TestVerifyFindsForgery(t *testing.T) {
	t.Parallel() // it waits for the disk
	log := file(t, "a.log", logLine("/p/1", "GPTBot/1")+logLine("/ok/1", "GPTBot/1")+logLine("/p/2",
		"GPTBot/1")+logLine("/p/3", "FooBot/1")+logLine("/robots.txt", "Mozilla/5.0"))
	folder := evidenceOf(t, "", "audit", "--robots",
		file(t, "robots.txt", "user-agent: *\ndisallow: /p\ndisallow: /q\n"), log)
	in := func(file, old, new string) func(name, text string) string {
		return func(name, text string) string {
			if strings.Contains(name, file) {
				return strings.Replace(text, old, new, 1)
			}
			return text
		}
	}
	gpt := "0001-gptbot/violations"
	everywhere := func(old, new string) func(name, text string) string {
		return func(_, text string) string { return strings.ReplaceAll(text, old, new) }
	}
	without := func(file string) func(name, text string) string {
		return func(name, text string) string {
			if strings.Contains(name, file) {
				_, text, _ = strings.Cut(text, "\n")
			}
			return text
		}
	}
	for name, edit := range map[string]func(name, text string) string{
		"another path":       in(gpt, "/p/1", "/ok/1"),
		"another rule":       in(gpt+".ndjson", "Disallow: /p", "Disallow: /q"),
		"another line":       in(gpt+".ndjson", `"line":1`, `"line":2`),
		"no such line":       in(gpt+".ndjson", `"line":3`, `"line":900`),
		"another client":     in(gpt+".log", "192.0.2.1", "192.0.2.2"),
		"another time":       everywhere("12:00:00 ", "12:00:01 "),
		"a line fewer":       without(gpt),
		"a line more":        in(gpt, "", "x\n"),
		"another robots.txt": in("robots/0001.txt", "disallow: /p", "disallow: /x"),
		"a letter":           in("0001-gptbot/letter.txt", "2 requests", "9 requests"),
		"a sentence":         in("0002-foobot/letter.txt", "intended", "not intended"),
		"a report":           in("0001-gptbot/report.json", `"requests": 2`, `"requests": 9`),
		"a name in a report": in("0001-gptbot/report.json", "OpenAI", "Another"),
		"all in words too":   in("letter.txt", "of 3 in all", "of 4 in all"),
		"a crawler twice": in("manifest.json", `"crawlers":[`,
			`"crawlers":[{"crawler":"x","fetches":0,"folder":"x","operator":"y","requests":1,"violations":1},`),
		"another profile":      in("basis.json", "OpenAI", "Another"),
		"lines":                in("lines.0001", "/p/2", "/ok/2"),
		"a number of a line":   in("lines.0001", "", "\n"),
		"a line of others":     in("lines.0001", "\n\n", "\n"+logLine("/ok/1", "GPTBot/1")),
		"answers":              in("answers.0001", `200 5`, `200 6 x`),
		"a crawler in answers": in("answers.0001", "", "[2026-11-02T12:00:00Z] \"GET /p/9 HTTP/1.1\" 200 5 \"GPTBot/1\"\n"),
	} {
		dir, changed := copied(t, folder), false
		forge(t, dir, func(file, text string) string {
			forged := edit(file, text)
			changed = changed || forged != text
			return forged
		})
		if !changed {
			t.Errorf("%s: nothing was forged", name)
		}
		refuted(t, name+", alone", dir)
		refuted(t, name+", with the log", dir, log)
	}
	dir := copied(t, folder)
	forge(t, dir, func(_, text string) string { return text })
	verifies(t, dir, log)
	forge(t, dir, everywhere("of 3 in all", "of 7 in all")) // without the logs nobody can tell invented lines
	forge(t, dir, in("manifest.json", `"requests":3`, `"requests":7`))
	wants(t, command(t, "", "verify", dir).out, "Not checked without the logs: ",
		"how many requests the crawlers made in all")
	refuted(t, "consistently, with the log", dir, log)
}

// copied returns a copy of a folder.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestVerifyFindsForgedFields: each field of the manifest is made again and compared, or said to be
// not checked.
func TestVerifyFindsForgedFields(t *testing.T) {
	t.Parallel() // it waits for the disk
	dir := tree(t, map[string]string{
		"a.log":       logLine("/p/1", "GPTBot/1") + logLine("/robots.txt", "GPTBot/1") + logLine("/robots.txt", "Mozilla/5.0"),
		"b.log":       logLine("/p/2", "GPTBot/1"),
		"robots.txt":  "user-agent: *\ndisallow: /p\n",
		"gptbot.json": `{"creationTime":"2026-11-10T00:00:00","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`,
		"names.txt":   "192.0.2.1\tx.gptbot.example\tyes\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	logs := []string{at("a.log"), at("b.log")}
	folder := evidenceOf(t, "", append([]string{"audit", "--robots", at("robots.txt"), "--host", "https://example.com",
		"--ip-ranges", "GPTBot=" + at("gptbot.json"), "--resolved-names", at("names.txt")}, logs...)...)
	verifies(t, folder, logs...)
	var m map[string]any
	if err := json.Unmarshal(raw(t, filepath.Join(folder, "manifest.json")), &m); err != nil {
		t.Fatal(err)
	}
	// What no log shows. Names of logs are in the rows, and so is what a list is called in the letter,
	// so that these cannot be changed alone.
	unknowable := regexp.MustCompile(
		`^(program|command|time_zone|format|allow_duplicates|inputs\.[01]\.(duplicate_of|only)|` +
			`basis\.(File|Names|NamesSum|Where|Size|Sum|Source|DatedBy|Samples|MaxUnparsed|Sampled|RangesMaxAge|Window|Delay|Skew|` +
			`MaxBytes|Dialect|ClientIP|AssumeConstant|Observed|Since|Until))$`)
	// What only logs show.
	ofLogs := regexp.MustCompile(
		`^(partial|proxied|not_shown|looked_up|inputs\.[01]\.(bytes|bytes_uncompressed|sha256|read|complete|header|format|origins.*))$`)
	forged := 0
	var forgeEach func(path string, v any, put func(any))
	try := func(path string, edit func(name, text string) string) {
		forged++
		if unknowable.MatchString(path) {
			return
		}
		dir, with := copied(t, folder), logs
		forge(t, dir, edit)
		if !ofLogs.MatchString(path) {
			with = nil // what is found alone is found with the logs, too
		}
		if r := command(t, "", append([]string{"verify", dir}, with...)...); r.code == exitDone {
			t.Errorf("%s: %s", path, r.out)
		}
	}
	tryManifest := func(path string) {
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		try(path, func(name, text string) string {
			if name == "manifest.json" {
				return string(data)
			}
			return text
		})
	}
	forgeEach = func(path string, v any, put func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				forgeEach(strings.TrimPrefix(path+"."+name, "."), value, func(x any) { v[name] = x })
			}
			return
		case []any:
			for i, value := range v {
				forgeEach(fmt.Sprintf("%s.%d", path, i), value, func(x any) { v[i] = x })
			}
			return
		case bool:
			put(!v)
		case float64:
			put(v + 1)
		case string:
			put(v + "1")
		default:
			return
		}
		tryManifest(path)
		put(v)
	}
	forgeEach("", m, nil)
	for line := range strings.Lines(string(raw(t, filepath.Join(folder, "basis.json")))) {
		if changed, key := forgedLine(line); changed != "" {
			try("basis."+key, func(name, text string) string {
				if name == "basis.json" {
					return strings.Replace(text, line, changed, 1)
				}
				return text
			})
		}
		if strings.HasPrefix(line, ` "Profiles"`) { // which are many, and all alike
			break
		}
	}
	if forged < 60 {
		t.Errorf("%d fields", forged)
	}
	for _, name := range []string{"crawlers", "inputs", "answers", "files", "looked_up"} {
		was := m[name]
		m[name] = []any{}
		if len(was.([]any)) > 0 {
			tryManifest(name)
		}
		m[name] = was
	}
	m["more"] = 1
	tryManifest("more")
}

// forgedLine changes the value in a line of JSON, and returns its key; empty if there is none.
func forgedLine(line string) (changed, key string) {
	parts := regexp.MustCompile(`^( *"(\w+)": )(true|false|-?\d+|".*)("?,?\n)$`).FindStringSubmatch(line)
	if parts == nil {
		return "", ""
	}
	value := map[string]string{"true": "false", "false": "true"}[parts[3]]
	if value == "" {
		value = parts[3] + "1"
	}
	return parts[1] + value + parts[4], parts[2]
}

// TestVerifyHostileFolders: a folder can say anything. It is refused, and nothing outside of it is
// opened.
func TestVerifyHostileFolders(t *testing.T) {
	t.Parallel() // it waits for the disk
	log := file(t, "a.log", logLine("/p/1", "GPTBot/1"))
	folder := evidenceOf(t, "", "audit", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), log)
	for _, c := range [][2]string{
		{`"robots/0001.txt"`, `"../../../../../../etc/passwd"`}, {`"robots/0001.txt"`, `"/dev/zero"`},
		{`"basis.json"`, `"missing"`},
		{`"schema":"robotsieve.evidence/3"`, `"schema":"robotsieve.evidence/9"`}, {`"Rows": [`, `"Rows": [null,`},
		{`"Body": 0`, `"Body": 7`},
		{`"time_zone":""`, `"time_zone":"Mars"`}, {`"format":"auto"`, `"format":"/etc/passwd:x"`},
		{`"format":"combined"`, `"format":"nonsense"`},
		{`"folder":"0001-gptbot"`, `"folder":"../x"`}, {`"violations":1`, `"violations":-1`}, {`"inputs":[`, `"nothing":[`},
		{`"files":[`, `"files":[],"more":[`}, {`"Window": 86400000000000`, `"Window": 1`},
	} {
		dir, found := copied(t, folder), false
		forge(t, dir, func(name, text string) string {
			if name == "manifest.json" || name == "basis.json" {
				found = found || strings.Contains(text, c[0])
				text = strings.Replace(text, c[0], c[1], 1)
			}
			return text
		})
		if !found {
			t.Errorf("no %s", c[0])
		}
		for _, logs := range [][]string{nil, {log}} {
			r := command(t, "", append([]string{"verify", dir}, logs...)...)
			if r.code != exitFound && r.code != exitInput {
				t.Errorf("%v: %+v", c, r)
			}
		}
	}
}

// TestChangedOctetOfEvidence: verify finds one changed byte in any file.
func TestChangedOctetOfEvidence(t *testing.T) {
	t.Parallel() // it waits for the disk
	dir := evidenceOf(t, "", fullAudit(sample)...)
	files := 0
	for name := range contents(t, dir) {
		files++
		path := filepath.Join(dir, filepath.FromSlash(name))
		data := raw(t, path)
		for _, at := range []int{0, len(data) / 2, len(data) - 1} {
			changed := bytes.Clone(data)
			changed[at] ^= 4
			write(t, path, string(changed))
			refuted(t, name, dir)
		}
		write(t, path, string(data))
	}
	if files < 20 {
		t.Errorf("%d files", files)
	}
	verifies(t, dir, sample+"access.log.gz")
}

// TestFaultsOfEvidence makes each file operation fail in turn: there is a whole folder or none.
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
			verifies(t, dir, log)
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

// TestEvidenceOfLookedUpNames: a client that the DNS has verified is verified in the folder too.
func TestEvidenceOfLookedUpNames(t *testing.T) {
	dns := &fakeDNS{names: map[string][]string{"192.0.2.1": {"crawl-1.googlebot.com."}},
		addrs: map[string][]string{"crawl-1.googlebot.com": {"192.0.2.1"}, "crawl-1.googlebot.com.": {"192.0.2.1"}}}
	log := file(t, "a.log", logLine("/p", "Googlebot/2.1")+logLine("/p", "GPTBot/1"))
	dir := filepath.Join(t.TempDir(), "evidence")
	r, _ := resolveWith(t, t.Context(), dns, "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"),
		"--evidence", dir, log)
	if files := contents(t, dir); !strings.Contains(fmt.Sprint(files), `"identity":"verified"`) {
		t.Errorf("nobody is verified: %+v", r)
	}
	verifies(t, dir, log)
}
