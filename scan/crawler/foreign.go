package crawler

import (
	"bytes"
	"slices"
)

// A header that names a crawler may come from another program: one that gives another name besides the
// crawler's, or that only says what it is, or is not, like (audit-rules 7). This file finds the words that
// reveal this.

// foreign returns the part of a header which suggests that its client is not the crawler it names. Its end is 0 if
// there is none. It looks for
//
//   - the first word of the header, unless it is a browser's Mozilla or Opera;
//   - another word that would name an unknown crawler;
//   - another product, which is a word with a version such as "line-poker/1.0", unless it belongs
//     to a browser, a system or an HTTP library; or appEngine;
//   - a plain word right before the crawler's, as in "like Googlebot" and "not bingbot".
//
// Words of known crawlers and words that the operator adds are excluded.
func (r *Reader) foreign() extent {
	hits, named := r.hits, 0 // those that begin after the run, and the end of those that begin before
	var before extent        // the run before, if it is a plain word
	for run := nextOf(r.low, 0, isRunByte); run.end > 0; run = nextOf(r.low, run.end, isRunByte) {
		for ; len(hits) > 0 && hits[0].start < run.end; hits = hits[1:] {
			at := hits[0].start
			named = max(named, hits[0].end)
			if before.end > 0 && r.counts(at) && isBlank(r.low[before.end:at]) {
				return before
			}
		}
		before = extent{}
		text := r.low[run.start:run.end]
		switch {
		case named > run.start, r.isAdded(text), inside(r.contacts, run.start),
			r.set.controls[string(bytes.Trim(text, "."))] != nil:
		case run.start == 0 && !isBrowser(text), r.isForeignProduct(run), string(text) == appEngine, r.hasForeignName(run):
			return run
		case r.isPlain(run):
			before = run
		}
	}
	return extent{}
}

// appEngine is what Google adds to the headers of programs on App Engine, where anyone can run a program under any
// name.
const appEngine = "appengine-google"

// isRunByte reports whether a byte can be part of a run of words joined by dots.
func isRunByte(c byte) bool { return c == '.' || isWordByte(c) }

// isBlank reports whether a text consists of one or more blanks.
func isBlank(text []byte) bool { return len(text) > 0 && len(bytes.TrimLeft(text, " ")) == 0 }

// isAdded reports whether one of the dot-joined words of a run is added by the operator of the first crawler
// named.
func (r *Reader) isAdded(run []byte) bool {
	added := r.set.added[r.mentions[0].operator]
	for len(added) > 0 && len(run) > 0 {
		word, rest, _ := bytes.Cut(run, []byte("."))
		if slices.ContainsFunc(added, func(a string) bool { return a == string(word) }) {
			return true
		}
		run = rest
	}
	return false
}

// isForeignProduct reports whether a run is a product, which means that a slash and a version follow it.
func (r *Reader) isForeignProduct(run extent) bool {
	version := r.low[run.end:]
	if len(version) > 2 && version[0] == '/' && version[1] == 'v' {
		version = version[1:]
	}
	return len(version) > 1 && version[1] >= '0' && version[1] <= '9' && (version[0] == '/' || version[0] == 'v') &&
		!isWare(r.low[run.start:run.end])
}

// hasForeignName reports whether a run contains a word that would name an unknown crawler.
func (r *Reader) hasForeignName(run extent) bool {
	for from := run.start; ; {
		word, stem := nextStem(r.low[:run.end], from)
		if stem == "" {
			return false
		}
		if r.mayName(word) == Names {
			return true
		}
		from = word.end
	}
}

// isPlain reports whether a run is a word with a letter that is not a browser product and does not follow a slash, as a
// version does.
func (r *Reader) isPlain(run extent) bool {
	text := r.low[run.start:run.end]
	return (run.start == 0 || r.low[run.start-1] != '/') && !isWare(text) &&
		bytes.ContainsFunc(text, func(c rune) bool { return 'a' <= c && c <= 'z' || c >= 0x80 })
}
