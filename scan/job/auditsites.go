package job

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// hostOf splits a value of AuditOptions.Hosts, which is HOST or HOST=PATTERN.
func hostOf(value string) (site, logs string, named bool) { return strings.Cut(value, "=") }

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
			plain = plain.Union(at)
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
			log.host, named[log] = text, named[log].Union(at)
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
		log.siteUnknown = patterns && !log.HasHosts && log.site.N == 0
	}
	return nil
}

func siteOf(text string, p *policy.Policy) (at policy.Site, err error) {
	list, err := origin.Parse(text)
	if err != nil {
		return at, usageError("option Hosts %w", err)
	}
	for _, o := range list {
		if part, ok := p.Site(o); ok {
			at = at.Union(part)
		}
	}
	return at, nil
}

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
		at = at.Union(part)
	}
	return at, nil
}

// among returns the logs that the PATTERN of a value of AuditOptions.Hosts selects. The error is
// the error of the file, if any.
func (l *auditLogs) among(logs string) (list []*auditLog, err error) {
	if err := source.CheckPattern(logs); err != nil {
		return nil, err
	}
	files, _, errs := source.Inputs(context.Background(), []string{logs}, nil, source.Limits{Closed: true})
	isFile := func(log *auditLog) bool { return slices.ContainsFunc(files, log.SameFile) }
	list = l.which(isFile)
	if len(list) == 0 || source.HasWildcards(logs) {
		list = l.which(func(log *auditLog) bool { return isFile(log) || source.NamedBy(log.Name, logs) })
	}
	return list, errors.Join(errs[:min(len(errs), 1)]...)
}

func (l *auditLogs) which(test func(*auditLog) bool) (list []*auditLog) {
	for _, log := range l.list {
		if test(log) {
			list = append(list, log)
		}
	}
	return list
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
