package logwriter

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// conditional matches a text that is part of a line only if a request meets a condition, and joint
// matches a comma that an omitted text has left at the end of an object or a list.
var (
	conditional = regexp.MustCompile(`<\?([^>]+)>(.*?)<\?>`)
	joint       = regexp.MustCompile(`,([}\]])`)
	placeholder = regexp.MustCompile(`<([a-z]+)(%?)(?:\|([^>]*)|:([^>]*))?>`)
)

// meets reports whether a request meets a condition. A condition that begins with ! is negated.
func (r *Request) meets(condition string) bool {
	if condition, not := strings.CutPrefix(condition, "!"); not {
		return !r.meets(condition)
	}
	return map[string]bool{
		"http": r.Protocol != "", "path": r.onPath(), "https": r.Scheme == "https",
		"claim": r.Claim != "",
		"agent": len(r.Agent) > 0, "referer": len(r.Referer) > 0, "forwarded": len(r.Forwarded) > 0,
		"hostv6": strings.Contains(r.Host, ":"), "blank": strings.Contains(r.Target, " "),
	}[condition]
}

// expand expands a text: <name> is a fact about a request, <name|text> falls back to text if that is empty or 0,
// <name%> undoes its percent-encoding, <time:layout>, <utc:layout> and <created:layout> format its time, <unix:digits>
// gives the seconds since 1970, and <?condition>text<?> is text if the condition is met.
func (w *Writer) expand(text string, r *Request, escape func(string) string) string {
	text = conditional.ReplaceAllStringFunc(text, func(match string) string {
		parts := conditional.FindStringSubmatch(match)
		if r.meets(parts[1]) {
			return parts[2]
		}
		return ""
	})
	own, texts := sync.OnceValue(r.own), sync.OnceValue(r.texts)
	return placeholder.ReplaceAllStringFunc(joint.ReplaceAllString(text, "$1"), func(match string) string {
		at := placeholder.FindStringSubmatchIndex(match)
		name, isEncoded, hasDefault := match[at[2]:at[3]], at[5] > at[4], at[6] >= 0
		if at[8] >= 0 {
			return r.at(name, match[at[8]:at[9]])
		}
		if hasDefault && (name == "size" && r.Size == 0 || name == "status" && r.Status == 0) {
			return match[at[6]:at[7]]
		}
		if value, ok := own()[name]; ok {
			return value
		}
		value, wasSent := r.sent(name, texts)
		switch {
		case (!wasSent || value == "") && hasDefault:
			return match[at[6]:at[7]]
		case !wasSent && (w.json || w.missing == "none"):
			return ""
		case !wasSent:
			return "-"
		case value == "" && w.empty != "" && escape != nil:
			return w.empty
		}
		if isEncoded {
			value = akamai(value)
		}
		switch {
		case escape == nil:
			return value
		case name == "line" && w.inLine != nil:
			return w.inLine(value)
		}
		return escape(value)
	})
}

// at returns the time of the request.
func (r *Request) at(name, layout string) string {
	switch name {
	case "utc":
		return r.Time.UTC().Format(layout)
	case "created":
		return r.Time.Add(-time.Second).UTC().Format(layout)
	case "unix":
		digits, _ := strconv.Atoi(layout)
		return fmt.Sprintf("%d.%09d", r.Time.Unix(), r.Time.Nanosecond())[:len("1772600767.")+digits]
	}
	return r.Time.Format(layout)
}

// own returns the values that a server writes itself, by name.
func (r *Request) own() map[string]string {
	path, _ := r.pathQuery()
	return map[string]string{
		"client": r.Client.Addr().String(), "peer": r.Client.String(),
		"host": r.bracketed(), "hostheader": r.hostHeader(), "hostport": r.hostPort(), "port": fmt.Sprint(r.Port),
		"scheme": r.Scheme,
		"method": r.Method, "protocol": r.Protocol,
		"status": fmt.Sprint(r.Status), "size": fmt.Sprint(r.Size), "seconds": fmt.Sprint(r.Time.Unix()),
		"millis": fmt.Sprint(r.Time.UnixMilli()), "micros": fmt.Sprint(r.Time.UnixMicro()),
		"nanos":   fmt.Sprint(r.Time.UnixNano()),
		"proxies": first(r.Forwarded, "-"), "plainuser": cmp.Or(r.User, "-"),
		"key": cmp.Or(cloudfront(strings.TrimPrefix(path, "/")), "-"),
	}
}

// sent returns what a client has written, and whether it has. texts are the texts of the request.
func (r *Request) sent(name string, texts func() map[string]string) (value string, wasSent bool) {
	switch name {
	case "agent":
		return first(r.Agent, ""), len(r.Agent) > 0
	case "referer":
		return first(r.Referer, ""), len(r.Referer) > 0
	case "forwarded":
		return first(r.Forwarded, ""), len(r.Forwarded) > 0
	case "user":
		return r.User, r.User != ""
	case "via": // what a proxy takes as the client
		return first(r.Forwarded, r.Client.Addr().String()), true
	case "list":
		return first(r.Forwarded, r.Client.Addr().String()+", 10.0.0.1"), true
	}
	value, ok := texts()[name]
	if !ok {
		panic("there is no " + name)
	}
	return value, true
}

// texts returns the parts of every request as its client wrote them, by name.
func (r *Request) texts() map[string]string {
	path, query := r.pathQuery()
	return map[string]string{
		"line":   r.line(),
		"cookie": r.Cookie, "senthost": cmp.Or(r.HostHeader, r.bracketed()),
		"target": r.Target, "path": path, "query": query, "claim": r.Claim, "joined": joined(path, query),
		"url": r.absolute(r.bracketed()), "urlheader": r.absolute(r.hostHeader()), "urlport": r.absolute(r.hostPort()),
		"decoded": decoded(path), "marked": strings.TrimPrefix(r.Target, path), // the query with its mark
		"shown": joined(decoded(path), query),
	}
}
