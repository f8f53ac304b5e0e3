package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/reading"
	"github.com/robotsieve/robotsieve/scan/source"
)

// RobotsFile names one robots.txt, plain or compressed.
type RobotsFile struct {
	Name  string    // of the file; "-" is Stdin
	Stdin io.Reader // nil stands for os.Stdin
	// MaxBytes limits how much of it is read, decompressed, as in compile.Options: 0
	// stands for compile.DefaultMaxBytes, and a negative number for policy.MaxRead.
	MaxBytes int
	isKept   bool // its content is passed on, so it must be a regular file
}

// Read returns the content, decompressed. If it is longer than MaxBytes, the result is
// one byte longer than MaxBytes, so that the compiler notices. More than
// policy.MaxRead is an error.
// It returns when ctx ends, also while it waits for Stdin. Its errors are of type
// *Error.
func (f RobotsFile) Read(ctx context.Context) (body []byte, err error) {
	return f.read(ctx, newBudget(1<<40))
}

// read is Read within a memory budget.
func (f RobotsFile) read(ctx context.Context, memory *budget) (body []byte, err error) {
	err = f.open(ctx, memory, func(r io.Reader) (err error) {
		body, err = io.ReadAll(disk.Within(io.LimitReader(r, int64(f.most())+1), policy.MaxRead, memory.room()))
		return f.explain(cmp.Or(err, capture.Refuse(body, f.Name)))
	})
	return body, err
}

// most is the maximum number of bytes to read.
func (f RobotsFile) most() int {
	if f.MaxBytes < 0 {
		return policy.MaxRead
	}
	return compile.Limit(f.MaxBytes)
}

// row is like Read for a policy, which also needs lines past the limit. Pipes and devices are refused.
func (f RobotsFile) row(ctx context.Context, memory *budget) (policy.Row, error) {
	f.isKept = true
	row := policy.Row{Status: 200, File: f.Name}
	err := f.open(ctx, memory, func(r io.Reader) (err error) {
		sum := sha256.New()
		if row.Body, row.Past, row.Size, err = policy.ReadBody(io.TeeReader(r, sum), f.MaxBytes,
			memory.room()); row.Size >= 0 {
			row.Sum = hex.EncodeToString(sum.Sum(nil))
		}
		return f.explain(cmp.Or(err, capture.Refuse(row.Body, f.Name)))
	})
	return row, err
}

