package cli

import (
	"github.com/robotsieve/robotsieve/internal/lazy"
)

// optionFlags are the flags by which users give the options that the messages of packages name, as in
// "option MaxUnparsed".
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
	"Bodies": "bodies", "FieldNames": "fl", "Origin": "origin", "Path": "path", // of sources of history
	"Until": "until", "WhatIf": "what-if", "Window": "window",
}

var namedOptions = lazy.Regexp(`\boption ([A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)?)|\bjob\.Explain\b`)

// inFlags puts a text of a package into the words of the command line: it names flags for options.
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
