package crawler

import (
	_ "embed"
	"reflect"
	"strings"
	"sync"
)

//go:embed crawlers.json
var builtinText string

// Builtin returns the built-in profiles, which come from crawlers.json. Callers must not modify
// them.
func Builtin() []Profile { return builtin() }

var builtin = sync.OnceValue(readBuiltin)

func readBuiltin() (profiles []Profile) {
	d := &builtinReader{rest: builtinText, names: map[string]int{}, texts: make([]string, 0, 4<<10)}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[Profile]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		d.names[name] = i
	}
	profiles = make([]Profile, strings.Count(builtinText, "\n"))
	clear(profiles) // a page that is read before it is written costs two faults
	n := 0
	d.each('[', ']', func() {
		d.profile(&profiles[n])
		n++
	})
	return profiles[:n]
}

// builtinReader parses crawlers.json thirty times faster than encoding/json, since every audit starts by loading it. It
// supports only what that file uses: strings without escapes, true, and newlines between values.
type builtinReader struct {
	rest  string
	names map[string]int // the fields of Profile by their JSON names
	texts []string       // of all lists
}

func (d *builtinReader) profile(p *Profile) {
	fields := [...]any{ // in their order
		&p.Name, &p.Operator, &p.Category, &p.Words, &p.Adds, &p.Sites, &p.Tokens, &p.Also, &p.Role, &p.CrawlDelay,
		&p.IgnoresWildcard, &p.Exempt, &p.Control, &p.Dialect, &p.Obeys, &p.Source, &p.Date, &p.Verify, &p.Domains, &p.Lists,
		&p.Referrers,
	}
	d.object(func(name string) { d.read(fields[d.names[name]]) })
}

func (d *builtinReader) read(into any) {
	switch into := into.(type) {
	case *string:
		*into = d.text()
	case *bool:
		d.rest, *into = strings.TrimPrefix(d.rest, "true"), true
	case *[]string:
		*into = d.list()
	case *[][]string:
		d.each('[', ']', func() { *into = append(*into, d.list()) })
	case *[]List:
		d.each('[', ']', func() {
			var l List
			fields := map[string]*string{"name": &l.Name, "url": &l.URL, "seen": &l.Seen}
			d.object(func(name string) { *fields[name] = d.text() })
			*into = append(*into, l)
		})
	}
}

// object calls item for each member of an object, with its name.
func (d *builtinReader) object(item func(name string)) {
	d.each('{', '}', func() {
		name := d.text()
		d.take(':')
		item(name)
	})
}

func (d *builtinReader) list() []string {
	from := len(d.texts)
	d.each('[', ']', func() { d.texts = append(d.texts, d.text()) })
	return d.texts[from:len(d.texts):len(d.texts)]
}

// each calls item for each value between two brackets.
func (d *builtinReader) each(open, end byte, item func()) {
	for d.take(open); !d.take(end); d.take(',') {
		item()
	}
}

// take skips a byte and any newlines after it, and reports whether the byte was there.
func (d *builtinReader) take(c byte) bool {
	if d.rest == "" || d.rest[0] != c {
		return false
	}
	for d.rest = d.rest[1:]; d.rest != "" && d.rest[0] == '\n'; {
		d.rest = d.rest[1:]
	}
	return true
}

func (d *builtinReader) text() (text string) {
	text, d.rest, _ = strings.Cut(d.rest[1:], `"`)
	return text
}
