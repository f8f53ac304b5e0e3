package policy

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// ReadArchive reads a source in the form of an archive that robotsieve compile has made. It holds
// rules, and no texts: each text is restored from the rules, each on its line, and is the body if
// it says the same in all dialects of the archive. Otherwise the body is not known. Comments and
// sizes are not in it, and it ends with a line that says so of Sitemap lines. A version whose
// redirects lead past a robots.txt is one that cannot be followed. A version without a date is in force from MinTime on. Rows that take
// more than memory bytes are disk.ErrMemory.
func ReadArchive(path string, memory int64) (rows []Row, err error) {
	mapped, err := disk.Map(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, mapped.Close()) }()
	err = mapped.Use(func() error {
		a, err := archive.Open(mapped.Data, compile.Semantics, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r := &restorer{archive: a, file: filepath.Base(path), texts: map[[sha256.Size]byte][]byte{}}
		for o, err := range a.Origins() {
			if err == nil {
				err = r.origin(o)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if a.Limit(memory / 4); r.size+int64(len(r.rows))*VersionBytes > memory/2 {
				return fmt.Errorf("%s: %w", path, disk.ErrMemory)
			}
		}
		rows = r.rows
		return nil
	})
	return rows, err
}

// IsArchive reports whether a file is an archive, also one of another version.
func IsArchive(path string) bool {
	f, err := disk.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := f.Read(head)
	_, err = archive.Open(head[:n], compile.Semantics, nil)
	return !errors.Is(err, archive.ErrNotArchive)
}

// restorer makes rows of an archive.
type restorer struct {
	archive *archive.Archive
	file    string
	rows    []Row
	texts   map[[sha256.Size]byte][]byte // each once
	size    int64                        // of texts
}

// origin adds the versions of an origin.
func (r *restorer) origin(o archive.Origin) error {
	key := string(o.Key)
	origins, err := origin.Parse(key)
	if err != nil {
		return fmt.Errorf("bad origin %w", err)
	}
	for _, v := range o.Versions {
		row := Row{Origins: origins, From: MinTime, Status: int(v.Status), Where: r.file + ": " + key}
		if v.From != math.MinInt64 {
			if row.From, err = parseTime(time.Unix(v.From, 0).UTC().Format(time.RFC3339), time.RFC3339); err != nil {
				return err
			}
		}
		if v.HasRules {
			if err := r.body(&row, o.Key, v.From); err != nil {
				return err
			}
		}
		r.rows = append(r.rows, row)
	}
	return nil
}

// body sets the body of a row, or its digest.
func (r *restorer) body(row *Row, key []byte, at int64) error {
	var sets []*automaton.Ruleset
	for _, d := range r.archive.Dialects() {
		e, _, err := r.archive.LookupAt(key, d, at)
		if err != nil {
			return err
		}
		if e.Via != "" {
			row.Status = 302
			return nil
		}
		sets = append(sets, e.Ruleset)
	}
	row.Size, row.Digest = -1, "rules"
	if text := textOf(sets); text != nil {
		text = append(text, unknownSitemaps...)
		sum := sha256.Sum256(text)
		if r.texts[sum] == nil {
			r.texts[sum] = text
			r.size += int64(len(text))
		}
		row.Body, row.Digest, row.File = r.texts[sum], "", row.Where
	}
	return nil
}

// textOf returns a text with the rules of a robots.txt as each dialect reads it; nil if there is
// none.
func textOf(sets []*automaton.Ruleset) []byte {
	for _, set := range sets {
		if text := restore(set); text != nil && !slices.ContainsFunc(sets, func(s *automaton.Ruleset) bool {
			return !sameRules(s, compile.Compile(text, compile.Options{Dialect: s.Dialect(), MaxBytes: -1}).Ruleset)
		}) {
			return text
		}
	}
	return nil
}

// sameRules reports whether two rulesets of one dialect are for the same crawlers, and are certain
// to forbid them the same by the same lines.
func sameRules(x, y *automaton.Ruleset) bool {
	return (x.Wildcard() == nil) == (y.Wildcard() == nil) && x.Wildcard().Agrees(y.Wildcard()) &&
		slices.EqualFunc(x.Agents(), y.Agents(), func(a, b automaton.TokenMachine) bool {
			return a.Token == b.Token && a.Machine.Agrees(b.Machine)
		})
}

// The limits of a text that is restored: its lines, and the gaps of a rule that mean nothing.
const (
	maxLines = 1 << 20
	maxGaps  = 1 << 10
)

// restoredGroup is a group: the names of its crawlers, and its rules by their lines. Machines that
// have the rules of one group share its list.
type restoredGroup struct {
	agents []string
	rules  map[uint32]string
}

// restore writes a text with the rules of a ruleset, each on its own line; nil if there is no room
// between them for the lines that name the crawlers.
func restore(set *automaton.Ruleset) []byte {
	agents := slices.Clone(set.Agents())
	if m := set.Wildcard(); m != nil {
		agents = append(agents, automaton.TokenMachine{Token: "*", Machine: m})
	}
	groups := map[*automaton.Rule]*restoredGroup{}
	first := map[uint32]*restoredGroup{} // by their first lines
	last := &restoredGroup{}             // of those that no rule binds
	for _, a := range agents {
		lists := a.Machine.Lists()
		if len(lists) == 0 {
			last.agents = append(last.agents, a.Token)
		}
		for _, list := range lists {
			g := groups[&list[0]]
			if g == nil {
				g = newGroup(list)
				groups[&list[0]], first[slices.Min(slices.Collect(maps.Keys(g.rules)))] = g, g
			}
			g.agents = append(g.agents, a.Token)
		}
	}
	b := []byte{}
	written := uint32(0) // lines
	for _, begins := range slices.Sorted(maps.Keys(first)) {
		g := first[begins]
		names, before := agentLines(g.agents), written+uint32(len(g.agents))
		for _, line := range slices.Sorted(maps.Keys(g.rules)) {
			if before >= line || line > maxLines {
				return nil
			}
			b = append(b, strings.Repeat("\n", int(line-before)-1)+names+g.rules[line]+"\n"...)
			names, written, before = "", line, line
		}
	}
	return append(b, agentLines(last.agents)...)
}

// newGroup returns a group of the rules of a list. Of two rules of one line, as for an index page
// and its folder, the longer is the text.
func newGroup(list []automaton.Rule) *restoredGroup {
	g := &restoredGroup{rules: map[uint32]string{}}
	for i := range list {
		line, text := list[i].Verdict.Line, ruleText(&list[i])
		if len(text) > len(g.rules[line]) {
			g.rules[line] = text
		}
	}
	return g
}

func agentLines(names []string) (text string) {
	for _, name := range names {
		text += "User-agent: " + name + "\n"
	}
	return text
}

// ruleText returns the line of a rule. Gaps that the archive leaves out, because they mean nothing,
// count for the length that the rule is ranked by.
func ruleText(r *automaton.Rule) string {
	key, pattern := "Allow: ", r.Pattern
	if r.Verdict.Disallowed {
		key = "Disallow: "
	}
	if r.AtEnd {
		pattern += "$"
	}
	gaps := strings.Repeat("*", min(max(compile.PatternLength(r.Rank)-len(pattern), 0), maxGaps))
	if r.AtEnd {
		return key + strings.Replace(pattern, "*", gaps+"*", 1)
	}
	return key + pattern + gaps
}
