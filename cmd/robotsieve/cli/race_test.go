//go:build race

package cli

// underRace tells whether the race detector runs. It multiplies the memory of a process, and the
// time until one starts.
const underRace = true
