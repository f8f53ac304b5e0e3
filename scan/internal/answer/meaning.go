package answer

import "github.com/robotsieve/robotsieve/internal/status"

// Package status defines the meanings of statuses by dialect.
type (
	Meaning = status.Meaning
	Class   = status.Class
)

// The meanings and the classes of that table.
const (
	File     = status.File
	Redirect = status.Redirect
	None     = status.None
	Failed   = status.Failed
	Nothing  = status.Nothing

	Others  = status.Others
	Google  = status.Google
	Archive = status.Archive
)

// Of is status.Of, the meaning of an HTTP status to a class of readers.
func Of(code int, by Class) Meaning { return status.Of(code, by) }

// MayBeGone is status.MayBeGone.
func MayBeGone(code int, by Class) bool { return status.MayBeGone(code, by) }
