package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestCitation compares CITATION.cff with what it repeats: the licence and the path of the module.
func TestCitation(t *testing.T) {
	field := func(name string) string {
		if m := regexp.MustCompile(`(?m)^` + name + `: (.+)$`).FindStringSubmatch(read(t, "../CITATION.cff")); m != nil {
			return m[1]
		}
		return ""
	}
	for name, want := range map[string]string{"cff-version": "1.2.0", "title": "robotsieve", "type": "software",
		"license": "Apache-2.0", "repository-code": "https://" + strings.TrimSuffix(module, "/")} {
		if got := field(name); got != want {
			t.Errorf("%s of CITATION.cff is %q, not %q", name, got, want)
		}
	}
	for file, want := range map[string]string{"../LICENSE": "Apache License",
		"../go.mod": "module " + strings.TrimSuffix(module, "/")} {
		if !strings.Contains(read(t, file), want) {
			t.Errorf("%s does not have %q", file, want)
		}
	}
}
