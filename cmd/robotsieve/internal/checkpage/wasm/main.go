//go:build js

// Command wasm runs the parser, matcher and notes of check in a browser, for the page of check.
package main

import (
	"errors"
	"reflect"
	"strings"
	"syscall/js"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
	"github.com/robotsieve/robotsieve/scan/report"
)

// maxSteps limits each search, so that the page keeps up with typing.
const maxSteps = explain.MaxSteps / 20

// known is the set of built-in crawlers.
var known, _ = crawler.New(crawler.Builtin())

// file is the last robots.txt that was read.
var file = &explain.File{}

// main registers the functions for the script, and keeps running.
func main() {
	var names []any
	for _, p := range known.Profiles() {
		names = append(names, p.Name)
	}
	js.Global().Set("robotsieve", js.ValueOf(map[string]any{
		"agents": names, "read": js.FuncOf(read), "describe": js.FuncOf(describe), "ask": js.FuncOf(ask),
	}))
	select {}
}

// read takes the name and the bytes of a robots.txt for the other functions.
func read(_ js.Value, args []js.Value) any {
	file = fileOf(args[0], args[1])
	return nil
}

// describe returns the page about the robots.txt. It compares the file with an older one if given
// its name and bytes.
func describe(_ js.Value, args []js.Value) any {
	o := explain.Options{Robots: file, Lint: lint.Options{Crawlers: known}, Steps: maxSteps}
	if len(args) > 0 {
		o.Against = fileOf(args[0], args[1])
	}
	return valueOf(reflect.ValueOf(checkpage.Of(explain.Describe(o), file, nil)))
}

// valueOf converts a value for the script. A struct becomes an object with the names of its fields in lower case.
func valueOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		object := map[string]any{}
		for i := range v.NumField() {
			object[strings.ToLower(v.Type().Field(i).Name)] = valueOf(v.Field(i))
		}
		return object
	case reflect.Slice:
		var list []any
		for i := range v.Len() {
			list = append(list, valueOf(v.Index(i)))
		}
		return list
	default:
		return v.Interface()
	}
}

func fileOf(name, octets js.Value) *explain.File {
	f := &explain.File{Name: name.String(), Body: make([]byte, min(octets.Length(), compile.DefaultMaxBytes))}
	js.CopyBytesToGo(f.Body, octets)
	return f
}

// ask returns the robots.txt's verdict for the name of an agent and a URL or path.
func ask(_ js.Value, args []js.Value) any {
	agent, err := agentOf(strings.TrimSpace(args[0].String()))
	url := strings.TrimSpace(args[1].String())
	if !strings.HasPrefix(url, "/") && !strings.Contains(url, "://") {
		err = errors.New("give a URL, such as https://example.com/a, or a path, which begins with a slash")
	}
	if err != nil {
		return map[string]any{"error": report.Printable(err.Error())}
	}
	a := file.Ask(agent).Answer(url).Rewrite(report.Printable)
	why := []string{a.WhyRule}
	if a.Line > 0 {
		why = append([]string{a.Rule}, why...)
	}
	for _, text := range []string{a.WhyGroup, a.Contested, a.Exempt} {
		if text != "" {
			why = append(why, text)
		}
	}
	return map[string]any{"verdict": a.Verdict(), "agent": a.Agent, "line": a.Line, "why": valueOf(reflect.ValueOf(why))}
}

// agentOf finds the crawler with a name, like the flag --agent.
func agentOf(name string) (explain.Agent, error) {
	claim := crawler.Claim{Profile: known.ByName(name), Name: name}
	var err error
	if claim.Profile == nil {
		claim, err = known.Named(name)
	}
	if err != nil || name == "" {
		return explain.Agent{}, errors.Join(err, errors.New("give an agent, such as Googlebot"))
	}
	return explain.AgentOf(claim, nil), nil
}
