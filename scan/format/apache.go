package format

import (
	"errors"
	"fmt"
	"strings"

	shape "github.com/robotsieve/robotsieve/scan/field"
)

// apacheDirectives are the directives of Apache's mod_log_config that an audit needs, by
// letter, or by argument and letter: headers in lower case. All others are of no interest. %U is
// decoded, and rewritten: mod_dir makes /index.html of / before it is logged.
// Of several for one part that of the lowest rank counts. Those of varnishncsa are the same, and Fastly adds the letter V.
// Source: httpd.apache.org, "Module mod_log_config"; varnish-cache.org, "varnishncsa"; fastly.com, "Custom log formats".
var apacheDirectives = map[string]value{
	"a": {part: clientAddr}, "h": {part: clientAddr, rank: 1, content: shape.Unbroken}, "c a": {part: clientAddr, rank: 2},
	"b": {part: bodySize}, "B": {part: bodySize}, "O": {part: sentSize},
	"H": {protocol: true}, "m": {part: methodName}, "U": {part: rewrittenPath}, "q": {part: query}, "r": {part: requestLine},
	"s": {part: statusCode, rank: 1}, ">s": {part: statusCode}, "<s": {part: statusCode, rank: 2},
	"host i": {part: hostName, raw: true}, "V": {part: hostName, rank: 1}, "v": {part: hostName, rank: 2},
	"p": {part: ownPort}, "canonical p": {part: ownPort}, "local p": {part: ownPort, rank: 1},
	"user-agent i": {part: userAgent}, "referer i": {part: referrer}, "req.http.referer v": {part: referrer}, "x-forwarded-for i": {part: forwardedFor},
	"x-real-ip i": {part: forwardedFor, rank: 1}, "true-client-ip i": {part: forwardedFor, rank: 1}, "cf-connecting-ip i": {part: forwardedFor, rank: 1},
	"x-forwarded-proto i": {part: schemeName, raw: true}, "request_scheme e": {part: schemeName, rank: 1},
	"https e": {part: tlsInUse}, "https x": {part: tlsInUse}, "ssl_protocol x": {part: tlsInUse, rank: 1},
	"req.http.host v": {part: hostName, raw: true}, "req.http.user-agent v": {part: userAgent}, "req.http.x-forwarded-for v": {part: forwardedFor},
	"req.url v": {part: target}, "req.method v": {part: methodName}, "req.request v": {part: methodName}, "client.ip v": {part: clientAddr},
	"resp.status v": {part: statusCode, rank: 1},

	// Those of no interest that Apache writes itself. All others may hold a client's words.
	"l": {content: shape.Dash}, "A": {content: shape.Address}, "remote p": {content: shape.Number}, "D": {content: shape.Number}, "T": {content: shape.Number}, "ms T": {content: shape.Number}, "us T": {content: shape.Number}, "s T": {content: shape.Number},
	"I": {content: shape.Number}, "S": {content: shape.Number}, "k": {content: shape.Number}, "P": {content: shape.Number}, "pid P": {content: shape.Number}, "tid P": {content: shape.Number}, "X": {content: shape.Token}, "L": {content: shape.Token},
	"unique_id e": {content: shape.Token},
}

// parseApache reads a LogFormat of Apache: the directive, or what is between its quotes. In
// the latter case quotes may be written as \" still.
func parseApache(text string) (*Format, error) {
	if len(text) > len("LogFormat ") && strings.EqualFold(text[:len("LogFormat")], "LogFormat") {
		directives := apacheLogFormats([]byte(text))
		if len(directives) != 1 || len(directives[0]) < 2 {
			return nil, errors.New("it is not one directive LogFormat with a text in quotes")
		}
		return apacheFormat(directives[0][1])
	}
	switch {
	case !strings.Contains(text, `\"`):
	case text[0] == '"':
		text, _ = apacheWord(text)
	default:
		text = strings.ReplaceAll(text, `\"`, `"`)
	}
	return apacheFormat(text)
}

