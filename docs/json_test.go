package docs_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestJSONFields compares the description of the audit's report in json.md with the types of the
// report and their comments, in which fields get their names in JSON. Text after an empty line of a
// comment is for readers of the code. A field named in the previous comment needs none of its own.
func TestJSONFields(t *testing.T) {
	describe(t, "TestJSONFields: go test ./docs -run JSONFields -update", reflect.TypeFor[report.Report](), "",
		"report/report.go", "report/inputs.go", "report/crawler.go", "report/choice.go", "report/whatif.go",
		"report/changes.go", "report/enums.go", "report/verdict.go", "crawler/identity.go")
	describe(t, "TestJSONFields of history log: go test ./docs -run JSONFields -update",
		reflect.TypeFor[[]report.LoggedSite](), "sites", "report/loggedsite.go")
}

// describe holds a part of json.md to the types that a type is made of, which are in some files.
func describe(t *testing.T, made string, of reflect.Type, path string, files ...string) {
	d := description{t: t, comments: map[string]string{}, names: map[string]string{}}
	for _, name := range files {
		file := must.Get(parser.ParseFile(token.NewFileSet(), "../scan/"+name, nil, parser.ParseComments))(t)
		ast.Inspect(file, d.read)
	}
	d.find(of, path)
	for _, of := range d.types {
		d.write(of)
	}
	checkMade(t, "reference/json.md", made, d.text.String())
}

// description describes types as lists of their fields.
type description struct {
	t        *testing.T
	text     strings.Builder
	comments map[string]string // by Type, Type.Field, or Type.0 for the first constant of the type
	names    map[string]string // what JSON has for Type and Type.Field
	types    []reflect.Type    // in the order in which the report has them
}

// read collects the comments of declarations.
func (d *description) read(n ast.Node) bool {
	set := func(name string, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			text, _, _ := strings.Cut(g.Text(), "\n\n")
			d.comments[name] = cmp.Or(d.comments[name], strings.Join(strings.Fields(text), " "))
		}
	}
	decl, isDecl := n.(*ast.GenDecl)
	if !isDecl {
		return true
	}
	of, first := "", 0
	for i, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if name, ok := spec.Type.(*ast.Ident); ok {
				of, first = name.Name, i
			}
			set(fmt.Sprint(of, ".", i-first), spec.Doc, spec.Comment)
		case *ast.TypeSpec:
			set(spec.Name.Name, spec.Doc, decl.Doc)
			ast.Inspect(spec, func(n ast.Node) bool {
				if field, ok := n.(*ast.Field); ok && len(field.Names) == 1 {
					set(spec.Name.Name+"."+field.Names[0].Name, field.Doc, field.Comment)
				}
				return true
			})
		}
	}
	return false
}

// field is a field of an object.
type field struct {
	name, json, comment string
	of                  reflect.Type
}

// fields returns the fields of a type that is an object in JSON, and none of another.
func (d *description) fields(of reflect.Type) (list []field) {
	if counts, ok := reflect.Zero(of).Interface().(json.Marshaler); ok && of.Kind() == reflect.Array {
		enum := regexp.MustCompile(`(\w+)\.$`).FindStringSubmatch(d.comments[of.Name()])[1]
		object, _ := counts.MarshalJSON()
		for i, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(string(object), -1) {
			list = append(list, field{json: m[1], comment: d.comments[fmt.Sprint(enum, ".", i)], of: reflect.TypeFor[int64]()})
		}
	} else if of.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			in := of
			if len(f.Index) > 1 {
				in = of.Field(f.Index[0]).Type
			}
			list = append(list, field{f.Name, name, d.comments[in.Name()+"."+f.Name], f.Type})
		}
	}
	return list
}

// find names a type at a path of the report, if it is an object, and the types in it.
func (d *description) find(of reflect.Type, path string) {
	switch of.Kind() {
	case reflect.Slice:
		of, path = of.Elem(), path+"[]"
	case reflect.Pointer:
		of = of.Elem()
	}
	fields := d.fields(of)
	if len(fields) == 0 || d.names[of.Name()] != "" {
		return
	}
	d.names[of.Name()] = cmp.Or(path, "The report")
	d.types = append(d.types, of)
	for _, f := range fields {
		d.names[of.Name()+"."+f.name] = f.json
		d.find(f.of, strings.TrimPrefix(path+"."+f.json, "."))
	}
}

