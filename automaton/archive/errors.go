package archive

import (
	"errors"
	"fmt"
)

// Errors of this package, for errors.Is. What is damaged is a *DamageError.
var (
	// ErrNotArchive is the error of Open for bytes that do not begin as an archive does.
	ErrNotArchive = errors.New("not an archive of rulesets")
	// ErrVersion is the error of Open for an archive in another version of the format.
	ErrVersion = errors.New("unsupported format")
	// ErrSemantics is the error of Open for an archive whose rules were compiled by a program
	// that read or matched robots.txt in another way.
	ErrSemantics = errors.New("rules of another meaning")
	// ErrDialect is the error of Lookup for a dialect that the archive does not hold, of
	// Open for one that this program does not know, and of NewWriter and Add for one that
	// is unknown, given twice, or not the one in its place.
	ErrDialect = errors.New("wrong dialect")
	// ErrDuplicate is the error of WriteTo for an origin that was added with two answers for
	// one instant.
	ErrDuplicate = errors.New("the same origin twice")
	// ErrLimit is the error of a Writer that is given more than the format can hold.
	ErrLimit = errors.New("more than an archive can hold")
)

// DamageError is the error of Open and Lookup for bytes that begin as an archive does, but
// that no Writer has written.
type DamageError struct {
	// Part is the damaged part: "file", if it was cut short or goes on too long; "index",
	// which is the header too; or "ruleset".
	Part string
	// Ruleset is the number of the ruleset, if a ruleset is damaged. Origins with
	// other rulesets can still be looked up.
	Ruleset int
	// Reason says how that was found.
	Reason string
}

// Error says in a sentence what is damaged.
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

// The errors of an index that leads nowhere, and of a group of origins in it.
var (
	errIndex = &DamageError{Part: "index", Reason: wrongLengths}
	errGroup = &DamageError{Part: "index", Reason: wrongChecksum}
)
