package cli

import (
	"github.com/robotsieve/robotsieve/internal/lazy"
)

// optionFlags maps the options in messages of packages to flags, as for
// "option MaxUnparsed".
var optionFlags = map[string]string{
	"Agents": "agent", "AllowDuplicates": "allow-duplicates", "Annotate": "annotate", "Anonymous": "anonymize",
	"Archive": "rules", "AsOf": "as-of", "AssumeConstant": "assume-constant", "Block": "block",
	"BlockNames": "block-names", "BlockSearch": "block-search", "ClientIP": "client-ip", "Crawlers": "crawlers",
	"Delay": "delay", "Dialect": "dialect", "Evidence": "evidence", "Fields": "fields", "Force": "force",
	"Format": "format", "History": "history", "Hosts": "host", "Key": "key",
	"List.Column": "column", "List.Date": "date-column",
	"MadeBy": "made-by", "MaxBytes": "max-bytes", "MaxUnparsed": "max-unparsed", "Memory": "memory",
	"Names": "resolved-names", "Only.Categories": "category", "Only.Crawlers": "crawler", "Page": "page",
	"Policy": "policy", "Prove": "prove", "Ranges": "ip-ranges", "RangesMaxAge": "ranges-max-age", "Resolver": "resolve",
	"Robots": "robots", "Rows": "list", "Sampled": "sampled", "Samples": "samples", "Since": "since",
	"Skew": "skew", "State": "state", "TimeZone": "time-zone", "TrustedProxies": "trusted-proxies",
	"Bodies": "bodies", "FieldNames": "fl", "Origin": "origin", "Path": "path", // of sources of history
	"Until": "until", "WhatIf": "what-if", "Window": "window",
}

var namedOptions = lazy.Regexp(`\boption ([A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)?)|\bjob\.Explain\b`)

// inFlags rewrites a text of a package for the command line: it names flags in place of options.
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
