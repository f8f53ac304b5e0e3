package twin

import "bytes"

// afterScheme returns the offset after the first :// if none of the ends precedes it, else 0.
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

// isRobotsTxt reports whether path is the path of robots.txt itself, which "rfc9309" and "original" always allow (RFC
// 9309, 2.2.2). A query makes it another resource.
func isRobotsTxt(path []byte) bool { return string(path) == "/robots.txt" }
