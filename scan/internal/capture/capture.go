// Package capture reads copies of robots.txt from the output of crawls: lines of JSON,
// WARC files, and plain files named by their host.
//
// The input is untrusted. Memory is bounded, even if the input declares huge sizes. A part that
// can't be used yields an error in its place, with a reason that can be counted, and reading
// continues.
package capture

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// Capture is a copy of a robots.txt, or of a page that a robots.txt may redirect to.
type Capture struct {
	// Origins are the origins of the robots.txt: one, or http and https if the source names a host
	// without a scheme.
	Origins []origin.Origin
	// Path is the path with the query, as answer.Resolve returns it. "" means /robots.txt.
	Path string
	// Status is the HTTP status, or 200 if the source has none.
	Status uint16
	// Body is the body, cut at Options.MaxBody bytes. It is nil unless Status is 2xx, and valid until
	// the next capture is requested.
	Body []byte
	// Time is the time of the capture, zero if unknown. With Month, only the month is known, and Time
	// is its first day.
	Time  time.Time
	Month bool
	// DateUnread means that a member or column called date contains a date, but isn't in Options.Fields.
	DateUnread bool
	// Line is the number of the JSON line or table row, 0 for other inputs.
	Line int64
	// Location is the target of a redirect, as the server wrote it.
	Location string
}

// Options limit what is read.
type Options struct {
	// MaxBody limits the bytes kept of a body. It is at least 1.
	MaxBody int
	// MaxLine limits a JSON line, or a text in DatedBodies; 0 means 64 MiB. Reading a line takes up to
	// four times its length in memory.
	MaxLine int
	// Fields are the names of the members of objects.
	Fields Fields
	// Wants selects captures of URLs other than a robots.txt that are also read, for example
	// Set.Wants. nil selects none. It is called just before the capture is read.
	Wants func(answer.Target) bool
}

func (o *Options) maxLine() int { return cmp.Or(o.MaxLine, defaultMaxLine) }

// SkipError is the error for a part of an input without a usable capture. Reading continues after
// it.
type SkipError struct {
	Where  string // place in the input, such as "line 12"
	Reason Reason
	Text   string // beginning of the part, unescaped; escape it before printing
}

// Reason says why something was skipped.
type Reason string

// The reasons. Lost returns those that matter to the user.
const (
	LongLine    Reason = "line longer than 64 MiB, or than there is memory for"
	NotUTF8     Reason = "not UTF-8"
	NotJSON     Reason = "not a JSON object of the expected fields"
	NoHost      Reason = "no host"
	BadHost     Reason = "not the name of a host or origin"
	NoBody      Reason = "no body"
	TwoBodies   Reason = "two bodies"
	BadStatus   Reason = "not an HTTP status"
	BadDate     Reason = "no date of capture"
	NotHTTP     Reason = "not an HTTP response"
	LongHead    Reason = "header of an HTTP response longer than 64 KiB"
	BadBody     Reason = "body is damaged"
	BadForm     Reason = "not a robots.txt"
	CutShort    Reason = "cut short"
	Revisit     Reason = "WARC record that is no response"
	NotModified Reason = "HTTP status that says nothing about robots.txt (1xx or 304)"
)

// Lost reports whether a usable copy may have been lost. It returns false if the skipped part can't
// contain one.
func (r Reason) Lost() bool { return r != Revisit && r != NotModified }

// Error returns the place, the reason and the text, quoted and shortened.
func (s *SkipError) Error() string {
	const longest = 80
	text, dots := s.Text, ""
	if len(text) > longest {
		text, dots = text[:longest], "..."
	}
	return fmt.Sprintf("%s: %s: %q%s", s.Where, s.Reason, text, dots)
}

// Kind is the kind of an input.
type Kind uint8

const (
	RobotsTxt Kind = iota // one robots.txt, named by its host
	JSON                  // lines with JSON objects, or objects for DatedBodies
	Archive               // WARC
	Table                 // Parquet
)

// KindOf returns the kind of a file by its extension: .json, .jsonl, .ndjson, .warc or .parquet,
// optionally followed by a compression extension; .wat and .wet are WARC. All other names are
// RobotsTxt. It ignores the contents, because a site could make its robots.txt look like captures
// of other sites.
func KindOf(name string) Kind {
	switch sniff.Named(name) {
	case "json":
		return JSON
	case "warc":
		return Archive
	case "parquet":
		return Table
	}
	return RobotsTxt
}

// Detect detects the kind of an input without a name from its first bytes. It only accepts kinds
// with many captures.
func Detect(head []byte) (Kind, error) {
	switch sniff.Form(head) {
	case "warc":
		return Archive, nil
	case "json":
		return JSON, nil
	}
	err := errors.New("neither WARC nor lines of JSON objects")
	if form := FormOf(head); form != nil {
		err = fmt.Errorf("%w, but %s", err, form.Form)
	}
	return 0, err
}

