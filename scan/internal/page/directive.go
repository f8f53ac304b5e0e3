package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Directives is a set of directives.
type Directives uint32

// The directives that restrict the use of a page, and [IndexIfEmbedded], which lifts one of them in
// part. docs/reference/pages.md describes their meaning.
const (
	NoIndex          Directives = 1 << iota // the page is not shown in search results
	NoFollow                                // the links of the page are not followed
	NoArchive                               // no copy of the page is shown
	NoCache                                 // only the URL, the title and a snippet of the page are used (Bing)
	NoSnippet                               // no text of the page is shown in search results
	NoTranslate                             // no translation of the page is offered
	NoImageIndex                            // the page's images are not indexed
	NoAI                                    // nothing on the page is used to train models
	NoImageAI                               // the page's images are not used to train models
	IndexIfEmbedded                         // NoIndex doesn't apply where another page embeds this one
	MaxSnippet                              // limits the text in search results, in characters
	MaxImagePreview                         // limits the size of images in search results: none, standard or large
	MaxVideoPreview                         // limits videos in search results, in seconds
	UnavailableAfter                        // the page is not shown after a given time
)

// restricting are the directives for ParseDirectives, which have no value and forbid a use.
const restricting = NoIndex | NoFollow | NoArchive | NoCache | NoSnippet | NoTranslate | NoImageIndex | NoAI | NoImageAI

// entry describes a directive by its name.
type entry struct {
	name string
	set  Directives
	// common means that the name is also an English word, so that on its own it doesn't show that a
	// meta tag is for robots.
	common bool
}

// entries are the known directives. An empty set restricts nothing.
//
// Sources: Google's "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"
// (https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag), with noarchive and
// nositelinkssearchbox, which it lists as historical; the "HTML Author's Guide to the Robots META
// tag" of 1996 (http://www.robotstxt.org/meta.html), for all, none, index, noindex, follow and
// nofollow; DeviantArt's announcement of noai and noimageai (November 2022); Bing's of nocache
// (September 2023). noodp, noydir and noyaca concern directories of sites that have closed.
var entries = []entry{
	{name: "all", common: true},
	{name: "index", common: true},
	{name: "follow", common: true},
	{name: "none", set: NoIndex | NoFollow, common: true},
	{name: "noindex", set: NoIndex},
	{name: "nofollow", set: NoFollow},
	{name: "noarchive", set: NoArchive},
	{name: "nocache", set: NoCache},
	{name: "nosnippet", set: NoSnippet},
	{name: "notranslate", set: NoTranslate},
	{name: "noimageindex", set: NoImageIndex},
	{name: "noai", set: NoAI},
	{name: "noimageai", set: NoImageAI},
	{name: "indexifembedded", set: IndexIfEmbedded},
	{name: "max-snippet", set: MaxSnippet},
	{name: "max-image-preview", set: MaxImagePreview},
	{name: "max-video-preview", set: MaxVideoPreview},
	{name: "unavailable_after", set: UnavailableAfter},
	{name: "nositelinkssearchbox"},
	{name: "noodp"},
	{name: "noydir"},
	{name: "noyaca"},
}

// valued are the directives with a value after a colon.
const valued = MaxSnippet | MaxImagePreview | MaxVideoPreview | UnavailableAfter

// lookup finds a directive by its name, ignoring case. It returns nil for an unknown one.
func lookup(name []byte) *entry {
	for i := range entries {
		if equalFold(name, entries[i].name) {
			return &entries[i]
		}
	}
	return nil
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// ParseDirectives parses a comma-separated list of directives that forbid a use of a page, such as
// "noindex,noarchive", ignoring case. It accepts directives without values, and "none", which
// stands for noindex and nofollow.
func ParseDirectives(list string) (Directives, error) {
	var set Directives
	for name := range strings.SplitSeq(list, ",") {
		e := lookup([]byte(strings.TrimSpace(name)))
		if e == nil || e.set == 0 || e.set&^restricting != 0 {
			return 0, fmt.Errorf("%q is not a directive that forbids a use of a page; those are none, %s",
				name, strings.ReplaceAll(restricting.String(), ",", ", "))
		}
		set |= e.set
	}
	return set, nil
}

// String returns the names of the directives, separated by commas.
func (d Directives) String() string {
	var names []string
	for _, e := range entries {
		if e.set != 0 && e.set&(e.set-1) == 0 && d&e.set != 0 {
			names = append(names, e.name)
		}
	}
	return strings.Join(names, ",")
}

func directive(i int) Directives { return MaxSnippet << i }

// previews are the sizes of images, smallest first.
var previews = []string{"none", "standard", "large"}

// unlimited is the value of max-snippet and max-video-preview for no limit, -1 in a page.
const unlimited = math.MaxInt64

// text formats the value of a directive.
func (d Directives) text(n int64) string {
	switch {
	case d == MaxImagePreview:
		return previews[n]
	case d == UnavailableAfter:
		return time.Unix(n, 0).UTC().Format(time.RFC3339)
	case n == unlimited:
		return "-1"
	}
	return strconv.FormatInt(n, 10)
}

// Rules are the combined effect of directives. The zero value restricts nothing.
type Rules struct {
	// Set has the stated directives.
	Set Directives
	// Unknown counts the directives that are unknown or have an unreadable value. They restrict
	// nothing.
	Unknown int

	// values are the values of the directives of valued that are in Set. Lower values are more
	// restrictive.
	values [4]int64
}

// add adds further rules. If values of a directive differ, the more restrictive one stays.
func (r *Rules) add(o Rules) {
	for i, n := range o.values {
		if d := directive(i); o.Set&d != 0 && (r.Set&d == 0 || n < r.values[i]) {
			r.values[i] = n
		}
	}
	r.Set |= o.Set
	r.Unknown += o.Unknown
}

// at returns the rules at a given time. NoIndex is added if the page is no longer available,
// IndexIfEmbedded is removed without a NoIndex, and "no text" becomes NoSnippet instead of a limit
// of 0.
func (r Rules) at(t time.Time) Rules {
	const snippet, after = 0, 3
	if r.Set&UnavailableAfter != 0 && t.After(time.Unix(r.values[after], 0)) {
		r.Set |= NoIndex
	}
	if r.Set&NoIndex == 0 {
		r.Set &^= IndexIfEmbedded
	}
	if r.Set&MaxSnippet != 0 && r.values[snippet] == 0 {
		r.Set |= NoSnippet
	}
	if r.Set&NoSnippet != 0 {
		r.Set, r.values[snippet] = r.Set&^MaxSnippet, 0
	}
	return r
}

// Names returns the directives as a page would state them, such as "noindex" and "max-snippet:20",
// without unknown ones. It returns an empty list if nothing is restricted.
func (r Rules) Names() []string {
	list := []string{}
	for name := range strings.SplitSeq((r.Set &^ valued).String(), ",") {
		if name != "" {
			list = append(list, name)
		}
	}
	for i, n := range r.values {
		if d := directive(i); r.Set&d != 0 {
			list = append(list, d.String()+":"+d.text(n))
		}
	}
	return slices.Clip(list)
}
