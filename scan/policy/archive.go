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
// redirects lead past a robots.txt is one that cannot be followed. A version without a date is in force
// from MinTime on. Rows that take more than memory bytes are disk.ErrMemory.
func ReadArchive(path string, memory int64) ([]Row, error) {
	mapped, err := disk.Map(path)
	if err != nil {
		return nil, err
	}
	r := &restorer{file: filepath.Base(path), texts: map[[sha256.Size]byte][]byte{}}
	err = mapped.Use(func() error {
		if err := r.read(mapped.Data, memory); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	if err = errors.Join(err, mapped.Close()); err != nil {
		return nil, err
	}
	return r.rows, nil
}

// restorer makes rows of an archive.
type restorer struct {
	archive *archive.Archive
	file    string
	rows    []Row
	texts   map[[sha256.Size]byte][]byte // each once
	size    int64                        // of texts
}

// read reads the versions of all origins.
func (r *restorer) read(data []byte, memory int64) (err error) {
	if r.archive, err = archive.Open(data, compile.Semantics, nil); err != nil {
		return err
	}
	for o, err := range r.archive.Origins() {
		if err == nil {
			err = r.origin(o)
		}
		if err != nil {
			return err
		}
		if r.archive.Limit(memory / 4); r.size+int64(len(r.rows))*VersionBytes > memory/2 {
			return disk.ErrMemory
		}
	}
	return nil
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
			row.From, err = moment(time.Unix(v.From, 0))
		}
		if err == nil && v.HasRules {
			err = r.body(&row, o.Key, v.From)
		}
		if err != nil {
			return err
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

// restore writes a text with the rules of a ruleset, each on its own line; nil if there is no room
// before those of a group for the lines that name its crawlers.
func restore(set *automaton.Ruleset) []byte {
	agents := slices.Clone(set.Agents())
	if m := set.Wildcard(); m != nil {
		agents = append(agents, automaton.TokenMachine{Token: "*", Machine: m})
	}
	lines, names := map[uint32]string{}, map[uint32][]string{} // names of a group by the first line of its rules
	first := map[*automaton.Rule]uint32{}                      // machines that have the rules of one group share its list
	free := []byte{}                                           // names that no rule binds
	for _, a := range agents {
		name, lists := "User-agent: "+a.Token, a.Machine.Lists()
		if len(lists) == 0 {
			free = append(append(free, name...), '\n')
		}
		for _, list := range lists {
			at, known := first[&list[0]]
			if !known {
				at = addRules(lines, list)
				first[&list[0]] = at
			}
			names[at] = append(names[at], name)
		}
	}
	for at, list := range names {
		for i, name := range list {
			line := int(at) - len(list) + i
			if line < 1 || lines[uint32(line)] != "" {
				return nil
			}
			lines[uint32(line)] = name
		}
	}
	return joinLines(lines, free)
}

// addRules adds the rules of a list to the lines of a text, and returns the first of them. Of two rules
// of one line, as for an index page and its folder, the longer is the text.
func addRules(lines map[uint32]string, list []automaton.Rule) (first uint32) {
	first = math.MaxUint32
	for i := range list {
		line, text := list[i].Verdict.Line, ruleText(&list[i])
		first = min(first, line)
		if len(text) > len(lines[line]) {
			lines[line] = text
		}
	}
	return first
}

// joinLines returns a text of lines by their numbers, and its end; nil if there are too many.
func joinLines(lines map[uint32]string, end []byte) (text []byte) {
	last := slices.Max(append(slices.Collect(maps.Keys(lines)), 0))
	if last > maxLines {
		return nil
	}
	text = []byte{}
	for line := range last {
		text = append(append(text, lines[line+1]...), '\n')
	}
	return append(text, end...)
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
