// Package capture reads copies of robots.txt from what crawls leave behind: lines
// of JSON, WARC files, and plain files named by their host.
//
// Everybody's bytes come through here, so memory is bounded whatever they claim,
// and what cannot be used is an error in its place, with a reason that can be
// counted, after which reading goes on.
package capture

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/origin"
)

// Capture is a copy of one robots.txt.
type Capture struct {
	// Origins are those whose robots.txt it is: one, or http and https where
	// the source names a host without a scheme.
	Origins []origin.Origin
	// Status is that of HTTP, 200 where the source says none.
	Status uint16
	// Body is what was read of it, at most Options.MaxBody bytes; nil unless
	// Status is 2xx. It is valid until the next capture is asked for.
	Body []byte
	// Time is when it was captured, zero where the source does not say.
	Time time.Time
	// Location is where a redirect leads to, as the server wrote it.
	Location string
}

// Options bound what is read.
type Options struct {
	// MaxBody is how many bytes of a body are kept, at least 1.
	MaxBody int
}

// Skipped is something in an input that gave no capture. Reading goes on after
// it.
type Skipped struct {
	Where  string // in the input, such as "line 12"
	Reason Reason
	Text   string // the beginning of it, raw: whoever prints it escapes it
}

// Reason is why something was skipped.
type Reason string

// The reasons. See Lost for what they mean to the user.
const (
	LongLine    Reason = "line longer than 64 MiB"
	NotUTF8     Reason = "not UTF-8"
	NotJSON     Reason = "not a JSON object of the expected fields"
	NoHost      Reason = "no host"
	BadHost     Reason = "not the name of a host or origin"
	NoBody      Reason = "no body"
	TwoBodies   Reason = "two bodies"
	BadStatus   Reason = "not an HTTP status"
	BadDate     Reason = "no date of capture"
	NotHTTP     Reason = "not an HTTP response"
	BadCoding   Reason = "body encoded in an unknown way"
	BadBody     Reason = "body is damaged"
	CutShort    Reason = "cut short"
	Revisit     Reason = "WARC record that is no response"
	NotModified Reason = "HTTP status without a body"
)

// Lost tells whether a usable copy may have been lost, as is not so of records
// that hold none.
func (r Reason) Lost() bool { return r != Revisit && r != NotModified }

// Error says where, why and what, the text quoted and shortened.
func (s *Skipped) Error() string {
	const longest = 80
	text, dots := s.Text, ""
	if len(text) > longest {
		text, dots = text[:longest], "..."
	}
	return fmt.Sprintf("%s: %s: %q%s", s.Where, s.Reason, text, dots)
}

// Kind is how an input holds captures.
type Kind uint8

const (
	// RobotsTxt is one robots.txt, named by its host.
	RobotsTxt Kind = iota
	// JSON is lines that are JSON objects.
	JSON
	// Archive is WARC.
	Archive
)

// KindOf tells the kind by the name of a file: .jsonl, .ndjson and .warc, also
// with an ending of compression. All else is RobotsTxt: bytes do not tell, since a
// robots.txt is anybody's and could pretend to be a dump of others'.
func KindOf(name string) Kind {
	switch filepath.Ext(strings.ToLower(decompressed(filepath.Base(name)))) {
	case ".jsonl", ".ndjson":
		return JSON
	case ".warc":
		return Archive
	}
	return RobotsTxt
}

// compressions are the endings that the names of compressed files have.
var compressions = []string{".gz", ".zst", ".bz2", ".xz"}

// FileNames returns the names that the robots.txt in the directory of a host may have. The
// first that is there is the one to read.
func FileNames() []string {
	names := []string{"robots.txt"}
	for _, ending := range compressions {
		names = append(names, "robots.txt"+ending)
	}
	return names
}

// decompressed is the name of a file without an ending of compression.
func decompressed(name string) string {
	for _, ending := range compressions {
		if n := len(name) - len(ending); n > 0 && strings.EqualFold(name[n:], ending) {
			return name[:n]
		}
	}
	return name
}

// Detect tells the kind by the first bytes of an input without a name, which must
// hold many captures.
func Detect(head []byte) (Kind, error) {
	text := strings.TrimLeft(string(head), " \t\r\n")
	switch {
	case strings.HasPrefix(text, warcMagic):
		return Archive, nil
	case strings.HasPrefix(text, "{"):
		return JSON, nil
	}
	return 0, errors.New("neither WARC nor lines of JSON objects")
}

// HostOf returns the host by which a file with a robots.txt is named: HOST,
// HOST.txt, or HOST/robots.txt, also with an ending of compression.
func HostOf(path string) (string, error) {
	dir, name := filepath.Split(filepath.Clean(path))
	if name = decompressed(name); name == "robots.txt" {
		name = filepath.Base(dir)
	} else {
		name = strings.TrimSuffix(name, ".txt")
	}
	if name == "" || strings.HasPrefix(name, ".") || name == string(filepath.Separator) {
		return "", errors.New("its name tells no host (HOST, HOST.txt or HOST/robots.txt)")
	}
	return name, nil
}

// File reads the robots.txt of a host, or of an origin as origin.Parse reads it.
func File(r io.Reader, host string, o Options) (Capture, error) {
	origins, err := origin.Parse(host)
	if err != nil {
		return Capture{}, err
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(o.MaxBody)))
	if err != nil {
		return Capture{}, err
	}
	return Capture{Origins: origins, Status: 200, Body: body}, nil
}
