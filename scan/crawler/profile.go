// Package crawler finds the crawler that a client claims to be, and whether the claim is
// true.
//
// The words of a User-Agent header lead to the profile of a known crawler (set.go, reader.go,
// contact.go), or are the name of an unknown one (unknown.go, bare.go, libraries.go); explain.go
// says which are which. A profile states how the crawler reads robots.txt, according to its operator
// (profile.go). The client's address is found in a log line (clientip.go) and read (addr.go). It
// proves the crawler, or disproves it, by the operator's lists of addresses (ranges.go, lists.go,
// identity.go) or by names in the DNS (names.go, resolve.go).
package crawler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
)

// Profile describes one crawler.
type Profile struct {
	// Name is the crawler's product token in the operator's casing, Operator the
	// company or project that runs it.
	Name     string `json:"name"`
	Operator string `json:"operator"`
	// Category is empty or one of search, ai-training, ai-search, user-triggered,
	// preview, seo, archive, ads, monitoring, feed, security, research and other.
	Category string `json:"category"`
	// Words are the words that name the crawler in a User-Agent header; none for a
	// control token.
	Words []string `json:"words"`
	// Adds are words that name no crawler, but that its operator adds to its headers, such as
	// the name of the software that it runs. A header that has other words of this sort may be
	// somebody else's: see Claim.Foreign. They count for all crawlers of the operator.
	Adds []string `json:"adds,omitempty"`
	// Sites are the domains of the operator's pages, and of those that its headers name, in lower case. A
	// header with a page elsewhere may be somebody else's: see Claim.Foreign. They count for all crawlers
	// of the operator; if none of them has any, pages do not matter.
	Sites []string `json:"sites,omitempty"`
	// Tokens are its product tokens in robots.txt, the preferred first. It is bound by
	// the groups for the first of them that a robots.txt has groups for.
	Tokens []string `json:"tokens"`
	// Also has, for each further product that its header serves, the tokens of that
	// product, the preferred first: the header of Googlebot serves Googlebot-News too. A
	// robots.txt forbids a request only if it forbids it to all of them.
	Also [][]string `json:"also,omitempty"`
	// Role is "crawler", for which "" stands too, or "fetcher": it fetches single
	// addresses that a person, a subscription or the operator of the site named, such as
	// a link preview, a feed reader or a monitor of uptime.
	Role string `json:"role,omitempty"`
	// CrawlDelay says whether it heeds Crawl-delay, according to its operator: yes or no,
	// "" if that is not known.
	CrawlDelay string `json:"crawl_delay,omitempty"`
	// IgnoresWildcard says that groups for * do not bind it.
	IgnoresWildcard bool `json:"ignores_wildcard,omitempty"`
	// Exempt, if not empty, says why robots.txt does not apply to its requests.
	Exempt string `json:"exempt,omitempty"`
	// Control says that the token has no header of its own: another crawler
	// obeys it, and no log shows whether that crawler does.
	Control bool `json:"control,omitempty"`
	// Dialect is how it reads robots.txt, if that is known; see automaton.
	Dialect string `json:"dialect,omitempty"`
	// Obeys is the operator's claim to obey robots.txt: yes, no or unknown.
	Obeys string `json:"obeys"`
	// Source is the operator's page for Obeys, Dialect and Verify. Date is the day when
	// the page was read.
	Source string `json:"source,omitempty"`
	Date   string `json:"date,omitempty"`
	// Verify lists how the operator lets its addresses be verified: "ranges",
	// "dns", or both with a comma. Empty: it publishes nothing.
	Verify string `json:"verify,omitempty"`
	// Domains contain the DNS names of its addresses, if the operator says so. They are
	// in lower case, without a dot at the end.
	Domains []string `json:"domains,omitempty"`
	// Lists are the lists of addresses that the operator publishes for it. Several
	// crawlers may share one.
	Lists []List `json:"lists,omitempty"`
	// Referrers are the hosts of the operator's search engines and assistants, which send
	// visitors. Each stands also for itself after www., and .* at the end of one for the domain
	// of any country, or com. One profile of an operator has them.
	Referrers []string `json:"referrers,omitempty"`
}

