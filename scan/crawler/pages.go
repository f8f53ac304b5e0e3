package crawler

import (
	"bytes"
	"strings"
)

// The URLs and e-mail addresses in a header reveal who sent it. Pages outside the domains of the operator
// whose crawler it names make the header ambiguous, and a page called bot makes the client a crawler
// (audit-rules 7).

// hostOf returns the extent of the host in a lower-case URL or e-mail address.
func hostOf(low []byte, contact extent) (host extent) {
	host = contact
	text := low[contact.start:contact.end]
	if at := bytes.Index(text, []byte("://")); at >= 0 {
		host.start += at + len("://")
	}
	if n := bytes.IndexAny(low[host.start:host.end], `/?#\`); n >= 0 {
		host.end = host.start + n
	}
	host.start += bytes.LastIndexByte(low[host.start:host.end], '@') + 1
	if n := bytes.IndexByte(low[host.start:host.end], ':'); n >= 0 {
		host.end = host.start + n
	}
	for host.end > host.start && !isWordByte(low[host.end-1]) {
		host.end--
	}
	return host
}

// isOf reports whether a host is one of the domains, or a subdomain of one.
func isOf(host []byte, domains []string) bool {
	for _, domain := range domains {
		rest, found := bytes.CutSuffix(host, []byte(domain))
		if found && (len(rest) == 0 || rest[len(rest)-1] == '.') {
			return true
		}
	}
	return false
}

// foreignPage returns the first URL or e-mail address in a header that is outside the domains of the operator whose
// crawler it names; its end is 0 if there is none. A host must contain a dot.
func (r *Reader) foreignPage() extent {
	domains := r.set.sites[r.mentions[0].operator]
	if len(domains) == 0 || len(r.mentions) > 1 {
		return extent{}
	}
	for _, c := range r.contacts {
		host := hostOf(r.low, c)
		if text := r.low[host.start:host.end]; bytes.IndexByte(text, '.') >= 0 && !isOf(text, domains) {
			return c
		}
	}
	return extent{}
}

// ownPage returns the claim for a header that has no crawler's word but a page called bot, crawler or spider. Its name
// is the first product, or the host of the page if that product belongs to a browser or a library.
func (r *Reader) ownPage(header []byte) Claim {
	for _, c := range r.contacts {
		path := r.low[c.start:c.end]
		if bytes.Contains(path, []byte("://")) {
			path = path[bytes.Index(path, []byte("://"))+len("://"):]
		}
		page := pageName(string(path))
		if page != "bot" && page != "crawler" && page != "spider" {
			continue
		}
		at := nextOf(r.low, 0, isWordByte)
		if front := frontOf(r.low); len(front) == 0 || isWare(front) || inside(r.contacts, 0) {
			at = hostOf(r.low, c)
		}
		if at.start < at.end {
			return r.give(header, at, PageOwner, page)
		}
	}
	return Claim{}
}

// give returns the claim of a client that is named by a word which need not look like a crawler's.
func (r *Reader) give(header []byte, at extent, standing Standing, stem string) Claim {
	r.given = Word{Start: at.start, End: at.end, Stem: stem, Standing: standing}
	return claimOf(header, at, listedName(header[at.start:at.end]))
}

// pageName returns the last path segment of a URL that has no scheme, without its file extension, or "" if there is no
// path.
func pageName(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	_, path, _ := strings.Cut(url, "/")
	path = strings.TrimRight(path, "/.")
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ".")
	return name
}

// nutchUser returns the name that an Apache Nutch user chose, which precedes "/Nutch-1.20"; its end is 0 if there is
// none.
func (r *Reader) nutchUser() extent {
	const nutch = "/nutch-"
	at := bytes.Index(r.low, []byte(nutch))
	if at <= 0 || at+len(nutch) == len(r.low) || r.low[at+len(nutch)] < '0' || r.low[at+len(nutch)] > '9' {
		return extent{}
	}
	if front := frontOf(r.low); isWare(front) {
		return extent{}
	}
	word := nextOf(r.low, 0, isWordByte)
	if word.start > 0 {
		return extent{}
	}
	return word
}
