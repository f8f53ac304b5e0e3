package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// DatedBodies reads JSON objects that map each host to its bodies by date:
//
//	{"example.com": {"2026-01-01": "User-agent: *\nDisallow: /", "2026-02-01": "..."}}
//
// There may be one object for all hosts, on any number of lines, or several objects. A URL stands
// for its origin. null means that nothing is known. Hosts and dates are parsed as in JSONLines.
// Each body yields a capture or a *SkipError. Any other error ends the iteration.
func DatedBodies(r io.Reader, o Options) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		in := &io.LimitedReader{R: r}
		d := &datedReader{json: json.NewDecoder(in), in: in, o: o, yield: yield}
		if err := d.objects(); err != nil && !errors.Is(err, errEnough) {
			yield(Capture{}, fmt.Errorf("at byte %d: %w", d.json.InputOffset(), err))
		}
	}
}

// Objects reads a JSON file as DatedBodies if it begins like that and Options.Fields has no names,
// otherwise as JSONLines.
func Objects(r io.Reader, o Options) iter.Seq2[Capture, error] {
	in := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := in.Peek(len(bom)); string(mark) == bom {
		_, _ = in.Discard(len(bom)) // it is in the buffer
	}
	head, _ := in.Peek(4 << 10) // JSONLines returns the error
	switch text := bytes.TrimLeft(head, bom+" \t\r\n"); {
	case o.Fields == (Fields{}) && hasDatedBodies(text):
		return DatedBodies(in, o)
	case bytes.HasPrefix(text, []byte("[")):
		return func(yield func(Capture, error) bool) { yield(Capture{}, errArray) }
	}
	return JSONLines(in, o)
}

var errArray = &FormError{"an array of JSON", "give an object on each line, as jq -c '.[]' writes them"}

// errEnough means that the caller wants no more captures.
var errEnough = errors.New("no more captures are wanted")

// datedReader is the state of DatedBodies.
type datedReader struct {
	json  *json.Decoder
	in    *io.LimitedReader
	o     Options
	yield func(Capture, error) bool
}

func (d *datedReader) objects() error {
	for {
		token, err := d.token()
		switch {
		case isEOF(err):
			return nil
		case err != nil:
			return err
		case token != json.Delim('{'):
			return fmt.Errorf("not an object: %.40q", fmt.Sprint(token))
		}
		if err := d.members(d.host); err != nil {
			return err
		}
	}
}

// members calls read for each remaining member of the current object.
func (d *datedReader) members(read func(name string) error) error {
	for {
		token, err := d.token()
		if err != nil {
			return noEnd(err)
		}
		name, ok := token.(string)
		if !ok {
			return nil // the end of the object: names are strings
		}
		if err := read(name); err != nil {
			return noEnd(err)
		}
	}
}

func (d *datedReader) host(host string) error {
	if n, ok := origin.Prefix([]byte(host)); ok {
		host = host[:n]
	}
	token, err := d.token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("the value of %.80q is not an object of dates and bodies", host)
	}
	return d.members(func(at string) error {
		token, err := d.token()
		if err != nil || token == nil {
			return err
		}
		body, ok := token.(string)
		if !ok {
			return fmt.Errorf("the value of %.80q in %.80q is no text", at, host)
		}
		c, why := Values{Host: []byte(host), Date: []byte(at), Body: []byte(body)}.Capture(d.o)
		var skipped error
		if why != "" {
			skipped = &SkipError{Where: fmt.Sprintf("at byte %d", d.json.InputOffset()), Reason: why, Text: host + " " + at}
		}
		if !d.yield(c, skipped) {
			return errEnough
		}
		return nil
	})
}

// token returns the next token, with a limit on its length.
func (d *datedReader) token() (json.Token, error) {
	d.in.N = int64(d.o.maxLine())
	token, err := d.json.Token()
	if err != nil && d.in.N == 0 {
		err = errLongText
	}
	return token, err
}

var errLongText = errors.New("a text is longer than there is memory for")

// noEnd turns io.EOF within an object into io.ErrUnexpectedEOF.
func noEnd(err error) error {
	if isEOF(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// hasDatedBodies reports whether the start of a text looks like input for DatedBodies.
func hasDatedBodies(head []byte) bool {
	d := json.NewDecoder(bytes.NewReader(head))
	var tokens [4]json.Token // { host { date
	for i := range tokens {
		var err error
		if tokens[i], err = d.Token(); err != nil {
			return false
		}
	}
	at, isName := tokens[3].(string)
	_, isDate := parseDate(at)
	return tokens[0] == json.Delim('{') && tokens[2] == json.Delim('{') && isName && isDate
}
