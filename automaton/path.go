package automaton

import "bytes"

var slash = []byte("/")

// Path returns the part of a URL that the dialect's rules are compared with:
// path and query, exactly as they stand in url, without the fragment. It never
// normalises anything and accepts any bytes; the result is never empty and
// starts with a slash.
//
// Google's reading takes '?' and ';' as ends of the authority, and a string
// such as "a/b" as a host with a path; a request target from a log is
// therefore given to it behind a scheme and a host. The other dialects take a
// string that begins with a slash as a request target.
//
// The result is a view of url or of s, valid until either changes, and not to
// be written to.
func (d Dialect) Path(s *Scratch, url []byte) []byte {
	if d == Google {
		return googlePath(s, url)
	}
	return rfcPath(s, url)
}

// TargetPath is Path for a request target as an access log has it: of one that
// begins with a slash it returns what Path returns of the URL that it is part
// of, so that also "//a" is a path, not a host. Any other target is a URL.
func (d Dialect) TargetPath(s *Scratch, target []byte) []byte {
	if len(target) == 0 || target[0] != '/' {
		return d.Path(s, target)
	}
	if hash := bytes.IndexByte(target, '#'); hash >= 0 {
		target = target[:hash]
	}
	if d == Google {
		return cutNUL(target)
	}
	return target
}

// cutNUL cuts a path at its first NUL, as Google's parser does, which compares
// C strings.
func cutNUL(path []byte) []byte {
	if nul := bytes.IndexByte(path, 0); nul >= 0 {
		return path[:nul]
	}
	return path
}

// googlePath follows google/robotstxt, byte for byte: one leading "//" is
// passed over, a scheme counts only if no '/', '?' or ';' precedes its "://",
// and a fragment that begins before the path leaves the path "/".
func googlePath(s *Scratch, url []byte) []byte {
	if len(url) >= 2 && url[0] == '/' && url[1] == '/' {
		url = url[2:]
	}
	at := pathStart(url, ';')
	hash := bytes.IndexByte(url, '#')
	if at < 0 || hash >= 0 && hash < at {
		return slash
	}
	if hash < 0 {
		hash = len(url)
	}
	return cutNUL(s.rooted(url[at:hash]))
}

// rfcPath is the path of a URL or of a request target as RFC 3986 splits it.
func rfcPath(s *Scratch, url []byte) []byte {
	if hash := bytes.IndexByte(url, '#'); hash >= 0 {
		url = url[:hash]
	}
	if len(url) > 0 && url[0] == '/' {
		return url
	}
	at := pathStart(url, '?')
	if at < 0 {
		return slash
	}
	return s.rooted(url[at:])
}

// pathStart returns where the authority of url ends: at the first '/', '?' or
// extra, after a scheme if there is one; -1 if nothing ends it.
func pathStart(url []byte, extra byte) int {
	at := indexOf3(url, 0, extra)
	if at > 0 && url[at-1] == ':' && url[at] == '/' && at+1 < len(url) && url[at+1] == '/' {
		at = indexOf3(url, at+2, extra)
	}
	return at
}

// indexOf3 returns the index of the first '/', '?' or extra at or after from.
func indexOf3(url []byte, from int, extra byte) int {
	for i := from; i < len(url); i++ {
		if c := url[i]; c == '/' || c == '?' || c == extra {
			return i
		}
	}
	return -1
}
