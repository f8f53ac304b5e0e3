package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// TestNoOutputReplacesAnInput: nothing that a command reads is replaced, however it is named, with --force or without.
func TestNoOutputReplacesAnInput(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Link(at("a.log"), at("hard")); err != nil {
		t.Skip(err)
	}
	for to, link := range map[string]string{"a.log": "soft", "hosts": "linked"} {
		if err := os.Symlink(at(to), at(link)); err != nil {
			t.Skip(err)
		}
	}
	audit := func(args ...string) []string { return append([]string{"audit", "--robots", at("robots.txt")}, args...) }
	versions := []string{"audit", "--host", "example.com", "--policy"}
	for output, args := range map[string][]string{
		"a.log":                               audit(at("a.log")),
		"hard":                                audit(at("a.log")),
		"soft":                                audit(at("hard")),
		"b.log.gz":                            audit(at("*.gz")),
		"robots.txt":                          append(versions, at("manifest.csv"), at("a.log")),
		"versions/example.com/2026-01-01.txt": append(versions, at("versions"), at("a.log")),
		"lists/gptbot.json":                   audit("--ip-ranges", "gptbot="+at("lists/gptbot.json")+"@2026-11-01", at("a.log")),
		"lists/../lists/gptbot.json":          audit("--ip-ranges", at("lists"), at("a.log")),
		"names.txt":                           audit("--resolved-names", at("names.txt"), at("a.log")),
		"manifest.csv":                        append(versions, at("manifest.csv"), at("a.log")),
		"1.state":                             {"merge", at("1.state"), at("2.state")},
		"hosts/one.example":                   {"compile", at("hosts")},
		"hosts/two.example/robots.txt":        {"compile", at("linked")},
		"more.jsonl":                          {"compile", at("hosts"), at("more.jsonl")},
	} {
		flag := "--state"
		if args[0] == "compile" {
			flag = "-o"
		}
		before := plain(t, at(output))
		for _, force := range [][]string{nil, {"--force"}} {
			r := command(t, "", append(append(args, flag, at(output)), force...)...)
			if r.code != exitUsage || !strings.Contains(r.err, "would replace") || force != nil && !strings.Contains(r.err, "which is to be read") {
				t.Errorf("%s: %+v", output, r)
			}
			if !bytes.Equal(plain(t, at(output)), before) {
				t.Fatalf("%s has been replaced", output)
			}
		}
	}
}

// TestOutputReplacesItsOwnKindOnly: a file that is no state or archive stays, unless it is empty or --force is given.
func TestOutputReplacesItsOwnKindOnly(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	note := at("note")
	for _, args := range [][]string{
		{"audit", "--robots", at("robots.txt"), at("a.log"), "--state", note},
		{"merge", at("2.state"), "--state", note},
		{"compile", at("hosts"), "-o", note},
	} {
		for _, content := range []string{"important", "robotsieve", string(plain(t, at("b.log.gz")))} {
			if err := os.WriteFile(note, []byte(content), 0o640); err != nil {
				t.Fatal(err)
			}
			if r := command(t, "", args...); r.code != exitUsage || !strings.Contains(r.err, "--force") || string(plain(t, note)) != content {
				t.Errorf("%v: %+v", args, r)
			}
		}
		if r := command(t, "", append(args, "--force")...); r.code != exitDone {
			t.Errorf("%v: %+v", args, r)
		}
		if r := command(t, "", args...); r.code != exitDone { // it is of the kind now
			t.Errorf("%v: %+v", args, r)
		}
		if info, err := os.Stat(note); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
			t.Errorf("%v: the mode has become %v", args, info.Mode())
		}
		if err := os.WriteFile(note, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := command(t, "", args...); r.code != exitDone {
			t.Errorf("%v over an empty file: %+v", args, r)
		}
	}
	if info, err := os.Stat(at("1.state")); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("a new state: %v, %v", info.Mode(), err)
	}
}