// explain adds the name of the file to an error that lacks it.
func (f RobotsFile) explain(err error) error {
	if over := disk.LimitError(0); errors.As(err, &over) || errors.Is(err, disk.ErrMemory) {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return err
}

// open calls read with the content, decompressed.
func (f RobotsFile) open(ctx context.Context, memory *budget, read func(io.Reader) error) (err error) {
	defer func() {
		if ctx.Err() != nil { // which may have caused another error
			err = errNothingDone
		} else if err != nil {
			err = memory.failed(explained(err))
		}
	}()
	in := source.NewInput(f.Name, interrupt.Reader(ctx, cmp.Or[io.Reader](f.Stdin, os.Stdin)), -1)
	if f.Name != "-" {
		in, err = source.NewFile(f.Name)
		if err == nil && f.isKept {
			err = disk.CheckRegular(f.Name)
		}
		if errors.Is(err, disk.ErrIrregular) {
			err = fmt.Errorf("%w: an audit keeps its robots.txt; pass a pipe's on stdin, as -", err)
		}
		if err != nil {
			return err
		}
	}
	in.Windows = memory.windows()
	opened, err := interrupt.Open(ctx, in)
	if err != nil {
		return err
	}
	defer opened.Close()
	return read(opened)
}

// Oddities returns warnings about a robots.txt, by the name of its file: it looks
// like a web page or like UTF-16, is cut at the limit, or has no rule.
func Oddities(r *compile.Robots, body []byte, file string) []string {
	return capture.Oddities(r, body, file)
}

// Agent names the crawler to judge URLs for.
type Agent struct {
	// Name is the name of a known crawler, which is judged by its product tokens in order of
	// preference and in its own dialect; or any other product token. A name with a version,
	// or a whole User-Agent header, is read as crawler.Set.Named reads it.
	Name string
	// Crawlers is a JSON file that changes and extends the known crawlers, as for the
	// Crawlers does; "" is none.
	Crawlers string
	// Dialect is how robots.txt is read. With nil, the crawler's own dialect is used, which
	// is RFC 9309's unless otherwise known.
	Dialect *automaton.Dialect
}

var errNoAgent = usageError("no agent: name the crawler with option Agents NAME")

// find looks up an agent of a list; its errors name the option.
func (a Agent) find(messages Messages) (archived.Agent, error) {
	if a.Name == "" {
		return archived.Agent{}, errNoAgent
	}
	return a.lookUp(messages, "option Agents: ")
}

// lookUp looks the agent up. It warns of a name that was read as a header, and of one that
// cannot be a product token. An error about the name begins with a prefix.
func (a Agent) lookUp(messages Messages, prefix string) (archived.Agent, error) {
	if a.Name == "" {
		return archived.Agent{}, usageError("an agent has a name, such as GPTBot")
	}
	set, err := Crawlers(a.Crawlers)
	if err != nil {
		return archived.Agent{}, err
	}
	claim := crawler.Claim{Profile: set.ByName(a.Name), Name: a.Name}
	// The note of 1994 searches the whole header for tokens.
	whole := a.Dialect != nil && a.Dialect.SearchesNames()
	if claim.Profile == nil && !whole {
		if claim, err = set.Named(a.Name); err != nil {
			return archived.Agent{}, usageError("%s%w", prefix, err)
		}
		if claim.Name != a.Name {
			messages.warn("agent %q is read as %s", a.Name, claim.Name)
		}
	}
	s := archived.NewAgent(claim, a.Dialect)
	if claim.Profile != nil || whole {
		return s, nil
	}
	if token := s.Tokens[0]; token != "*" && len(automaton.CutToken([]byte(token))) < len(token) {
		messages.warn("agent %q is not a product token, which has letters, digits, hyphens, underscores and dots only", token)
	}
	if near := misspelled(set, claim.Name); len(near) > 0 {
		messages.warn("agent %q is no known crawler, so only a group with exactly this name, or *, binds it; "+
			"did you mean %s?", claim.Name, strings.Join(near, " or "))
	}
	return s, nil
}

// misspelled returns the known crawlers that a name may have been meant for: it begins as theirs, differs
// from them by a few letters, and is not so short that many do.
func misspelled(known *crawler.Set, name string) []string {
	const shortest = len("GPTBot")
	if len(name) < shortest {
		return nil
	}
	isFar := func(n string) bool {
		few := len(name) / 4
		return !strings.EqualFold(n[:1], name[:1]) ||
			english.Distance(strings.ToLower(name), strings.ToLower(n), few) > few
	}
	return slices.DeleteFunc(known.Nearest(name), isFar)
}

// warnOfOthers warns of products that share the agent's header, if the rules may bind them differently. rules is nil
// for an archive.
func (m Messages) warnOfOthers(s archived.Agent, rules *automaton.Ruleset) {
	for _, tokens := range s.Others {
		other := reading.Subject{Tokens: tokens, IgnoresWildcard: s.IgnoresWildcard}
		if rules == nil || other.Machine(rules) != s.Machine(rules) {
			m.warn("the header of %s serves %s too, for which robots.txt may have other rules: "+
				"see option Agents %s", s.Name, tokens[0], tokens[0])
		}
	}
}

// maxCrawlers bounds a file of crawlers, in bytes: about twenty thousand crawlers.
const maxCrawlers = 16 << 20

func knownProfiles(file string) ([]crawler.Profile, error) {
	profiles := crawler.Builtin()
	if file == "" {
		return profiles, nil
	}
	data, err := disk.ReadLimited(file, maxCrawlers)
	if err != nil {
		return nil, inputError(fmt.Errorf("file of crawlers: %w", err))
	}
	more, err := crawler.Read(data)
	if err == nil {
		profiles, err = crawler.Extend(profiles, more)
	}
	if err != nil {
		return nil, inputError(fmt.Errorf("file of crawlers %s: %w", file, err))
	}
	return profiles, nil
}

// Crawlers returns the built-in crawlers, ready for matching
// headers, as changed and extended by a JSON file (crawler.Extend) unless its name is
// "". An error is of type *Error.
func Crawlers(file string) (*crawler.Set, error) {
	if file == "" {
		return builtinCrawlers()
	}
	profiles, err := knownProfiles(file)
	if err != nil {
		return nil, err
	}
	set, err := crawler.New(profiles)
	if err != nil {
		return nil, inputError(err)
	}
	return set, nil
}

// builtinCrawlers returns Crawlers without a file, built once.
var builtinCrawlers = sync.OnceValues(func() (*crawler.Set, error) { return crawler.New(crawler.Builtin()) })
