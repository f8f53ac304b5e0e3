package crawler

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write builtin.go anew from crawlers.json")

// builtin.go has the profiles of crawlers.json, which is what people edit.
func TestBuiltinIsCurrent(t *testing.T) {
	data, err := os.ReadFile("crawlers.json")
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("// Code generated from crawlers.json by go test ./scan/crawler -run BuiltinIsCurrent -update; DO NOT EDIT.\n\n" +
		"package crawler\n\nvar builtin = []Profile{\n")
	for _, p := range profiles {
		b.WriteString("\t" + fieldsOf(reflect.ValueOf(p)) + ",\n")
	}
	b.WriteString("}\n")
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("builtin.go", want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("builtin.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("builtin.go is not what crawlers.json says; write it anew by: go test ./scan/crawler -run BuiltinIsCurrent -update")
	}
	if !*update && !reflect.DeepEqual(Builtin(), profiles) {
		t.Error("Builtin is not what crawlers.json says")
	}
}

// literal writes a field of a profile in Go.
func literal(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Struct:
		return fieldsOf(v)
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = literal(v.Index(i))
			if v.Type().Elem().Kind() == reflect.Slice { // as gofmt -s has it
				items[i] = strings.TrimPrefix(items[i], typeName(v.Type().Elem()))
			}
		}
		return typeName(v.Type()) + "{" + strings.Join(items, ", ") + "}"
	}
	return fmt.Sprintf("%#v", v.Interface())
}

// fieldsOf writes a struct without its type.
func fieldsOf(v reflect.Value) string {
	var fields []string
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			fields = append(fields, v.Type().Field(i).Name+": "+literal(v.Field(i)))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// typeName is the name of a type inside this package.
func typeName(t reflect.Type) string { return strings.ReplaceAll(t.String(), "crawler.", "") }
