package format

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// apacheValues lists the directives of Apache's mod_log_config that an audit needs, and those that
// Apache writes itself. Names omit the per cent sign, and are in lower case if they take an
// argument. %U is decoded and rewritten: mod_dir turns / into /index.html before it is logged.
// varnishncsa has the same directives, and Fastly adds the letter V. Sources: httpd.apache.org,
// "Module mod_log_config"; varnish-cache.org, "varnishncsa"; fastly.com, "Custom log formats".
var apacheValues = sync.OnceValue(func() map[string]value {
	list := valuesOf(`ip a|{client.ip}v h {c}a
		bytes b|B
		sent O
		protocol H
		method m|{req.method}v|{req.request}v
		target {req.url}v
		rewritten U
		query q
		request r
		status >s s|{resp.status}v <s
		host {host}i!|{req.http.host}v! V v
		server_port p|{canonical}p {local}p
		ua {user-agent}i|{req.http.user-agent}v
		claim {signature-agent}i
		referer {referer}i|{req.http.referer}v
		xff {x-forwarded-for}i|{req.http.x-forwarded-for}v {x-real-ip}i|{true-client-ip}i|{cf-connecting-ip}i
		scheme {x-forwarded-proto}i! {request_scheme}e
		tls {https}e|{https}x {ssl_protocol}x
		#dash l
		#address A
		#number {remote}p D T {ms}t {us}t {s}t I S k P {pid}p {tid}p
		#token X L {unique_id}e`)
	byName := list["h"]
	byName.content = field.Unbroken // it may be the name of the client
	list["h"] = byName
	return list
})

// parseApache parses a LogFormat of Apache: the whole directive or the text between its quotes. In
// the text, quotes may still be escaped as \".
func parseApache(text string) (*Format, error) {
	if len(text) > len("LogFormat ") && strings.EqualFold(text[:len("LogFormat")], "LogFormat") {
		if text, ok := liteSpeedText(strings.TrimSpace(text[len("LogFormat"):])); ok {
			return apacheFormat(text)
		}
		directives := apacheDirectives(text)
		if len(directives) != 1 || len(directives[0]) < 2 {
			return nil, errors.New("it is not one directive LogFormat with a text in quotes")
		}
		return apacheFormat(directives[0][1])
	}
	switch {
	case !strings.Contains(text, `\"`):
	case text[0] == '"':
		text = apacheWords(text)[0]
	default:
		text = strings.ReplaceAll(text, `\"`, `"`)
	}
	return apacheFormat(text)
}

// liteSpeedText returns the text of OpenLiteSpeed's logFormat, which takes the rest of the line.
// Quotes around it are optional, and quotes inside may be escaped or not. ok is false for a
// directive of Apache.
func liteSpeedText(rest string) (text string, ok bool) {
	inner, isQuoted := strings.CutPrefix(rest, `"`)
	switch {
	case isQuoted:
		inner, ok = strings.CutSuffix(inner, `"`)
		ok = ok && strings.Contains(strings.ReplaceAll(inner, `\"`, ""), `"`)
	case !strings.HasPrefix(rest, "'"):
		ok = len(strings.Fields(rest)) > len([]string{"text", "name"})
	}
	return strings.ReplaceAll(inner, `\"`, `"`), ok
}

// apacheDirective is a directive: a per cent sign, modifiers and an argument in any order, then a
// letter, or three as in %^FB. It also matches escapes.
var apacheDirective = lazy.Regexp(`(?s)\\([\\nrt])|%((?:\{[^}]*\}|[<>0-9,!])*)(\^..|.)?`)

func apacheFormat(text string) (*Format, error) {
	w := &wording{spell: backslashed}
	if err := w.scan(text, apacheDirective(), w.addDirective); err != nil {
		return nil, err
	}
	w.join()
	return w.format()
}

// addDirective adds a match of apacheDirective.
func (w *wording) addDirective(groups []string) error {
	name, modifiers, letter, argument := groups[0], groups[2], groups[3], ""
	if open, end := strings.IndexByte(modifiers, '{'), strings.IndexByte(modifiers, '}'); open >= 0 {
		argument, modifiers = modifiers[open+1:end], modifiers[:open]+modifiers[end+1:]
	}
	switch {
	case groups[1] != "":
		w.after += map[string]string{`\`: `\`, "n": "\n", "r": "\r", "t": "\t"}[groups[1]]
		return nil
	case name == "%%":
		w.after += "%"
		return nil
	case letter == "{":
		return fmt.Errorf("a brace is not closed: %.40q", name)
	case letter == "":
		return fmt.Errorf("a letter is missing: %.40q", name)
	case letter == "t":
		return w.addApacheTime(name, argument)
	}
	key := letter
	if argument != "" {
		key = strings.ToLower("{" + argument + "}" + letter)
	} else if strings.ContainsAny(modifiers, "<>") {
		key = strings.Trim(modifiers, "0123456789,!") + letter
	}
	v, known := apacheValues()[key]
	if !known && argument == "" {
		v = apacheValues()[letter]
	}
	if strings.ContainsAny(modifiers, "0123456789,!") && v.part != ignored {
		w.doubts = append(w.doubts, name+" is logged for some statuses only")
	}
	w.add(name, v)
	return nil
}

// addApacheTime adds a time, either in brackets as in common or in a strftime layout.
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
