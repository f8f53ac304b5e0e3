package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	shape "github.com/robotsieve/robotsieve/scan/field"
)

// nginxVariables are the variables of nginx that an audit needs; all others are of no
// interest. Of several for one part that of the lowest rank counts. Source: nginx.org, "Index of variables", and "Module
// ngx_http_log_module".
var nginxVariables = map[string]value{
	"remote_addr": {part: clientAddr}, "realip_remote_addr": {part: clientAddr, rank: 1}, "binary_remote_addr": {},
	"http_x_forwarded_for": {part: forwardedFor}, "http_x_real_ip": {part: forwardedFor, rank: 1}, "http_cf_connecting_ip": {part: forwardedFor, rank: 1},
	"http_true_client_ip": {part: forwardedFor, rank: 1}, "proxy_add_x_forwarded_for": {part: forwardedFor, rank: 2},
	"time_local": {part: moment, pattern: clfPattern}, "time_iso8601": {part: moment, pattern: isoPattern}, "msec": {part: moment, rank: 1, pattern: "%s"},
	"request": {part: requestLine}, "request_method": {part: methodName}, "request_uri": {part: target},
	"uri": {part: rewrittenPath}, "document_uri": {part: rewrittenPath}, "args": {part: query}, "query_string": {part: query}, "is_args": {part: query, rank: 1},
	"server_protocol": {protocol: true}, "status": {part: statusCode},
	"body_bytes_sent": {part: bodySize}, "bytes_sent": {part: sentSize},
	"http_host": {part: hostName, raw: true}, "host": {part: hostName, rank: 1}, "server_name": {part: hostName, rank: 2}, "ssl_server_name": {part: hostName, rank: 2},
	"server_port": {part: ownPort}, "http_x_forwarded_proto": {part: schemeName, raw: true}, "scheme": {part: schemeName, rank: 1},
	"https": {part: tlsInUse}, "ssl_protocol": {part: tlsInUse, rank: 1}, "http_user_agent": {part: userAgent}, "http_referer": {part: referrer},

	// Those that nginx does not have, for logs of other programs: the identity of common, a word of
	// no interest that the program itself writes, and HAProxy's, where a tilde tells of TLS.
	"ident": {content: shape.Dash}, "_": {content: shape.Token}, "frontend": {part: tlsInUse, spell: tilde},
}

// nginxOwn are variables of no interest that nginx writes itself. All others may hold a
// client's words.
var nginxOwn = strings.Fields("body_bytes_received bytes_received connection connection_requests connection_time connections_active " +
	"gzip_ratio hostname http2 http3 nginx_version pid pipe remote_port request_completion request_id request_length request_time server_addr " +
	"ssl_cipher ssl_early_data ssl_session_id ssl_session_reused tcpinfo_rtt tcpinfo_rttvar upstream_cache_status")

// parseNginx reads a log_format of nginx: the directive, its quoted pieces, or what is in
// their quotes, perhaps behind escape=. Source: nginx.org, "Module ngx_http_log_module", log_format.
func parseNginx(text string) (*Format, error) {
	w, err := nginxWording(text)
	if err != nil {
		return nil, err
	}
	return w.format()
}

// nginxText returns what follows the name in a log_format.
func nginxText(text string) (pieces []string, err error) {
	switch {
	case strings.HasPrefix(text, "log_format") || strings.HasPrefix(text, "'"):
		directives, err := nginxDirectives(text)
		if err != nil {
			return nil, err
		}
		if len(directives) != 1 {
			return nil, errors.New("it is not one directive")
		}
		if pieces = directives[0]; pieces[0] == "log_format" {
			pieces = pieces[min(2, len(pieces)):]
		}
		return pieces, nil
	case strings.HasPrefix(text, "escape="):
		return strings.SplitN(text, " ", 2), nil
	}
	return []string{text}, nil
}

// nginxEscapes are the values of escape=.
var nginxEscapes = map[string]spelling{"default": backslashed, "json": jsonEscaped, "hash": hashed, "none": {}}

