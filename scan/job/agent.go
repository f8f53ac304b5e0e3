package job

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Agent names the crawler whose URLs are judged.
type Agent struct {
	// Name is the name of a known crawler, which is judged by its product tokens in
	// their order and by its own dialect. Any other name is the product token.
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
	stated         bool   // it is known, or was given, how the agent reads robots.txt
	exempt         string // why robots.txt does not apply to its requests; "" if it does
}

var errNoAgent = usageError("no agent: name the crawler with --agent NAME")

// find looks the agent up. It warns of a name that cannot be a product token.
func (a Agent) find(messages Messages) (subject, error) {
	if a.Name == "" {
		return subject{}, errNoAgent
	}
	set, err := Crawlers(a.Crawlers)
	if err != nil {
		return subject{}, err
	}
	s := subject{name: a.Name, Subject: policy.Subject{Tokens: []string{a.Name}}}
	if p := set.ByName(a.Name); p != nil {
		s.name, s.exempt = p.Name, p.Exempt
		s.Subject = policy.Subject{Tokens: p.Tokens, IgnoresWildcard: p.IgnoresWildcard}
		// crawler.Read has checked that it parses.
		s.dialect, _ = automaton.ParseDialect(cmp.Or(p.Dialect, automaton.RFC9309.String()))
		s.stated = p.Dialect != ""
	}
	if a.Dialect != nil {
		s.dialect, s.stated = *a.Dialect, true
	}
	if !s.dialect.SearchesNames() && strings.ContainsAny(a.Name, " (;") {
		messages.warn("agent %q looks like a User-Agent header; groups of robots.txt name product tokens, such as GPTBot", a.Name)
	}
	return s, nil
}

// knownProfiles returns the profiles of Crawlers.
func knownProfiles(file string) ([]crawler.Profile, error) {
	profiles, err := crawler.Builtin()
	if err != nil || file == "" {
		return profiles, err
	}
	data, err := os.ReadFile(file)
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
