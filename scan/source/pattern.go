package source

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// HasWildcards reports whether a text has a character that makes it a pattern.
func HasWildcards(pattern string) bool { return strings.ContainsAny(pattern, "*?[") }

// CheckPattern returns an error that wraps path.ErrBadPattern if a pattern is malformed.
func CheckPattern(pattern string) error {
	if !HasWildcards(pattern) {
		return nil
	}
	if _, err := disk.Lstat(pattern); err == nil {
		return nil // the name of a file
	}
	for _, part := range nameParts(pattern) {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("%s: %w", pattern, err)
		}
	}
	return nil
}

// NamedBy reports whether a pattern matches the name of an input, or the end of it after a separator,
// or a part that names a folder or an archive. A wildcard matches within one
// part of the name.
func NamedBy(name, pattern string) bool {
	parts, patterns := nameParts(name), nameParts(pattern)
	for n := len(patterns); len(parts) >= n; parts = parts[1:] {
		if same, _ := path.Match(strings.Join(patterns, "/"), strings.Join(parts[:n], "/")); same {
			return true
		}
	}
	return false
}

// nameParts returns the names of the folders, the archive and the file in the name of an
// input. The root's is empty.
func nameParts(name string) []string {
	return strings.Split(strings.ReplaceAll(filepath.ToSlash(filepath.Clean(name)), MemberSeparator, "/"), "/")
}