// specified maps types to the sections of the audit's specification that describe their fields.
var specified = map[reflect.Type]string{
	reflect.TypeFor[report.VerdictCounts]():  "1-verdicts",
	reflect.TypeFor[report.OutcomeCounts]():  "6-outcome",
	reflect.TypeFor[report.IdentityCounts](): "8-proof-of-identity",
}

// write appends the description of a type and the list of its fields.
func (d *description) write(of reflect.Type) {
	lead := regexp.MustCompile(`^\w+ (is |are )?`)
	about := lead.ReplaceAllString(d.comments[of.Name()], "")
	if specified[of] != "" { // such as: counts requests by Verdict
		about = regexp.MustCompile(` by \w+.*`).ReplaceAllStringFunc(about, func(by string) string {
			return strings.TrimSuffix(strings.ToLower(strings.Split(by, ",")[0]), ".") + "."
		})
	}
	fmt.Fprintf(&d.text, "\n### %s\n\n%s\n\n", d.names[of.Name()], d.meaning(strings.ToUpper(about[:1])+about[1:], of))
	names, kinds, head, last := "", "", "", ""
	fields := d.fields(of)
	if link := specified[of]; link != "" {
		for _, f := range fields {
			names += ", `" + f.json + "`"
		}
		fmt.Fprintf(&d.text, "The fields are %s ([what they mean](audit-rules.md#%s)).\n", names[2:], link)
		return
	}
	for i, f := range fields {
		if f.comment == "" && !regexp.MustCompile(`\b`+f.name+`\b`).MatchString(last) {
			d.t.Errorf("%s of %s needs a comment", f.json, of)
		}
		if f.comment != "" {
			head, last = cmp.Or(f.name, `\w+:`), f.comment
		}
		names += ", `" + f.json + "`"
		if kind := ", " + d.kind(f.of); !strings.HasSuffix(kinds, kind) {
			kinds += kind
		}
		if i+1 == len(fields) || fields[i+1].comment != "" {
			meaning := regexp.MustCompile(`^`+head+`((, | and )[A-Z]\w+)*(:| is| are)? `).ReplaceAllString(last, "")
			meaning = regexp.MustCompile(`\b(empty|\d): `).ReplaceAllString(meaning, "$1 means ")
			if kinds = kinds[2:]; kinds == "number" {
				kinds = ""
			} else {
				kinds = " (" + kinds + ")"
			}
			item := names[2:] + kinds
			if last != f.json {
				item += ": " + strings.TrimSuffix(d.meaning(meaning, of), ".")
			}
			fmt.Fprintf(&d.text, "- %s\n", item)
			names, kinds = "", ""
		}
	}
}

// meaning writes a comment as json.md has it.
func (d *description) meaning(comment string, of reflect.Type) string {
	words := regexp.MustCompile(`\b[A-Z]\w*(\.[A-Z]\w+)?|--[a-z0-9-]+`)
	return words.ReplaceAllStringFunc(comment, func(word string) string {
		name := cmp.Or(d.names[of.Name()+"."+word], d.names[word])
		in, _, isPath := strings.Cut(word, ".")
		switch {
		case strings.HasPrefix(word, "--"):
			name = word
		case name == "" || name == "The report":
			return cmp.Or(name, word)
		case isPath:
			name = d.names[in] + "." + name
		}
		return "`" + name + "`"
	})
}

// kind names a type of values.
func (d *description) kind(of reflect.Type) string {
	switch {
	case of.Kind() == reflect.Slice:
		return regexp.MustCompile(`^\[?\w+`).ReplaceAllString(d.kind(of.Elem()), "${0}s")
	case of.Kind() == reflect.Pointer:
		return d.kind(of.Elem()) + " or null"
	case d.names[of.Name()] != "":
		return fmt.Sprintf("[object](#%s)", strings.NewReplacer(".", "", "[]", "").Replace(d.names[of.Name()]))
	case of.Kind() == reflect.Map:
		return "object"
	case of == reflect.TypeFor[report.Moment](), of == reflect.TypeFor[report.Time](), of.Kind() == reflect.Uint8:
		return "string"
	case of.Kind() == reflect.String, of.Kind() == reflect.Bool:
		return of.Kind().String()
	}
	return "number"
}
