package twin

import "bytes"

// Path returns the part of url that rules are compared with, in the given
// dialect: the path and the query, never empty, without the fragment, and
// neither decoded nor normalised.
//
// "google" is the C++ library's reading, in which a ; too ends the authority,
// a bare path that begins with // loses its first segment, and a NUL ends the
// path. In the other two a url that begins with / is a request target without
// an authority, // included.
func Path(dialect Dialect, url []byte) []byte {
	if dialect == Google {
		return beforeByte(googlePath(url), 0)
	}
	return requestPath(url)
}

// googlePath is the extraction of Google's library before matching sees it.
func googlePath(url []byte) []byte {
	const ends = "/?;"
	url = bytes.TrimPrefix(url, []byte("//"))
	authority := afterScheme(url, ends)
	start := bytes.IndexAny(url[authority:], ends)
	if start < 0 {
		return []byte("/")
	}
	start += authority
	// The first # of the url counts, not the first one after start: one in the
	// authority leaves no path.
	hash := bytes.IndexByte(url, '#')
	if hash < 0 {
		hash = len(url)
	}
	if hash < start {
		return []byte("/")
	}
	return rooted(url[start:hash])
}

// requestPath is the extraction of the other two dialects.
func requestPath(url []byte) []byte {
	const ends = "/?#"
	start := 0
	if !bytes.HasPrefix(url, []byte("/")) {
		start = afterScheme(url, ends)
		length := bytes.IndexAny(url[start:], ends)
		if length < 0 {
			return []byte("/")
		}
		start += length
	}
	return rooted(beforeByte(url[start:], '#'))
}

// afterScheme returns the offset after the first :// if none of the ends
// precedes it, else 0.
func afterScheme(url []byte, ends string) int {
	scheme := bytes.Index(url, []byte("://"))
	if scheme < 0 || bytes.ContainsAny(url[:scheme], ends) {
		return 0
	}
	return scheme + len("://")
}

// rooted puts a / before a path that lacks it.
func rooted(path []byte) []byte {
	if bytes.HasPrefix(path, []byte("/")) {
		return path
	}
	return append([]byte("/"), path...)
}

// isRobotsTxt reports whether path is that of robots.txt itself, which
// "rfc9309" and "original" always allow (RFC 9309, 2.2.2). A query makes it
// another resource.
func isRobotsTxt(path []byte) bool { return string(path) == "/robots.txt" }
