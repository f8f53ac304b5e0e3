package render

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
)

// TestSARIF checks what SARIF 2.1.0 and GitHub require: a version, a driver with a name, rules with
// an id and a description, and results with an existing rule, a level, a message, and a place in a
// file.
func TestSARIF(t *testing.T) {
	type text struct{ Text string }
	type log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID                     string
						HelpURI                string
						ShortDescription, Help text
					}
				}
			}
			Results []struct {
				RuleID, Level string
				Message       text
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	kinds := []FindingKind{{"bad", "it is bad", "https://a.example/#bad"}, {"odd", "it is odd", ""}}
	findings := []Finding{{3, "odd", "note", "odd: \"\xff\x1b\""}, {0, "bad", "error", "bad"}}
	for file, uri := range map[string]string{"robots.txt": "robots.txt", "a b/ro%bots.txt": "a%20b/ro%25bots.txt",
		"-": "stdin", "x:y.txt": "./x:y.txt", filepath.FromSlash("a/b.txt"): "a/b.txt"} {
		var b bytes.Buffer
		if err := WriteSARIF(&b, "v1", file, kinds, findings); err != nil {
			t.Fatal(err)
		}
		var got log
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		run := got.Runs[0]
		if got.Version != "2.1.0" || got.Schema == "" || len(got.Runs) != 1 || run.Tool.Driver.Name != "robotsieve" {
			t.Errorf("%+v", got)
		}
		if rules := run.Tool.Driver.Rules; len(rules) != 2 || rules[0].ID != "bad" || rules[0].Help.Text != "it is bad" ||
			rules[0].HelpURI != "https://a.example/#bad" || rules[1].ShortDescription.Text != "it is odd" {
			t.Errorf("%+v", rules)
		}
		for i, r := range run.Results {
			place := r.Locations[0].PhysicalLocation
			if f := findings[i]; r.RuleID != f.Kind || r.Level != f.Level || place.ArtifactLocation.URI != uri ||
				place.Region.StartLine != max(f.Line, 1) {
				t.Errorf("%s: %+v", file, r)
			}
		}
		if want := `odd: "\xff` + "\x1b\""; run.Results[0].Message.Text != want || bytes.ContainsRune(b.Bytes(), 0x1b) {
			t.Errorf("%q", run.Results[0].Message.Text)
		}
	}
	var b bytes.Buffer
	err := WriteSARIF(&b, "v1", "robots.txt", nil, nil)
	if err != nil || !bytes.Contains(b.Bytes(), []byte(`"results": []`)) {
		t.Error(err, b.String())
	}
}