// HostOf returns the host, or with its scheme the origin, that the path of a robots.txt names:
// HOST, HOST.txt, HOST/robots.txt, or a name that combines robots with the host, as tools that save
// pages write it: HOST.robots.txt, HOST-robots.txt, HOST_robots.txt, robots_HOST.txt,
// https___HOST_robots.txt or https%3A%2F%2FHOST%2Frobots.txt. A compression extension may follow.
// See CheckNamed.
func HostOf(path string) (string, error) {
	host, _ := hostOf(path)
	isCopy := strings.HasPrefix(host, "robots.txt") // such as the robots.txt.1 of wget
	if host == "" || isCopy || strings.HasPrefix(host, ".") || host == string(filepath.Separator) {
		return "", errors.New("its name has no host (HOST, HOST.txt or HOST/robots.txt)")
	}
	return host, nil
}

// CheckNamed returns a *FormError if a file's name could belong to any kind of file, like README.md, go.mod and
// LICENSE, and its content does not start like a robots.txt.
func CheckNamed(path string, content []byte) error {
	if _, certain := hostOf(path); !certain && !sniff.IsRobots(content) {
		return errNoHost
	}
	return nil
}

// hostOf returns the host in a path, and whether the path certainly names a host.
func hostOf(path string) (host string, certain bool) {
	dir, name := filepath.Split(filepath.Clean(path))
	if name = sniff.Uncompressed(name); name == "robots.txt" {
		return filepath.Base(dir), true
	}
	return besideRobots(strings.TrimSuffix(name, ".txt"))
}

// robotsName matches a file name with a host and the word robots, optionally with a scheme and a
// port.
var robotsName = lazy.Regexp(
	`(?i)^(?:(https?)(?::|_)?[/_]{1,2})?(?:robots(?:_|\.txt[_-]))?([^/]*?)(?:_([0-9]{2,5}))?(?:[._/-]robots(?:\.txt)?)?$`)

// fileEndings matches the extensions of files found next to files named after hosts. Some are top-level domains, too.
var fileEndings = lazy.Regexp(`(?i)\.(md|rst|html?|php|csv|tsv|xlsx?|jsonl?|mod|sum|go|py|ipynb|js|ts|css|sh|rb|java|` +
	`xml|ya?ml|toml|ini|cfg|conf|log|lock|sql|db|bak|zip|pdf|png|jpe?g|gif|svg|ico|docx?|odt|ods)$`)

// besideRobots returns the host in a file name without extension, and whether the name certainly
// has one.
func besideRobots(name string) (host string, certain bool) {
	text, err := url.PathUnescape(name)
	m := robotsName().FindStringSubmatch(text)
	if err != nil || m == nil || !strings.Contains(m[2], ".") || !strings.Contains(strings.ToLower(name), "robots") {
		return name, strings.Contains(name, ".") && !fileEndings().MatchString(name)
	}
	scheme, host, port := strings.ToLower(m[1]), m[2], m[3]
	switch {
	case scheme == "" && port != "":
		host += "_" + port
	case port != "":
		host += ":" + port
	}
	if scheme != "" {
		host = scheme + "://" + host
	}
	return host, !fileEndings().MatchString(name)
}

// folderDate and fileDate match the dates in the names of folders and files, and folderMonth matches a folder date
// without a day.
var (
	folderDate  = lazy.Regexp(`^([0-9]{14}|[0-9]{4}(?:-[0-9]{2}){2}(?:T[0-9]{2}(?::?[0-9]{2}){2}Z)?)(?:[-_ ].*)?$`)
	folderMonth = lazy.Regexp(`^([0-9]{4}-[0-9]{2})(?:[_ ].*|-(?:[^0-9].*)?)?$`)
	fileDate    = lazy.Regexp(`^([0-9]{14}|[0-9]{4}(?:-[0-9]{2}){2}(?:T[0-9]{2}(?::?[0-9]{2}){2}Z)?\.txt$)([^0-9].*)?$`)
)

// DateOf returns the date at the start of a folder's name, such as 2026-01, 2026-01-15-robots,
// 2026-01-15T00:00:00Z or 20260115120000, which applies to the copies in it. If there is only a month, it returns
// the first day.
func DateOf(folder string) (t time.Time, isMonth, ok bool) {
	name := filepath.Base(folder)
	m := folderDate().FindStringSubmatch(name)
	if m == nil {
		m = folderMonth().FindStringSubmatch(name)
		isMonth = m != nil
	}
	if m != nil {
		t, ok = parseDate(m[1])
	}
	return t, isMonth, ok
}

// DateOfFile returns the date that a file is named after, such as 2026-01-15.txt, 2026-01-15T00:00:00Z.txt or
// 20260115000000_robots.txt, possibly followed by a compression extension. It applies to the copy in the
// file.
func DateOfFile(name string) (t time.Time, ok bool) {
	if m := fileDate().FindStringSubmatch(sniff.Uncompressed(name)); m != nil {
		return parseDate(strings.TrimSuffix(m[1], ".txt"))
	}
	return t, false
}

// File reads the robots.txt of a host, or of an origin in the form of origin.Parse. It returns a
// *FormError if the content has another form.
func File(r io.Reader, host string, o Options) (Capture, error) {
	origins, err := origin.Parse(host)
	if err != nil {
		return Capture{}, err
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(o.MaxBody)))
	if err != nil {
		return Capture{}, err
	}
	if form := FormOf(body); form != nil {
		return Capture{}, form
	}
	return Capture{Origins: origins, Status: 200, Body: body}, nil
}
