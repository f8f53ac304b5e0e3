package crawler

import "github.com/robotsieve/robotsieve/automaton"

// libraries are the products, in lower case, with which HTTP libraries and command-line
// clients begin their headers unless the program that uses them says otherwise. Anybody
// may use them to request anything. What follows links by itself, as Scrapy does, is not
// one of them: it has a profile, whose operator is its users.
var libraries = map[string]bool{
	// Command-line clients, and tools that send requests by hand.
	"curl": true, "wget": true, "aria2": true, "httpie": true, "postmanruntime": true, "insomnia": true, "axel": true,
	// C, C++, C#, Lua.
	"libcurl-agent": true, "neon": true, "serf": true, "restsharp": true, "lua-resty-http": true,
	// Go and Rust.
	"go-http-client": true, "go-resty": true, "grequests": true, "fasthttp": true, "reqwest": true, "ureq": true,
	// Java and Kotlin.
	"java": true, "java-http-client": true, "apache-httpclient": true, "apache-httpasyncclient": true,
	"okhttp": true, "google-http-java-client": true, "ahc": true, "jersey": true, "unirest-java": true, "reactornetty": true, "ktor-client": true,
	// JavaScript.
	"node": true, "axios": true, "undici": true, "node-superagent": true, "needle": true, "deno": true, "bun": true,
	// Perl and PHP.
	"libwww-perl": true, "lwp-request": true, "lwp-trivial": true, "www-mechanize": true,
	"php": true, "guzzle": true, "guzzlehttp": true, "http_request2": true, "php-curl-class": true,
	// Python.
	"python": true, "python-requests": true, "python-urllib": true, "python-urllib3": true, "python-httpx": true,
	"python-httplib2": true, "pycurl": true,
	// Ruby.
	"ruby": true, "httpclient": true, "mechanize": true, "rest-client": true, "http.rb": true,
}

// maxLibrary is not less than the length of the longest of libraries.
const maxLibrary = 32

// isLibrary tells whether a header begins with a product of libraries, or is one.
func isLibrary(header []byte) bool {
	product := productOf(header)
	if product == nil && frontEnd(header) == len(header) {
		product = header
	}
	if len(product) > maxLibrary {
		return false
	}
	var lower [maxLibrary]byte
	for i, c := range product {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return libraries[string(lower[:len(product)])]
}

// isBrowser tells whether a product is one with which the headers of browsers begin, and
// those of many crawlers.
func isBrowser(product []byte) bool {
	for _, browser := range [...]string{"mozilla", "opera"} {
		if len(product) == len(browser) && indexFold(product, browser) == 0 {
			return true
		}
	}
	return false
}

// productOf returns the product with which a header begins, a view of it; nil if it
// begins with none. A product is a word followed by a slash. Words that dots join are one.
func productOf(header []byte) []byte {
	if end := frontEnd(header); 0 < end && end < len(header) && header[end] == '/' {
		return header[:end]
	}
	return nil
}

// frontEnd returns the end of the words that dots join at the beginning of a header.
func frontEnd(header []byte) int {
	end := 0
	for end < len(header) && (header[end] == '.' || automaton.IsWordByte(header[end])) {
		end++
	}
	return end
}
