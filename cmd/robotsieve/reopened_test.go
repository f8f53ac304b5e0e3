package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReopenedFilesAreReadInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	var all reopening
	defer all.close()
	var files []*reopened
	for i := range 3 * maxOpen {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, binary.BigEndian.AppendUint64([]byte("head"), uint64(i)), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := all.add(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		i := r.IntN(len(files))
		if r.IntN(3) > 0 {
			i %= maxOpen - 1
		}
		var b [8]byte
		if _, err := files[i].ReadAt(b[:], 4); err != nil || binary.BigEndian.Uint64(b[:]) != uint64(i) {
			t.Fatalf("file %d: % x, %v", i, b, err)
		}
		open := 0
		for _, f := range files {
			if f.file != nil {
				open++
			}
		}
		if open > maxOpen || open != len(all.open) || all.open[open-1] != files[i] {
			t.Fatalf("%d files are open, %d in the list", open, len(all.open))
		}
	}
	// One that is closed and then changed or removed is not read as the same.
	i := slices.IndexFunc(files, func(f *reopened) bool { return f.file == nil })
	if err := os.WriteFile(files[i].name, []byte("of another length"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := files[i].ReadAt(make([]byte, 1), 0); err == nil || !strings.Contains(err.Error(), "has changed while it was read") {
		t.Errorf("changed: %v", err)
	}
	if err := os.Remove(files[i].name); err != nil {
		t.Fatal(err)
	}
	if _, err := files[i].ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
}

// More states than a process may have files open add up, at once or in a tree.
func TestMergeOfManyStates(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ncrawl-delay: 5\ndisallow: /p\n")
	var states, logs []string
	const n = maxOpen + 10
	for i := range n {
		agent := []string{"GPTBot/1", googleAgent, fmt.Sprintf("New%d-Bot/1 (+http://x.example)", i%7), "Firefox/1"}[i%4]
		path := []string{"/p", "/", "/robots.txt"}[i%3]
		log := file(t, fmt.Sprintf("%d.log", i), strings.Repeat(logLine(path, agent), 3)+fmt.Sprintf("junk %d\n", i))
		logs = append(logs, log)
		states = append(states, makeState(t, "--robots", robots, log))
	}
	want := command(t, "", append([]string{"audit", "--robots", robots, "--output", "json"}, logs...)...)
	all := command(t, "", append([]string{"merge", "--output", "json"}, states...)...)
	if all.code != exitDone || all.err != "" || withoutInputs(all.out, "json") != withoutInputs(want.out, "json") {
		t.Errorf("code %d, stderr %q, the report differs at %s", all.code, all.err, firstDifference(withoutInputs(all.out, "json"), withoutInputs(want.out, "json")))
	}
	dir := t.TempDir()
	var sums []string
	for part := range slices.Chunk(states, 20) {
		sum := filepath.Join(dir, fmt.Sprint(len(sums), ".state"))
		sums = append(sums, sum)
		if r := command(t, "", append([]string{"merge", "--state", sum}, part...)...); r.code != exitDone || r.err != "" || !strings.Contains(r.out, "Lines:") {
			t.Fatalf("%+v", r)
		}
	}
	for _, list := range [][]string{sums, slices.Concat(sums[:1], states[20:])} {
		if got := command(t, "", append([]string{"merge", "--output", "json"}, list...)...); got != all {
			t.Errorf("code %d, stderr %q, the report of a tree differs at %s", got.code, got.err, firstDifference(got.out, all.out))
		}
	}
}

func TestMergeWritesNoStateWhereItCannot(t *testing.T) {
	robots, log := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "a.log", logLine("/p", "GPTBot/1"))
	state := makeState(t, "--robots", robots, log)
	link := filepath.Join(t.TempDir(), "link.state")
	if err := os.Symlink(state, link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		to   string
		code int
		says string
	}{
		"itself":         {state, exitUsage, "would replace"},
		"a link to it":   {link, exitUsage, "would replace"},
		"no such folder": {filepath.Join(t.TempDir(), "none", "a.state"), exitInput, "none"},
	} {
		if r := command(t, "", "merge", "--state", c.to, state); r.code != c.code || r.out != "" || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// What was known only in part still is.
	part := gzipped(t, strings.Repeat(logLine("/p", "GPTBot/1"), 9))
	broken := filepath.Join(t.TempDir(), "broken.state")
	if r := command(t, "", "audit", "--robots", robots, "--state", broken, file(t, "b.log.gz", part[:len(part)-4])); r.code != exitInput {
		t.Fatalf("%+v", r)
	}
	sum := filepath.Join(t.TempDir(), "sum.state")
	for _, args := range [][]string{{"--state", sum, broken, state}, {sum}} {
		if r := command(t, "", append([]string{"merge", "--output", "json"}, args...)...); r.code != exitInput || auditJSON(t, r)["partial"] != true {
			t.Errorf("%v: %+v", args, r)
		}
	}
}
