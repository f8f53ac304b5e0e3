// Package release has the release number of the source. Files for later runs, such as states and
// archives, include it.
package release

// Number is the number of this release or, between two releases, of the next one. Until 1.0,
// programs read the files of releases with the same minor number; docs/reference/compatibility.md
// has the details.
const Number = "0.9.0"