// apacheFormat returns the format of the text of a LogFormat.
func apacheFormat(text string) (*Format, error) {
	w := &wording{spell: backslashed}
	for {
		if text = w.cutAt(text, `%\`); text == "" {
			break
		}
		if text[0] == '\\' {
			text = w.addEscape(text)
			continue
		}
		var err error
		if text, err = w.addDirective(text); err != nil {
			return nil, err
		}
	}
	w.join()
	return w.format()
}

// addEscape adds what a backslash and the octet behind it stand for, and returns the rest.
func (w *wording) addEscape(text string) (rest string) {
	if len(text) > 1 {
		if i := strings.IndexByte(`\nrt`, text[1]); i >= 0 {
			w.after += "\\\n\r\t"[i : i+1]
			return text[2:]
		}
	}
	w.after += text[:1]
	return text[1:]
}

// addDirective adds the directive that text begins with, and returns the rest: a per cent
// sign, modifiers and an argument in any order, and a letter.
func (w *wording) addDirective(text string) (rest string, err error) {
	if strings.HasPrefix(text, "%%") {
		w.after += "%"
		return text[2:], nil
	}
	argument, modifiers, conditional := "", "", false
	i := 1
loop:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{':
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				return "", fmt.Errorf("a brace is not closed: %.40q", text)
			}
			argument = text[i+1 : i+end]
			i += end
		case c == '<' || c == '>':
			modifiers = string(c)
		case isDigit(c) || c == ',' || c == '!':
			conditional = true
		default:
			break loop
		}
	}
	n := 1
	if i < len(text) && text[i] == '^' {
		n = 3 // as in %^FB
	}
	if i+n > len(text) {
		return "", fmt.Errorf("a letter is missing: %.40q", text)
	}
	name, letter := text[:i+n], text[i:i+n]
	rest = text[i+n:]
	if letter == "t" {
		return rest, w.addApacheTime(name, argument)
	}
	key := modifiers + letter
	if argument != "" {
		key = strings.ToLower(argument + " " + letter)
	}
	v, known := apacheDirectives[key]
	if !known && argument == "" {
		v = apacheDirectives[letter]
	}
	if conditional && v.part != ignored {
		w.doubts = append(w.doubts, name+" is logged for some statuses only")
	}
	w.add(name, v)
	return rest, nil
}

// addApacheTime adds a time: in brackets as in common, or in a layout of strftime.
func (w *wording) addApacheTime(name, argument string) error {
	rank := 0
	if end, ok := strings.CutPrefix(argument, "end:"); ok {
		argument, rank = end, 1
	}
	switch argument = strings.TrimPrefix(argument, "begin:"); argument {
	case "":
		w.after += "["
		err := w.addTime(name, clfPattern, rank)
		w.after = "]"
		return err
	case "sec", "msec", "usec", "msec_frac", "usec_frac":
		argument = "%{" + argument + "}"
	}
	return w.addTime(name, argument, rank)
}

// apacheLogFormats returns the words of each directive LogFormat of a configuration.
// Source: httpd.apache.org, "Configuration Files", "Syntax of the Configuration Files".
func apacheLogFormats(config []byte) (directives [][]string) {
	text := strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(string(config))
	for line := range strings.Lines(text) {
		var words []string
		for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " \t") {
			var word string
			word, line = apacheWord(line)
			if words = append(words, word); !strings.EqualFold(words[0], "LogFormat") {
				break
			}
		}
		if len(words) > 1 {
			directives = append(directives, words)
		}
	}
	return directives
}

// apacheWord returns the word that line begins with, quoted or not, and what is behind it.
func apacheWord(line string) (word, rest string) {
	quote := line[0]
	if quote != '"' && quote != '\'' {
		if end := strings.IndexAny(line, " \t"); end >= 0 {
			return line[:end], line[end:]
		}
		return line, ""
	}
	var b strings.Builder
	i := 1
	for ; i < len(line) && line[i] != quote; i++ {
		if line[i] == '\\' && i+1 < len(line) && (line[i+1] == '\\' || line[i+1] == quote) {
			i++
		}
		b.WriteByte(line[i])
	}
	return b.String(), line[min(i+1, len(line)):]
}
