// Package crawler identifies the crawler that a client claims to be, and checks whether the claim is
// true.
//
// The words of a User-Agent header select the profile of a known crawler (set.go, reader.go, contact.go), or
// give the name of an unknown one (unknown.go, bare.go, libraries.go); explain.go reports how each word was
// treated. A profile describes how a crawler reads robots.txt, according to its operator (profile.go). The
// client's address is located in a log line (clientip.go) and parsed (addr.go). It is then checked against the
// operator's address lists (ranges.go, lists.go, identity.go) or against host names in the DNS (names.go,
// resolve.go).
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
	// Name is the crawler's product token as its operator spells it. Operator is the company or project that runs
	// it.
	Name     string `json:"name"`
	Operator string `json:"operator"`
	// Category is empty or one of search, ai-training, ai-search, user-triggered, preview, seo, archive, ads, monitoring,
	// feed, security, research and other.
	Category string `json:"category"`
	// Words are the words that identify the crawler in a User-Agent header. A control token has
	// none.
	Words []string `json:"words"`
	// Adds are words that the operator adds to its headers but that do not name a crawler, such as the software in use. A
	// header with other words of this kind may come from someone else: see Claim.Foreign. They apply to all of the
	// operator's crawlers.
	Adds []string `json:"adds,omitempty"`
	// Sites are the domains of the operator's pages and of other pages that its headers refer to, in lower case. A header
	// with a page elsewhere may come from someone else: see Claim.Foreign. They apply to all crawlers of the operator. If
	// none of these crawlers has any, pages are not checked.
	Sites []string `json:"sites,omitempty"`
	// Tokens are its product tokens in robots.txt, most preferred first. The crawler obeys the groups for the first token
	// that a robots.txt has groups for.
	Tokens []string `json:"tokens"`
	// Also lists the tokens, most preferred first, of each additional product that uses the same header: Googlebot's
	// header is also used for Googlebot-News. A request counts as disallowed only if robots.txt disallows it for all of
	// these products.
	Also [][]string `json:"also,omitempty"`
	// Role is "crawler", which is also the meaning of "", or "fetcher". A fetcher only requests URLs named by a
	// person, a subscription or the site's operator: link previews, feed readers and uptime monitors, for
	// example.
	Role string `json:"role,omitempty"`
	// CrawlDelay is yes or no, depending on whether the crawler honors Crawl-delay according to its operator, or "" if
	// unknown.
	CrawlDelay string `json:"crawl_delay,omitempty"`
	// IgnoresWildcard is set if the crawler does not obey groups for *.
	IgnoresWildcard bool `json:"ignores_wildcard,omitempty"`
	// Exempt, if not empty, is the reason why robots.txt does not apply to its requests.
	Exempt string `json:"exempt,omitempty"`
	// Control is set for a token that has no User-Agent header of its own. Another crawler obeys it, and logs cannot show
	// whether it does.
	Control bool `json:"control,omitempty"`
	// Dialect is how the crawler reads robots.txt, if known; see package automaton.
	Dialect string `json:"dialect,omitempty"`
	// Obeys is yes, no or unknown: whether the operator claims that the crawler obeys robots.txt.
	Obeys string `json:"obeys"`
	// Source is the URL of the operator's page that Obeys, Dialect and Verify are taken from. Date is when the page was
	// read.
	Source string `json:"source,omitempty"`
	Date   string `json:"date,omitempty"`
	// Verify lists the methods to verify the crawler's addresses: "ranges", "dns", or both separated by a comma. It is
	// empty if the operator publishes nothing.
	Verify string `json:"verify,omitempty"`
	// Domains are the domains of the host names of its addresses, if the operator documents them, in lower case and
	// without a final dot.
	Domains []string `json:"domains,omitempty"`
	// Lists are the address lists that the operator publishes for the crawler. Several crawlers may share a
	// list.
	Lists []List `json:"lists,omitempty"`
	// Referrers are the hosts of the operator's search engines and assistants, which send visitors. Each also matches with
	// www. in front, and a final .* matches the top-level domain of any country, or com. Only one of an operator's
	// profiles has them.
	Referrers []string `json:"referrers,omitempty"`
}

// List is an address list that an operator publishes.
type List struct {
	Name string `json:"name"` // the file name, such as googlebot.json
	URL  string `json:"url"`
	Seen string `json:"seen"` // the date when it was last seen there, such as 2026-11-22
}

// IsFetcher reports whether Role is "fetcher".
func (p *Profile) IsFetcher() bool { return p.Role == "fetcher" }

// Categories returns the valid values of Profile.Category, except "".
func Categories() []string { return knownCategories }

var knownCategories = []string{
	"search", "ai-training", "ai-search", "user-triggered", "preview", "seo", "archive",
	"ads", "monitoring", "feed", "security", "research", "other",
}

// Read parses profiles from a JSON array of objects with the fields of Profile. It rejects unknown fields,
// missing fields, and duplicate names or words. Errors include the name of the profile and the line where it
// begins.
func Read(data []byte) ([]Profile, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors add a byte order mark
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

// Extend returns the profiles of base, modified by the user's own profiles in more. A
// profile in more replaces the whole profile in base that has the same name, in any ASCII
// case; new profiles are appended. A word used by a profile in more is removed from the
// profile in base that had it. A profile left without words is dropped, unless it is a
// control token. Neither argument is modified. The error names a profile in more that Read
// would reject.
func Extend(base, more []Profile) ([]Profile, error) {
	seen := map[string]string{}
	byName := map[string]int{} // the index in more, plus 1
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

// maxText limits each text of a profile, in bytes, because messages and reports repeat it. The longest among the known
// crawlers has 162.
const maxText = 1000

// texts returns the texts that are only limited in length, and those that errors quote.
func (p *Profile) texts() []string {
	list := slices.Concat([]string{p.Name, p.Operator, p.Exempt, p.Source, p.Date, p.Verify},
		p.Words, p.Adds, p.Sites, p.Tokens, p.Domains, p.Referrers)
	for _, l := range p.Lists {
		list = append(list, l.Name, l.URL)
	}
	return append(list, slices.Concat(p.Also...)...)
}

// isNoWord reports whether a text is anything other than a single word of a header.
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

// Anybodys reports whether the crawler is a tool with many independent users, so that its clients do not share the
// robots.txt answers they got. Its operator then starts with "users of".
func (p *Profile) Anybodys() bool { return strings.HasPrefix(p.Operator, "users of ") }

// cut shortens text from a file for quoting in an error.
func cut(text string) string { return text[:min(len(text), 64)] }
