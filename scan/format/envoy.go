package format

import (
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
	shape "github.com/robotsieve/robotsieve/scan/field"
)

// envoyOperators are the command operators of Envoy that an audit needs; all others are of no
// interest. The path is that of the client only where a route has not rewritten it. Source:
// envoyproxy.io, "Access logging", "Command Operators".
var envoyOperators = map[string]value{
	"REQ(:METHOD)": {part: methodName}, "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)": {part: target}, "REQ(:PATH)": {part: rewrittenPath},
	"PROTOCOL": {protocol: true}, "RESPONSE_CODE": {part: statusCode}, "BYTES_SENT": {part: bodySize},
	"REQ(:AUTHORITY)": {part: hostName}, "REQ(HOST)": {part: hostName}, "REQ(USER-AGENT)": {part: userAgent}, "REQ(REFERER)": {part: referrer}, "REQ(X-FORWARDED-FOR)": {part: forwardedFor},
	"REQ(X-FORWARDED-PROTO)": {part: schemeName, raw: true}, "REQ(:SCHEME)": {part: schemeName, rank: 1},
	"DOWNSTREAM_REMOTE_ADDRESS": {part: clientAddr}, "DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT": {part: clientAddr},
	"DOWNSTREAM_DIRECT_REMOTE_ADDRESS": {part: clientAddr, rank: 1}, "DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT": {part: clientAddr, rank: 1},

	// Those of no interest that Envoy writes itself. All others may hold a client's words.
	"BYTES_RECEIVED": {content: shape.Number}, "DURATION": {content: shape.Number}, "RESPONSE_DURATION": {content: shape.Number}, "REQUEST_DURATION": {content: shape.Number},
	"RESPONSE_FLAGS": {content: shape.Token}, "UPSTREAM_HOST": {content: shape.Token}, "UPSTREAM_CLUSTER": {content: shape.Unbroken}, "UPSTREAM_LOCAL_ADDRESS": {content: shape.Token},
	"DOWNSTREAM_LOCAL_ADDRESS": {content: shape.Token}, "CONNECTION_ID": {content: shape.Number}, "HOSTNAME": {content: shape.Token}, "STREAM_ID": {content: shape.Token},
	"RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)": {content: shape.Number},
}

// envoyOperator is a command operator, perhaps with a maximum length.
var envoyOperator = lazy.Regexp(`%([A-Z0-9_]+(?:\([^)]*\))?)(?::\d+)?%`)

// parseEnvoy reads a format string of Envoy. Envoy escapes nothing.
func parseEnvoy(text string) (*Format, error) {
	w := new(wording)
	text = strings.ReplaceAll(strings.TrimSuffix(text, `\n`), `\"`, `"`)
	from := 0
	for _, at := range envoyOperator().FindAllStringSubmatchIndex(text, -1) {
		w.after += text[from:at[0]]
		name, operator := text[at[0]:at[1]], strings.ToUpper(text[at[2]:at[3]])
		from = at[1]
		if layout, ok := strings.CutPrefix(operator, "START_TIME("); ok {
			layout = text[at[3]-len(layout) : at[3]-1] // not in upper case
			if err := w.addTime(name, layout, 0); err != nil {
				return nil, err
			}
			continue
		}
		v := envoyOperators[operator]
		if operator == "START_TIME" {
			v = value{part: moment, pattern: isoPattern}
		}
		w.add(name, v)
	}
	w.after += text[from:]
	w.join()
	return w.format()
}
