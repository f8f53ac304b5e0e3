package logwriter

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// each replaces each byte by the result of f; an empty result keeps it.
func each(s string, f func(c byte) string) string {
	var b strings.Builder
	for i := range len(s) {
		if t := f(s[i]); t != "" {
			b.WriteString(t)
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// hex hex-escapes control characters, bytes above 126 and those in a set.
func hex(s, number, set string) string {
	return each(s, func(c byte) string {
		if c < ' ' || c > 126 || strings.IndexByte(set, c) >= 0 {
			return fmt.Sprintf(number, c)
		}
		return ""
	})
}

// Apache escapes like Apache since 2.0.46: quotes and backslashes with a backslash, white space as in C, and everything
// unprintable as \xhh. Source: httpd.apache.org/docs/2.4/mod/mod_log_config.html, "Format Notes".
func Apache(s string) string {
	return each(s, func(c byte) string {
		if i := strings.IndexByte("\b\n\r\t\v\\\"", c); i >= 0 {
			return `\` + `bnrtv\"`[i:i+1]
		}
		if c < ' ' || c >= 0x7f {
			return fmt.Sprintf(`\x%02x`, c)
		}
		return ""
	})
}

// Nginx escapes like nginx by default: a quote, a backslash, and all bytes below 32 and above 126
// as \xHH. Source: nginx.org/en/docs/http/ngx_http_log_module.html, log_format, escape.
func Nginx(s string) string { return hex(s, `\x%02X`, `"\`) }

// NginxJSON escapes like nginx with escape=json: only what JSON doesn't allow in strings. Bytes
// that aren't UTF-8 are unchanged. Source: as Nginx.
func NginxJSON(s string) string {
	return each(s, func(c byte) string {
		if i := strings.IndexByte("\n\r\t\b\f\"\\", c); i >= 0 {
			return `\` + `nrtbf"\`[i:i+1]
		}
		if c < ' ' {
			return fmt.Sprintf(`\u%04X`, c)
		}
		return ""
	})
}

// haproxy writes control characters, bytes above 126, the hash sign and the bytes in more as #XX.
// Source: docs.haproxy.org/2.8/configuration.html, 8.6 "Non-printable characters". This includes
// the quote in the request line, and in captured headers also braces and the bar.
func haproxy(s, more string) string { return hex(s, "#%02X", "#"+more) }

// cloudfront percent-encodes like CloudFront in log values, including the percent sign: a client's %20 is logged as
// %2520. Source: docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/AccessLogs.html.
func cloudfront(s string) string { return hex(s, "%%%02X", " <>\"#%{|}\\^~[]`'") }

// zeek writes unprintable bytes as \xhh and doubles backslashes. Valid UTF-8 is kept. Source:
// docs.zeek.org, scripts/base/frameworks/logging/writers/ascii.zeek, enable_utf_8.
func zeek(s string) string {
	if s == "-" || s == "(empty)" {
		return fmt.Sprintf(`\x%02x`, s[0]) + s[1:] // otherwise it would look like a field without a value
	}
	var b strings.Builder
	for s != "" {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case c == '\\':
			b.WriteString(`\\`)
		case c < ' ' || c == 0x7f || c == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// doubled doubles the quotes of a quoted field. Source: RFC 4180, 2.7.
func doubled(s string) string { return strings.ReplaceAll(s, `"`, `""`) }

// quoted returns a string as JSON encoders in Go write it, without its quotes: bytes that aren't
// UTF-8 become U+FFFD, and <, > and & are escaped. Source: pkg.go.dev/encoding/json.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// valid returns what survives quoted.
func valid(s string) string { return string([]rune(s)) }

// akamai percent-encodes a header for DataStream 2.
func akamai(s string) string { return hex(s, "%%%02X", ` "%<>\^{|}`) }

// squid percent-encodes blanks.
func squid(s string) string { return strings.ReplaceAll(s, " ", "%20") }
