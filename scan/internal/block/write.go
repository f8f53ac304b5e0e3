package block

import (
	"embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
)

// Kind is an output format of rules, for a particular server.
type Kind struct {
	Name string
	// FreesRobots means that the rules never refuse /robots.txt itself. A crawler that can't fetch it
	// may assume that everything is permitted (RFC 9309 2.3.1.3).
	FreesRobots bool
	// Substrings is set if the server can only search headers for substrings, without regard to word boundaries.
	Substrings bool
	takes      func(r *Rule) bool // nil accepts all rules
	because    string             // why takes rejects the others
	use        []string           // instructions for the server
}

// Kinds are all output formats. The folder kinds has their templates.
var Kinds = []*Kind{
	{Name: "nginx", FreesRobots: true, use: []string{
		"Use it by two lines, the first in http { }, the second in server { }:",
		"    include /etc/nginx/robotsieve.conf;", "    if ($robotsieve_block) { return 403; }"}},
	{Name: "apache", FreesRobots: true, use: []string{
		`Use it by two lines, the first in the server or virtual host, the second in <RequireAll> of <Location "/">:`,
		"    Include /etc/apache2/robotsieve.conf", "    Require not env robotsieve_block"}},
	{Name: "caddy", FreesRobots: true, use: []string{
		"Use it by two lines, the first at the top of the Caddyfile, the second in a site:",
		"    import /etc/caddy/robotsieve.caddy", "    import robotsieve_block"}},
	{Name: "haproxy", FreesRobots: true, use: []string{
		"Use it as the last lines of a frontend in mode http, by two commands:",
		"    cat frontend.cfg robotsieve.cfg > /etc/haproxy/haproxy.cfg", "    haproxy -c -f /etc/haproxy/haproxy.cfg"}},
	{Name: "cloudflare", FreesRobots: true, Substrings: true, because: "takes no longer expressions",
		takes: func(r *Rule) bool { return r.Sort == ByAddress || len(impostor(r)) < maxExpression-64 }, use: []string{
			"Use each line that is no comment as the expression of a custom rule with the action Block:",
			"    Security rules, Create rule, Custom rules, Edit expression"}},
	{Name: "nft", because: "sees no User-Agent", takes: func(r *Rule) bool { return r.Sort == ByAddress }, use: []string{
		"Use it by two commands, of which the first only checks it:",
		"    nft -c -f robotsieve.nft", "    nft -f robotsieve.nft"}},
}

func (k *Kind) writes(r *Rule) bool { return k.takes == nil || k.takes(r) }

// ByKind returns the named output format, or nil if there is none.
func ByKind(name string) *Kind {
	if i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Name == name }); i >= 0 {
		return Kinds[i]
	}
	return nil
}

// KindNames returns the names of all output formats.
func KindNames() (names []string) {
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	return names
}

// title is the first line of a file of rules.
const title = "# robotsieve block rules"

// Is reports whether a file contains rules, given its first bytes.
func Is(head []byte) bool { return strings.HasPrefix(string(head), title) }

// item is a rule in a template.
type item struct {
	Rule
	Number   int // from 1, per sort
	Comments []string
}

// file is the input of a template.
type file struct {
	Title                       string
	Use, Head                   []string
	Names, Impostors, Addresses []item
	Days                        int
	Until                       int64 // seconds since 1970
}

// Write writes the rules of a plan with their dry run. program is the name of the program that made
// them.
func (k *Kind) Write(w io.Writer, p *Plan, dry Result, program string) error {
	f := file{Title: title + " for " + k.Name, Use: k.use, Days: int(term / (24 * time.Hour)), Until: p.Until.Unix(),
		Head: []string{"Made by robotsieve " + program + ". How to use and to undo it: docs/howto/block.md."}}
	f.Head = slices.Concat(f.Head, k.Summary(p, dry), p.Short())
	for i, r := range p.Rules {
		list := map[Sort]*[]item{ByName: &f.Names, Impostor: &f.Impostors, ByAddress: &f.Addresses}[r.Sort]
		if dry.Written[i] {
			*list = append(*list, item{r, len(*list) + 1, append(slices.Clone(r.Notes), dry.Rules[i].text("It would have"))})
		}
	}
	t, err := template.New(k.Name+".tmpl").Funcs(functions).ParseFS(templates, "kinds/"+k.Name+".tmpl")
	if err != nil {
		return err
	}
	if err := t.Execute(w, f); err != nil {
		return err
	}
	return writeHeld(w, slices.Concat(p.Held, dry.Held))
}

