package format

import (
	"errors"
	"fmt"
	"strings"
)

// clfPattern is clfTime in the words of strftime.
const clfPattern = "%d/%b/%Y:%H:%M:%S %z"

// nginxVariables are the variables of nginx that an audit needs; all others are of no
// interest. Of several for one part that of the lowest rank counts. Source: nginx.org, "Index of variables", and "Module
// ngx_http_log_module".
var nginxVariables = map[string]value{
	"remote_addr": {part: clientAddr}, "realip_remote_addr": {part: clientAddr, rank: 1}, "binary_remote_addr": {},
	"http_x_forwarded_for": {part: forwardedFor}, "http_x_real_ip": {part: forwardedFor, rank: 1}, "http_cf_connecting_ip": {part: forwardedFor, rank: 1},
	"http_true_client_ip": {part: forwardedFor, rank: 1}, "proxy_add_x_forwarded_for": {part: forwardedFor, rank: 2},
	"time_local": {part: moment, pattern: clfPattern}, "time_iso8601": {part: moment, read: isoTime}, "msec": {part: moment, rank: 1, read: epochTime},
	"request": {part: requestLine}, "request_method": {part: methodName}, "request_uri": {part: target},
	"uri": {part: rewrittenPath}, "document_uri": {part: rewrittenPath}, "args": {part: query}, "query_string": {part: query}, "is_args": {part: query, rank: 1},
	"server_protocol": {protocol: true}, "status": {part: statusCode},
	"body_bytes_sent": {part: bodySize}, "bytes_sent": {part: sentSize},
	"http_host": {part: hostName}, "host": {part: hostName, rank: 1}, "server_name": {part: hostName, rank: 2}, "ssl_server_name": {part: hostName, rank: 2},
	"server_port": {part: ownPort}, "http_x_forwarded_proto": {part: schemeName}, "scheme": {part: schemeName, rank: 1},
	"https": {part: tlsInUse}, "ssl_protocol": {part: tlsInUse, rank: 1}, "http_user_agent": {part: userAgent}, "http_referer": {part: referrer},
}

// parseNginx reads a log_format of nginx: the directive, its quoted pieces, or what is in
// their quotes. Source: nginx.org, "Module ngx_http_log_module", log_format.
func parseNginx(text string) (*Format, error) {
	pieces := []string{text}
	if strings.HasPrefix(text, "log_format") || strings.HasPrefix(text, "'") {
		directives, err := nginxDirectives(text)
		if err != nil {
			return nil, err
		}
		if len(directives) != 1 {
			return nil, errors.New("it is not one directive")
		}
		if pieces = directives[0]; pieces[0] == "log_format" {
			return nginxFormat(pieces[min(2, len(pieces)):])
		}
	}
	return nginxFormat(pieces)
}

// nginxFormat returns the format of what follows the name in a log_format.
func nginxFormat(pieces []string) (*Format, error) {
	w := &wording{spell: backslashed}
	if len(pieces) > 0 {
		if escape, ok := strings.CutPrefix(pieces[0], "escape="); ok {
			pieces = pieces[1:]
			switch escape {
			case "default":
			case "json":
				w.spell = jsonEscaped
			case "none":
				w.spell = spelling{}
				w.doubts = append(w.doubts, "escape=none writes quotes in headers as they are, so lines with such quotes cannot be read")
			default:
				return nil, fmt.Errorf("escape=%s is neither default, json nor none", escape)
			}
		}
	}
	if len(pieces) == 0 {
		return nil, errors.New("the text of the format is missing")
	}
	for text := strings.Join(pieces, ""); text != ""; {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			w.addText(text)
			break
		}
		w.addText(text[:at])
		n := variableLength(text[at:])
		if n == 1 {
			return nil, fmt.Errorf("behind a $ the name of a variable is missing: %.20q", text[at:])
		}
		name := strings.Trim(text[at:at+n], "${}")
		w.words = append(w.words, word{name: text[at : at+n], value: nginxVariables[name]})
		text = text[at+n:]
	}
	return w.format()
}

// variableLength returns the length of the variable that text begins with: $name or ${name};
// 1 if it is only a dollar sign.
func variableLength(text string) int {
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
