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
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// hostOf splits a value of AuditOptions.Hosts, which is HOST or HOST=PATTERN.
func hostOf(value string) (site, logs string, named bool) { return strings.Cut(value, "=") }

// assign finds out of which site each log is, for those that name no hosts.
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
			return usageError("--host %s: %w", value, err)
		case len(logs) == 0 && l.isPart:
		case len(logs) == 0 && err != nil:
			return inputError(fmt.Errorf("--host %s: %w%s", value, err, l.shownNames()))
		case len(logs) == 0:
			return usageError("--host %s: %s is none of the logs to be read%s", value, files, l.shownNames())
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
	}
	l.warnOfUnnamed(patterns)
	l.warnOfSites()
	return nil
}

// warnOfUnnamed names the logs of no site, if some logs have been given one by their names.
func (l *auditLogs) warnOfUnnamed(some bool) {
	var unnamed []string
	for _, log := range l.list {
		if some && !log.hasHosts && log.site.N == 0 {
			unnamed = append(unnamed, log.Name)
		}
	}
	if len(unnamed) > 0 {
		l.warn("no --host HOST=PATTERN names the site of %s, whose lines name no host either: their requests are not judged", english.List(unnamed))
	}
}

// siteOf returns a site of the policy by its name.
func siteOf(text string, p *policy.Policy) (at policy.Site, err error) {
	list, err := origin.Parse(text)
	if err != nil {
		return at, usageError("--host %w", err)
	}
	for _, o := range list {
		if part, ok := p.Site(o); ok {
			at = union(at, part)
		}
	}
	return at, nil
}

// union returns a site that has all origins of two. It may have others between them:
// a request that may have gone to more origins is judged with more care, never with less.
func union(a, b policy.Site) policy.Site {
	if a.N == 0 || b.N == 0 {
		return policy.Site{First: max(a.First, b.First), N: max(a.N, b.N)}
	}
	first, last := min(a.First, b.First), max(a.First+a.N, b.First+b.N)
	return policy.Site{First: first, N: last - first}
}

// among returns the logs that LOGS of a value of AuditOptions.Hosts stands for. The error is that of the file, if there is one.
func (l *auditLogs) among(logs string) (list []*auditLog, err error) {
	if err := checkPattern(logs); err != nil {
		return nil, err
	}
	files, _, errs := source.Inputs(context.Background(), []string{logs}, nil, source.Limits{Closed: true})
	isFile := func(log *auditLog) bool { return slices.ContainsFunc(files, log.SameFile) }
	if list = l.which(isFile); len(list) == 0 || strings.ContainsAny(logs, wildcards) {
		list = l.which(func(log *auditLog) bool { return isFile(log) || namedBy(log.Name, logs) })
	}
	return list, errors.Join(errs[:min(len(errs), 1)]...)
}

// which returns the logs for which a test is true.
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

// namedBy tells whether a pattern matches the name of a log, or the end of it behind a separator, or such a part of it that is the
// name of a folder or of an archive. A wildcard matches within one part of the name.
func namedBy(name, pattern string) bool {
	parts, patterns := nameParts(name), nameParts(pattern)
	for ; len(parts) >= len(patterns); parts = parts[1:] {
		if matchAll(parts, patterns) {
			return true
		}
	}
	return false
}

// matchAll tells whether each pattern matches the part of a name at its place.
func matchAll(parts, patterns []string) bool {
	for i, pattern := range patterns {
		if same, err := path.Match(pattern, parts[i]); !same || err != nil {
			return false
		}
	}
	return true
}

// nameParts returns the names of the folders, of the archive and of the file in the name of an input. That of the root is empty.
func nameParts(name string) []string {
	return strings.Split(strings.ReplaceAll(filepath.ToSlash(filepath.Clean(name)), source.MemberSeparator, "/"), "/")
}

// shownNames says how the first logs are called, for an error about a name.
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

// warnOfSites warns if the names of two logs say that they may be of two sites, while they
// name no hosts and are judged as logs of one site.
func (l *auditLogs) warnOfSites() {
	one, other := l.ofTwoSites()
	if one != nil {
		l.warn("%s and %s may be logs of two sites, but are judged as logs of one, because their lines name no hosts: use --host HOST=%s and --host HOST=%s to say whose they are",
			one.Name, other.Name, one.Name, other.Name)
	}
}

// ofTwoSites returns two logs with different host names in their names, or with the same
// name in different folders; nil if there are none. Folders whose names differ in numbers
// alone are of days or of servers.
func (l *auditLogs) ofTwoSites() (one, other *auditLog) {
	type fileName struct {
		site policy.Site
		name string
	}
	hosts, names := map[policy.Site]*auditLog{}, map[fileName]*auditLog{}
	for _, log := range slices.SortedFunc(slices.Values(l.list), func(a, b *auditLog) int { return strings.Compare(a.Name, b.Name) }) {
		if log.hasHosts || log.host != "" || log.site.N == 0 || !log.Regular() {
			continue
		}
		host, name := hostIn(log.Name), fileName{log.site, filepath.Base(log.Name)}
		if first := hosts[log.site]; host != "" && first == nil {
			hosts[log.site] = log
		} else if host != "" && host != hostIn(first.Name) {
			return first, log
		}
		if first := names[name]; first == nil {
			names[name] = log
		} else if hostIn(first.Name) != host || host == "" && !sameButNumbers(filepath.Dir(first.Name), filepath.Dir(log.Name)) {
			return first, log
		}
	}
	return nil, nil
}

// noise are the words in names of logs that name no host.
var noise = lazy.Regexp(`^(access|error|other|ssl|tls|https?|vhosts?|combined|common|nginx|apache2?|httpd|logs?|json|txt|gz|zst|bz2|xz|old|bak|[0-9]+[a-z]?)$`)

// logHost finds what may be a host name: labels in lower case, of which the last has only letters.
var logHost = lazy.Regexp(`^([a-z0-9_-]+\.)+[a-z][a-z]+$`)

// hostIn returns the host name in the name of a log, such as b.example in
// logs/b.example-access.log.1.gz; "" if there seems to be none.
func hostIn(name string) string {
	name = filepath.ToSlash(name)
	for name != "." && name != "/" {
		if host := hostInWord(path.Base(name)); host != "" {
			return host
		}
		name = path.Dir(name)
	}
	return ""
}

func hostInWord(word string) string {
	const separators = ".-_"
	for {
		i := strings.LastIndexAny(word, separators)
		if !noise().MatchString(word[i+1:]) {
			break
		}
		word = word[:max(i, 0)]
	}
	for {
		first, rest, found := cutAny(word, separators)
		if !found || !noise().MatchString(first) {
			break
		}
		word = rest
	}
	if !logHost().MatchString(word) {
		return ""
	}
	return word
}

// cutAny cuts a text at the first of some characters.
func cutAny(s, chars string) (before, after string, found bool) {
	i := strings.IndexAny(s, chars)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// sameButNumbers tells whether two names differ in nothing but digits and what separates
// them, as folders of days and of servers do.
func sameButNumbers(a, b string) bool {
	const numbers = "0123456789-_.:T/\\"
	strip := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(numbers, r) {
				return -1
			}
			return r
		}, s)
	}
	return strip(a) == strip(b)
}