// writeHeld adds the rules that aren't in force as comments at the end of a file.
func writeHeld(w io.Writer, held []Rule) error {
	text := ""
	for _, r := range held {
		text += "\n# " + plain("Not in force, because "+r.Withheld+": "+strings.Join(r.Notes, ". "))
	}
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}

// Summary describes what the rules would have refused, and warns of harm.
func (k *Kind) Summary(p *Plan, dry Result) []string {
	list := []string{fmt.Sprintf("Dry run over the same log, %s: %s", english.Plural(dry.Lines, "request"),
		dry.text("these rules would have"))}
	var search []Rule
	leftOut := int64(0)
	for i, r := range p.Rules {
		switch {
		case !k.writes(&r):
			leftOut++
		case dry.Written[i] && r.Search:
			search = append(search, r)
		}
	}
	if leftOut > 0 {
		list = append(list, fmt.Sprintf("%s %s left out: %s %s.", english.Plural(leftOut, "rule"),
			english.Verb(leftOut, "is", "are"), k.Name, k.because))
	}
	list = append(list, withheld(dry.Held)...)
	if len(search) > 0 {
		list = append(list, fmt.Sprintf("WARNING: rules are in force that may harm search engines (%s): if they refuse too "+
			"much, the site vanishes from search results.", crawlersOf(search)))
	}
	if dry.Search > 0 {
		list = append(list, fmt.Sprintf("WARNING: %s in the name of search engines would have been refused that the rules "+
			"are not for.", english.Plural(dry.Search, "request")))
	}
	return list
}

// Short returns the notes, with one line per reason for rules that aren't in force.
func (p *Plan) Short() []string { return slices.Concat(p.Notes, withheld(p.Held)) }

// withheld says which rules are only comments, and why.
func withheld(held []Rule) (list []string) {
	by := map[string][]Rule{}
	for _, r := range held {
		by[r.Withheld] = append(by[r.Withheld], r)
	}
	for _, why := range slices.Sorted(maps.Keys(by)) {
		n := int64(len(by[why]))
		list = append(list, fmt.Sprintf("%s (%s) %s in comments only, because %s.", english.Plural(n, "rule"),
			crawlersOf(by[why]), english.Verb(n, "is", "are"), why))
	}
	return list
}

func crawlersOf(rules []Rule) string {
	var names []string
	for i := range rules {
		names = append(names, rules[i].Crawlers...)
	}
	slices.Sort(names)
	return english.List(slices.Compact(names))
}

// text describes the blocked requests, following words such as "these rules would have".
func (r *Refused) text(would string) string {
	text := fmt.Sprintf("%s refused %s, %s of them permitted by robots.txt, %s of anybody else", would,
		english.Plural(r.Requests, "request"), english.Grouped(r.Permitted), english.Grouped(r.Others))
	if r.Others > 0 {
		text += fmt.Sprintf(" (%s by clients that name no crawler, such as browsers; %s by verified crawlers; %s by others "+
			"that name one)", english.Grouped(r.Visitors), english.Grouped(r.Verified),
			english.Grouped(r.Others-r.Visitors-r.Verified))
	}
	return text + "."
}

// maxComment limits a line of a comment, in bytes.
const maxComment = 600

// plain makes a text from a log or a robots.txt one line of a comment, safe for any server. It
// replaces by question marks everything outside printable ASCII, and characters that some server
// expands or treats as the end or the continuation of a line.
func plain(text string) string {
	b := []byte(text[:min(len(text), maxComment)])
	for i, c := range b {
		if c < ' ' || c > '~' || strings.IndexByte(`\{}`+"`", c) >= 0 {
			b[i] = '?'
		}
	}
	return strings.TrimSpace(string(b))
}

//go:embed kinds
var templates embed.FS

var functions = template.FuncMap{
	"expressions": expressions,
	"plain":       plain,
	"comments": func(indent string, i item) (lines string) {
		for _, text := range i.Comments {
			lines += "\n" + indent + "# " + plain(text)
		}
		return lines
	},
}