// TestStdoutIsNoInput: results do not go into a file that is read, also where a shell has opened it to append.
func TestStdoutIsNoInput(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, args := range map[string][]string{
		"a.log":      {"audit", "--robots", at("robots.txt"), at("*.log")},
		"urls.txt":   {"filter", "--robots", at("robots.txt"), "--agent", "x", at("urls.txt")},
		"hosts.rsv":  {"filter", "--rules", at("hosts.rsv"), "--agent", "x", at("urls.txt")},
		"1.state":    {"merge", at("1.state")},
		"robots.txt": {"check", "--robots", at("robots.txt"), "--agent", "x", "/p"},
		"more.jsonl": {"compile", "--dump", at("more.jsonl")},
		"names.txt":  {"crawlers", "-"},
	} {
		before := plain(t, at(name))
		f, err := os.OpenFile(at(name), os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		var diag bytes.Buffer
		code := run(t.Context(), args, streams{in: f, out: f, err: &diag})
		f.Close()
		if code != exitUsage || !strings.Contains(diag.String(), "is to be read, but standard output would be written to it") || !bytes.Equal(plain(t, at(name)), before) {
			t.Errorf("%v >> %s: code %d, stderr %q", args, name, code, diag.String())
		}
	}
}

// TestOutputsAreDifferentFiles: no file is written twice, and messages do not go into an input.
func TestOutputsAreDifferentFiles(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	audit := func(args ...string) []string { return append([]string{"audit", "--robots", at("robots.txt")}, args...) }
	profile := []string{"--profile", "mem", "--profile-dir", dir}
	for _, c := range []struct {
		args     []string
		out, err string // files that stdout and stderr go to
		want     string
	}{
		{audit("--state", at("x"), at("a.log")), "x", "", "the file of standard output"},
		{audit("--state", at("x"), at("a.log")), "", "x", "the file of standard error"},
		{[]string{"merge", "--state", at("x"), at("1.state")}, "x", "", "the file of standard output"},
		{[]string{"compile", "-o", at("x"), at("hosts")}, "", "x", "the file of standard error"},
		{audit(append(profile, at("a.log"))...), "mem.pprof", "", "the file of standard output"},
		{audit(append(profile, "--state", at("mem.pprof"), at("a.log"))...), "", "", "the file of --state"},
		{append([]string{"filter", "--robots", at("robots.txt"), "--agent", "x", at("urls.txt")}, profile...), "mem.pprof", "", "the file of standard output"},
		{audit(at("a.log")), "", "a.log", "a.log is to be read, but standard error would be written to it"},
		{[]string{"check", "--robots", at("robots.txt")}, "", "robots.txt", "is to be read, but standard error"},
	} {
		var out, diag bytes.Buffer
		open := func(name string, w io.Writer) io.Writer {
			if name == "" {
				return w
			}
			f, err := os.OpenFile(at(name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		}
		code := run(t.Context(), c.args, streams{in: strings.NewReader(""), out: open(c.out, &out), err: open(c.err, &diag)})
		text := diag.String()
		if c.err != "" {
			text = string(plain(t, at(c.err)))
		}
		if code != exitUsage || !strings.Contains(text, c.want) {
			t.Errorf("%v > %q 2> %q: code %d, stderr %q", c.args, c.out, c.err, code, text)
		}
		os.Remove(at("mem.pprof"))
		os.Remove(at("x"))
	}
}

// TestProfileReplacesNoInput: not even one that has the name and the compression of a profile, and nothing but files.
func TestProfileReplacesNoInput(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Rename(at("b.log.gz"), at("mem.pprof")); err != nil {
		t.Fatal(err)
	}
	before := plain(t, at("mem.pprof"))
	for _, logs := range []string{at("mem.pprof"), at("a.log"), dir} {
		r := command(t, "", "audit", "--robots", at("robots.txt"), "--profile", "mem", "--profile-dir", dir, logs)
		if r.code != exitUsage || !bytes.Equal(plain(t, at("mem.pprof")), before) {
			t.Errorf("%s: %+v", logs, r)
		}
	}
	if err := os.WriteFile(at("mem.pprof"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "", "audit", "--robots", at("robots.txt"), "--profile", "mem", "--profile-dir", dir, at("mem.pprof")); r.code != exitUsage || !strings.Contains(r.err, "which is to be read") {
		t.Errorf("%+v", r)
	}
	if err := os.Remove(at("mem.pprof")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("none"), at("mem.pprof")); err != nil {
		t.Skip(err)
	}
	if r := command(t, "", "audit", "--robots", at("robots.txt"), "--profile", "mem", "--profile-dir", dir, at("a.log")); r.code != exitUsage {
		t.Errorf("%+v", r)
	}
}

// TestLostProfileIsAnError: a profile of which nothing is in its file at the end is told.
func TestLostProfileIsAnError(t *testing.T) {
	dir := faultyTree(t)
	for form, file := range map[string]string{"cpu": "cpu.pprof", "mem": "mem.pprof", "trace": "trace.out"} {
		name := filepath.Join(dir, file)
		restore := disk.Inject(func(op disk.Op, read string) error {
			if op == disk.OpRead && filepath.Base(read) == "a.log" { // while the profile is made
				return errors.Join(os.Remove(name), os.WriteFile(name, nil, 0o600))
			}
			return nil
		})
		r := command(t, "", "audit", "--robots", filepath.Join(dir, "robots.txt"), "--profile", form, "--profile-dir", dir, filepath.Join(dir, "a.log"))
		restore()
		if r.code != exitInput || !strings.Contains(r.err, "writing the profile: "+name+" is empty") || r.out == "" {
			t.Errorf("%s: %+v", form, r)
		}
	}
}

// TestLongOutputNames: a name may be as long as the file system permits.
func TestLongOutputNames(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{strings.Repeat("x", 255), strings.Repeat("é", 127)} {
		if err := os.WriteFile(at(name), nil, 0o600); err != nil {
			t.Skip(err)
		}
		if r := command(t, "", "audit", "--robots", at("robots.txt"), "--state", at(name), at("a.log")); r.code != exitDone || len(plain(t, at(name))) == 0 {
			t.Errorf("%d bytes: code %d, %q", len(name), r.code, r.err)
		}
	}
}

// TestOddOutputs: what is not a regular file is no output, and a link that leads nowhere makes a new file.
func TestOddOutputs(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	audit := func(state string) result {
		return command(t, "", "audit", "--robots", at("robots.txt"), "--state", state, at("a.log"))
	}
	for name, want := range map[string]string{
		dir: "not a regular file", os.DevNull: "not a regular file", at("none/state"): "no such file or directory",
	} {
		if r := audit(name); r.code != exitInput || r.out != "" || !strings.Contains(r.err, want) && runtime.GOOS == "linux" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for to, link := range map[string]string{"new": "dangling", "none/new": "lost", "loop": "loop"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip(err)
		}
	}
	if r := audit(at("dangling")); r.code != exitDone || len(plain(t, at("new"))) == 0 {
		t.Errorf("%+v", r)
	}
	if r := audit(at("lost")); r.code != exitInput || !strings.Contains(r.err, "a link to "+at("none/new")) {
		t.Errorf("%+v", r)
	}
	if removed, err := os.Create(at("removed")); runtime.GOOS == "linux" && err == nil {
		os.Remove(at("removed"))
		if r := audit(fmt.Sprintf("/proc/self/fd/%d", removed.Fd())); r.code != exitInput || !strings.Contains(r.err, "a link that leads to no name") {
			t.Errorf("%+v", r)
		}
		removed.Close()
	}
	if r := audit(at("loop")); r.code != exitInput || !strings.Contains(r.err, "too many symbolic links") {
		t.Errorf("%+v", r)
	}
}

// TestProfileReplacesProfilesOnly: another file of the name stays.
func TestProfileReplacesProfilesOnly(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	args := []string{"audit", "--robots", at("robots.txt"), "--profile", "mem", "--profile-dir", dir, at("a.log")}
	for range 2 {
		if r := command(t, "", args...); r.code != exitDone {
			t.Fatalf("%+v", r)
		}
	}
	if err := os.WriteFile(at("mem.pprof"), []byte("important"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "", args...); r.code != exitUsage || string(plain(t, at("mem.pprof"))) != "important" {
		t.Errorf("%+v", r)
	}
}

// TestPlantedLink: a link that another user made where all may is not followed.
func TestPlantedLink(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	shared := at("shared")
	if err := os.Mkdir(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(shared, "link")
	if err := os.Symlink(at("1.state"), link); err != nil {
		t.Skip(err)
	}
	args := []string{"merge", "--state", link, at("2.state")}
	if r := command(t, "", args...); r.code != exitDone {
		t.Errorf("the caller's own link: %+v", r)
	}
	if err := os.Lchown(link, 12345, 12345); err != nil {
		t.Skip("only root can make the link of another user: ", err)
	}
	before := plain(t, at("1.state"))
	if r := command(t, "", args...); r.code != exitInput || !strings.Contains(r.err, "a symbolic link of another user") || !bytes.Equal(plain(t, at("1.state")), before) {
		t.Errorf("%+v", r)
	}
}

// TestArchiveCutWhileItIsOpened: an archive that becomes shorter between the look at its size and the reading of it.
func TestArchiveCutWhileItIsOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("archives are not mapped into memory there")
	}
	for _, args := range [][]string{{"filter", "-"}, {"check", "https://a.example/p"}} {
		archive := rules(t)
		restore := disk.Inject(func(op disk.Op, name string) error {
			if op == disk.OpMap {
				return os.Truncate(name, 0)
			}
			return nil
		})
		r := command(t, "http://a.example/p\n", append(args, "--rules", archive, "--agent", "x")...)
		restore()
		if r.code != exitInput || r.out != "" || !strings.Contains(r.err, "changed while in use") {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// TestCheckSurvivesAnArchiveThatIsCutWhileInUse: the archive becomes shorter when it is open already.
func TestCheckSurvivesAnArchiveThatIsCutWhileInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("archives are not mapped into memory there")
	}
	archive := rules(t)
	in := &truncating{Reader: strings.NewReader("http://a.example/p\n"), name: archive}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"check", "--rules", archive, "--agent", "x", "-"}, streams{in: in, out: &stdout, err: &stderr})
	if code != exitInput || stdout.Len() > 0 || !strings.Contains(stderr.String(), "changed while in use") {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
	}
}
