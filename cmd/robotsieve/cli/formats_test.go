package cli

import (
	"bufio"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/format"
)

// The list has every format and envelope, with a sample.
func TestFormatsLists(t *testing.T) {
	r := command(t, "", "formats")
	if r.code != exitDone || r.err != "" {
		t.Fatalf("code %d, stderr %q", r.code, r.err)
	}
	for _, name := range format.Names() {
		f, _ := format.ByName(name)
		if !strings.Contains(r.out, "\n"+name+"\n") && !strings.HasPrefix(r.out, name+"\n") || !strings.Contains(r.out, "  written by "+f.By()+"\n") {
			t.Errorf("%s is not in the list", name)
		}
	}
	if !strings.HasPrefix(r.out, "Text, with the fields in a fixed order:\n\ncombined\n") {
		t.Errorf("the list begins with %.100q", r.out)
	}
	for _, own := range ownFormats {
		if text := strings.Trim(strings.TrimPrefix(own.example, "--format "), "'"); !strings.HasPrefix(text, "/") {
			if _, ok := format.ByName(text); ok {
				continue
			}
			if _, err := format.Parse(text); err != nil {
				t.Errorf("%s: %v", own.example, err)
			}
		}
	}
	for _, says := range []string{"\n  sample     #Fields: date time cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) cs-host sc-status sc-bytes\n             2026-03-04 05:06:07 GET", "\ncommon\n  written by Apache of old\n  lacks      User-Agent, host\n  sample     192.0.2.1 - - [", "\nsyslog\n", "\ndocker\n"} {
		if !strings.Contains(r.out, says) {
			t.Errorf("the list does not say %q", says)
		}
	}
}

// On a terminal no line is wider than that.
func TestFormatsFitATerminal(t *testing.T) {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	listFormats(w, maxWidth)
	w.Flush()
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > maxWidth {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}
