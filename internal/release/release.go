// Package release has the number of the release that the source is of. What the program writes for later
// runs, such as states and archives, carries it.
package release

// Number is the number of this release or, between two releases, of the next one. Until 1.0, files of the
// same minor number are read by each other's programs; docs/reference/compatibility.md says which.
const Number = "0.9.0"
