package job

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// hostOf splits a value of AuditOptions.Hosts, which is SITE or SITE=LOGS.
func hostOf(value string) (site, logs string, named bool) { return strings.Cut(value, "=") }

// assign finds out of which site each log is, for those that name no hosts.
func (l *auditLogs) assign(hosts []string, p *policy.Policy) error {
	unnamed, _ := p.Unnamed()
	var plain policy.Site
	named := map[*auditLog]policy.Site{}
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
		logs, err := l.among(files)
		if err != nil {
			return inputError(fmt.Errorf("--host %s: %w", value, err))
		}
		if len(logs) == 0 {
			return usageError("--host %s: %s is none of the logs to be read", value, files)
		}
		for _, log := range logs {
			log.host, named[log] = text, union(named[log], at)
		}
	}
	if len(named) > 0 {
		unnamed = plain
	}
	for _, log := range l.list {
		log.site = unnamed
		if log.host != "" {
			log.site = named[log]
		}
	}
	l.warnOfSites()
	return nil
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

// among returns the logs that a name stands for.
func (l *auditLogs) among(name string) (list []*auditLog, err error) {
	files, _, errs := source.Inputs([]string{name}, nil)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	for _, log := range l.list {
		if slices.ContainsFunc(files, log.SameFile) {
			list = append(list, log)
		}
	}
	return list, nil
}

// warnOfSites warns if the names of two logs say that they may be of two sites, while they
// name no hosts and are judged as logs of one site.
func (l *auditLogs) warnOfSites() {
	one, other := l.ofTwoSites()
	if one != nil {
		l.warn("%s and %s may be logs of two sites, but are judged as logs of one, because their lines name no hosts: use --host SITE=%s and --host SITE=%s to say whose they are",
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
		if log.format.HasHost() || log.host != "" || log.site.N == 0 || !log.Regular() {
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
var noise = regexp.MustCompile(`^(access|error|other|ssl|tls|https?|vhosts?|combined|common|nginx|apache2?|httpd|logs?|json|txt|gz|zst|bz2|xz|old|bak|[0-9]+[a-z]?)$`)

// logHost finds what may be a host name: labels in lower case, of which the last has only letters.
var logHost = regexp.MustCompile(`^([a-z0-9_-]+\.)+[a-z][a-z]+$`)

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
		if !noise.MatchString(word[i+1:]) {
			break
		}
		word = word[:max(i, 0)]
	}
	for {
		first, rest, found := cutAny(word, separators)
		if !found || !noise.MatchString(first) {
			break
		}
		word = rest
	}
	if !logHost.MatchString(word) {
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