// List is a list of addresses that an operator publishes.
type List struct {
	Name string `json:"name"` // the name of its file, such as googlebot.json
	URL  string `json:"url"`
	Seen string `json:"seen"` // the day when it was seen there, 2026-11-22
}

// IsFetcher reports whether the role is "fetcher".
func (p *Profile) IsFetcher() bool { return p.Role == "fetcher" }

// Categories returns what Profile.Category may be.
func Categories() []string { return knownCategories }

var knownCategories = []string{
	"search", "ai-training", "ai-search", "user-triggered", "preview", "seo", "archive",
	"ads", "monitoring", "feed", "security", "research", "other",
}

// Read reads profiles from a JSON array of objects with the fields of Profile.
// It refuses unknown fields, missing fields, and names or words that occur twice; the
// error names the profile and the line where it begins.
func Read(data []byte) ([]Profile, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors put it before a text
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if token, err := d.Token(); err != nil && err != io.EOF {
		return nil, fmt.Errorf("crawler profiles: %w", err)
	} else if token != json.Delim('[') {
		return nil, fmt.Errorf("crawler profiles: %w", errNoArray)
	}
	var profiles []Profile
	seen := map[string]string{}
	line, counted := 1, 0 // newlines in data[:counted]
	for d.More() {
		at := int(d.InputOffset())
		at = len(data) - len(bytes.TrimLeft(data[at:], ", \t\r\n"))
		line += bytes.Count(data[counted:at], []byte("\n"))
		counted = at
		var p Profile
		err := d.Decode(&p)
		if err == nil {
			err = p.check(seen)
		}
		if err != nil {
			return nil, fmt.Errorf("crawler profile %d, %q, in line %d: %w", len(profiles)+1, cut(p.Name), line, err)
		}
		profiles = append(profiles, p)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("crawler profiles: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("crawler profiles: %w", errTrailing)
	}
	return profiles, nil
}

// Extend returns the profiles of base with the changes of more, which are the user's
// own. A profile of more replaces the one of base with its name in any ASCII case,
// wholly and in its place; the others are added at the end. A word of a profile of more
// is taken from the profile of base that had it. A profile that has no word left is left
// out, unless it is a control token, which has none. Neither argument is changed. The
// error names a profile of more that Read would refuse.
func Extend(base, more []Profile) ([]Profile, error) {
	seen := map[string]string{}
	byName := map[string]int{} // index in more and 1
	for i := range more {
		if err := more[i].check(seen); err != nil {
			return nil, fmt.Errorf("crawler profile %d, %q: %w", i+1, cut(more[i].Name), err)
		}
		byName[strings.ToLower(more[i].Name)] = i + 1
	}
	var all []Profile
	for _, p := range base {
		name := strings.ToLower(p.Name)
		if i := byName[name]; i > 0 {
			all = append(all, more[i-1])
			delete(byName, name)
			continue
		}
		p.Words = slices.DeleteFunc(slices.Clone(p.Words), func(word string) bool {
			_, taken := seen[strings.ToLower(word)]
			return taken
		})
		if len(p.Words) > 0 || p.Control {
			all = append(all, p)
		}
	}
	for i := range more {
		if byName[strings.ToLower(more[i].Name)] > 0 {
			all = append(all, more[i])
		}
	}
	return all, nil
}

var (
	errNoArray    = errors.New("not a JSON array of profiles")
	errTrailing   = errors.New("something follows the array")
	errNoName     = errors.New("no name")
	errNoOperator = errors.New("no operator")
	errNoWord     = errors.New("no word to look for, and not a control token")
	errAdded      = errors.New("adds has an entry that is not one word")
	errNoToken    = errors.New("no product token")
	errControl    = errors.New("words of a control token, which has no header")
	errCategory   = errors.New("no category that is known")
	errRole       = errors.New(`role is neither "crawler" nor "fetcher"`)
	errDelay      = errors.New(`crawl_delay is neither "yes" nor "no"`)
	errList       = errors.New("a list without a name, a https URL or a day when it was seen")
	errSite       = errors.New("not a domain in lower case")
	errLong       = fmt.Errorf("a text longer than %d bytes", maxText)
	errObeys      = errors.New(`obeys is none of "yes", "no" and "unknown"`)
)

// maxText bounds each text of a profile, in bytes, since messages and reports repeat it. The
// longest of the known crawlers has 162.
const maxText = 1000

// texts returns the texts of which only the length is bounded, or that are quoted in errors.
func (p *Profile) texts() []string {
	list := slices.Concat([]string{p.Name, p.Operator, p.Exempt, p.Source, p.Date, p.Verify},
		p.Words, p.Adds, p.Sites, p.Tokens, p.Domains, p.Referrers)
	for _, l := range p.Lists {
		list = append(list, l.Name, l.URL)
	}
	return append(list, slices.Concat(p.Also...)...)
}

// isNoWord reports whether a text is anything but one word of a header.
func isNoWord(text string) bool {
	return text == "" || nextOf(appendLower(nil, text), 0, isWordByte) != extent{0, len(text)}
}

func (p *Profile) check(seen map[string]string) error {
	if slices.ContainsFunc(p.texts(), func(text string) bool { return len(text) > maxText }) {
		return errLong
	}
	switch {
	case p.Name == "":
		return errNoName
	case p.Operator == "":
		return errNoOperator
	case len(p.Words) == 0 && !p.Control, slices.Contains(p.Words, ""):
		return errNoWord
	case len(p.Words) > 0 && p.Control:
		return errControl
	case slices.ContainsFunc(p.Adds, isNoWord):
		return errAdded
	case len(p.Tokens) == 0, slices.ContainsFunc(p.Also, func(tokens []string) bool { return len(tokens) == 0 }):
		return errNoToken
	case p.Category != "" && !slices.Contains(knownCategories, p.Category):
		return errCategory
	case p.Obeys != "yes" && p.Obeys != "no" && p.Obeys != "unknown":
		return errObeys
	case !slices.Contains([]string{"", "crawler", "fetcher"}, p.Role):
		return errRole
	case !slices.Contains([]string{"", "yes", "no"}, p.CrawlDelay):
		return errDelay
	}
	if p.Dialect != "" {
		if _, err := automaton.ParseDialect(p.Dialect); err != nil {
			return err
		}
	}
	for _, list := range p.Lists {
		_, err := time.Parse(time.DateOnly, list.Seen)
		if err != nil || list.Name == "" || !strings.HasPrefix(list.URL, "https://") {
			return fmt.Errorf("%q: %w", list.Name, errList)
		}
	}
	for _, token := range slices.Concat(append([][]string{p.Tokens}, p.Also...)...) {
		if token == "" || len(automaton.CutToken([]byte(token))) != len(token) {
			return fmt.Errorf("%q is not a product token", token)
		}
	}
	for _, domain := range p.Domains {
		if err := checkDomain(domain); err != nil {
			return fmt.Errorf("domain %q: %w", domain, err)
		}
	}
	for _, site := range p.Sites {
		if site == "" || site != strings.ToLower(site) || strings.ContainsAny(site, "*/:@ ") || site[0] == '.' {
			return fmt.Errorf("site %q: %w", site, errSite)
		}
	}
	for _, host := range p.Referrers {
		if err := checkReferrer(host); err != nil {
			return fmt.Errorf("%q: %w", host, err)
		}
	}
	for _, key := range append([]string{"name " + p.Name}, p.Words...) {
		key = strings.ToLower(key)
		if other, taken := seen[key]; taken {
			return fmt.Errorf("shares %q with %q", key, other)
		}
		seen[key] = p.Name
	}
	return nil
}

// Anybodys reports whether the crawler is a tool with many users: one of its clients does
// not know the answers that another got. Its operator begins with "users of".
func (p *Profile) Anybodys() bool { return strings.HasPrefix(p.Operator, "users of ") }

// cut bounds the text of a file that an error quotes.
func cut(text string) string { return text[:min(len(text), 64)] }
