//go:build !js

package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/lazy"
)

// Series holds the lists of one crawler's addresses that its operator published at different
// times.
type Series struct {
	Profile *Profile // belongs to the set that identities are created from
	Lists   []*Ranges
}

// Loaded is the result of LoadSeries.
type Loaded struct {
	Series []Series
	// Skipped lists the entries of a directory that were not read, sorted: subdirectories, and files with unrelated names.
	// Hidden entries are not included.
	Skipped []string
	// Unknown has the services in the lists that match no known crawler.
	Unknown []UnknownServices
	// Bytes is the approximate memory use of the lists.
	Bytes int64
}

// UnknownServices lists the services in a file that match no known crawler, without duplicates. Their entries verify no
// client, and addresses in them are never proven absent.
type UnknownServices struct {
	File     string
	Services []string
}

// ArgumentError is an error in the argument of LoadSeries itself, such as an unknown name, which usually means a typing
// mistake.
type ArgumentError string

// Error returns the message.
func (e ArgumentError) Error() string { return string(e) }

func argumentError(format string, args ...any) error {
	return ArgumentError(fmt.Sprintf(format, args...))
}

var errNoFile = errors.New("no file in the directory")

// LoadSeries reads the files that an argument refers to:
//
//	NAME=FILE       the ranges of crawler NAME
//	NAME=FILE@DATE  the same, made on DATE, such as 2026-11-01 or a time in RFC 3339
//	NAME=DIR        lists of crawler NAME with several dates: all files in the directory
//	DIR             files NAME, NAME.json and NAME.txt, each a series of its own
//
// NAME is a crawler's name or one of its words, in any case, and then refers to that crawler only: Googlebot
// does not include Googlebot-Image. NAME can also be the name under which an operator publishes a list, such
// as googlebot.json, or the end of its URL. It then refers to all crawlers that the list serves
// (Profile.Lists). In a DIR, the file googlebot.json is the list of that name, while googlebot.txt is a list
// for Googlebot.
//
// The date of a list is DATE, else its creationTime, else (for NAME=DIR) the only date in the
// file's name, such as 2026-11-01 or 20261101, optionally with a time in UTC. A date without
// a time means the start of the day. If a file is actually named FILE@DATE, that file is
// read.
//
// The error is an ArgumentError if NAME is unknown or names lists of several operators, if DATE is invalid,
// or if no file in a DIR has a known name. If the lists need more than memory bytes, the error is
// disk.ErrMemory.
func LoadSeries(arg string, set *Set, memory int64) (Loaded, error) {
	name, path, named := strings.Cut(arg, "=")
	if !named {
		return loadDir(arg, set, memory)
	}
	of, err := set.behind(name, name)
	switch {
	case err != nil:
		return Loaded{}, err
	case of != nil && path == "":
		return Loaded{}, argumentError("%s: no file is named behind =", arg)
	case of != nil:
		return loadNamed(of, path, set, memory)
	case isDir(arg):
		return loadDir(arg, set, memory)
	default:
		return Loaded{}, argumentError("%q: neither a crawler nor a list of that name is known", cut(name))
	}
}

func isDir(path string) bool {
	info, err := disk.Stat(path)
	return err == nil && info.IsDir()
}

// loadNamed reads the lists of some crawlers from a file, optionally with a date, or from the files in a
// directory.
func loadNamed(of []*Profile, path string, set *Set, memory int64) (l Loaded, err error) {
	path, date, err := cutDate(path)
	if err != nil {
		return l, err
	}
	paths, dir := []string{path}, isDir(path)
	if dir {
		if date != 0 {
			return l, argumentError("%s: a date behind @ is for one file, not for a directory", path)
		}
		if paths, l.Skipped, err = files(path); err != nil {
			return l, err
		}
		if len(paths) == 0 {
			return l, fmt.Errorf("%s: %w", path, errNoFile)
		}
	}
	var lists []*Ranges
	for _, path := range paths {
		list, err := loadRanges(path, &memory)
		if err != nil {
			return l, err
		}
		if date != 0 {
			list.Created, list.DatedBy = date, datedByOption
		} else if made := dateIn(filepath.Base(path)); dir && list.Created == 0 && made != 0 {
			list.Created, list.DatedBy = made, datedByName
		}
		lists = append(lists, list)
	}
	l.add(of, lists, set)
	return l, nil
}

// loadDir reads the files in a directory that are named after a crawler or a list.
func loadDir(dir string, set *Set, memory int64) (l Loaded, err error) {
	info, err := disk.Stat(dir)
	if err != nil {
		return l, err
	}
	if !info.IsDir() {
		return l, argumentError("%s: neither NAME=FILE nor a directory", dir)
	}
	paths, skipped, err := files(dir)
	if err != nil {
		return l, err
	}
	for _, path := range paths {
		file, name := filepath.Base(path), ""
		if ext := strings.ToLower(filepath.Ext(file)); ext == ".json" || ext == ".txt" {
			name = file[:len(file)-len(ext)]
		}
		of, err := set.behind(file, name)
		if err != nil {
			return l, err
		}
		if of == nil {
			skipped = append(skipped, path)
			continue
		}
		list, err := loadRanges(path, &memory)
		if err != nil {
			return l, err
		}
		l.add(of, []*Ranges{list}, set)
	}
	if len(l.Series) == 0 {
		return l, argumentError("%s: no file has the name of a known crawler or list", dir)
	}
	slices.Sort(skipped)
	l.Skipped = skipped
	return l, nil
}

