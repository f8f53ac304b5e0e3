package docs_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// TestJSONIsDescribed wants each field of the audit's report in json.md, and each name
// of its counts.
func TestJSONIsDescribed(t *testing.T) {
	page, err := os.ReadFile("json.md")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(page), "\n## audit --output ndjson")
	described := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		described[m[1]] = true
	}
	for _, name := range fields(reflect.TypeFor[audit.Report](), nil) {
		if !described[name] {
			t.Errorf("json.md does not name the field %s", name)
		}
	}
}

// TestNamesOfCounts holds the lists of names in json.md to the report, or writes them anew: go test ./docs -run
// NamesOfCounts -update.
func TestNamesOfCounts(t *testing.T) {
	page, err := os.ReadFile("json.md")
	if err != nil {
		t.Fatal(err)
	}
	var c audit.CrawlerInfo
	made := string(page)
	for field, counts := range map[string]json.Marshaler{
		"verdicts": c.Verdicts, "reasons": c.Reasons, "identity": c.Identity,
	} {
		object, _ := counts.MarshalJSON()
		var names []string // in their order
		for _, m := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(string(object), -1) {
			names = append(names, "`"+m[1]+"`")
		}
		list := regexp.MustCompile("(?m)^(\\| `" + field + "` \\| object \\| [^`\n]*)`\\w+`(, `\\w+`)*")
		if !list.MatchString(made) {
			t.Errorf("json.md has no list of %s", field)
		}
		made = list.ReplaceAllString(made, "${1}"+strings.Join(names, ", "))
	}
	if made == string(page) {
		return
	}
	if !*update {
		t.Fatal("json.md does not have the names as they are: go test ./docs -run NamesOfCounts -update")
	}
	if err := os.WriteFile("json.md", []byte(made), 0o666); err != nil {
		t.Fatal(err)
	}
}

// fields appends the JSON names of a struct's fields, and those of the structs and counts
// in it.
func fields(of reflect.Type, names []string) []string {
	if counts, ok := reflect.Zero(of).Interface().(json.Marshaler); ok {
		var object map[string]any
		if text, err := counts.MarshalJSON(); err == nil && json.Unmarshal(text, &object) == nil {
			return slices.AppendSeq(names, maps.Keys(object))
		}
	}
	switch of.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Array:
		return fields(of.Elem(), names)
	case reflect.Struct:
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && name != "-" {
				names = append(names, name)
			}
			names = fields(field.Type, names)
		}
	}
	return names
}