// nginxWording reads a log_format. For logs of other
// programs it may have what nginx does not: escape=hash, as HAProxy escapes; ${time:LAYOUT}, a time
// in the words of strftime; $~ in front of a variable before which blanks may stand; and ... at the
// end of the text, for a blank and more fields.
func nginxWording(text string) (w *wording, err error) {
	w = &wording{spell: backslashed}
	pieces, err := nginxText(text)
	if err != nil {
		return nil, err
	}
	if len(pieces) > 0 && strings.HasPrefix(pieces[0], "escape=") {
		spell, ok := nginxEscapes[pieces[0][len("escape="):]]
		if !ok {
			return nil, fmt.Errorf("%s is neither default, json, hash nor none", pieces[0])
		}
		if w.spell, w.verbatim = spell, spell.undo == nil; w.verbatim {
			w.doubts = append(w.doubts, "escape=none writes quotes in headers as they are, so lines with such quotes cannot be read")
		}
		pieces = pieces[1:]
	}
	if text = strings.Join(pieces, ""); text == "" {
		return nil, errors.New("the text of the format is missing")
	}
	for text, w.more = strings.CutSuffix(text, "..."); ; {
		if text = w.cutAt(text, "$"); text == "" {
			break
		}
		if text, err = w.addVariable(text); err != nil {
			return nil, err
		}
	}
	w.join()
	return w, nil
}

// addVariable adds the variable that text begins with, and returns the rest.
func (w *wording) addVariable(text string) (rest string, err error) {
	text, padded := strings.CutPrefix(text, "$~")
	n := variableLength(text)
	if layout, ok := strings.CutPrefix(text, "${time:"); ok {
		end := strings.IndexByte(layout, '}')
		if end < 0 {
			return "", fmt.Errorf("a brace is not closed: %.40q", text)
		}
		return layout[end+1:], w.addTime(text[:len(text)-len(layout)+end+1], layout[:end]+"%!", 0)
	}
	if n <= 1 {
		return "", fmt.Errorf("behind a $ the name of a variable is missing: %.20q", text)
	}
	name := strings.Trim(text[:n], "${}")
	v := nginxVariables[name]
	if slices.Contains(nginxOwn, name) {
		v.content = shape.Token
	}
	w.add(text[:n], v)
	w.words[len(w.words)-1].padded = padded
	return text[n:], nil
}

// variableLength returns the length of the variable that text begins with: $name or ${name};
// 1 if it is only a dollar sign.
func variableLength(text string) int {
	if !strings.HasPrefix(text, "$") {
		return 1
	}
	from := 1
	if strings.HasPrefix(text, "${") {
		from = 2
	}
	name := strings.TrimLeft(text[from:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	n := len(text) - len(name)
	switch {
	case n == from:
		return 1
	case from == 2 && !strings.HasPrefix(name, "}"):
		return 1
	}
	return n + from - 1
}

// nginxDirectives returns the words of each directive log_format of a configuration, or
// those of text that is only words. Source: nginx.org, "Beginner's Guide", "Configuration File's Structure".
func nginxDirectives(text string) (directives [][]string, err error) {
	var words []string
	end := func() {
		if len(words) > 0 && (words[0] == "log_format" || len(directives) == 0 && strings.HasPrefix(text, "'")) {
			directives = append(directives, words)
		}
		words = nil
	}
	for text := text; ; {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case text == "":
			end()
			return directives, nil
		case text[0] == '#':
			_, text, _ = strings.Cut(text, "\n")
		case strings.IndexByte(";{}", text[0]) >= 0:
			end()
			text = text[1:]
		default:
			var word string
			if word, text, err = nginxWord(text); err != nil {
				return nil, err
			}
			words = append(words, word)
		}
	}
}

// nginxWord returns the word that text begins with, quoted or not, and what is behind it.
func nginxWord(text string) (word, rest string, err error) {
	var b strings.Builder
	stops, i := " \t\r\n;{", 0
	if quote := text[0]; quote == '\'' || quote == '"' {
		stops, i = string(quote), 1
	}
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			at := strings.IndexByte(`"'\trn`, text[i])
			if at < 0 {
				b.WriteByte('\\')
				b.WriteByte(text[i])
			} else {
				b.WriteByte("\"'\\\t\r\n"[at])
			}
		case c == '$' && strings.HasPrefix(text[i:], "${"):
			b.WriteString("${") // which begins no block
			i++
		case strings.IndexByte(stops, c) >= 0:
			if len(stops) == 1 {
				i++
			}
			return b.String(), text[i:], nil
		default:
			b.WriteByte(c)
		}
	}
	if len(stops) == 1 {
		return "", "", fmt.Errorf("a quote is not closed: %.40q", text)
	}
	return b.String(), "", nil
}
