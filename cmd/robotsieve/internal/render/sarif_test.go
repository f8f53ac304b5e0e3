package render

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestSARIF checks what SARIF 2.1.0 and GitHub require: a version, a driver with a name, rules with
// an id and a description, and results with an existing rule, a level, a message, and a place in a
// file.
func TestSARIF(t *testing.T) {
	compact := func(file string, kinds []FindingKind, findings []Finding) string {
		var out, b bytes.Buffer
		if err := WriteSARIF(&out, "v1", file, kinds, findings); err != nil || json.Compact(&b, out.Bytes()) != nil {
			t.Fatal(err, out.String())
		}
		return b.String()
	}
	const place = `"locations":[{"physicalLocation":{"artifactLocation":{"uri":"URI"},"region":{"startLine":LINE}}}]`
	want := `{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",` +
		`"runs":[{"columnKind":"unicodeCodePoints","results":[` +
		`{"level":"note",` + strings.Replace(place, "LINE", "3", 1) +
		`,"message":{"text":"odd: \"\\xff\u001b\""},"ruleId":"odd"},` +
		`{"level":"error",` + strings.Replace(place, "LINE", "1", 1) + `,"message":{"text":"bad"},"ruleId":"bad"}],` +
		`"tool":{"driver":{"informationUri":"https://github.com/robotsieve/robotsieve","name":"robotsieve","rules":[` +
		`{"help":{"text":"it is bad"},"helpUri":"https://a.example/#bad","id":"bad",` +
		`"shortDescription":{"text":"it is bad"}},` +
		`{"help":{"text":"it is odd"},"id":"odd","shortDescription":{"text":"it is odd"}}],` +
		`"version":"v1"}}}],"version":"2.1.0"}`
	kinds := []FindingKind{{"bad", "it is bad", "https://a.example/#bad"}, {"odd", "it is odd", ""}}
	findings := []Finding{{3, "odd", "note", "odd: \"\xff\x1b\""}, {0, "bad", "error", "bad"}}
	for file, uri := range map[string]string{"robots.txt": "robots.txt", "a b/ro%bots.txt": "a%20b/ro%25bots.txt",
		"-": "stdin", "x:y.txt": "./x:y.txt", filepath.FromSlash("a/b.txt"): "a/b.txt"} {
		if got := compact(file, kinds, findings); got != strings.ReplaceAll(want, `"URI"`, `"`+uri+`"`) {
			t.Errorf("%s is\n%s", file, got)
		}
	}
	if got := compact("robots.txt", nil, nil); !strings.Contains(got, `"results":[]`) {
		t.Error(got)
	}
}
