package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
)

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
