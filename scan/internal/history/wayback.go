package history

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

var wayback = Source{Name: "wayback", Times: policy.Observed, Read: readWayback, Folder: "bodies", Prints: "urls"}

// Limits for untrusted input: the bytes of a row, the total bytes of file names, and the number of digests
// remembered.
const (
	maxRow     = 1 << 20
	maxNames   = 256 << 20
	maxDigests = 1 << 16
)

// cdxFields are the fields that matter, by their names in CDX servers, CDXJ and the legend of a CDX
// file.
var cdxFields = map[string]string{
	"timestamp": "time", "b": "time", "original": "url", "url": "url", "original_uri": "url", "a": "url",
	"statuscode": "status", "status": "status", "status_code": "status", "s": "status", "mimetype": "type",
	"mime": "type", "mime_type": "type", "m": "type", "digest": "digest", "k": "digest", "redirect": "to", "r": "to",
	"urlkey": "key", "N": "key",
}

// usualFields are the fields of a Wayback Machine response in text form.
var usualFields = []string{"urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"}

// captures holds the captures read from CDX files.
type captures struct {
	q        *Query
	to       *Writer              // nil if only URLs are wanted
	bodies   bodies               // downloaded bodies
	named    map[string]*download // by the time and the origin in their paths
	statuses map[string]int       // by digest, for later revisits
	robots   bool                 // a capture of a robots.txt was found
	printed  map[string]bool      // digests whose URL was printed
}

func readWayback(ctx context.Context, q *Query, to *Writer) error {
	c := &captures{q: q, to: to, bodies: bodies{}, named: map[string]*download{}, statuses: map[string]int{},
		printed: map[string]bool{}}
	dir, fl := q.Values["bodies"], q.Values["fl"]
	has := func(field string) bool {
		return slices.ContainsFunc(strings.Split(fl, ","), func(name string) bool { return cdxFields[name] == field })
	}
	if fl != "" && !(has("time") && has("url")) {
		return UsageError(fmt.Sprintf("option FieldNames %s: it needs timestamp and original", fl))
	}
	if dir != "" {
		c.list(ctx, dir)
	}
	if err := q.eachFile(ctx, to, func(in *source.Input) error { return c.read(ctx, in) }); err != nil {
		return err
	}
	if !c.robots {
		return errors.New("no capture of a /robots.txt in " + strings.Join(q.Args, ", "))
	}
	return nil
}

// stamped matches the 14 digits at the beginning of a file or folder name, then a flag as in the
// URLs of the Wayback Machine, if any, and the rest.
var stamped = lazy.Regexp(`^([0-9]{14})(?:(?:(?:[a-z]{2})?_|[-.])(.*))?$`)

// download is a downloaded file with its digest. isTold means that a mismatch with its capture was
// reported.
type download struct {
	name, digest string
	isTold       bool
}

// list lists the files of a folder by digest, and by the time and the origins in their paths.
func (c *captures) list(ctx context.Context, dir string) {
	ins, _, failed := source.Inputs(ctx, []string{dir}, nil, source.Limits{Memory: maxNames, Inside: true})
	if c.to == nil && len(ins) == 0 {
		return // nothing has been downloaded yet
	}
	for _, in := range ins {
		if ctx.Err() != nil {
			return
		}
		body, err := bodyOf(in)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		file := &download{name: in.Name, digest: SHA1(body)}
		c.bodies[file.digest] = &knownBody{in: in}
		stamp, origins := captureOf(filepath.ToSlash(strings.TrimPrefix(in.Name, dir)))
		for _, o := range origins {
			c.named[stamp+o.String()] = file
		}
		if len(origins) == 0 {
			c.named[stamp] = file
		}
	}
	for _, err := range failed {
		c.q.fault("option Bodies: %v", err)
	}
}

// captureOf returns the time and the origins of the capture that a path names. The origin is the
// last host after the time, or in a folder before it.
func captureOf(path string) (stamp string, origins []origin.Origin) {
	scheme := ""
	for _, part := range strings.FieldsFunc(path, func(c rune) bool { return c == '/' }) {
		if m := stamped().FindStringSubmatch(part); m != nil {
			stamp, part = m[1], m[2]
		}
		text, err := url.PathUnescape(part)
		if lower := strings.ToLower(text); lower == "http:" || lower == "https:" {
			scheme = lower + "//"
			continue
		}
		host := ""
		if err == nil {
			host, err = capture.HostOf(text)
		}
		if !strings.Contains(host, "://") {
			host = scheme + host
		}
		if of, unknown := origin.Parse(host); cmp.Or(err, unknown) == nil && strings.ContainsAny(of[0].Host, ".:") {
			origins = of
		}
		scheme = ""
	}
	return stamp, origins
}

