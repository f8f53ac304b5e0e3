package logwriter

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// each replaces bytes by what f returns for them; an empty text leaves them as they are.
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

// hex writes control characters, bytes above 126 and those of a set as numbers.
func hex(s, number, set string) string {
	return each(s, func(c byte) string {
		if c < ' ' || c > 126 || strings.IndexByte(set, c) >= 0 {
			return fmt.Sprintf(number, c)
		}
		return ""
	})
}

// Apache escapes as Apache does since 2.0.46: quotes and backslashes by a backslash, white
// space in the way of C, and all that is not printable as \xhh.
// Source: httpd.apache.org/docs/2.4/mod/mod_log_config.html, "Format Notes".
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

// Nginx escapes as nginx does by default: a quote, a backslash, and all bytes below 32 and
// above 126 as \xHH.
// Source: nginx.org/en/docs/http/ngx_http_log_module.html, log_format, escape.
func Nginx(s string) string { return hex(s, `\x%02X`, `"\`) }

// NginxJSON escapes as nginx does with escape=json: only what JSON does not allow in
// strings. Octets that are no UTF-8 are written as they are.
// Source: as Nginx.
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

// haproxy writes control characters, bytes above 126, the hash sign and those in more as #XX.
// Source: docs.haproxy.org/2.8/configuration.html, 8.6 "Non-printable characters": in the
// request line the quote is written so too, in captured headers also braces and the bar.
func haproxy(s, more string) string { return hex(s, "#%02X", "#"+more) }

// cloudfront percent-encodes what CloudFront does in the values of its logs, the percent
// sign included: a client's %20 is logged as %2520.
// Source: docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/AccessLogs.html.
func cloudfront(s string) string { return hex(s, "%%%02X", " <>\"#%{|}\\^~[]`'") }

// zeek writes octets that are not printable as \xhh and a backslash twice. Valid UTF-8 is
// kept.
// Source: docs.zeek.org, scripts/base/frameworks/logging/writers/ascii.zeek, enable_utf_8.
func zeek(s string) string {
	if s == "-" || s == "(empty)" {
		return fmt.Sprintf(`\x%02x`, s[0]) + s[1:] // it is not to be taken for a field without a value
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

// doubled doubles the quotes of a field in quotes. Source: RFC 4180, 2.7.
func doubled(s string) string { return strings.ReplaceAll(s, `"`, `""`) }

// quoted is a string as encoders of JSON in Go write it, without its quotes: octets that are
// no UTF-8 become U+FFFD, and <, > and & are escaped. Source: pkg.go.dev/encoding/json.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// valid is what quoted leaves of a string.
func valid(s string) string { return string([]rune(s)) }

// akamai percent-encodes a header for DataStream 2.
func akamai(s string) string { return hex(s, "%%%02X", ` "%<>\^{|}`) }

// squid percent-encodes blanks.
func squid(s string) string { return strings.ReplaceAll(s, " ", "%20") }
