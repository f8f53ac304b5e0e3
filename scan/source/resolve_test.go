package source

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// tree makes files, each containing its name, and moves there.
func tree(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, n := range names {
		if err := os.MkdirAll(filepath.Dir(n), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(n, []byte(n+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func names(ins []*Input) string {
	var n []string
	for _, in := range ins {
		n = append(n, in.Name)
	}
	return strings.Join(n, " ")
}

func TestInputs(t *testing.T) {
	tree(t, "b.log", "a.log", "c[1].log", "c1.log", ".hidden.log", "dir/2.log", "dir/1.log", "dir/.no", "dir/sub/3.log",
		"x/sub/4.log", ".git/5.log")
	if err := os.Mkdir("void", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "a.log"), filepath.Join("dir", "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, want     string
		warnings, errs int
	}{
		{"a.log b.log", "a.log b.log", 0, 0},
		{"b.log a.log", "b.log a.log", 0, 0},
		{"*.log", "a.log b.log c1.log c[1].log", 0, 0},
		{".*.log", ".hidden.log", 0, 0},
		{"c[1].log", "c[1].log", 0, 0}, // the exact name comes before the pattern
		{"c[0-9].log", "c1.log", 0, 0},
		{"?.log", "a.log b.log", 0, 0},
		{"dir", "dir/1.log dir/2.log dir/link dir/sub/3.log", 0, 0},
		{"dir/", "dir/1.log dir/2.log dir/link dir/sub/3.log", 0, 0},
		{"*/*.log", "dir/1.log dir/2.log", 0, 0},
		{"*/sub/*", "dir/sub/3.log x/sub/4.log", 0, 0},
		{"x*", "x/sub/4.log", 0, 0},
		{"void", "", 0, 1}, // a directory with no file in it
		{"d*", "dir/1.log dir/2.log dir/link dir/sub/3.log", 0, 0},
		{"a.log ./a.log", "a.log", 1, 0},
		{"a.log dir", "a.log dir/1.log dir/2.log dir/sub/3.log", 1, 0},
		{"- a.log -", "- a.log", 1, 0},
		{"missing a.log no*match [ void b.log", "a.log b.log", 0, 4},
		{"a.log/b", "", 0, 1},
		{"", "", 0, 1},
	} {
		ins, warnings, errs := Inputs(t.Context(), strings.Split(c.args, " "), strings.NewReader(""), Limits{})
		if names(ins) != c.want || len(warnings) != c.warnings || len(errs) != c.errs {
			t.Errorf("%q: %q, want %q; warnings %q, errors %v", c.args, names(ins), c.want, warnings, errs)
		}
	}
	_, _, errs := Inputs(t.Context(), []string{"missing", "no*match"}, nil, Limits{})
	for i, name := range []string{"missing", "no*match"} {
		if !errors.Is(errs[i], fs.ErrNotExist) || strings.Count(errs[i].Error(), name) != 1 {
			t.Error(errs[i])
		}
	}
}

func TestDirectoryIsReadRecursively(t *testing.T) {
	tree(t, "logs/b/2.log", "logs/b/1.log", "logs/a.log", "logs/c/deep/er/x.log", "logs/.git/no.log", "logs/b/.no.log",
		"other/o.log")
	for link, to := range map[string]string{"logs/b/loop": "..", "logs/self": ".", "logs/there": "../other",
		"logs/z.log": "a.log"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	ins, warnings, errs := Inputs(t.Context(), []string{"logs"}, nil, Limits{})
	if names(ins) != "logs/a.log logs/b/1.log logs/b/2.log logs/c/deep/er/x.log" {
		t.Error(names(ins))
	}
	if want := []string{"logs/z.log is the same file as logs/a.log: read once"}; !slices.Equal(warnings, want) {
		t.Errorf("%q", warnings)
	}
	// What is after the other links to directories is read under its own name.
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "logs/there: a link to a directory") {
		t.Error(errs)
	}
	if ins, _, errs := Inputs(t.Context(), []string{"logs", "other"}, nil, Limits{}); len(ins) != 5 || len(errs) != 0 {
		t.Error(names(ins), errs)
	}
}

// TestNothingIsLeftOutInSilence checks that each unread entry of a folder, or match of a pattern,
// is an error, and that the rest is read.
func TestNothingIsLeftOutInSilence(t *testing.T) {
	tree(t, "logs/a.log", "logs/b/1.log", "logs/gone.log", "logs/z.log")
	for link, to := range map[string]string{"logs/nowhere": "missing", "logs/round": "about", "logs/about": "round"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", "logs/socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	defer disk.Inject(func(op disk.Op, name string) error {
		switch {
		case op == disk.OpReadDir && name == "logs/b":
			return fs.ErrPermission
		case op == disk.OpStat && name == "logs/gone.log":
			return fs.ErrNotExist // removed when the folder had been read
		}
		return nil
	})()
	for arg, want := range map[string]string{
		"logs":        "logs/about logs/b logs/gone.log logs/nowhere logs/round logs/socket",
		"logs/*":      "logs/about logs/b logs/gone.log logs/nowhere logs/round",
		"l*/?*":       "logs/about logs/b logs/gone.log logs/nowhere logs/round",
		"logs/*/*":    "logs/about logs/b logs/round",
		"*/b/[0-9]*":  "logs/b",
		"l*/gone.log": "l*/gone.log",
	} {
		_, _, errs := Inputs(t.Context(), []string{arg}, nil, Limits{})
		var failed []string
		for _, err := range errs {
			var e *Error
			if errors.As(err, &e) {
				failed = append(failed, e.Name)
			}
		}
		slices.Sort(failed)
		if got := strings.Join(failed, " "); got != want {
			t.Errorf("%s: errors of %q, want %q", arg, got, want)
		}
	}
	if ins, _, _ := Inputs(t.Context(), []string{"logs"}, nil, Limits{}); names(ins) != "logs/a.log logs/z.log" {
		t.Error(names(ins))
	}
}

// TestDirectoryAsFile has a file that becomes a directory before it is read.
func TestDirectoryAsFile(t *testing.T) {
	tree(t, "file")
	in := file(t, "file")
	os.Remove("file")
	os.Mkdir("file", 0o755)
	if _, err := in.Head(1); !errors.Is(err, errDirectory) {
		t.Error(err)
	}
	_, res := readAll(t, []*Input{in}, Options{}, 1)
	if !errors.Is(res[0].Err, errDirectory) {
		t.Error(res[0].Err)
	}
	if _, err := NewFile("file"); !errors.Is(err, errDirectory) {
		t.Error(err)
	}
}

// TestStdinIsAFile checks that standard input redirected from a file has a size and is that file.
func TestStdinIsAFile(t *testing.T) {
	tree(t, "log")
	f, err := os.Open("log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ins, warnings, _ := Inputs(t.Context(), []string{"-", "log"}, f, Limits{})
	if names(ins) != "-" || ins[0].Size != 4 || len(warnings) != 1 {
		t.Error(names(ins), ins[0].Size, warnings)
	}
	got, _ := readAll(t, ins, Options{}, 1)
	if string(joined(got[0])) != "log\n" {
		t.Errorf("%q", joined(got[0]))
	}
}

// TestRotatedSetsAreReadFromTheOldest sorts shuffled lists.
func TestRotatedSetsAreReadFromTheOldest(t *testing.T) {
	for _, want := range [][]string{
		{"access.log.10.gz", "access.log.2.gz", "access.log.1", "access.log.0", "access.log"},
		{"access.log-20251231.gz", "access.log-20260101.gz", "access.log-20260102", "access.log"},
		{"access.log.2026-01-01.gz", "access.log.2026-01-02", "access.log"},
		{"access.log-20260101", "access.log.12", "access.log.3.xz", "access.log"},
		{"access-2026-01-01T00-00-00.000.log.gz", "access-2026-01-02T00-00-00.000.log", "access.log"},
		{"u_ex260101.log", "u_ex260102.log", "u_ex260103.log"},
		{"a.log.2", "a.log.1", "a.log", "b.log.3.gz", "b.log"},
		{"1.log", "10.log", "2.log"}, // no rotated set: by name
		{"2026", "2026-01", "x"},
		{"a/access.log.2", "a/access.log", "a/sub/1", "a-b/access.log.2", "b"},
		{"a", "a/b"},
		{"a.2", "a.1/z", "a"},
		{"logs.tar:access.log.2", "logs.tar:access.log.1"},
		{"", ".", "..", "...1"},
	} {
		names := slices.Clone(want)
		for range 20 {
			rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			if slices.SortFunc(names, compareNames); !slices.Equal(names, want) {
				t.Errorf("%q, want %q", names, want)
			}
		}
	}
}

// FuzzOrderOfNames checks that the order is consistent: among three names none can be before and
// after another.
func FuzzOrderOfNames(f *testing.F) {
	f.Add("access.log.2", "access.log.10.gz", "access.log")
	f.Add("a-20260101", "a.1", "a/b")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if compareNames(a, b) != -compareNames(b, a) || (compareNames(a, b) == 0) != (a == b) {
			t.Errorf("%q and %q: %d, %d", a, b, compareNames(a, b), compareNames(b, a))
		}
		if compareNames(a, b) < 0 && compareNames(b, c) < 0 && compareNames(a, c) >= 0 {
			t.Errorf("%q < %q < %q, but not the first and the last", a, b, c)
		}
	})
}
