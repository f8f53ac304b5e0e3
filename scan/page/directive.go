package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Directives is a set of directives.
type Directives uint32

// The directives that restrict the use of a page, and [IndexIfEmbedded], which lifts one of them in
// part. What each one means is in docs/pages.md.
const (
	NoIndex          Directives = 1 << iota // the page is not shown in search results
	NoFollow                                // the links of the page are not followed
	NoArchive                               // no copy of the page is shown
	NoCache                                 // no more than the URL, the title and a snippet of the page is used (Bing)
	NoSnippet                               // no text of the page is shown in search results
	NoTranslate                             // no translation of the page is offered
	NoImageIndex                            // the images of the page are not indexed
	NoAI                                    // nothing of the page is used to train models
	NoImageAI                               // the images of the page are not used to train models
	IndexIfEmbedded                         // NoIndex does not hold where another page embeds this one
	MaxSnippet                              // Rules.MaxSnippet bounds the text in search results
	MaxImagePreview                         // Rules.MaxImagePreview bounds the size of images in search results
	MaxVideoPreview                         // Rules.MaxVideoPreview bounds the length of videos in search results
	UnavailableAfter                        // the page is not shown after Rules.UnavailableAfter
)

// restricting are the directives that ParseDirectives knows: those that have no value and forbid a
// use.
const restricting = NoIndex | NoFollow | NoArchive | NoCache | NoSnippet | NoTranslate | NoImageIndex | NoAI | NoImageAI

// entry describes a directive by its name.
type entry struct {
	name string
	set  Directives
	// common says that the name is an English word too: alone it does not show that a meta tag is
	// for robots.
	common bool
}

// entries are the directives that are known. A directive with an empty set restricts nothing.
//
// Sources: Google's "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"
// (https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag), with noarchive and
// nositelinkssearchbox, which it lists as historical; the "HTML Author's Guide to the Robots META
// tag" of 1996 (http://www.robotstxt.org/meta.html), for all, none, index, noindex, follow and
// nofollow; DeviantArt's announcement of noai and noimageai (November 2022); Bing's of nocache
// (September 2023). noodp, noydir and noyaca were about directories of sites that are closed.
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

// valued are the directives that have a value after a colon.
const valued = MaxSnippet | MaxImagePreview | MaxVideoPreview | UnavailableAfter

// lookup finds a directive by its name, whose case does not count; it returns nil for an unknown
// one.
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

// ParseDirectives reads names of directives that forbid a use of a page, such as
// "noindex,noarchive", separated by commas; their case does not count. It knows those that have no
// value, and "none", which stands for noindex and nofollow.
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

// Preview is the size of the images that search results may show.
type Preview uint8

// The sizes, from the smallest.
const (
	PreviewNone Preview = iota
	PreviewStandard
	PreviewLarge
)

var previews = []string{"none", "standard", "large"}

// String returns the value that max-image-preview has for the size.
func (p Preview) String() string { return previews[p] }

// Unlimited is the value of max-snippet and max-video-preview that sets no bound, -1 in a page.
const Unlimited = -1

// Rules are what directives state together. The zero value restricts nothing.
type Rules struct {
	// Set has the directives that are stated.
	Set Directives
	// MaxSnippet is a number of characters or Unlimited, if Set has it.
	MaxSnippet int
	// MaxVideoPreview is a number of seconds or Unlimited, if Set has it.
	MaxVideoPreview int
	// MaxImagePreview is a size, if Set has it.
	MaxImagePreview Preview
	// UnavailableAfter is an instant, if Set has it.
	UnavailableAfter time.Time
	// Unknown counts the directives that are not known, and those without a value that can be read.
	// They restrict nothing.
	Unknown int
}

// add adds what others state. Of two values of one directive the more restrictive one stays.
func (r *Rules) add(o Rules) {
	wins := func(d Directives, stricter bool) bool { return o.Set&d != 0 && (r.Set&d == 0 || stricter) }
	if wins(MaxSnippet, uint(o.MaxSnippet) < uint(r.MaxSnippet)) { // Unlimited is the largest uint
		r.MaxSnippet = o.MaxSnippet
	}
	if wins(MaxVideoPreview, uint(o.MaxVideoPreview) < uint(r.MaxVideoPreview)) {
		r.MaxVideoPreview = o.MaxVideoPreview
	}
	if wins(MaxImagePreview, o.MaxImagePreview < r.MaxImagePreview) {
		r.MaxImagePreview = o.MaxImagePreview
	}
	if wins(UnavailableAfter, o.UnavailableAfter.Before(r.UnavailableAfter)) {
		r.UnavailableAfter = o.UnavailableAfter
	}
	r.Set |= o.Set
	r.Unknown += o.Unknown
}

// at returns what the rules mean at an instant: NoIndex is added if the page is not available any
// more; IndexIfEmbedded is removed if there is no NoIndex for it to lift; and "no text" is always
// NoSnippet, never a bound of 0 beside it.
func (r Rules) at(t time.Time) Rules {
	if r.Set&UnavailableAfter != 0 && t.After(r.UnavailableAfter) {
		r.Set |= NoIndex
	}
	if r.Set&NoIndex == 0 {
		r.Set &^= IndexIfEmbedded
	}
	if r.Set&MaxSnippet != 0 && r.MaxSnippet == 0 {
		r.Set |= NoSnippet
	}
	if r.Set&NoSnippet != 0 {
		r.Set, r.MaxSnippet = r.Set&^MaxSnippet, 0
	}
	return r
}

// Names returns the directives as a page would state them, one each, such as "noindex" and
// "max-snippet:20"; without the unknown ones. It returns an empty list if nothing is restricted.
func (r Rules) Names() []string {
	list := []string{}
	for name := range strings.SplitSeq((r.Set &^ valued).String(), ",") {
		if name != "" {
			list = append(list, name)
		}
	}
	value := func(d Directives, text string) {
		if r.Set&d != 0 {
			list = append(list, d.String()+":"+text)
		}
	}
	value(MaxSnippet, strconv.Itoa(r.MaxSnippet))
	value(MaxImagePreview, r.MaxImagePreview.String())
	value(MaxVideoPreview, strconv.Itoa(r.MaxVideoPreview))
	value(UnavailableAfter, r.UnavailableAfter.UTC().Format(time.RFC3339))
	return slices.Clip(list)
}
