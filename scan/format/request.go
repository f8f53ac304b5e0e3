package format

import "bytes"

// hasTarget reports whether request[:method] is a method, after which are a blank and one
// of the four forms of a request target (RFC 9112 3.2).
func hasTarget(request []byte, method int) bool {
	if method <= 0 || method+1 >= len(request) || request[method] != ' ' {
		return false
	}
	target := request[method+1:]
	switch c := target[0]; {
	case c == '/':
		return true
	case c == '*':
		return len(target) == 1 || target[1] == ' '
	case string(request[:method]) == "CONNECT":
		return c != ' '
	default:
		return schemeEnd(target) > 0
	}
}

// methodEnd returns the length of the token at the start of a request line.
func methodEnd(request []byte) int {
	if len(request) > len("GET ") && string(request[:len("GET ")]) == "GET " {
		return len("GET")
	}
	i := 0
	for i < len(request) && tokenBytes[request[i]] {
		i++
	}
	return i
}

// tokenBytes are the bytes of which a method may consist (RFC 9110 5.6.2).
var tokenBytes = func() (t [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		t[c] = true
	}
	return t
}()

// usualMethod is by far the most frequent method, for formats without one.
var usualMethod = []byte("GET")

// requestTarget returns what stands between the method and the protocol of a request
// line. A target may contain blanks, so it ends where the protocol begins. A request
// without a protocol is HTTP/0.9; but if the answer is 414, the server stopped reading and
// logged the beginning of the target.
func requestTarget(b []byte, r *Record) []byte {
	const protocol1 = " HTTP/1."
	if at := len(b) - len(protocol1) - 1; at > 0 && string(b[at:at+len(protocol1)]) == protocol1 && b[len(b)-1] != ' ' {
		r.Truncated = false
		return b[:at]
	}
	line := bytes.TrimRight(b, " ") // nginx accepts blanks after the protocol, and logs them
	end := bytes.LastIndexByte(line, ' ')
	protocol := end > 0 && bytes.HasPrefix(line[end+1:], []byte("HTTP/"))
	r.Truncated = !protocol && r.Status == 414
	if protocol {
		return b[:end]
	}
	return b
}

// schemeEnd returns the index of "://" in an absolute-form target, -1 if it is
// none.
func schemeEnd(target []byte) int {
	for i, c := range target {
		if 'a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.') {
			continue
		}
		if i > 0 && bytes.HasPrefix(target[i:], []byte("://")) {
			return i
		}
		return -1
	}
	return -1
}

// isRobots is Record.Robots of a target.
func isRobots(target []byte) bool {
	const robots = "/robots.txt"
	if target[0] == '/' {
		return len(target) >= len(robots) && string(target[:len(robots)]) == robots
	}
	if end := schemeEnd(target); end >= 0 {
		target = target[end+len("://"):]
		target = target[max(bytes.IndexByte(target, '/'), 0):]
	}
	return bytes.Contains(target, []byte(robots))
}
