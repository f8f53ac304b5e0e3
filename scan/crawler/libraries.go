package crawler

import (
	"bytes"
	"strings"
	"sync"
)

// libraries are the products, in lower case, that HTTP libraries and command-line clients put first in their
// headers unless the program that uses them overrides it. Anyone may use them to request anything. Software
// that follows links by itself, such as Scrapy, is not included: it has a profile, with its users as the
// operator.
var libraries = wordSet(
	// Command-line clients, and tools that send requests by hand.
	`curl wget aria2 httpie postmanruntime insomnia axel aws-cli uclient-fetch`,
	// C, C++, C#, Lua.
	`libcurl-agent neon serf restsharp lua-resty-http`,
	// Go and Rust.
	`go-http-client go-resty grequests fasthttp reqwest ureq aws-sdk-go aws-sdk-go-v2 aws-sdk-rust`,
	// Java and Kotlin.
	`java java-http-client apache-httpclient apache-httpasyncclient okhttp google-http-java-client ahc jersey
	unirest-java reactornetty ktor-client aws-sdk-java`,
	// JavaScript.
	`node axios undici node-superagent needle deno bun node-fetch electron-fetch cross-fetch isomorphic-fetch minipass-fetch
	make-fetch-happen npm-registry-fetch aws-sdk-js aws-sdk-nodejs`,
	// Perl and PHP.
	`libwww-perl lwp-request lwp-trivial www-mechanize php guzzle guzzlehttp http_request2 php-curl-class`,
	// Python.
	`python python-requests python-urllib python-urllib3 python-httpx python-httplib2 pycurl boto boto3 botocore`,
	// Ruby.
	`ruby httpclient mechanize rest-client http.rb metainspector`,
)

// software are lower-case words that look like names of unknown crawlers but are libraries and apps: names that a
// header has besides the library it begins with, and apps that people run.
var software = wordSet(
	`boto boto3 botocore s3fs-boto3 libfetch uclient-fetch node-fetch electron-fetch cross-fetch isomorphic-fetch
	whatwg-fetch minipass-fetch make-fetch-happen npm-registry-fetch undici-fetch spidermonkey`,
	`mozacfetch fubotv botim teamspeak3-imagefetcher-1 bottlerocket bottle both`,
)

// wares are the products, in lower case, of browsers and their components, and of the systems and
// libraries that programs mention besides themselves. None of them identifies the program's
// owner.
var wares = wordSet(
	// Browsers and their engines. KHTML, Gecko, Version and Mobile occur in most browser headers.
	`mozilla opera applewebkit applewebkit2 gecko khtml chrome chromium headlesschrome chromeframe safari version
	mobile firefox trident presto blink goanna edge edg edga edgios edgw opr opios opt opx crios fxios msie
	iemobile focus klar seamonkey iceweasel icecat iceape palemoon waterfox minefield shiretoko namoroka
	granparadiso bonecho firebird phoenix netscape netscape6 navigator konqueror epiphany midori galeon camino
	lynx links elinks w3m dillo omniweb icab k-meleon flock arora rekonq qupzilla falkon vivaldi brave yabrowser
	yowser ucbrowser ubrowser ucweb samsungbrowser miuibrowser qqbrowser mqqbrowser micromessenger silk puffin
	maxthon iron whale duckduckgo ddg gsa sleipnir lunascape huaweibrowser heytapbrowser vivobrowser lbbrowser
	phantomjs slimerjs electron qtwebengine qtwebkit qt netfront nf-browser obigo polaris teleca up.browser
	up.link mmp`,
	// Systems and devices.
	`linux android windows ubuntu debian fedora centos redhat rhel suse opensuse gentoo mandriva mageia freebsd
	openbsd netbsd sunos solaris cros darwin cfnetwork dalvik macos ios ipados iphone ipad ipod kernel symbianos
	symbian series60 series40 blackberry bb10 tizen kaios webos web0s hpwos bada sailfish harmonyos openharmony
	playstation xbox build release profile configuration cpython pypy perl`,
	// Products that HTTP libraries mention besides themselves.
	`libcurl openssl libressl boringssl gnutls nss zlib brotli zstd libidn libidn2 libpsl libssh2 librtmp nghttp2
	nghttp3 ngtcp2 quiche aiohttp urllib3 requests httpx httpcore libwww libwww-fm lwp commons-httpclient jakarta
	netty jetty okio`,
)

// wordSet returns a function that returns the words of lists as a set, which is built on the first call.
func wordSet(lists ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, list := range lists {
			for word := range strings.FieldsSeq(list) {
				set[word] = true
			}
		}
		return set
	})
}

func isWare(product []byte) bool { return wares()[string(product)] || libraries()[string(product)] }

// isLibrary reports whether a lower-case header begins with a library product, or consists of one.
func isLibrary(low []byte) bool {
	front := frontOf(low)
	return isFreeBSD(low) || (len(front) == len(low) || low[len(front)] == '/') && libraries()[string(front)]
}

// isFreeBSD reports whether a lower-case header was sent by FreeBSD's fetch.
func isFreeBSD(low []byte) bool { return bytes.HasPrefix(low, []byte("fetch libfetch/")) }

// isBrowser reports whether a product is one that browser headers begin with, as the headers of many crawlers do
// too.
func isBrowser(product []byte) bool {
	return string(product) == "mozilla" || string(product) == "opera"
}

// frontOf returns the run of dot-joined words at the beginning of a lower-case header.
func frontOf(low []byte) []byte {
	if run := nextOf(low, 0, isRunByte); run.start == 0 {
		return low[:run.end]
	}
	return nil
}