// read reads a CDX file.
func (c *captures) read(ctx context.Context, in *source.Input) error {
	r, err := interrupt.Open(ctx, in)
	if err != nil {
		return err
	}
	defer r.Close()
	columns := usualFields
	if fl := c.q.Values["fl"]; fl != "" {
		columns = strings.Split(fl, ",")
	}
	b := bufio.NewReader(r)
	head, _ := b.Peek(1 << 10)
	if err := sniff.NotText(head, true); err != nil {
		return err
	}
	if mark := "\ufeff"; bytes.HasPrefix(head, []byte(mark)) {
		_, _ = b.Discard(len(mark)) // it is in the buffer
		head = head[len(mark):]
	}
	rows := cdxRows
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("[")) {
		rows = cdxArrays
	}
	return rows(b, columns, func(n int, f map[string]string) error {
		place := fmt.Sprintf("%s:%d", in.Name, n)
		if f == nil {
			c.q.fault("%s: not a row of CDX with the fields %s", place, strings.Join(columns, ","))
			return ctx.Err()
		}
		return cmp.Or(c.capture(place, f), ctx.Err())
	})
}

// cdxRows calls each for the rows of a text or of CDXJ, with nil for invalid rows. A line with a
// single word behind an empty line is the key with which a CDX server continues; without that line
// it is a row that was cut off.
func cdxRows(r *bufio.Reader, columns []string, each func(n int, f map[string]string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRow)
	n, before := 1, 0 // words of the line before
	for ; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		words := strings.Fields(text)
		isKey := len(words) == 1 && before == 0 && n > 1 && text[0] != '{'
		switch before = len(words); {
		case len(words) == 0, isKey, text[0] == '!': // also metadata of CDXJ
			continue
		case words[0] == "CDX":
			columns = words[1:]
			continue
		}
		var f map[string]string
		if at := strings.IndexByte(text, '{'); at == 0 || len(words) > 2 && words[2][0] == '{' {
			var object map[string]any
			d := json.NewDecoder(strings.NewReader(text[at:]))
			d.UseNumber()
			if d.Decode(&object) == nil {
				f = map[string]string{"key": words[0], "time": words[min(1, len(words)-1)]}
				for name, value := range object {
					f[cdxFields[name]] = fmt.Sprint(value)
				}
			}
		} else {
			f = cdxRow(columns, words)
		}
		if err := each(n, f); err != nil {
			return err
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a line longer than %d MiB", maxRow>>20)
	}
	if err != nil {
		err = fmt.Errorf("not read from line %d on: %w", n, err)
	}
	return err
}

// cdxArrays is cdxRows for arrays of arrays, one per page. The first row of a page names the
// fields.
func cdxArrays(r *bufio.Reader, _ []string, each func(n int, f map[string]string) error) error {
	bounded := &io.LimitedReader{R: r, N: maxRow}
	d := json.NewDecoder(bounded)
	n := 0
	for {
		bounded.N = maxRow
		switch token, err := d.Token(); {
		case errors.Is(err, io.EOF) && bounded.N > 0:
			return nil
		case err != nil || token != json.Delim('['):
			return fmt.Errorf("after row %d no page of CDX follows: %w", n, cmp.Or(err, errNoArray))
		}
		if err := cdxPage(d, bounded, &n, each); err != nil {
			return err
		}
	}
}

var errNoArray = errors.New("no array of JSON")

