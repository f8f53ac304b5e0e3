package capture_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/source"
)

var all = capture.Options{MaxBody: 1 << 20}

// outcome is what a reader gave: captures as text, reasons in their places, and the error that ended it.
type outcome struct {
	got []string
	err error
}

func read(captures iter.Seq2[capture.Capture, error]) (o outcome) {
	for c, err := range captures {
		var skipped *capture.SkipError
		switch {
		case errors.As(err, &skipped):
			o.got = append(o.got, string(skipped.Reason))
		case err != nil:
			o.err = err
		default:
			o.got = append(o.got, text(c))
		}
	}
	return o
}

// text writes a capture: origins, path, status, body, and where a redirect leads.
func text(c capture.Capture) string {
	var origins []string
	for _, o := range c.Origins {
		origins = append(origins, o.String())
	}
	return strings.TrimSpace(fmt.Sprintf("%s%s %d %q %s", strings.Join(origins, ","), c.Path, c.Status, c.Body,
		c.Location))
}

func same(t *testing.T, o outcome, want ...string) {
	t.Helper()
	if o.err != nil || !slices.Equal(o.got, want) {
		t.Errorf("got  %q, error %v\nwant %q", o.got, o.err, want)
	}
}

// record writes a WARC record.
func record(kind, target, date, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, target, date, len(block), block)
}

// response writes a WARC record of a response.
func response(target, head, body string) string {
	return record("response", target, "2026-11-01T00:00:00Z", head+"\r\n\r\n"+body)
}

func gz(text string) string { return string(source.AppendMember(nil, []byte(text))) }

// endless gives a text again and again, n bytes in all.
func endless(text string, n int64) io.Reader {
	return io.LimitReader(&repeating{text: strings.Repeat(text, 64<<10)}, n)
}

type repeating struct {
	text string
	at   int
}

func (r *repeating) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}
