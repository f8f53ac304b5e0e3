package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
)

// differs names the first thing in which two bases, as states have them, differ.
func differs(one, other json.RawMessage) string {
	var a, b basis
	if json.Unmarshal(one, &a) != nil || json.Unmarshal(other, &b) != nil {
		return "one of them makes no sense"
	}
	name := func(b *basis) string {
		if b.Constant {
			return "--robots"
		}
		return "--policy"
	}
	history := func(b *basis) string {
		if b.Observed {
			return "observed"
		}
		return "deployed"
	}
	robots := "the versions of robots.txt"
	if a.Constant {
		robots = "the robots.txt itself"
	}
	for _, d := range []struct {
		what string
		x, y any
		show bool // both
	}{
		{"what is judged by, given by", name(&a), name(&b), true},
		{"the file's name,", a.File, b.File, true},
		{robots, []any{a.Bodies, a.Rows}, []any{b.Bodies, b.Rows}, false},
		{"--history", history(&a), history(&b), true},
		{"--assume-constant", a.AssumeConstant, b.AssumeConstant, true},
		{"--window", english.Hours(a.Window), english.Hours(b.Window), true},
		{"--host", a.Hosts, b.Hosts, true},
		{"--dialect", a.Dialect, b.Dialect, true},
		{"--max-bytes", max(a.MaxBytes, 0), max(b.MaxBytes, 0), true},
		{"the crawlers known, by --crawlers or by the program's version", a.Profiles, b.Profiles, false},
		{"the lists of --ip-ranges", a.Ranges, b.Ranges, false},
		{"--ranges-max-age", english.Hours(a.RangesMaxAge), english.Hours(b.RangesMaxAge), true},
		{"--resolved-names", a.Names, b.Names, true},
		{"what the files of --ip-ranges or --resolved-names hold", a.Sums, b.Sums, false},
		{"--client-ip", a.ClientIP, b.ClientIP, true},
		{"--trusted-proxies", a.TrustedProxies, b.TrustedProxies, true},
		{"--samples", a.Samples, b.Samples, true},
		{"--sampled", a.Sampled, b.Sampled, true},
	} {
		switch {
		case reflect.DeepEqual(d.x, d.y):
		case d.show:
			return fmt.Sprintf("%s %s and %s", d.what, shown(d.x), shown(d.y))
		default:
			return d.what
		}
	}
	return "how the states were written"
}

// shown is the value of a flag.
func shown(v any) string {
	text := fmt.Sprint(v)
	if list, ok := v.([]string); ok {
		text = strings.Join(list, ", ")
	}
	if text == "" {
		return "none"
	}
	return text
}