// add adds a series of lists to each of the given crawlers.
func (l *Loaded) add(of []*Profile, lists []*Ranges, set *Set) {
	for _, list := range lists {
		l.Bytes += list.Bytes()
	}
	for _, p := range of {
		l.Series = append(l.Series, Series{p, lists})
	}
	for _, list := range lists {
		var unknown []string
		for _, services := range list.services {
			for _, name := range services {
				if set.ByName(name) == nil {
					unknown = append(unknown, name)
				}
			}
		}
		if len(unknown) > 0 {
			slices.Sort(unknown)
			l.Unknown = append(l.Unknown, UnknownServices{list.File, slices.Compact(unknown)})
		}
	}
}

// behind returns the crawlers that a list is for, found by its file name or by the name of a crawler, or nil if neither
// is known.
func (s *Set) behind(file, name string) ([]*Profile, error) {
	of, err := s.listed(file)
	if p := s.requester(name); of == nil && p != nil {
		of = []*Profile{p}
	}
	return of, err
}

// listed returns the crawlers served by a list that their operator publishes under name or at a URL ending in it. It
// fails if several operators publish lists with that name.
func (s *Set) listed(name string) (of []*Profile, err error) {
	for i := range s.profiles {
		p := &s.profiles[i]
		if p.Control || !slices.ContainsFunc(p.Lists, func(l List) bool {
			return strings.EqualFold(l.Name, name) || strings.EqualFold(path.Base(l.URL), name)
		}) {
			continue
		}
		if len(of) > 0 && of[0].Operator != p.Operator {
			return nil, argumentError("%q: both %s and %s publish a list of that name; "+
				"give it by the name of a crawler", name, of[0].Operator, p.Operator)
		}
		of = append(of, p)
	}
	return of, nil
}

// PublishedList is a list of addresses that an operator publishes.
type PublishedList struct {
	Operator string `json:"operator"`
	List
	Crawlers []string `json:"crawlers"` // names of the crawlers that it serves
}

// PublishedLists returns all lists in the crawlers' profiles, grouped by operator. Seen is the latest date in any
// profile.
func (s *Set) PublishedLists() (lists []PublishedList) {
	var operators []string
	for _, p := range s.profiles {
		for _, list := range p.Lists {
			if !slices.Contains(operators, p.Operator) {
				operators = append(operators, p.Operator)
			}
			i := slices.IndexFunc(lists, func(l PublishedList) bool {
				return l.Operator == p.Operator && l.Name == list.Name && l.URL == list.URL
			})
			if i < 0 {
				i = len(lists)
				lists = append(lists, PublishedList{Operator: p.Operator, List: list})
			}
			lists[i].Crawlers = append(lists[i].Crawlers, p.Name)
			lists[i].Seen = max(lists[i].Seen, list.Seen)
		}
	}
	slices.SortStableFunc(lists, func(a, b PublishedList) int {
		return cmp.Compare(slices.Index(operators, a.Operator), slices.Index(operators, b.Operator))
	})
	return lists
}

// cutDate splits the date from FILE@DATE, unless a file has that whole name. It returns 0 if there is no
// date.
func cutDate(path string) (file string, made int64, err error) {
	i := strings.LastIndexByte(path, '@')
	if _, err := disk.Stat(path); i < 0 || !errors.Is(err, fs.ErrNotExist) {
		return path, 0, nil
	}
	file, date := path[:i], path[i+1:]
	made, ok := parseTime(date, time.DateOnly, time.RFC3339)
	if ok {
		return file, made, nil
	}
	if _, err := disk.Stat(file); err == nil {
		return "", 0, argumentError("%q behind %s@ is neither a day such as 2026-11-01 nor a time in RFC 3339",
			cut(date), file)
	}
	return path, 0, nil
}

// dateOf matches a date in a name, and the time after it.
var dateOf = lazy.Regexp(`(?:^|\D)(\d{4}-\d\d-\d\d|\d{8})(?:[T_ -]?(\d\d[:.-]?\d\d(?:[:.-]?\d\d)?))?(?:\D|$)`)

// dateIn returns the date in a file name in nanoseconds since 1970, or 0 if there is none or more than
// one.
func dateIn(name string) (made int64) {
	digits := strings.NewReplacer("-", "", ":", "", ".", "")
	for at := dateOf().FindStringSubmatch(name); at != nil; at = dateOf().FindStringSubmatch(name) {
		_, name, _ = strings.Cut(name, at[1])
		day, clock := digits.Replace(at[1]), digits.Replace(at[2])
		found, ok := parseTime(day+clock, "200601021504", "20060102150405")
		if !ok { // what follows the date is not a time
			found, ok = parseTime(day, "20060102")
		}
		if ok && made != 0 && found != made {
			return 0
		}
		if ok {
			made = found
		}
	}
	return made
}

// files returns the files and the subdirectories of a directory, sorted. Hidden entries are ignored; entries of other
// types, such as pipes, are errors.
func files(dir string) (paths, dirs []string, err error) {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		info, err := disk.Stat(path) // follows links
		if err != nil {
			return nil, nil, err
		}
		switch {
		case info.IsDir():
			dirs = append(dirs, path)
		case info.Mode().IsRegular():
			paths = append(paths, path)
		default:
			return nil, nil, fmt.Errorf("%s: neither a file nor a directory", path)
		}
	}
	return paths, dirs, nil
}

// loadRanges reads a file and subtracts the memory that it takes from the budget.
func loadRanges(path string, memory *int64) (*Ranges, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ranges, err := ReadRanges(disk.Text(f), path, *memory)
	if err == nil {
		*memory -= ranges.Bytes()
	}
	return ranges, err
}
