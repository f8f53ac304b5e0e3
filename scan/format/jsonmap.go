package format

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	shape "github.com/robotsieve/robotsieve/scan/field"
)

// parseJSONMap returns the format that a user describes by name=path for each field, with
// blanks between them. A path is one of shape.Member. Several paths for a field are alternatives.
// name@percent=path is a field that is percent-encoded, and needs=path a sign of the format.
func parseJSONMap(text string) (*Format, error) {
	var fields []jsonField
	var needs []string
	for _, word := range strings.Fields(text) {
		name, path, ok := strings.Cut(word, "=")
		name, how, _ := strings.Cut(name, "@")
		spell, isSpelled := jsonSpellings[how]
		p, known := fieldNames[name]
		switch {
		case !isSpelled:
			return nil, fmt.Errorf("%s@%s is spelled in no way that is known: only @percent is", name, how)
		case !ok || path == "" || slices.Contains(shape.Steps(path), ""):
			return nil, fmt.Errorf("%q is not NAME=PATH, as in ua=request.headers.User-Agent.0", word)
		case name == "needs":
			needs = append(needs, path)
			continue
		case !known:
			return nil, unknownField(name)
		}
		fields = append(fields, jsonField{p, path, spell})
	}
	f := jsonFormat(needs, fields)
	switch {
	case len(needs) > 32:
		return nil, errors.New("more than 32 words needs")
	case !f.HasTime():
		return nil, errors.New("a time is missing: time=PATH")
	case !slices.ContainsFunc(targetParts[:], func(p part) bool { return f.parts[p] }):
		return nil, errors.New("a target is missing: target=PATH, request=PATH or path=PATH")
	}
	return f, nil
}

// jsonSpellings are what may stand after the name of a field and @.
var jsonSpellings = map[string]spelling{"": {}, "percent": percents}

// fieldNames are the parts by the names that users know.
var fieldNames = map[string]part{
	"time": moment, "ip": clientAddr, "xff": forwardedFor, "host": hostName, "port": serverPort, "scheme": schemeName,
	"ua": userAgent, "request": requestLine, "method": methodName, "target": target, "url": target, "path": path,
	"referer": referrer, "query": query, "status": statusCode, "bytes": bodySize,
	"sent": sentSize, "tls": tlsInUse, "decoded": decodedPath, "rewritten": rewrittenPath, "claim": botClaim,
}

// unknownField is the error for a name that is not in fieldNames.
func unknownField(name string) error {
	names := slices.Sorted(maps.Keys(fieldNames))
	return fmt.Errorf("no field is called %q; there are %s", name, strings.Join(names, ", "))
}
