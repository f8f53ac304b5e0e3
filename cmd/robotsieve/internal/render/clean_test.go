package render

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// hostile is a text that acts on terminals, spreadsheets and JSON, if it is let through.
const hostile = "=cmd|'/c calc'!A0\x00\x1b[2J\x07\b\r\n\t\x7f\u0085\u009b31m\u202a\u202e\u2066\u2069" +
	"\u200e\u200f\u061c\u200b\u2028\u2029\ufeff\xff\xc3\\xe2\\x1b<b>,\"; \x0e\x10"

// fill puts a hostile text into every string of a value, two elements into every slice, and 9
// into every number.
func fill(v reflect.Value, n *int) {
	if at, isTime := v.Addr().Interface().(*report.Time); isTime {
		*at = report.At(9)
		return
	}
	switch v.Kind() {
	case reflect.String:
		*n++
		v.SetString(fmt.Sprint(hostile, *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(9)
	case reflect.Float64:
		v.SetFloat(9)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() || v.Type().Field(i).Anonymous {
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // bytes are from files, and never printed unchanged
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	}
}

func hostileReport() (*report.Report, int) {
	r, n := new(report.Report), 0
	fill(reflect.ValueOf(r).Elem(), &n)
	return r, n
}

// TestNoOutputLetsAControlThrough checks that no text of a Report, wherever it comes from, can
// control a terminal or be a formula in a cell.
func TestNoOutputLetsAControlThrough(t *testing.T) {
	r, n := hostileReport()
	if n < 100 {
		t.Fatalf("only %d texts", n)
	}
	forms := map[string]string{}
	for _, output := range Outputs() {
		forms[output+" of a what-if"] = written(t, output, r, false)
	}
	var page strings.Builder
	if err := WriteHTML(&page, r); err != nil || strings.Contains(page.String(), "<b>") {
		t.Errorf("a page of a what-if lets HTML through, or fails: %v", err)
	}
	r.WhatIf = nil
	for _, history := range []report.History{r.Policy.History, report.Constant} { // they have other tables
		r.Policy.History = history
		for _, role := range []report.Role{r.Crawlers[0].Role, report.RoleCrawler, report.RoleFetcher} {
			for i := range r.Crawlers {
				r.Crawlers[i].Role = role
			}
			for _, exempt := range []string{r.Crawlers[0].Exempt, ""} {
				r.Crawlers[0].Exempt = exempt
				for _, output := range Outputs() {
					forms[fmt.Sprintf("%s of %.9q, %.9q, %.9q", output, history, role, exempt)] = written(t, output, r, false)
				}
			}
		}
	}
	for form, text := range forms {
		if !utf8.ValidString(text) {
			t.Errorf("%s is not UTF-8", form)
		}
		for i, c := range text {
			if c != '\n' && !strconv.IsPrint(c) {
				t.Fatalf("%s lets %U through, after %q", form, c, text[max(0, i-60):i])
			}
		}
		if !strings.HasPrefix(form, "csv") {
			continue
		}
		rows := must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
		for _, row := range rows {
			for i, cell := range row {
				if Cell(cell) != cell {
					t.Errorf("column %s is the formula %q", rows[0][i], cell)
				}
			}
		}
	}
}

// TestJSONKeepsBytes checks that JSON preserves the bytes of each text in a Report.
func TestJSONKeepsBytes(t *testing.T) {
	want, _ := hostileReport()
	got := new(report.Report)
	must.Do(t, json.Unmarshal([]byte(written(t, "json", want, false)), got))
	if got = got.Rewrite(report.FromUTF8); !reflect.DeepEqual(got, want) {
		t.Errorf("json has %+v\nwant %+v", got, want)
	}
}

// TestWriteJSON checks the format of JSON.
func TestWriteJSON(t *testing.T) {
	for text, want := range map[string]string{
		"<b> & grün":                           `"<b> & grün"`,
		"\x1b\x7f\u009b":                       `"\u001b\u007f\u009b"`,
		"\u202e\u2066\u200b\u2028\ufeff\u00a0": `"\u202e\u2066\u200b\u2028\ufeff\u00a0"`,
		"\U000e0001":                           `"\udb40\udc01"`,
		"\xff":                                 `"\\xff"`,
		"a\\u202e":                             `"a\\u202e"`,
	} {
		var out strings.Builder
		if err := WriteJSON(&out, report.ToUTF8(text), ""); err != nil || out.String() != want+"\n" {
			t.Errorf("%q: %s, %v; want %s", text, out.String(), err, want)
		}
		var back string
		if err := json.Unmarshal([]byte(out.String()), &back); err != nil || report.FromUTF8(back) != text {
			t.Errorf("%q: %q, %v", text, back, err)
		}
	}
}

// TestEveryTextIsRewritten has results of check whose every text has bytes that JSON cannot hold.
func TestEveryTextIsRewritten(t *testing.T) {
	var answer explain.Answer
	var page job.PageAnswer
	var description explain.Description
	for name, rewritten := range map[string]func() any{
		"Answer":      func() any { return answer.Rewrite(report.ToUTF8) },
		"PageAnswer":  func() any { return page.Rewrite(report.ToUTF8) },
		"Description": func() any { return description.Rewrite(report.ToUTF8) },
	} {
		n := 0
		for _, v := range []any{&answer, &page, &description} {
			fill(reflect.ValueOf(v).Elem(), &n)
		}
		text, err := json.Marshal(rewritten())
		if err != nil || n < 50 || strings.Contains(string(text), `\ufffd`) {
			t.Errorf("%s: %v, %d texts: %s", name, err, n, text)
		}
	}
}