// cdxPage reads the rest of an array.
func cdxPage(d *json.Decoder, bounded *io.LimitedReader, n *int, each func(n int, f map[string]string) error) error {
	var columns, before []string
	for d.More() {
		var row []string
		bounded.N = maxRow
		*n++
		err := d.Decode(&row)
		isKey := len(row) == 1 && before != nil && len(before) == 0
		_, isOther := errors.AsType[*json.UnmarshalTypeError](err) // a row with values other than texts
		switch {
		case isOther && columns != nil:
			err = each(*n, nil)
		case err != nil:
			return fmt.Errorf("from row %d on it is no CDX: %w", *n, err)
		case columns == nil:
			columns = row
		case len(row) > 0 && !isKey:
			err = each(*n, cdxRow(columns, row))
		}
		before = row
		if err != nil {
			return err
		}
	}
	bounded.N = maxRow
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("the page is cut off after row %d: %w", *n, err)
	}
	return nil
}

// cdxRow returns the fields that matter, or nil if there are too few.
func cdxRow(columns, row []string) map[string]string {
	if len(row) < len(columns) {
		return nil
	}
	f := map[string]string{}
	for i, name := range columns {
		f[cdxFields[name]] = row[i]
	}
	return f
}

// capture yields the row of a capture.
func (c *captures) capture(place string, f map[string]string) error {
	target, ok := answer.Resolve(answer.Target{}, f["url"])
	if ok && target.Path != answer.RobotsPath || !ok && !strings.Contains(f["key"], "robots.txt") {
		return nil
	}
	stamp := f["time"]
	at, err := time.Parse("20060102150405", stamp)
	_, unknown := origin.Parse(target.Origin.String())
	if !ok || cmp.Or(err, unknown) != nil || len(stamp) != 14 || !isKept(at) {
		c.q.fault("%s: not the time and the URL of a capture: %.20q %.80q", place, stamp, f["url"])
		return nil
	}
	c.robots = true
	row := &Row{Origins: []origin.Origin{target.Origin}, Time: at, Place: place}
	if f["to"] != "-" {
		row.Location = f["to"]
	}
	digest := strings.TrimPrefix(strings.ToUpper(f["digest"]), "SHA1:")
	if len(digest) == 32 {
		row.Digest = "sha1:" + digest
	}
	key := target.Origin.String() + row.Digest
	row.Status, err = strconv.Atoi(f["status"])
	switch revisit := f["type"] == "warc/revisit"; {
	case revisit && c.statuses[key] != 0:
		row.Status = c.statuses[key]
	case revisit && err != nil && row.Digest != "":
		row.Status = 200 // revisit of an original that isn't listed
	case err != nil || row.Status < 200 || row.Status > 999:
		c.q.fault("%s: the capture of %s has no status", place, at.Format(time.RFC3339))
		row.Status, row.Digest = 200, "" // another file may have been there
		return c.to.Add(row)
	case row.Status == 304:
		return nil
	}
	if len(c.statuses) == maxDigests {
		clear(c.statuses)
	}
	c.statuses[key] = row.Status
	if row.Status/100 == 2 && !c.hasBody(row, stamp) && c.to == nil {
		return c.printURL(row, stamp)
	}
	return c.to.Add(row)
}

// hasBody finds the body of a row in the files, by digest or, without a digest, by host and time in
// the name. The writer then has the body, or the digest of one that it already has.
func (c *captures) hasBody(row *Row, stamp string) bool {
	digest, file := row.Digest, c.named[stamp+row.Origins[0].String()]
	if file != nil {
		digest = cmp.Or(digest, file.digest)
	}
	file = cmp.Or(file, c.named[stamp])
	if file != nil && digest != "" && digest != file.digest && !file.isTold {
		file.isTold = true
		c.q.fault("%s: %s is not used: its SHA-1 differs from the capture's", row.Place, file.name)
	}
	has, err := c.bodies.addTo(row, digest)
	if err != nil {
		c.q.fault("%s: %v", row.Place, err)
	}
	return has
}

// printURL prints the URL of a row's body, unless another row's URL is the same. It contains nothing from the CDX
// input except digits and an origin, in which only bytes that are safe for shells and terminals are left
// unescaped.
func (c *captures) printURL(row *Row, stamp string) error {
	if c.printed[row.Digest] {
		return nil
	}
	if len(c.printed) < maxDigests {
		c.printed[row.Digest] = row.Digest != ""
	}
	scheme, host, _ := strings.Cut(row.Origins[0].String(), "://")
	host = strings.ReplaceAll(url.QueryEscape(host), "%3A", ":")
	_, err := fmt.Fprintf(c.q.Out, "https://web.archive.org/web/%sid_/%s://%s/robots.txt\n", stamp, scheme, host)
	return err
}
