package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// profileForm is a form of profiles.
type profileForm struct {
	file  string
	is    func(io.Reader) bool // tells a profile of the form by its first bytes
	start func(io.Writer) error
	stop  func(io.Writer) error
}

// heapRate is how many bytes are allocated for each sample of a profile of allocations.
const heapRate = 4 << 10

var profileForms = map[string]profileForm{
	"cpu":   {"cpu.pprof", isPprof, pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
	"mem":   {"mem.pprof", isPprof, func(io.Writer) error { runtime.MemProfileRate = heapRate; return nil }, stopHeap},
	"trace": {"trace.out", isTrace, trace.Start, func(io.Writer) error { trace.Stop(); return nil }},
}

func stopHeap(w io.Writer) error {
	defer withoutHeapProfile()
	return pprof.Lookup("heap").WriteTo(w, 0)
}

// profileFlags adds --profile and --profile-dir to a command that may run long. Start
// begins the profile, if the user wants one and refuse permits its file. It returns the function that ends the profile; if
// nothing of this could be written, it says so, and the command fails.
func profileFlags(cmd *cobra.Command, s streams) (start func(refuse func(name string) error) (stop func(*error), err error)) {
	var mode string
	choice(cmd, "profile", "none", "write a profile of this run", to(&mode), "none", "cpu", "mem", "trace")
	dir := cmd.Flags().String("profile-dir", ".", "folder for the profile")
	_ = cmd.MarkFlagDirname("profile-dir")
	return func(refuse func(string) error) (func(*error), error) {
		if mode == "none" {
			return func(*error) {}, nil
		}
		if err := disk.MkdirAll(*dir, 0o777); err != nil {
			return nil, inputError(err)
		}
		stop, err := profileForms[mode].begin(*dir, refuse)
		if err != nil {
			return nil, err
		}
		return func(failed *error) {
			if err := stop(); err != nil {
				s.warn("writing the profile: %v", err)
				*failed = cmp.Or(*failed, exitWith(exitInput))
			}
		}, nil
	}
}

// begin starts a profile in a folder. The function that it returns ends it.
func (f profileForm) begin(dir string, refuse func(name string) error) (stop func() error, err error) {
	name := filepath.Join(dir, f.file)
	file, err := f.create(name, refuse)
	if err != nil {
		return nil, err
	}
	w := &lossless{Writer: file}
	if err := f.start(w); err != nil {
		return nil, inputError(errors.Join(err, file.Close()))
	}
	return func() error {
		err := cmp.Or(f.stop(w), w.err, file.Close())
		if info, gone := disk.Stat(name); err == nil && (gone != nil || info.Size() == 0) {
			err = fmt.Errorf("%s is empty", name)
		}
		return err
	}, nil
}

// create removes a profile that is to be replaced, and makes a new file of the name.
func (f profileForm) create(name string, refuse func(name string) error) (*disk.File, error) {
	switch old, err := disk.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, inputError(err)
	case !f.replaceable(name, old):
		return nil, usageError("--profile would replace %s, which is no profile", name)
	default:
		if err := refuse(name); err != nil {
			return nil, err
		}
		if err := disk.Remove(name); err != nil {
			return nil, inputError(err)
		}
	}
	file, err := disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, inputError(err)
	}
	if err := refuse(name); err != nil { // another output may have this name too
		return nil, errors.Join(err, file.Close(), disk.Remove(name))
	}
	return file, nil
}

// replaceable tells whether a file is empty or a profile of the form.
func (f profileForm) replaceable(name string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return info.Mode().IsRegular()
	}
	file, err := disk.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	return f.is(file)
}

// isPprof tells the compressed binary message of pprof from a text that is compressed.
func isPprof(r io.Reader) bool {
	z, err := gzip.NewReader(r)
	if err != nil {
		return false
	}
	head, _ := io.ReadAll(io.LimitReader(z, 64))
	isBinary := func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) }
	return bytes.ContainsFunc(head, isBinary)
}

func isTrace(r io.Reader) bool {
	const magic = "go 1."
	head, _ := io.ReadAll(io.LimitReader(r, int64(len(magic))))
	return string(head) == magic
}
