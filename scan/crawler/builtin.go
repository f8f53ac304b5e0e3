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

var builtin = sync.OnceValue(func() (profiles []Profile) {
	d := &builtinReader{rest: builtinText, fields: map[reflect.Type]map[string]int{}}
	for _, of := range []reflect.Type{reflect.TypeFor[Profile](), reflect.TypeFor[List]()} {
		d.fields[of] = map[string]int{}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			d.fields[of][name] = i
		}
	}
	profiles = make([]Profile, 0, strings.Count(builtinText, "\n"))
	d.read(reflect.ValueOf(&profiles).Elem())
	return profiles
})

// builtinReader parses crawlers.json ten times faster than encoding/json, since every audit starts by loading it. It
// supports only what that file uses: strings without escapes, true, and blanks at the ends of lines.
type builtinReader struct {
	rest   string
	fields map[reflect.Type]map[string]int // the fields of structs by their JSON names
}

func (d *builtinReader) read(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.text())
	case reflect.Bool:
		d.rest = strings.TrimPrefix(d.rest, "true")
		v.SetBool(true)
	case reflect.Slice:
		if v.Cap() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 1))
		}
		d.each('[', ']', func() {
			v.Grow(1)
			v.SetLen(v.Len() + 1)
			d.read(v.Index(v.Len() - 1))
		})
	case reflect.Struct:
		fields := d.fields[v.Type()]
		d.each('{', '}', func() {
			field := v.Field(fields[d.text()])
			d.take(':')
			d.read(field)
		})
	}
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
	d.rest = strings.TrimLeft(d.rest[1:], "\n")
	return true
}

func (d *builtinReader) text() (text string) {
	text, d.rest, _ = strings.Cut(d.rest[1:], `"`)
	return text
}
