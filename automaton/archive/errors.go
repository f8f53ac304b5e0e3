package archive

import (
	"errors"
	"fmt"
)

// Errors for errors.Is. Damage is reported as a *DamageError.
var (
	// ErrNotArchive is returned by Open if the bytes do not begin like an archive.
	ErrNotArchive = errors.New("not an archive of rulesets")
	// ErrVersion is returned by Open for an archive in another version of the format.
	ErrVersion = errors.New("unsupported format")
	// ErrSemantics is returned by Open for an archive compiled by a program that reads or matches
	// robots.txt differently.
	ErrSemantics = errors.New("rules of another meaning")
	// ErrDialect is returned by Lookup for a dialect that the archive does not hold, by Open for an
	// unknown one, and by NewWriter and Add for one that is unknown, duplicate or out of order.
	ErrDialect = errors.New("wrong dialect")
	// ErrDuplicate is returned by WriteTo if an origin was added with two different answers for the same instant.
	ErrDuplicate = errors.New("the same origin twice")
	// ErrLimit is returned by a Writer if it is given more than the format can hold.
	ErrLimit = errors.New("more than an archive can hold")
)

// DamageError is returned by Open and Lookup for bytes that begin like an archive but cannot be the
// output of a Writer.
type DamageError struct {
	// Part is the damaged part: "file" if it is truncated or too long, "index" (which includes the
	// header), or "ruleset".
	Part string
	// Ruleset is the number of the damaged ruleset, if Part is "ruleset". Origins with other rulesets
	// can still be looked up.
	Ruleset int
	// Reason is how the damage was detected.
	Reason string
}

// Error describes the damage in a sentence.
func (e *DamageError) Error() string {
	part := e.Part
	if part == "ruleset" {
		part = fmt.Sprintf("ruleset %d", e.Ruleset)
	}
	return fmt.Sprintf("archive: damaged %s: %s", part, e.Reason)
}

// Reasons of damage.
const (
	wrongChecksum = "the checksum is wrong"
	wrongLengths  = "lengths contradict each other"
)

// Errors of an index with invalid offsets, and of a damaged group of origins.
var (
	errIndex = &DamageError{Part: "index", Reason: wrongLengths}
	errGroup = &DamageError{Part: "index", Reason: wrongChecksum}
)
