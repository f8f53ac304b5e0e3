package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// forbidding is a robots.txt that forbids everybody /p.
const forbidding = "user-agent: *\ndisallow: /p\n"

// robotsCommands are those that read one robots.txt, as run with a file of its
// name and a list of what is asked for.
func robotsCommands(robots, list, log string) map[string][]string {
	return map[string][]string{
		"check":  {"check", "--robots", robots, "--agent", "x", "http://h.example/p"},
		"filter": {"filter", "--robots", robots, "--agent", "x", "--keep", "disallowed", list},
		"audit":  {"audit", "--robots", robots, log},
		"bench":  {"bench", "--robots", robots, "--agent", "x", list},
		"dump":   {"compile", "--dump", robots},
	}
}

func TestCompressedRobotsForbidsAsThePlainOneDoes(t *testing.T) {
	skipInShort(t)
	list, log := file(t, "urls", "http://h.example/p\n"), file(t, "log", logLine("/p", "FooBot/1"))
	shows := map[string]string{
		"check": "disallowed ", "filter": "http://h.example/p\n", "audit": "1 of 1 crawler request broke robots.txt", "bench": "27 bytes", "dump": `disallow "/p"`,
	}
	for codec, packed := range map[string]string{"gzip": gzipped(t, forbidding), "zstd": zstandard(t, forbidding)} {
		for name, args := range robotsCommands(file(t, "robots.txt", packed), list, log) {
			if r := command(t, "", args...); r.code != exitDone || !strings.Contains(r.out, shows[name]) {
				t.Errorf("%s, %s: %+v", codec, name, r)
			}
		}
		for name, args := range robotsCommands("-", list, log) {
			if r := command(t, packed, args...); r.code != exitDone || !strings.Contains(r.out, shows[name]) {
				t.Errorf("%s on stdin, %s: %+v", codec, name, r)
			}
		}
	}
}

// TestPaddingIsToldOfItsFile: zeros behind compressed data lose nothing, and a warning says which of the files has them.
func TestPaddingIsToldOfItsFile(t *testing.T) {
	robots, zeros := file(t, "robots.txt", forbidding), strings.Repeat("\x00", 10)
	log, list := file(t, "a.log.gz", gzipped(t, logLine("/p", "FooBot/1"))+zeros), file(t, "urls.gz", gzipped(t, "http://h.example/p\n")+zeros)
	for name, args := range map[string][]string{log: {"audit", "--robots", robots, log}, list: {"filter", "--robots", robots, "--agent", "x", list}} {
		if r := command(t, "", args...); r.code != exitDone || !strings.Contains(r.err, filepath.Base(name)+": 10 zero bytes after the end of the compressed data\n") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestDamagedCompressedRobotsIsAnError(t *testing.T) {
	list, log := file(t, "urls", "http://h.example/p\n"), file(t, "log", logLine("/p", "FooBot/1"))
	packed := gzipped(t, forbidding)
	for name, args := range robotsCommands(file(t, "robots.txt", packed[:len(packed)-9]), list, log) {
		if r := command(t, "", args...); r.code != exitInput || r.out != "" || !strings.Contains(r.err, "robots.txt: at byte ") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// What is behind the limit is not decompressed, however much it may be.
func TestLimitIsOfDecompressedBytes(t *testing.T) {
	robots := file(t, "robots.txt", gzipped(t, forbidding+strings.Repeat("#\n", 1<<20)+"disallow: /late\n"))
	for limit, want := range map[string]string{"28": "disallowed ", "0": "disallowed ", "14": "allowed "} {
		r := command(t, "", "check", "--robots", robots, "--agent", "x", "--max-bytes", limit, "/p")
		if r.code != exitDone || !strings.HasPrefix(r.out, want) {
			t.Errorf("limit %s: %+v", limit, r)
		}
	}
	if r := command(t, "", "check", "--robots", robots, "--agent", "x", "/late"); !strings.HasPrefix(r.out, "allowed ") {
		t.Errorf("%+v", r)
	}
}

func TestMissingFileIsToldInOneWay(t *testing.T) {
	robots, list := file(t, "robots.txt", forbidding), file(t, "list", "http://h.example/p\n")
	out := filepath.Join(t.TempDir(), "out.rsv")
	t.Chdir(t.TempDir())
	for _, args := range []string{
		"check --robots nope --agent x /", "filter --robots nope --agent x LIST", "filter --robots ROBOTS --agent x nope",
		"filter --rules nope --agent x LIST", "audit --robots nope LIST", "audit --robots ROBOTS nope",
		"bench --robots nope --agent x LIST", "bench --robots ROBOTS --agent x nope", "compile --dump nope", "compile -o OUT nope",
	} {
		r := command(t, "", strings.Fields(strings.NewReplacer("ROBOTS", robots, "LIST", list, "OUT", out).Replace(args))...)
		if r.code != exitInput || !strings.HasPrefix(r.err, "robotsieve: open nope: no such file or directory\n") {
			t.Errorf("%s: %+v", args, r)
		}
	}
}
