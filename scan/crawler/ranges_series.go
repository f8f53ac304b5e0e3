package crawler

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Series are lists of one crawler's addresses, as its operator published them
// at different times.
type Series struct {
	Profile *Profile // of the set that identities are asked about
	Lists   []*Ranges
}

// ErrUnknownCrawler is what is wrapped where an argument to LoadSeries names no
// crawler of the set: its user has mistyped something.
var ErrUnknownCrawler = errors.New("no crawler of that name is known")

var errNoFile = errors.New("no file in the directory")

// LoadSeries reads the files that an argument names:
//
//	NAME=FILE  the ranges of crawler NAME
//	NAME=DIR   lists of that crawler, of several dates: all files of the directory
//	DIR        files NAME.json and NAME.txt, each a series of its own
//
// NAME is a crawler's name or one of its words, in any case: one crawler and not
// a family, so that Googlebot is not Googlebot-Image. Operators publish some lists
// for many crawlers, as Google does special-crawlers.json, and for some crawlers
// several lists, as it does three for fetchers that users trigger. Which crawlers
// a list is all of is for the user to say, with NAME=FILE for each: absence from
// what is not the whole would make impostors of the operator's own. ignored are
// the files of a directory that were not read because they are none of these,
// sorted; hidden files are passed over. An error is ErrUnknownCrawler where NAME is unknown or a
// whole DIR names no crawler.
func LoadSeries(arg string, set *Set) (series []Series, ignored []string, err error) {
	if name, path, ok := strings.Cut(arg, "="); ok {
		if p := set.named(name); p != nil {
			lists, ignored, err := loadLists(path)
			return []Series{{p, lists}}, ignored, err
		}
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			return nil, nil, fmt.Errorf("%q: %w", name, ErrUnknownCrawler)
		}
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return nil, nil, fmt.Errorf("%s: neither NAME=FILE nor a directory: %w", arg, ErrUnknownCrawler)
	}
	return loadDirectory(arg, set)
}

// named returns the profile with that name or, if none has it, that word. A
// control token has no requests whose addresses could be looked up.
func (s *Set) named(name string) *Profile {
	p := s.ByName(name)
	is := func(s string) bool { return strings.EqualFold(s, name) }
	if p == nil || p.Control || !is(p.Name) && !slices.ContainsFunc(p.Words, is) {
		return nil
	}
	return p
}

// loadLists reads a file, or all files of a directory.
func loadLists(path string) (lists []*Ranges, ignored []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	paths := []string{path}
	if info.IsDir() {
		paths, ignored, err = files(path)
		if err == nil && len(paths) == 0 {
			err = fmt.Errorf("%s: %w", path, errNoFile)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for _, path := range paths {
		list, err := loadRanges(path)
		if err != nil {
			return nil, nil, err
		}
		lists = append(lists, list)
	}
	return lists, ignored, nil
}

// loadDirectory reads the files of a directory that are called like crawlers.
func loadDirectory(dir string, set *Set) (series []Series, ignored []string, err error) {
	paths, ignored, err := files(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		base := filepath.Base(path)
		ext := filepath.Ext(base)
		p := set.named(strings.TrimSuffix(base, ext))
		if ext = strings.ToLower(ext); p == nil || ext != ".json" && ext != ".txt" {
			ignored = append(ignored, path)
			continue
		}
		list, err := loadRanges(path)
		if err != nil {
			return nil, nil, err
		}
		series = append(series, Series{p, []*Ranges{list}})
	}
	if len(series) == 0 {
		return nil, nil, fmt.Errorf("%s: no file is called like a crawler: %w", dir, ErrUnknownCrawler)
	}
	slices.Sort(ignored)
	return series, ignored, nil
}

// files returns the files of a directory, sorted, and what else is in it; hidden
// names in neither.
func files(dir string) (paths, others []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		info, err := os.Stat(path) // where links lead
		if err != nil {
			return nil, nil, err
		}
		if info.Mode().IsRegular() {
			paths = append(paths, path)
		} else {
			others = append(others, path)
		}
	}
	return paths, others, nil
}

func loadRanges(path string) (*Ranges, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadRanges(f, path)
}
