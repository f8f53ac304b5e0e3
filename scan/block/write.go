package block

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
)

// Kind is a form of the rules: that of one server.
type Kind struct {
	Name string
	// FreesRobots: the rules refuse nobody /robots.txt itself. A crawler that is refused it may take
	// the whole site as permitted (RFC 9309 2.3.1.3).
	FreesRobots bool
	// Substrings: names stand in a header as any part of it, not only as whole words.
	Substrings bool
	takes      func(r *Rule) bool // nil: all rules
	because    string             // why not
}

// Kinds are all kinds; the template of each is in the folder kinds.
var Kinds = []*Kind{
	{Name: "nginx", FreesRobots: true}, {Name: "apache", FreesRobots: true}, {Name: "caddy", FreesRobots: true},
	{Name: "haproxy", FreesRobots: true},
	{Name: "cloudflare", FreesRobots: true, Substrings: true, because: "takes no longer expressions",
		takes: func(r *Rule) bool { return len(impostor(r)) < maxExpression-64 }},
	{Name: "nft", because: "sees no User-Agent", takes: func(r *Rule) bool { return r.Sort == ByAddress }},
}

func (k *Kind) writes(r *Rule) bool { return k.takes == nil || k.takes(r) }

// ByKind returns the kind of a name, nil if there is none.
func ByKind(name string) *Kind {
	if i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Name == name }); i >= 0 {
		return Kinds[i]
	}
	return nil
}

// KindNames returns the names of all kinds.
func KindNames() (names []string) {
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	return names
}

// title is what a file of rules begins with.
const title = "# robotsieve block rules"

// Is reports whether a file is one of rules, by its first bytes.
func Is(head []byte) bool { return strings.HasPrefix(string(head), title) }

// item is a rule as a template has it.
type item struct {
	Rule
	Number   int // from 1, among those of its sort
	Comments []string
}

// file is what a template has.
type file struct {
	Title                       string
	Head                        []string
	Names, Impostors, Addresses []item
	Days                        int
	Until                       int64 // in seconds since 1970
}

// Write writes the rules of a plan with their dry run, as a program of that name has made them.
func (k *Kind) Write(w io.Writer, p *Plan, dry Result, program string) error {
	f := file{Title: title + " for " + k.Name, Days: int(term / (24 * time.Hour)), Until: p.Until.Unix(), Head: []string{
		"Made by robotsieve " + program + ". How to use and to undo it: docs/block.md.",
	}}
	f.Head = slices.Concat(f.Head, k.Summary(p, dry), p.Notes)
	for _, r := range p.Held {
		f.Head = append(f.Head, "A rule for a search engine is not in force without --block-search: "+
			strings.Join(r.Notes, ". "))
	}
	for i, r := range p.Rules {
		list := map[Sort]*[]item{ByName: &f.Names, Impostor: &f.Impostors, ByAddress: &f.Addresses}[r.Sort]
		if k.writes(&r) {
			*list = append(*list, item{r, len(*list) + 1, append(slices.Clone(r.Notes), dry.Rules[i].text("It would have"))})
		}
	}
	t, err := template.New(k.Name+".tmpl").Funcs(functions).ParseFS(templates, "kinds/"+k.Name+".tmpl")
	if err != nil {
		return err
	}
	return t.Execute(w, f)
}

// Summary says what the rules would have refused, and what to beware of.
func (k *Kind) Summary(p *Plan, dry Result) []string {
	list := []string{fmt.Sprintf("Dry run over the same log, %s: %s", english.Plural(dry.Lines, "request"),
		dry.text("these rules would have"))}
	written := slices.DeleteFunc(slices.Clone(p.Rules), func(r Rule) bool { return !k.writes(&r) })
	if n := int64(len(p.Rules) - len(written)); n > 0 {
		list = append(list, fmt.Sprintf("%s %s left out: %s %s.", english.Plural(n, "rule"), english.Verb(n, "is", "are"),
			k.Name, k.because))
	}
	if search := slices.DeleteFunc(written, func(r Rule) bool { return !r.Search }); len(search) > 0 {
		list = append(list, fmt.Sprintf("WARNING: rules for search engines are in force (%s): if they refuse too much, the "+
			"site vanishes from search results.", crawlersOf(search)))
	}
	if dry.Search > 0 {
		list = append(list, fmt.Sprintf("WARNING: %s in the name of search engines would have been refused that the rules "+
			"are not for.", english.Plural(dry.Search, "request")))
	}
	return list
}

// Short are the notes, with the rules that are not in force in one line.
func (p *Plan) Short() []string {
	n := int64(len(p.Held))
	if n == 0 {
		return p.Notes
	}
	return append(slices.Clone(p.Notes), fmt.Sprintf("%s for search engines (%s) %s in comments only, until "+
		"--block-search puts %s in force.", english.Plural(n, "rule"), crawlersOf(p.Held), english.Verb(n, "is", "are"),
		english.Verb(n, "it", "them")))
}

// crawlersOf names the crawlers that rules are for.
func crawlersOf(rules []Rule) string {
	var names []string
	for i := range rules {
		names = append(names, rules[i].Crawlers...)
	}
	slices.Sort(names)
	return english.List(slices.Compact(names))
}

// text says what was refused, after words such as "these rules would have".
func (r *Refused) text(would string) string {
	text := fmt.Sprintf("%s refused %s, %s of them of anybody else", would, english.Plural(r.Requests, "request"),
		english.Grouped(r.Others))
	if r.Others > 0 {
		text += fmt.Sprintf(" (%s by clients that name no crawler, such as browsers; %s by verified crawlers; %s by others "+
			"that name one)", english.Grouped(r.Visitors), english.Grouped(r.Verified),
			english.Grouped(r.Others-r.Visitors-r.Verified))
	}
	return text + "."
}

// maxComment bounds a line of a comment, in bytes.
const maxComment = 600

// plain makes a text one line of a comment, of whatever server: what a text of a log or a robots.txt
// has beside printable ASCII, and what some server replaces or takes for the end or the going on of a
// line even there, becomes a question mark.
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
