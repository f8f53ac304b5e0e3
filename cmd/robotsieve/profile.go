package main

import (
	"github.com/pkg/profile"
	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// profileFlags adds --profile and --profile-dir to a command that may run long. Start
// begins the profile, if the user wants one, and returns the function that ends it.
func profileFlags(cmd *cobra.Command) (start func() (stop func(), err error)) {
	var mode string
	modes := map[string]func(*profile.Profile){
		"cpu": profile.CPUProfile, "mem": profile.MemProfile, "trace": profile.TraceProfile,
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
		f, err := disk.CreateTemp(*dir, ".profile-*")
		if err != nil {
			return nil, inputError(err)
		}
		f.Close()
		disk.Remove(f.Name())
		// With its own hook the command would not get SIGINT.
		return profile.Start(modes[mode], profile.ProfilePath(*dir), profile.NoShutdownHook, profile.Quiet).Stop, nil
	}
}
