package render

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

// Finding is a finding about a line of a file, for code review tools.
type Finding struct {
	Line  int    // from 1; 0 for none
	Kind  string // a FindingKind.Name
	Level string // error, warning or note
	Text  string
}

// FindingKind describes a kind of finding. Source is the URL of a page about it, or "".
type FindingKind struct{ Name, Text, Source string }

// WriteSARIF writes findings about a file as SARIF 2.1.0. It needs all kinds that occur.
func WriteSARIF(w io.Writer, version, file string, kinds []FindingKind, findings []Finding) error {
	type object = map[string]any
	text := func(s string) object { return object{"text": s} }
	rules, results := []object{}, []object{}
	for _, k := range kinds {
		rule := object{"id": k.Name, "shortDescription": text(k.Text), "help": text(k.Text)}
		if k.Source != "" {
			rule["helpUri"] = k.Source
		}
		rules = append(rules, rule)
	}
	for _, f := range findings {
		results = append(results, object{
			"ruleId": f.Kind, "level": f.Level, "message": text(report.ToUTF8(f.Text)),
			"locations": []object{{"physicalLocation": object{
				"artifactLocation": object{"uri": fileURI(file)},
				"region":           object{"startLine": max(f.Line, 1)},
			}}},
		})
	}
	return WriteJSON(w, object{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool": object{"driver": object{"name": "robotsieve", "version": version,
				"informationUri": "https://github.com/robotsieve/robotsieve", "rules": rules}},
			"columnKind": "unicodeCodePoints",
			"results":    results,
		}},
	}, "  ")
}

// fileURI returns the name of a file as a URI, which is relative if the name is.
func fileURI(name string) string {
	if name == "-" {
		return "stdin"
	}
	uri := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		uri.Scheme, uri.Path = "file", "/"+strings.TrimPrefix(uri.Path, "/")
	}
	return uri.String()
}
