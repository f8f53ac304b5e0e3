package cli

import (
	"strings"
	"testing"
)

// What the third edition of the rules changed, a case for each sentence. Where the second
// edition had another verdict, it stands behind the line.

// absolute makes the target of a request name its host.
func absolute(r *simRequest) { r.target = "https://example.com" + r.path }

// wrapped adds words to a crawler's header, "not" before its name, else around %s.
func wrapped(wrap string) edit {
	return func(r *simRequest) { r.wrap, r.foreign = wrap, true }
}

// harmless adds words that leave a header the crawler's.
func harmless(wrap string) edit { return func(r *simRequest) { r.wrap = wrap } }

var thirdCases = map[string]func(*simCase){
	// ---- 2 (a): sizes ----
	"third: a size that no version has, to one operator": func(c *simCase) {
		c.site(forbidP)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime-90*day) // violation
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 1234))
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+hour)           // violation
		c.ask("indeterminate:no_version", "OAI-SearchBot", "/p", caseTime+100*day) // violation
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
		c.ask("violation", "ClaudeBot", "/p", caseTime+hour)
		c.ask("robots_fetch", "FooSpider", "/robots.txt", caseTime, answered(200, 4321))
		c.ask("indeterminate:no_version", "FooSpider", "/p", caseTime+hour) // violation
		c.ask("violation", "tiny-fetcher9", "/p", caseTime+hour)
		c.anybody(caseTime, got(forbidP))
		c.anybody(caseTime, got(forbidP))
	},
	"third: most were sent a size that no version has": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 1234))
		c.anybody(caseTime-90*day, answered(200, 99))
		c.anybody(caseTime, answered(200, 88))
		c.anybody(caseTime+90*day, got(forbidP))
		c.ask("violation", "GPTBot", "/p", caseTime+hour) // the headline is conditional
	},
	"third: half were sent a size that no version has": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 1234))
		c.ask("robots_fetch", "OAI-SearchBot", "/robots.txt", caseTime, answered(200, 1235)) // the operator's own
		c.anybody(caseTime, answered(200, 99))
		c.anybody(caseTime, got(forbidP))
		c.anybody(caseTime, answered(200, 0)) // no size
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+hour)
	},
	"third: nobody else was sent a size": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 1234))
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+hour) // violation
	},
	"third: the size of a version of another time is known": func(c *simCase) {
		c.version("https://example.com", caseStart, 200, permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, got(permitsAll))
		c.ask("grace", "GPTBot", "/p", caseTime+50*day+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+60*day)
	},
	"third: sizes that are no fetch of the operator's": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime}}
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 99), by("HEAD"), from("66.1.1.1"))
		c.ask("robots_fetch", "GPTBot", "/robots.txt?x", caseTime, answered(200, 99), from("66.1.1.1"))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(206, 99), from("66.1.1.1"))
		c.ask("spoofed", "GPTBot", "/robots.txt", caseTime, answered(200, 99))
		c.ask("exempt", "ChatGPT-User", "/robots.txt", caseTime, answered(200, 99))
		c.ask("robots_fetch", "GPTBot", "http://other.example/robots.txt", caseTime, answered(200, 99))
		c.w.requests[len(c.w.requests)-1].want = "other_host"
		c.ask("violation", "GPTBot", "/p", caseTime+hour, from("66.1.1.1"))
	},

	// ---- 2 (b): told none ----
	"third: 404 to somebody": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime-hour, got(forbidP))
		c.anybody(caseTime, answered(404, 153))
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour) // violation
		c.ask("no_policy", "GPTBot", "/p", caseTime-simSkew)
		c.ask("violation", "GPTBot", "/p", caseTime-simSkew-1)
		c.ask("no_policy", "GPTBot", "/p", caseTime+simSpan+minute-1) // the minute is partly in the span
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan+minute)
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
	},
	"third: 410 to another crawler": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "bingbot", "/robots.txt", caseTime, answered(410, 153))
		c.anybody(caseTime, got(forbidP))
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour) // violation
	},
	"third: a minute that is partly in the span": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime-hour, got(forbidP))
		c.anybody(caseTime+59, answered(404, 153))
		c.ask("no_policy", "GPTBot", "/p", caseTime-simSkew) // the minute begins then
		c.ask("violation", "GPTBot", "/p", caseTime-simSkew-1)
	},
	"third: answers to somebody that say nothing to others": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, got(forbidP))
		for _, a := range []edit{answered(401, 0), answered(403, 153), answered(429, 0), answered(204, 0), answered(200, 0), answered(444, 0), answered(499, 0), answered(301, 0)} {
			c.anybody(caseTime, a)
		}
		c.anybody(caseTime, answered(404, 0), by("HEAD"))
		c.anybody(caseTime, answered(404, 0), func(r *simRequest) { r.target, r.path = "/robots.txt?x", "/robots.txt?x" })
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"third: nobody ever got a file": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(403, 153))
		c.ask("robots_fetch", "bingbot", "/robots.txt", caseTime+10*day, answered(503, 0))
		c.ask("no_policy", "GPTBot", "/p", caseTime-100*day) // violation
		c.ask("no_policy", "GPTBot", "/p", caseTime+100*day) // violation
		c.ask("allowed", "GPTBot", "/q", caseTime+100*day)
	},
	"third: somebody was told that a copy stands": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(403, 153))
		c.anybody(caseTime+90*day, answered(304, -1))
		c.ask("violation", "GPTBot", "/p", caseTime-100*day)
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"third: somebody was sent elsewhere": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(403, 153))
		c.anybody(caseTime, answered(301, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"third: only failures are no answer of none": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(503, 0))
		c.anybody(caseTime, answered(499, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"third: only 429, a failure to Google alone": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "Googlebot", "/robots.txt", caseTime, answered(429, 0))
		c.ask("violation", "Googlebot", "/p", caseTime+hour)
		c.ask("no_policy", "ClaudeBot", "/p", caseTime+hour) // violation
	},

	// ---- 2 (c): the long span ----
	"third: a hiccup of 5xx on a constant robots.txt": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.site(forbidP)
		for _, bot := range []string{"GPTBot", "Googlebot"} {
			c.ask("robots_fetch", bot, "/robots.txt", caseTime-hour, got(forbidP))
			c.ask("robots_fetch", bot, "/robots.txt", caseTime, answered(503, 0))
		}
		c.anybody(caseTime, answered(500, 0))
		for _, at := range []int64{-minute, minute, hour, 20 * hour, 20 * day} {
			c.ask("violation informed", "GPTBot", "/p", caseTime+at)
			c.ask("violation informed", "Googlebot", "/p", caseTime+at)
			c.ask("violation", "ClaudeBot", "/p", caseTime+at)
		}
	},
	"third: a hiccup of 5xx in a manifest": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, unreachableStatus, "")
		c.version("https://example.com", caseTime+hour, 200, forbidP)
		for _, at := range []int64{0, hour, 20 * hour, 20 * day} {
			c.ask("violation", "GPTBot", "/p", caseTime+at)
			c.ask("violation", "Googlebot", "/p", caseTime+at)
		}
	},
	"third: a copy of 60 days ago and a failed version": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+50*day, 503, "")
		c.version("https://example.com", caseTime+50*day+hour, 200, forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime+50*day-simSkew-1)
		c.ask("grace", "GPTBot", "/p", caseTime+50*day) // violation
		c.ask("grace", "GPTBot", "/p", caseTime+50*day+hour+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+50*day+hour+simSpan)
		c.version("https://example.com", caseTime+60*day, 503, "")
		c.version("https://example.com", caseTime+62*day, 200, forbidP)
		c.ask("grace", "GPTBot", "/p", caseTime+60*day+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+60*day+simSpan)
	},
	"third: an operator's fetch fails": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "OAI-SearchBot", "/robots.txt", caseTime+50*day, answered(444, 0))
		c.ask("grace", "GPTBot", "/p", caseTime+50*day+hour) // violation
		c.ask("violation", "ClaudeBot", "/p", caseTime+50*day+hour)
	},
	"third: anybody's 5xx after the operator's last fetch": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, got(forbidP))
		c.anybody(caseTime+50*day+hour, answered(503, 0))
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+50*day+2*hour, got(forbidP))
		c.ask("violation informed", "GPTBot", "/p", caseTime+50*day+minute)
		c.ask("grace informed", "GPTBot", "/p", caseTime+50*day+3*hour) // violation informed
		c.ask("violation informed", "ClaudeBot", "/p", caseTime+50*day+3*hour)
		c.ask("grace", "MJ12bot", "/p", caseTime+50*day+3*hour)   // violation; it has fetched nothing
		c.ask("grace", "ClaudeBot", "/p", caseTime+50*day+2*hour) // violation; a fetch of the same second is not before it
	},
	"third: anybody's 5xx in the minute of the operator's last fetch": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.anybody(caseTime+50*day, answered(503, 0))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day+30, got(forbidP))
		c.ask("grace informed", "GPTBot", "/p", caseTime+50*day+hour)
	},
	"third: anybody's failures that are no 5xx": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.anybody(caseTime+50*day, answered(444, 0))
		c.anybody(caseTime+50*day, answered(499, 0))
		c.anybody(caseTime+50*day, answered(503, 0), by("HEAD"))
		c.ask("violation", "GPTBot", "/p", caseTime+50*day+hour)
	},
	"third: told none in the long span": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime-hour, got(forbidP))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(403, 153))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+49*day)
		c.ask("no_policy", "GPTBot", "/p", caseTime+50*day+hour) // violation
		c.ask("violation", "ClaudeBot", "/p", caseTime+50*day+hour)
		c.anybody(caseTime+51*day, answered(404, 153))
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+100*day, answered(503, 0))
		c.ask("no_policy", "ClaudeBot", "/p", caseTime+100*day) // violation
	},
	"third: an old size in the long span": func(c *simCase) {
		c.version("https://example.com", caseStart, 200, permitsAll)
		c.version("https://example.com", caseTime-100*day, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, got(permitsAll))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+40*day)
		c.ask("grace", "GPTBot", "/p", caseTime+50*day+hour) // violation
	},
	"third: a month of failures in the log": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(503, 0))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+28*day+12*hour, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+29*day-1)
		c.ask("unreachable", "GPTBot", "/p", caseTime+29*day) // violation
		c.ask("violation", "GPTBot", "/p", caseTime+30*day)   // nothing failed in the span
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+60*day, answered(503, 0))
		c.ask("unreachable", "GPTBot", "/p", caseTime+60*day+simSpan) // violation
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+120*day, answered(503, 0))
		c.ask("unreachable", "GPTBot", "/p", caseTime+120*day)
	},
	"third: a month of failures that began 61 days ago": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(503, 0))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+61*day, answered(503, 0))
		c.ask("unreachable", "GPTBot", "/p", caseTime+60*day+simSpan) // violation
		c.ask("violation", "GPTBot", "/p", caseTime+60*day+simSpan+1)
	},
	"third: failing versions a month apart": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 503, "")
		c.version("https://example.com", caseTime+hour, 200, forbidP)
		c.version("https://example.com", caseTime+28*day, 503, "")
		c.version("https://example.com", caseTime+28*day+hour, 200, forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime+29*day-1)
		c.ask("unreachable", "GPTBot", "/p", caseTime+29*day) // violation
	},
	"third: Google is told 500 in the long span": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "Googlebot", "/robots.txt", caseTime, answered(500, 0))
		c.ask("robots_fetch", "Googlebot", "/robots.txt", caseTime+20*day, answered(503, 0))
		c.ask("unreachable", "Googlebot", "/p", caseTime+hour)
		c.ask("violation", "Googlebot", "/p", caseTime+10*day)
		c.ask("unreachable", "Googlebot", "/p", caseTime+20*day) // violation
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+20*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+20*day)
	},
	"third: a version of 502 in the long span of Google": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 502, "")
		c.version("https://example.com", caseTime+hour, 200, forbidP)
		c.version("https://example.com", caseTime+20*day, unreachableStatus, "")
		c.ask("violation", "Googlebot", "/p", caseTime+10*day)
		c.ask("unreachable", "Googlebot", "/p", caseTime+20*day) // violation
		c.ask("violation", "GPTBot", "/p", caseTime+20*day)
	},
	"third: max_age in the long span": func(c *simCase) {
		c.site(permitsAll)
		c.w.rows[0].maxAge = 5 * day
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+60*day, 503, "")
		c.ask("grace", "GPTBot", "/p", caseTime+64*day) // violation
		c.ask("grace", "GPTBot", "/p", caseTime+65*day+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+65*day+simSpan)
	},
	"third: a failed version with a max_age": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+30*day, 503, "").maxAge = 5 * day
		c.version("https://example.com", caseTime+30*day+hour, 200, forbidP)
		c.ask("grace", "GPTBot", "/p", caseTime+30*day+hour+5*day+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+30*day+hour+5*day+simSpan)
	},
	"third: the long span begins before the first version": func(c *simCase) {
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+40*day, answered(503, 0))
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+40*day)
		c.ask("violation", "ClaudeBot", "/p", caseTime+30*day)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+80*day, answered(503, 0))
		c.ask("violation", "ClaudeBot", "/p", caseTime+80*day)
	},
	"third: a redirect that cannot be followed in the long span": func(c *simCase) {
		c.version("https://example.com", caseStart, 301, "").outside = true
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+40*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+30*day)
		c.ask("indeterminate:redirected_policy", "GPTBot", "/p", caseTime+40*day) // violation
	},
	"third: a fetch that was sent elsewhere in the long span": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(302, 0))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+40*day)
		c.ask("indeterminate:redirected_policy", "GPTBot", "/p", caseTime+50*day) // violation
	},

	// ---- 2: sitemaps, informed ----
	"third: a sitemap under another scheme and port": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\nSitemap: http://example.com:8080/p/map.xml\nSitemap: https://www.example.com/r\n")
		c.ask("allowed", "GPTBot", "/p/map.xml", caseTime) // violation
		c.ask("violation", "GPTBot", "/r", caseTime)
	},
	"third: no size is inferred": func(c *simCase) {
		c.site(forbidP)
		for i, bot := range []string{"GPTBot", "ClaudeBot", "bingbot"} {
			c.ask("robots_fetch", bot, "/robots.txt", caseTime+int64(i), answered(200, 24))
			c.ask("violation", bot, "/p", caseTime+hour) // violation informed
		}
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime, answered(304, -1))
		c.ask("violation informed", "MJ12bot", "/p", caseTime+hour)
	},

	// ---- 4: other hosts ----
	"third: one robots.txt, and a target that names a host": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.site(forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime)
		c.ask("other_host", "GPTBot", "/p", caseTime, absolute) // violation
		c.ask("other_host", "GPTBot", "/robots.txt", caseTime, absolute, answered(404, 0))
		c.anybody(caseTime, answered(404, 0), absolute)
		for n := range int64(3) {
			c.ask("violation", "GPTBot", "/p", caseTime+(n+1)*hour) // a log of which most targets name hosts names hosts
		}
	},
	"third: a host given, and targets that name others": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.w.hosts, c.w.judged = []string{"https://example.com"}, []simOrigin{simOriginOf("https://example.com")}
		c.site(forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime, absolute)
		c.ask("other_host", "GPTBot", "https://other.example/p", caseTime, func(r *simRequest) { r.target = "https://other.example/p" })
	},

	// ---- 5: the mirror of evasive ----
	"third: a normal form that is permitted": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p/\n")
		for _, path := range []string{"/p/../q", "/p/x/../../q", "/p/%2e%2E/q", "/p/%2e./q?x", "/p/../robots.txt", "/p/..", "/p//../../q"} {
			c.ask("indeterminate:contested", "GPTBot", path, caseTime) // violation
			c.ask("indeterminate:contested", "Googlebot", path, caseTime)
		}
		c.ask("violation", "GPTBot", "/p/./x", caseTime)
		c.ask("violation", "GPTBot", "/p/x?y=/../../q", caseTime)
		c.ask("violation", "GPTBot", "/p/..%2Fq", caseTime) // %2F stays
		c.ask("allowed evasive", "GPTBot", "/q/../p/x", caseTime)
	},
	"third: /robots.txt as a normal form is permitted": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\nAllow: /q\n")
		for _, bot := range []string{"GPTBot", "Googlebot"} {
			c.ask("indeterminate:contested", bot, "/p/../robots.txt", caseTime) // violation
			c.ask("violation", bot, "/p/../x", caseTime)
			c.ask("allowed", bot, "/q/../robots.txt", caseTime)
			c.ask("allowed evasive", bot, "/q/../x", caseTime)
		}
	},
	"third: a normal form that is a sitemap": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p/\nSitemap: https://example.com/p/map.xml\n")
		c.ask("indeterminate:contested", "GPTBot", "/p/./map.xml", caseTime) // violation
	},
	"third: a normal form that is permitted under one scheme": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p/\n")
		c.version("http://example.com", caseStart, 200, "User-agent: *\nDisallow: /\n")
		c.ask("indeterminate:contested", "GPTBot", "/p/../q", caseTime, portless) // violation
		c.ask("indeterminate:unknown_scheme", "GPTBot", "/q", caseTime, portless)
		c.ask("violation", "GPTBot", "/p/../p/", caseTime, portless)
	},
	"third: a normal form that is permitted is no grace": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, "User-agent: *\nDisallow: /p/\n")
		c.ask("grace", "GPTBot", "/p/../q", caseTime+hour)
	},

	// ---- 7: foreign words ----
	"third: words that are not the crawler's": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime}}
		for _, wrap := range []string{
			"WireReader/1.0 %s", "%s WireReader/2.1", "%s (compatible; startmebot/1.0)", "%s;line-poker/1.0", "not", "python-requests/2.31.0 %s", "reader %s",
			"%s superspider",
		} {
			c.ask("indeterminate:ambiguous_agent", "Googlebot", "/p", caseTime, wrapped(wrap)) // violation, of most
			c.ask("indeterminate:ambiguous_agent", "Googlebot", "/robots.txt", caseTime, wrapped(wrap), answered(404, 0))
			c.w.requests[len(c.w.requests)-1].want = "robots_fetch"
			c.ask("indeterminate:ambiguous_agent", "bingbot", "/p", caseTime, wrapped(wrap)) // no impostor
			c.ask("violation", "bingbot", "/p", caseTime+40*day, wrapped(wrap), from("66.1.1.1"))
		}
		c.anybody(caseTime, got(forbidP))
		c.ask("violation", "Googlebot", "/p", caseTime+3*day)
	},
	"third: words that leave a header the crawler's": func(c *simCase) {
		c.site(forbidP)
		for _, wrap := range simHarmless {
			for _, bot := range []string{"Googlebot", "GPTBot", "bingbot"} {
				c.ask("violation", bot, "/p", caseTime, harmless(wrap))
			}
		}
	},

	// ---- 7: tokens in the header ----
	"third: a group whose token stands in an unknown header": func(c *simCase) {
		acme := stranger("AcmeSpider", "Mozilla/5.0 (compatible; AcmeSpider/2.0; +https://zeta.example/omega; ops@iota.example)")
		c.site("User-agent: compatible\nDisallow: /c\n\nUser-agent: *\nDisallow: /p\nDisallow: /c\n\nUser-agent: zeta\nDisallow: /z\n\nUser-agent: iota\nDisallow: /z\n")
		c.askAs("indeterminate:contested", acme, "/p", caseTime) // violation
		c.askAs("violation", acme, "/c", caseTime)
		c.askAs("allowed", acme, "/z", caseTime) // these stand in the URL and the e-mail address only
		c.ask("violation", "bingbot", "/p", caseTime)
	},
	"third: a group whose token stands in a header without a name": func(c *simCase) {
		c.site("User-agent: craw\nDisallow: /q\n\nUser-agent: *\nDisallow: /p\n")
		c.ask("indeterminate:contested", "(without a name)", "/p", caseTime)
		c.ask("indeterminate:contested", "(without a name)", "/q", caseTime) // allowed
	},
	"third: a group whose token stands in the header of a crawler without a page": func(c *simCase) {
		c.site("User-agent: Foo\nAllow: /p\nDisallow: /q\n\nUser-agent: *\nDisallow: /p\n")
		c.w.crawlers = `[{"name":"FooBot","operator":"Foo Inc.","words":["FooBot"],"tokens":["FooBot"],"obeys":"unknown"}]`
		c.askAs("indeterminate:contested", fooBot, "/p", caseTime) // violation
		c.askAs("indeterminate:contested", fooBot, "/q", caseTime) // allowed
	},
	"third: a word of a profile that is none of its tokens": func(c *simCase) {
		c.site("User-agent: AspiegelBot\nAllow: /p\n\nUser-agent: *\nDisallow: /p\n")
		petal := &simBot{name: "PetalBot", operator: "Huawei", tokens: []string{"PetalBot"}, publishes: true, agent: "Mozilla/5.0 (compatible; PetalBot)"}
		old := *petal
		old.agent, old.loose = "Mozilla/5.0 (compatible; AspiegelBot)", true
		c.askAs("violation", petal, "/p", caseTime)
		c.askAs("indeterminate:contested", &old, "/p", caseTime) // violation
	},

	// ---- 7: other records between user-agent lines ----
	"third: another record ends a run of user-agent lines": func(c *simCase) {
		for _, record := range []string{"Crawl-delay: 5", "Sitemap: https://example.com/s.xml", "Host: example.com", "foo bar: x", ": x"} {
			host := "https://h" + strings.Repeat("x", len(c.w.rows)) + ".example"
			c.version(host, caseStart, 200, "User-agent: GPTBot\n"+record+"\nUser-agent: Googlebot\nDisallow: /p\n")
			c.ask("indeterminate:contested", "GPTBot", host+"/p", caseTime) // violation
			c.ask("violation", "Googlebot", host+"/p", caseTime)            // its parser is published
			c.ask("allowed", "GPTBot", host+"/q", caseTime)
		}
	},
	"third: what does not end a run of user-agent lines": func(c *simCase) {
		for _, line := range []string{"", "# a: b", "no record", "no record # a: b", "User-agent: CCBot", "Crawl-delay 5"} {
			host := "https://h" + strings.Repeat("x", len(c.w.rows)) + ".example"
			c.version(host, caseStart, 200, "User-agent: GPTBot\n"+line+"\nUser-agent: Googlebot\nDisallow: /p\nCrawl-delay: 5\nDisallow: /q\n")
			c.ask("violation", "GPTBot", host+"/p", caseTime)
			c.ask("violation", "GPTBot", host+"/q", caseTime)
		}
	},
	"third: a typo that one reading takes for another record": func(c *simCase) {
		c.site("User-agent: GPTBot\nDisalow: /q\nUser-agent: *\nDisallow: /p\n")
		c.ask("indeterminate:contested", "GPTBot", "/p", caseTime)
		c.ask("violation", "CCBot", "/p", caseTime)
	},

	// ---- 8: absence ----
	"third: absence needs each file": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime},
			{bot: simBotNamed("GPTBot"), prefixes: []string{"2a00:5::/64"}, created: caseTime},
			{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.1.0/24", "2a00:5::/64"}, created: caseTime},
			{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.2.0/24", "2a00:5::/64"}},
			{bot: simBotNamed("CCBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime},
			{bot: simBotNamed("CCBot"), prefixes: []string{"66.1.2.0/24", "2a00:5::/64"}, created: caseTime - day},
		}
		c.identity("verified", "GPTBot", "66.1.1.1", "2a00:5::1")
		c.identity("unverified", "GPTBot", "66.1.9.1", "2a00:9::1") // spoofed
		c.identity("verified", "bingbot", "66.1.1.1", "66.1.2.1")
		c.identity("unverified", "bingbot", "66.1.9.1") // spoofed; a list without a date proves membership only
		c.identity("spoofed", "CCBot", "66.1.9.1")
		c.identity("unverified", "CCBot", "2a00:9::1") // spoofed
	},
	"third: absence needs one list of a series": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime, form: 2, series: "one"},
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.2.0/24", "2a00:5::/64"}, created: caseTime - 20*day, form: 2, series: "one"},
			{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime, form: 2, series: "two"},
			{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.3.0/24"}, created: caseTime - 20*day, form: 2},
		}
		c.identity("verified", "GPTBot", "66.1.1.1", "66.1.2.1")
		c.identity("spoofed", "GPTBot", "66.1.9.1")
		c.identity("unverified", "GPTBot", "2a00:9::1")
		c.identity("unverified", "bingbot", "66.1.9.1")
	},

	// ---- 10: times without a zone ----
	"third: times that name no zone": func(c *simCase) {
		c.w.format = "vhost_zoneless_combined"
		added(c)
		c.ask("allowed", "GPTBot", "/p", caseTime-14*hour-simSkew-1)
		c.ask("grace", "GPTBot", "/p", caseTime-14*hour-simSkew) // allowed
		c.ask("grace", "GPTBot", "/p", caseTime+simSpan+14*hour-1)
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan+14*hour)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+14*hour+simSkew-1, got(forbidP)) // perhaps before the rule was there
		c.ask("violation", "ClaudeBot", "/p", caseTime+10*day)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+14*hour+simSkew, got(forbidP))
		c.ask("violation informed", "ClaudeBot", "/p", caseTime+10*day)
		c.w.requests = c.w.requests[:len(c.w.requests)-3] // before the second fetch
	},
	"third: answers in a log that names no zone": func(c *simCase) {
		c.w.format = "zoneless_combined"
		c.w.constant = true
		c.site(forbidP)
		c.anybody(caseTime, got(forbidP))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(403, 153))
		c.ask("no_policy", "GPTBot", "/p", caseTime-14*hour-simSkew) // violation
		c.ask("violation", "GPTBot", "/p", caseTime-14*hour-simSkew-1)
		c.ask("no_policy", "GPTBot", "/p", caseTime+simSpan+14*hour) // violation
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan+14*hour+1)
	},
}

// What a crawler was sent is known by a 200 with the size of a version, and by nothing else.
func TestInformedIsKnownBySizes(t *testing.T) {
	w := newCase(func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, got(forbidP))
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime, answered(200, 99))
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime, answered(304, -1))
		c.ask("violation", "bingbot", "/p", caseTime+hour)
	})
	want := map[string]bool{"GPTBot": true, "ClaudeBot": false, "MJ12bot": false, "bingbot": false}
	got, err := auditedReport(t, w)
	if err != nil {
		t.Fatal(err)
	}
	for name, known := range want {
		if c := newOracle(w).report().crawlers[name]; c.InformedKnown != known {
			t.Errorf("%s: the oracle says %v, want %v", name, c.InformedKnown, known)
		}
		if c := got.crawlers[name]; c.InformedKnown != known {
			t.Errorf("%s: %v, want %v", name, c.InformedKnown, known)
		}
	}
}
