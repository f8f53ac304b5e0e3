package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// nginxVariables lists the variables of nginx that an audit needs, and those whose values nginx
// makes itself. Sources: nginx.org, "Index of variables", and "Module ngx_http_log_module".
var nginxVariables = sync.OnceValue(func() map[string]value {
	list := valuesOf(`ip remote_addr realip_remote_addr
		xff http_x_forwarded_for http_x_real_ip|http_cf_connecting_ip|http_true_client_ip proxy_add_x_forwarded_for
		request request
		method request_method
		target request_uri
		rewritten uri|document_uri
		query args|query_string is_args
		protocol server_protocol
		status status
		bytes body_bytes_sent
		sent bytes_sent
		host http_host! host server_name|ssl_server_name
		server_port server_port
		scheme http_x_forwarded_proto! scheme
		tls https ssl_protocol
		ua http_user_agent
		claim http_signature_agent
		referer http_referer
		#token body_bytes_received bytes_received connection connection_requests connection_time connections_active gzip_ratio
		#token hostname http2 http3 nginx_version pid pipe remote_port request_completion request_id request_length
		#token request_time server_addr ssl_cipher ssl_early_data ssl_session_id ssl_session_reused 
		#token tcpinfo_rtt tcpinfo_rttvar upstream_cache_status
		#token _
		#dash ident`)
	list["time_local"] = value{part: moment, pattern: clfPattern}
	list["time_iso8601"] = value{part: moment, pattern: isoPattern}
	list["msec"] = value{part: moment, rank: 1, pattern: "%s"}
	// nginx doesn't have these, nor _ and ident, which are for logs of other programs: the identity of
	// common, an unneeded word from the program itself, HAProxy's frontend with a tilde for TLS, the
	// header Host of a gateway on nonstandard ports, and the target of a server that rejects targets
	// with blanks.
	list["gateway_host"] = value{part: hostName, raw: true, spell: gatewayHost}
	list["target"] = value{part: target, content: field.Word}
	list["frontend"] = value{part: tlsInUse, spell: tilde}
	return list
})

// gatewayHost is the header Host as APISIX writes it, with its default listening ports, which
// aren't the site's.
var gatewayHost = spelling{escape: ':', undo: func(dst, host []byte) []byte {
	host = bytes.TrimSuffix(bytes.TrimSuffix(host, []byte(":9080")), []byte(":9443"))
	return unescape(dst, host)
}}

// nginxSpellings are the values of escape=.
var nginxSpellings = map[string]spelling{"default": backslashed, "json": jsonEscaped, "hash": hashed, "none": {}}

// parseNginx parses a log_format of nginx: the directive, its quoted pieces, or their content,
// optionally after escape=. Source: nginx.org, "Module ngx_http_log_module", log_format.
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
		pieces = directives[0]
		if pieces[0] == "log_format" {
			pieces = pieces[min(2, len(pieces)):]
		}
		return pieces, nil
	case strings.HasPrefix(text, "escape="):
		return strings.SplitN(text, " ", 2), nil
	}
	return []string{text}, nil
}

// nginxWording parses a log_format. For logs of other programs it also accepts other variables,
// escape=hash (as HAProxy escapes), and ... at the end of the text for a blank and more fields.
func nginxWording(text string) (w *wording, err error) {
	w = &wording{spell: backslashed}
	pieces, err := nginxText(text)
	if err != nil {
		return nil, err
	}
	if len(pieces) > 0 && strings.HasPrefix(pieces[0], "escape=") {
		spell, ok := nginxSpellings[pieces[0][len("escape="):]]
		if !ok {
			return nil, fmt.Errorf("%s is neither default, json, hash nor none", pieces[0])
		}
		w.spell, w.verbatim = spell, spell.undo == nil
		if w.verbatim {
			w.doubts = append(w.doubts,
				"escape=none writes quotes in headers as they are, so lines with such quotes cannot be read")
		}
		pieces = pieces[1:]
	}
	if text = strings.Join(pieces, ""); text == "" {
		return nil, errors.New("the text of the format is missing")
	}
	text, w.more = strings.CutSuffix(text, "...")
	err = w.scanVariables(text)
	w.join()
	return w, err
}

// scanVariables finds the variables of a text, $name or ${name}, and keeps the texts between them. Two extensions
// serve logs of other programs: ${time:LAYOUT} is a time in a strftime layout, and $~ before a variable allows blanks
// before it. Regular expressions would take a tenth of a short audit for this.
func (w *wording) scanVariables(text string) error {
	w.words = slices.Grow(w.words, strings.Count(text, "$"))
	for {
		before, rest, found := strings.Cut(text, "$")
		w.after += before
		if !found {
			return nil
		}
		variable, padded := strings.CutPrefix(rest, "~$")
		size, err := w.addVariable(variable, padded)
		if err != nil {
			return err
		}
		text = variable[size:]
	}
}

// addVariable adds the variable at the beginning of a text, without its dollar, and returns its size.
func (w *wording) addVariable(text string, padded bool) (size int, err error) {
	size = len(text) - len(strings.TrimLeft(text, nameBytes))
	name := text[:size]
	if inner, isOpen := strings.CutPrefix(text, "{"); isOpen {
		end := strings.IndexByte(inner, '}')
		if name = inner[:max(end, 0)]; strings.HasPrefix(name, "time:") {
			size = end + 2
			if layout := name[len("time:"):]; layout != "" {
				return size, w.addTime("$"+text[:size], layout+"%!", 0)
			}
			name = ""
		} else if strings.Trim(name, nameBytes) != "" || name == "" {
			return 0, errors.New("a brace is not closed after ${")
		}
		size = end + 2
	}
	if name == "" {
		return 0, errors.New("after a $ the name of a variable is missing")
	}
	w.add("$"+text[:size], nginxVariables()[name])
	w.words[len(w.words)-1].padded = padded
	return size, nil
}

// nameBytes are the bytes of nginx's names of variables.
const nameBytes = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
