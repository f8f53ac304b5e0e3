package main

// beforeAnything is the end of a command that was interrupted before it had
// anything to report.
func beforeAnything(s streams) error {
	s.warn("interrupted before anything was done")
	return exitWith(exitInterrupted)
}
