package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pkg/profile"
	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// profileFlags adds --profile and --profile-dir to a command that may run long. Start
// begins the profile, if the user wants one, and returns the function that ends it.
func profileFlags(cmd *cobra.Command) (start func() (stop func(), err error)) {
	var mode string
	modes := map[string]struct {
		of          func(*profile.Profile)
		file, magic string
	}{
		"cpu":   {profile.CPUProfile, "cpu.pprof", "\x1f\x8b"},
		"mem":   {profile.MemProfile, "mem.pprof", "\x1f\x8b"},
		"trace": {profile.TraceProfile, "trace.out", "go 1."},
	}
	choice(cmd, "profile", "none", "write a profile of this run", to(&mode), "none", "cpu", "mem", "trace")
	dir := cmd.Flags().String("profile-dir", ".", "folder for the profile")
	_ = cmd.MarkFlagDirname("profile-dir")
	return func() (func(), error) {
		if mode == "none" {
			return func() {}, nil
		}
		// If pkg/profile cannot write, it ends the process.
		if err := disk.MkdirAll(*dir, 0o777); err != nil {
			return nil, inputError(err)
		}
		m := modes[mode]
		if err := makeRoom(filepath.Join(*dir, m.file), m.magic); err != nil {
			return nil, err
		}
		// With its own hook the command would not get SIGINT.
		return profile.Start(m.of, profile.ProfilePath(*dir), profile.NoShutdownHook, profile.Quiet).Stop, nil
	}
}

// makeRoom removes a profile that is to be replaced, if it is one by its first bytes, and tries to make a new file of the name.
func makeRoom(name, magic string) error {
	old, err := disk.Lstat(name)
	if err == nil && old.Size() > 0 && !isProfile(name, old, magic) {
		return usageError("--profile would replace %s, which is no profile", name)
	}
	if err == nil {
		err = disk.Remove(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return inputError(err)
	}
	f, err := disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return inputError(err)
	}
	if err := f.Close(); err != nil {
		return inputError(err)
	}
	return nil
}

func isProfile(name string, info fs.FileInfo, magic string) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	f, err := disk.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}
