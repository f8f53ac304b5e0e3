package policy

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
)

const insideHead = "from,origin,status,file\n2026-01-01,example.com,200,"

// TestFolderReadsNothingElse checks that untrusted folders can't make names or links read files
// outside, and that files inside are read as before.
func TestFolderReadsNothingElse(t *testing.T) {
	secret := filepath.Join(files(t, map[string]string{"s/robots.txt": "secret", "s/2026-01-01.txt": "secret",
		"s/manifest.csv": insideHead + "robots.txt\n"}), "s")
	link := func(to, name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Skip(err)
			}
		}
	}
	none := func(*testing.T, string) {}
	manifest := func(name string) map[string]string {
		return map[string]string{ManifestName: insideHead + name + "\n", "bodies/a.txt": "A"}
	}
	for name, c := range map[string]struct {
		texts map[string]string
		make  func(t *testing.T, dir string)
		want  string // "" if it is refused
	}{
		"a file":              {manifest("bodies/a.txt"), none, "A"},
		"up and down":         {manifest("bodies/../bodies/./a.txt"), none, "A"},
		"a link inside":       {manifest("link"), link("bodies/a.txt", "link"), "A"},
		"a folder inside":     {manifest("link/a.txt"), link("bodies", "link"), "A"},
		"out by name":         {manifest("../" + filepath.Base(secret) + "/robots.txt"), none, ""},
		"out and in":          {manifest("bodies/../../x/robots.txt"), none, ""},
		"absolute":            {manifest(secret + "/robots.txt"), none, ""},
		"a link":              {manifest("link"), link(secret+"/robots.txt", "link"), ""},
		"a relative link":     {manifest("b/link"), link("../../s/robots.txt", "b/link"), ""},
		"a folder":            {manifest("link/robots.txt"), link(secret, "link"), ""},
		"a link to one":       {manifest("link"), link(secret+"/robots.txt", "bodies/link"), ""},
		"nowhere":             {manifest("link"), link("nowhere", "link"), ""},
		"itself":              {manifest("link"), link("link", "link"), ""},
		"a manifest":          {map[string]string{"robots.txt": "A"}, link(secret+"/manifest.csv", ManifestName), ""},
		"proc":                {manifest("/proc/self/environ"), none, ""},
		"a link to proc":      {manifest("link"), link("/proc/self/environ", "link"), ""},
		"a device":            {manifest("link"), link("/dev/zero", "link"), ""},
		"dated":               {map[string]string{"example.com/2026-01-01.txt": "A"}, none, "A"},
		"dated link inside":   {map[string]string{"example.com/.a": "A"}, link(".a", "example.com/2026-01-01.txt"), "A"},
		"dated link":          {nil, link(secret+"/robots.txt", "example.com/2026-01-01.txt"), ""},
		"dated folder":        {nil, link(secret, "example.com"), ""},
		"dated by day":        {nil, link(secret+"/robots.txt", "2026-01-01/example.com.txt"), ""},
		"dated by day, hosts": {nil, link(secret, "2026-01-01/example.com"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(c.texts[ManifestName], "/proc") && runtime.GOOS != "linux" {
				t.Skip("there is no /proc")
			}
			dir := files(t, c.texts)
			c.make(t, dir)
			rows, _, _, err := ReadFolder(dir, 0, 1<<30)
			got := ""
			if err == nil {
				got = string(rows[0].Body)
			}
			if (err == nil) != (c.want != "") || got != c.want {
				t.Errorf("%q, error %v", got, err)
			}
		})
	}
}

// TestOnlyRegularFiles checks that devices and generated files are rejected as manifests and as their files.
func TestOnlyRegularFiles(t *testing.T) {
	for _, name := range []string{"/dev/zero", "/dev/null", "/proc/self/environ", "/proc/self/cmdline", "/proc/version",
		"/sys/kernel/uevent_seqnum"} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		manifest := filepath.Join(files(t, map[string]string{"m.csv": insideHead + name + "\n"}), "m.csv")
		for _, path := range []string{name, manifest} {
			if _, _, err := ReadManifest(path, 0, 1<<30); !errors.Is(err, disk.ErrIrregular) {
				t.Errorf("%s: error %v", path, err)
			}
		}
	}
}

// TestCell checks that no cell begins a formula or can control a terminal, and that each gives its text back.
func TestCell(t *testing.T) {
	for _, text := range []string{"", "a", "/robots.txt", "=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "\x00", "a\x1b[31m",
		"a\u202eb", "\u2066", "\u200f", "\ufeff=1", "\u0085", "\u2028", `"`, `"a"`, `"\x41"`, `a"b`, `a\x41`, "'=1", "\xff=", "a\xffb",
		"＝1", "＋1", "－1", "＠", "ä", "https://a.example/?a=\"b\",c", "\u00ad", "\U000e0041", " =1"} {
		cell := Cell(text)
		if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r\n") || strings.ContainsFunc(cell, func(c rune) bool {
			return c < ' ' || c >= 0x7f && c < 0xa1 || c >= 0x200b && c < 0x2010 || c >= 0x2028 && c <= 0x206f || c == 0xfeff
		}) {
			t.Errorf("%q is the cell %q", text, cell)
		}
		if got := uncell(cell); got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	}
	for _, plain := range []string{"https://a.example/robots.txt", "sha1:AAAA", `\\host\x41`, `a"`, "'a'"} {
		if Cell(plain) != plain || uncell(plain) != plain {
			t.Errorf("%q is %q, and read as %q", plain, Cell(plain), uncell(plain))
		}
	}
}
