package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
)

// The kinds of flags. The errors of their parsers follow the name of the flag in a message.

// wrongf returns an error that can follow the name of a flag.
func wrongf(format string, args ...any) error { return fmt.Errorf(" "+format, args...) }

var onOff = kind{read: func(text string) (any, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return nil, wrongf("%q is not true or false", text)
	}
	return on, nil
}}

func anyText(value string) kind {
	return kind{value: value, read: func(text string) (any, error) { return text, nil }}
}

func someText(value string) kind {
	return kind{value: value, read: func(text string) (any, error) {
		if text == "" {
			return nil, wrongf("is empty")
		}
		return text, nil
	}}
}

// pathName is a file or folder: not empty, as a shell's unset variable, and not given twice.
func pathName(value string) kind {
	k := someText(value)
	k.once = true
	return k
}

// fileName is the name of a file, which completion offers by extension.
func fileName(extensions ...string) kind {
	k := pathName("FILE")
	if len(extensions) > 0 {
		k.complete = func(cmd *cobra.Command, name string) { _ = cmd.MarkFlagFilename(name, extensions...) }
	}
	return k
}

func folderName() kind {
	k := pathName("DIR")
	k.complete = func(cmd *cobra.Command, name string) { _ = cmd.MarkFlagDirname(name) }
	return k
}

// completed returns a kind whose values for completion are found on demand.
func (k kind) completed(by cobra.CompletionFunc) kind {
	// It fails only for a flag that does not exist.
	k.complete = func(cmd *cobra.Command, name string) { _ = cmd.RegisterFlagCompletionFunc(name, by) }
	return k
}

// oneOf is one of several values, ignoring case.
func oneOf(value string, choices ...string) kind {
	return kind{value: value, choices: choices, read: func(text string) (any, error) {
		i := slices.IndexFunc(choices, func(c string) bool { return strings.EqualFold(c, text) })
		if i < 0 {
			return nil, wrongf("%q is none of %s", text, strings.Join(choices, "|"))
		}
		return choices[i], nil
	}}
}

// whole is an integer, which check may reject.
func whole(check func(n int) error) kind {
	return kind{value: "N", read: func(text string) (any, error) {
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		if errors.Is(err, strconv.ErrRange) {
			return nil, wrongf("%s is not between %d and %d", text, math.MinInt, math.MaxInt)
		}
		if err != nil {
			return nil, wrongf("%q is not a whole number", text)
		}
		return int(n), check(int(n))
	}}
}

func natural(n int) error {
	if n < 0 {
		return wrongf("%d is negative", n)
	}
	return nil
}

// maxWorkers limits --workers: each has buffers, and more than processors are useless.
const maxWorkers = 1024

func ofWorkers(n int) error {
	if n < 1 || n > maxWorkers {
		return wrongf("%d is not between 1 and %d", n, maxWorkers)
	}
	return nil
}

var percent = kind{value: "PERCENT", read: func(text string) (any, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(n >= 0 && n <= 100) {
		return nil, wrongf("%q is not a number from 0 to 100", text)
	}
	return n, nil
}}

// commas is a list of texts, parsed as a row of CSV.
func commas(value string) kind {
	return kind{value: value, repeats: true, read: func(text string) (any, error) {
		if text == "" {
			return []string{}, nil
		}
		return csv.NewReader(strings.NewReader(text)).Read()
	}}
}

var agentName = anyText("NAME").completed(completeAgents)

func completeAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range crawler.Builtin() {
		names = append(names, p.Name+"\t"+p.Operator)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeFormats offers the names of formats, which are only made on demand.
func completeFormats(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return append([]string{"auto"}, format.Names()...), cobra.ShellCompDirectiveNoFileComp
}

// parsed is a text that parse reads. sign separates the flag's name from the parser's error.
func parsed[T any](value, sign string, parse func(text string) (T, error)) kind {
	return kind{value: value, read: func(text string) (any, error) {
		v, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s%w", sign, err)
		}
		return v, nil
	}}
}

func (k kind) offering(values ...string) kind {
	return k.completed(cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

var crawlerNames = kind{value: "NAMES", read: func(text string) (any, error) {
	if text == "" {
		return nil, wrongf("names no crawler")
	}
	return commas("").read(text)
}}.completed(completeAgents)

var conditionKind = kind{value: "CONDITION", read: func(text string) (any, error) {
	c, err := parseCondition(text)
	if err != nil {
		return nil, wrongf("%q: %w", text, err)
	}
	return c, nil
}}

// severityKind is a list of failOnValues.
var severityKind = kind{value: "SEVERITY", read: func(text string) (any, error) {
	names := strings.Split(strings.ToLower(text), ",")
	for _, name := range names {
		if !slices.Contains(failOnValues, name) {
			return nil, wrongf("%q is none of %s", name, strings.Join(failOnValues, "|"))
		}
	}
	return names, nil
}}.offering(failOnValues...)

// perProcessor is the default of --workers in help, which must not depend on the machine.
const perProcessor = "one for each processor"

func usualWorkers() string { return strconv.Itoa(min(runtime.GOMAXPROCS(0), maxWorkers)) }
