package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf8"

	"github.com/pkg/profile"
	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// profileForm is a form of profiles.
type profileForm struct {
	of   func(*profile.Profile)
	file string
	is   func(io.Reader) bool // tells a profile of the form by its first bytes
}

// profileFlags adds --profile and --profile-dir to a command that may run long. Start begins the profile, if
// the user wants one and refuse permits its file. It returns the function that ends the profile; if nothing
// of this could be written, it says so, and the command fails.
func profileFlags(cmd *cobra.Command, s streams) (start func(refuse func(name string) error) (stop func(*error),
	err error)) {
	var mode string
	forms := map[string]profileForm{
		"cpu":   {profile.CPUProfile, "cpu.pprof", isPprof},
		"mem":   {profile.MemProfile, "mem.pprof", isPprof},
		"trace": {profile.TraceProfile, "trace.out", isTrace},
	}
	choice(cmd, "profile", "none", "write a profile of this run", to(&mode), "none", "cpu", "mem", "trace")
	dir := cmd.Flags().String("profile-dir", ".", "folder for the profile")
	_ = cmd.MarkFlagDirname("profile-dir")
	return func(refuse func(string) error) (func(*error), error) {
		if mode == "none" {
			return func(*error) {}, nil
		}
		// If pkg/profile cannot write, it ends the process.
		if err := disk.MkdirAll(*dir, 0o777); err != nil {
			return nil, inputError(err)
		}
		if err := forms[mode].makeRoom(*dir, refuse); err != nil {
			return nil, err
		}
		// With its own hook the command would not get SIGINT.
		running := profile.Start(forms[mode].of, profile.ProfilePath(*dir), profile.NoShutdownHook, profile.Quiet)
		return func(failed *error) {
			running.Stop() // it has no error to return
			name := filepath.Join(*dir, forms[mode].file)
			if info, err := disk.Stat(name); err != nil || info.Size() == 0 {
				s.warn("writing the profile: %s is empty", name)
				*failed = cmp.Or(*failed, exitWith(exitInput))
			}
		}, nil
	}
}

// makeRoom removes a profile that is to be replaced, and makes a new file of the name.
func (f profileForm) makeRoom(dir string, refuse func(name string) error) error {
	name := filepath.Join(dir, f.file)
	switch old, err := disk.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return inputError(err)
	case !f.replaceable(name, old):
		return usageError("--profile would replace %s, which is no profile", name)
	default:
		if err := refuse(name); err != nil {
			return err
		}
		if err := disk.Remove(name); err != nil {
			return inputError(err)
		}
	}
	file, err := disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return inputError(err)
	}
	if err := file.Close(); err != nil {
		return inputError(err)
	}
	if err := refuse(name); err != nil { // another output may have this name too
		return errors.Join(err, disk.Remove(name))
	}
	return nil
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
