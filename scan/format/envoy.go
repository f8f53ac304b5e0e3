package format

import (
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// envoyOperators are the command operators of Envoy that an audit needs, and those that Envoy
// writes itself. The path is that of the client only where a route has not rewritten it. Source:
// envoyproxy.io, "Access logging", "Command Operators".
var envoyOperators = sync.OnceValue(func() map[string]value {
	return valuesOf(`method REQ(:METHOD)
		target REQ(X-ENVOY-ORIGINAL-PATH?:PATH)
		rewritten REQ(:PATH)
		protocol PROTOCOL
		status RESPONSE_CODE
		bytes BYTES_SENT
		host REQ(:AUTHORITY)|REQ(HOST)
		ua REQ(USER-AGENT)
		referer REQ(REFERER)
		xff REQ(X-FORWARDED-FOR)
		scheme REQ(X-FORWARDED-PROTO)! REQ(:SCHEME)
		ip DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT|DOWNSTREAM_REMOTE_ADDRESS
		ip - DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT|DOWNSTREAM_DIRECT_REMOTE_ADDRESS
		#number BYTES_RECEIVED DURATION RESPONSE_DURATION REQUEST_DURATION CONNECTION_ID RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)
		#token RESPONSE_FLAGS UPSTREAM_HOST UPSTREAM_LOCAL_ADDRESS DOWNSTREAM_LOCAL_ADDRESS HOSTNAME STREAM_ID
		#unbroken UPSTREAM_CLUSTER`)
})

// envoyOperator is a command operator, perhaps with a maximum length. A time may have a layout.
var envoyOperator = lazy.Regexp(`%(?:START_TIME(?:\(([^)]*)\))?|([A-Z0-9_]+(?:\([^)]*\))?)(?::\d+)?)%`)

// parseEnvoy reads a format string of Envoy. Envoy escapes nothing.
func parseEnvoy(text string) (*Format, error) {
	w := new(wording)
	text = strings.ReplaceAll(strings.TrimSuffix(text, `\n`), `\"`, `"`)
	err := w.scan(text, envoyOperator(), func(groups []string) error {
		switch name, layout, operator := groups[0], groups[1], groups[2]; {
		case operator != "":
			w.add(name, envoyOperators()[strings.ToUpper(operator)])
		case layout != "":
			return w.addTime(name, layout, 0)
		default:
			w.add(name, value{part: moment, pattern: isoPattern})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.join()
	return w.format()
}
