package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// ParseConfig returns a named format from a configuration: a log_format of nginx, or a LogFormat of
// Apache. The last definition counts. Included files are not read.
func ParseConfig(config []byte, name string) (*Format, error) {
	text, err := ConfigText(config, name)
	if err != nil {
		return nil, err
	}
	f, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the format %s: %w", name, err)
	}
	f.by = "the user's configuration, as " + name
	return f, nil
}

// ConfigText returns the directive that ParseConfig would parse, for Parse.
func ConfigText(config []byte, name string) (text string, err error) {
	var names []string
	found := func(called, directive string) {
		names = append(names, called)
		if called == name {
			text = directive
		}
	}
	directives, err := nginxDirectives(string(config))
	for _, words := range directives {
		if len(words) > 1 {
			escaped := strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(strings.Join(words[1:], "\n"))
			found(words[1], words[0]+" '"+strings.ReplaceAll(escaped, "\n", "' '")+"';")
		}
	}
	for _, words := range apacheDirectives(string(config)) {
		if len(words) > 2 {
			found(words[2], words[0]+` "`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(words[1])+`" `+words[2])
		}
	}
	switch {
	case text != "":
		return text, nil
	case len(names) > 0:
		slices.Sort(names)
		return "", fmt.Errorf("it has no log_format or LogFormat called %q, but %s; files that it includes are not read",
			name, strings.Join(slices.Compact(names), ", "))
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("it has no log_format or LogFormat called %q; files that it includes are not read", name)
}

// nginxTokens matches comments, the delimiters of directives and blocks, quoted words, and other
// words, in which ${ doesn't open a block. A lone quote is unclosed. Source: nginx.org, "Beginner's
// Guide", "Configuration File's Structure".
var nginxTokens = lazy.Regexp(`(?s)#[^\n]*|[;{}]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|` +
	`(?:\\.|\$\{|[^\s;{"'])(?:\\.|\$\{|[^\s;{])*|["']`)

var nginxEscapes = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`, `\t`, "\t", `\r`, "\r", `\n`, "\n")

// nginxDirectives returns the words of each log_format directive in a configuration, or the words
// of a text without directives.
func nginxDirectives(text string) (directives [][]string, err error) {
	var words []string
	for _, token := range append(nginxTokens().FindAllString(text, -1), ";") {
		switch token[0] {
		case '#':
			continue
		case ';', '{', '}':
			if len(words) > 0 && (words[0] == "log_format" || len(directives) == 0 && strings.HasPrefix(text, "'")) {
				directives = append(directives, words)
			}
			words = nil
			continue
		case '"', '\'':
			if len(token) == 1 {
				return nil, errors.New("a quote is not closed")
			}
			token = token[1 : len(token)-1]
		}
		words = append(words, nginxEscapes.Replace(token))
	}
	return directives, nil
}

// apacheTokens matches quoted words, the last of which may be unclosed, and other words. Source:
// httpd.apache.org, "Configuration Files", "Syntax of the Configuration Files".
var apacheTokens = lazy.Regexp(`"(?:\\.|[^"])*"?|'(?:\\.|[^'])*'?|[^ \t]+`)

// apacheDirectives returns the words of each LogFormat directive in a configuration.
func apacheDirectives(config string) (directives [][]string) {
	text := strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(config)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) <= len("LogFormat") || !strings.EqualFold(line[:len("LogFormat")], "LogFormat") {
			continue
		}
		if words := apacheWords(line); len(words) > 1 && len(words[0]) == len("LogFormat") {
			directives = append(directives, words)
		}
	}
	return directives
}

func apacheWords(line string) []string {
	words := apacheTokens().FindAllString(line, -1)
	for i, word := range words {
		if quote := word[:1]; quote == `"` || quote == "'" {
			word = strings.NewReplacer(`\\`, `\`, `\`+quote, quote, quote, "").Replace(word)
		}
		words[i] = word
	}
	return words
}
