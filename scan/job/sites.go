package job

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// hostOf splits a value of AuditOptions.Hosts, which is HOST or HOST=PATTERN.
func hostOf(value string) (site, logs string, named bool) { return strings.Cut(value, "=") }

// filesOf returns the files on disk that a PATTERN of AuditOptions.Hosts names, and errors
// for missing ones.
func filesOf(pattern string) ([]*source.Input, []error) {
	files, _, errs := source.Inputs(context.Background(), []string{pattern}, nil, source.Limits{Closed: true})
	return files, errs
}

// assign determines the site of each log that names no hosts.
func (l *auditLogs) assign(hosts []string, p *policy.Policy) error {
	unnamed, _ := p.Unnamed()
	var plain policy.Site
	named, patterns := map[*auditLog]policy.Site{}, false
	for _, value := range hosts {
		text, files, hasFiles := hostOf(value)
		at, err := siteOf(text, p)
		if err != nil {
			return err
		}
		if !hasFiles {
			plain = union(plain, at)
			continue
		}
		patterns = true
		logs, err := l.among(files)
		switch {
		case errors.Is(err, path.ErrBadPattern):
			return usageError("option Hosts %s: %w", value, err)
		case len(logs) == 0 && err != nil:
			return inputError(fmt.Errorf("option Hosts %s: %w%s", value, err, l.shownNames()))
		case len(logs) == 0:
			return usageError("option Hosts %s: %s is none of the logs to be read%s", value, files, l.shownNames())
		}
		for _, log := range logs {
			log.host, named[log] = text, union(named[log], at)
		}
	}
	if patterns {
		unnamed = plain
	}
	for _, log := range l.list {
		log.site = unnamed
		if log.host != "" {
			log.site = named[log]
		}
		log.siteUnknown = patterns && !log.hasHosts && log.site.N == 0
	}
	return nil
}

// siteWarnings warn of logs that may lack a site. All logs are known then,
// in any order.
func siteWarnings(logs []logInfo) (warnings []string) {
	var unnamed []string
	for _, log := range logs {
		if log.SiteUnknown {
			unnamed = append(unnamed, log.Name)
		}
	}
	if unnamed = setOf(unnamed); len(unnamed) > 0 {
		warnings = append(warnings, fmt.Sprintf("no option Hosts HOST=PATTERN names the site of %s, whose lines name no "+
			"host "+
			"either: their requests are not judged", english.List(unnamed)))
	}
	return warnings
}

// siteOf returns a site of the policy by name.
func siteOf(text string, p *policy.Policy) (at policy.Site, err error) {
	list, err := origin.Parse(text)
	if err != nil {
		return at, usageError("option Hosts %w", err)
	}
	for _, o := range list {
		if part, ok := p.Site(o); ok {
			at = union(at, part)
		}
	}
	return at, nil
}

// siteOfOrigins returns the site of origins of a policy.
func siteOfOrigins(origins []string, p *policy.Policy) (at policy.Site, err error) {
	if p.Any() && len(origins) > 0 {
		at, _ = p.Unnamed()
		return at, nil
	}
	for _, text := range origins {
		part, err := siteOf(text, p)
		if err != nil {
			return at, errors.Unwrap(err) // it is no option of the user
		}
		at = union(at, part)
	}
	return at, nil
}

// union returns a site with all origins of two. It may include others between them:
// the more origins a request may have gone to, the more cautiously it is judged.
func union(a, b policy.Site) policy.Site {
	if a.N == 0 || b.N == 0 {
		return policy.Site{First: max(a.First, b.First), N: max(a.N, b.N)}
	}
	first, last := min(a.First, b.First), max(a.First+a.N, b.First+b.N)
	return policy.Site{First: first, N: last - first}
}

// among returns the logs that the PATTERN of a value of AuditOptions.Hosts selects. The error is
// the error of the file, if any.
func (l *auditLogs) among(logs string) (list []*auditLog, err error) {
	if err := checkPattern(logs); err != nil {
		return nil, err
	}
	files, errs := filesOf(logs)
	isFile := func(log *auditLog) bool { return slices.ContainsFunc(files, log.SameFile) }
	list = l.which(isFile)
	if len(list) == 0 || strings.ContainsAny(logs, wildcards) {
		list = l.which(func(log *auditLog) bool { return isFile(log) || namedBy(log.Name, logs) })
	}
	return list, errors.Join(errs[:min(len(errs), 1)]...)
}

// which returns the logs that pass a test.
func (l *auditLogs) which(test func(*auditLog) bool) (list []*auditLog) {
	for _, log := range l.list {
		if test(log) {
			list = append(list, log)
		}
	}
	return list
}

const wildcards = "*?["

// checkPattern returns an error that wraps path.ErrBadPattern if a pattern is malformed.
func checkPattern(pattern string) error {
	if !strings.ContainsAny(pattern, wildcards) {
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

// namedBy reports whether a pattern matches the name of a log, or the end of it after a separator,
// or a part that names a folder or an archive. A wildcard matches within one
// part of the name.
func namedBy(name, pattern string) bool {
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
	return strings.Split(strings.ReplaceAll(filepath.ToSlash(filepath.Clean(name)), source.MemberSeparator, "/"), "/")
}

// shownNames lists the first logs, for an error about a name.
func (l *auditLogs) shownNames() string {
	if len(l.list) == 0 {
		return ""
	}
	var names []string
	for _, log := range l.list {
		names = append(names, log.Name)
	}
	return fmt.Sprintf(" (the names of the logs: %s)", english.List(names))
}
