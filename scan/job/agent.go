package job

import (
	"cmp"
	"fmt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Agent names the crawler whose URLs are judged.
type Agent struct {
	// Name is the name of a known crawler, which is judged by its product tokens in
	// their order and by its own dialect; or any other product token. A name with a version,
	// or a whole User-Agent header, is read as crawler.Set.Named reads it.
	Name string
	// Crawlers is a JSON file that changes and extends the known crawlers, as
	// Crawlers does; "" is none.
	Crawlers string
	// Dialect is how robots.txt is read. Nil stands for the crawler's own way, which
	// is RFC 9309's unless another is known.
	Dialect *automaton.Dialect
}

// subject is an agent that was looked up.
type subject struct {
	policy.Subject // without readings: dialect stands for them
	name           string
	dialect        automaton.Dialect
	stated         bool         // it is known, or was given, how the agent reads robots.txt
	class          answer.Class // how it reads the status of a robots.txt, whatever the dialect
	also           [][]string   // product tokens of the others that its header serves
	exempt         string       // why robots.txt does not apply to its requests; "" if it does
}

var errNoAgent = usageError("no agent: name the crawler with --agent NAME")

// find looks the agent up. It warns of a name that was read as a header, and of one that
// cannot be a product token.
func (a Agent) find(messages Messages) (subject, error) {
	if a.Name == "" {
		return subject{}, errNoAgent
	}
	set, err := Crawlers(a.Crawlers)
	if err != nil {
		return subject{}, err
	}
	claim := crawler.Claim{Profile: set.ByName(a.Name), Name: a.Name}
	// The note of 1994 looks for tokens in the whole header.
	whole := a.Dialect != nil && a.Dialect.SearchesNames()
	if claim.Profile == nil && !whole {
		if claim, err = set.Named(a.Name); err != nil {
			return subject{}, usageError("--agent: %w", err)
		}
		if claim.Name != a.Name {
			messages.warn("agent %q is read as %s", a.Name, claim.Name)
		}
	}
	s := newSubject(claim, a.Dialect)
	if token := s.Tokens[0]; claim.Profile == nil && !whole && token != "*" &&
		len(automaton.CutToken([]byte(token))) < len(token) {
		messages.warn("agent %q is not a product token, which has letters, digits, hyphens, underscores and dots only", token)
	}
	return s, nil
}

// newSubject returns a claim's crawler as a subject, which reads robots.txt by a dialect, or in its
// own way if that is nil.
func newSubject(claim crawler.Claim, dialect *automaton.Dialect) subject {
	s := subject{name: claim.Name, Subject: policy.Subject{Tokens: claim.Tokens()}}
	if p := claim.Profile; p != nil {
		s.name, s.exempt, s.IgnoresWildcard, s.also = p.Name, p.Exempt, p.IgnoresWildcard, p.Also
		// crawler.Read has checked that it parses.
		s.dialect, _ = automaton.ParseDialect(cmp.Or(p.Dialect, automaton.RFC9309.String()))
		s.stated = p.Dialect != ""
		if s.dialect == automaton.Google {
			s.class = answer.Google
		}
	}
	if dialect != nil {
		s.dialect, s.stated = *dialect, true
	}
	return s
}

// warnOfOthers warns of products whose requests have the header of the agent too, if rules,
// nil for those of an archive, may bind them in another way.
func (s subject) warnOfOthers(rules *automaton.Ruleset, messages Messages) {
	for _, tokens := range s.also {
		other := policy.Subject{Tokens: tokens, IgnoresWildcard: s.IgnoresWildcard}
		if rules == nil || other.Machine(rules) != s.Machine(rules) {
			messages.warn("the header of %s serves %s too, for which robots.txt may have other rules: see --agent %s", s.name,
				tokens[0], tokens[0])
		}
	}
}

// maxCrawlers bounds a file of crawlers, in bytes: some twenty thousand of them.
const maxCrawlers = 16 << 20

// knownProfiles returns the profiles of Crawlers.
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

// Crawlers returns the crawlers that come with the library, ready to be found in
// headers, as a JSON file changes and extends them (crawler.Extend) unless its name is
// "". An error is of type *Error.
func Crawlers(file string) (*crawler.Set, error) {
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
