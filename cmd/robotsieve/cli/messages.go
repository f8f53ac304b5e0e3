package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// optionFlags maps the options that messages of packages name, as in "option MaxUnparsed", to flags.
var optionFlags = map[string]string{
	"Agents": "agent", "AllowDuplicates": "allow-duplicates", "Annotate": "annotate", "Anonymous": "anonymize",
	"Archive": "rules", "AsOf": "as-of", "AssumeConstant": "assume-constant", "Block": "block",
	"BlockNames": "block-names", "BlockSearch": "block-search", "ClientIP": "client-ip", "Crawlers": "crawlers",
	"Delay": "delay", "Dialect": "dialect", "Evidence": "evidence", "Fields": "fields", "Force": "force",
	"Format": "format", "History": "history", "Hosts": "host", "List.Column": "column",
	"List.Date": "date-column", "List.Key": "key",
	"MadeBy": "made-by", "MaxBytes": "max-bytes", "MaxUnparsed": "max-unparsed", "Memory": "memory",
	"Names": "resolved-names", "Only.Categories": "category", "Only.Crawlers": "crawler", "Page": "page",
	"Policy": "policy", "Prove": "prove", "Ranges": "ip-ranges", "RangesMaxAge": "ranges-max-age", "Resolver": "resolve",
	"Robots": "robots", "Rows": "list", "Sampled": "sampled", "Samples": "samples", "Since": "since",
	"Skew": "skew", "State": "state", "TimeZone": "time-zone", "TrustedProxies": "trusted-proxies",
	"Bodies": "bodies", "FieldNames": "fl", "Origin": "origin", "Path": "path", // options of history sources
	"Until": "until", "WhatIf": "what-if", "Window": "window",
}

var namedOptions = lazy.Regexp(`\boption ([A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)?)|\bjob\.Explain\b`)

// inFlags replaces the names of options in a package's message by flags.
func inFlags(text string) string {
	return namedOptions().ReplaceAllStringFunc(text, func(found string) string {
		if found == "job.Explain" {
			return "robotsieve formats --explain"
		}
		if flag, ok := optionFlags[found[len("option "):]]; ok {
			return "--" + flag
		}
		return found
	})
}

// maxMessage limits a diagnostic line, in characters.
const maxMessage = 4000

// warn prints a diagnostic line, escaped and cut, because it may quote any file.
func (s streams) warn(format string, args ...any) {
	fmt.Fprintf(s.err, "robotsieve: %s\n", render.Cut(report.Printable(inFlags(fmt.Sprintf(format, args...))),
		maxMessage))
}

func (s streams) messages() job.Messages {
	return job.Messages{
		Warn:     func(message string) { s.warn("%s", message) },
		Progress: func(p job.Progress) (end func()) { return showProgress(s.err, p) },
		Word:     inFlags,
		To:       s.err,
	}
}

// flagError adds to the error for an unknown flag such as --json the flag that takes it as a value.
func flagError(cmd *cobra.Command, err error) error {
	if ours, ok := errors.AsType[*job.Error](err); ok {
		return ours
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var meant []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*flagValue); ok && slices.Contains(v.row.kind.choices, unknown.GetSpecifiedName()) {
			meant = append(meant, "--"+f.Name+" "+unknown.GetSpecifiedName())
		}
	})
	if len(meant) == 0 {
		return err
	}
	return fmt.Errorf("%w: did you mean %s?", err, strings.Join(meant, " or "))
}
