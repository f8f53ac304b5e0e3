//go:build unix

package job

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// TestCapturesInsideAlone checks that nothing outside of a folder of captures is read, and that a pipe in it is
// reported.
func TestCapturesInsideAlone(t *testing.T) {
	secret := put(t, map[string]string{"s/robots.txt": "secret", "s/2026-01-02.txt": "secret"})
	for name, c := range map[string]struct{ link, to string }{
		"file":           {"2026-01-02/b.example.txt", secret + "/s/robots.txt"},
		"folder":         {"2026-01-02/b.example", secret + "/s"},
		"host":           {"b.example", secret + "/s"},
		"dated":          {"b.example/2026-01-02.txt", secret + "/s/robots.txt"},
		"robots":         {"b.example/robots.txt", secret + "/s/robots.txt"},
		"date":           {"2026-01-02", secret},
		"proc":           {"2026-01-02/b.example.txt", "/proc/self/environ"},
		"device":         {"2026-01-02/b.example.txt", "/dev/zero"},
		"pipe":           {"2026-01-02/b.example.txt", ""},
		"pipe of a host": {"b.example/2026-01-02.txt", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := put(t, map[string]string{"2026-01-01/a.example.txt": "A"})
			link := filepath.Join(dir, c.link)
			if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
				t.Fatal(err)
			}
			err := os.Symlink(c.to, link)
			if c.to == "" {
				err = syscall.Mkfifo(link, 0o600)
			}
			if err != nil {
				t.Skip(err)
			}
			rows, lost := capturesOf(t, nil, dir)
			if !slices.Equal(rows, []string{`2026-01-01T00:00:00Z a.example 200 "A"`}) || !lost {
				t.Errorf("lost %v, %q", lost, rows)
			}
		})
	}
	dir := put(t, map[string]string{"a/robots.txt": "A"})
	if err := os.Symlink("a", dir+"/2026-01-01"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/b", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../a/robots.txt", dir+"/b/2026-01-02.txt"); err != nil {
		t.Fatal(err)
	}
	if rows, _ := capturesOf(t, nil, dir); len(rows) == 0 || !strings.HasSuffix(rows[len(rows)-1], `b 200 "A"`) {
		t.Errorf("links inside: %q", rows)
	}
}

// TestAuditKeepsRegularFilesAlone checks that an audit rejects devices, pipes and kernel files at once for anything
// that becomes part of the evidence.
func TestAuditKeepsRegularFilesAlone(t *testing.T) {
	dir := put(t, map[string]string{"log": "", "robots.txt": "", "m.csv": "from,origin,status,file\n2026-01-01,a.example,200,pipe\n"})
	if err := syscall.Mkfifo(dir+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir + "/pipe", "/dev/zero", "/proc/self/environ", dir + "/m.csv"} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		for what, judging := range map[string]Judging{
			"--robots":  {Robots: RobotsFile{Name: name}},
			"--policy":  {Policy: name},
			"--what-if": {Robots: RobotsFile{Name: dir + "/robots.txt"}, WhatIf: name},
		} {
			if strings.HasSuffix(name, ".csv") && what != "--policy" {
				continue
			}
			logs := LogOptions{Logs: Inputs{Names: []string{dir + "/log"}}, Hosts: []string{"a.example"}}
			begun := time.Now()
			_, err := Audit(t.Context(), AuditOptions{LogOptions: logs, Judging: judging})
			if !errors.Is(err, disk.ErrIrregular) || time.Since(begun) > 5*time.Second {
				t.Errorf("%s %s: error %v after %v", what, name, err, time.Since(begun))
			}
			if what != "--policy" && err != nil && !strings.Contains(err.Error(), "on stdin, as -") {
				t.Errorf("%s %s: %v does not say what to do", what, name, err)
			}
		}
	}
}
