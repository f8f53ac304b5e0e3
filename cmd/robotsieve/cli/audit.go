package cli

import (
	"context"
	"time"
	_ "time/tzdata" // --time-zone works where the system has no zones, as in a small container

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/job"
)

// runAudit runs an audit, whose job writes the files of results. reporting.finish prints the report.
func runAudit(ctx context.Context, s streams, a *args) (err error) {
	listed, written, err := rowsAsked(s, a)
	if err != nil {
		return err
	}
	stop, err := startProfile(s, a)
	if err != nil {
		return err
	}
	defer stop(&err)
	reporting := reportingOf(a)
	o := auditOptions(s, a, results(s, a, reporting), listed)
	result, err := job.Audit(ctx, o)
	return reporting.finish(s, result, endRows(written, result, err))
}

func runMerge(ctx context.Context, s streams, a *args) error {
	reporting := reportingOf(a)
	result, err := job.Merge(ctx, job.MergeOptions{
		Results: results(s, a, reporting), States: a.rest, Memory: value[int64](a, "memory"),
	})
	return reporting.finish(s, result, err)
}

// auditOptions returns the options of a command line. Rows are nil if this audit writes none.
func auditOptions(s streams, a *args, results job.Results, rows *job.Rows) job.AuditOptions {
	return job.AuditOptions{
		LogOptions: logOptions(s, a),
		Judging: job.Judging{
			Robots: robotsFile(s, a), Policy: a.text("policy"), WhatIf: a.text("what-if"), History: a.text("history"),
			AssumeConstant: a.is("assume-constant"), Window: value[time.Duration](a, "window"),
			Delay: value[time.Duration](a, "delay"), Skew: value[time.Duration](a, "skew"), Dialect: dialect(a),
			Crawlers: a.text("crawlers"), Since: a.text("since"), Until: a.text("until"),
		},
		Identity: identityOf(s, a),
		Results:  results,
		Extracts: job.Extracts{
			Samples: samples(a), Rows: rows, Read: a.texts("anonymize"), Evidence: a.text("evidence"),
			MadeBy: a.text("made-by"), Block: values[job.BlockFile](a, "block"), BlockSearch: a.is("block-search"),
			BlockNames: a.is("block-names"),
		},
		Limits: limitsOf(a),
	}
}

func logOptions(s streams, a *args) job.LogOptions {
	unparsed := value[float64](a, "max-unparsed")
	return job.LogOptions{
		Logs: job.Inputs{Names: a.rest, Stdin: s.in}, Format: a.text("format"), TimeZone: a.text("time-zone"),
		Hosts: a.texts("host"), MaxUnparsed: &unparsed, Hash: a.is("sha256"), Sampled: a.text("sampled"),
	}
}

func identityOf(s streams, a *args) job.Identity {
	o := job.Identity{
		Ranges: a.texts("ip-ranges"), RangesMaxAge: value[time.Duration](a, "ranges-max-age"),
		Names: a.text("resolved-names"), ClientIP: a.text("client-ip"), TrustedProxies: a.texts("trusted-proxies"),
	}
	if a.is("resolve") {
		o.Resolver = &s.dns
	}
	return o
}

func limitsOf(a *args) job.Limits {
	return job.Limits{Memory: value[int64](a, "memory"), Workers: a.number("workers")}
}

// samples returns --samples. An HTML page shows some lines by default, unless nothing is judged.
func samples(a *args) int {
	_, _, isJudged := a.given("robots policy")
	if isJudged && a.set("html") && !a.set("samples") && a.text("anonymize") == "" {
		return 3
	}
	return a.number("samples")
}

func robotsFile(s streams, a *args) job.RobotsFile {
	return job.RobotsFile{Name: a.text("robots"), Stdin: s.in, MaxBytes: maxBytes(a)}
}

// maxBytes returns --max-bytes as the value of compile.Options.MaxBytes.
func maxBytes(a *args) int {
	if n := a.number("max-bytes"); n > 0 {
		return n
	}
	return -1
}

// dialect returns the dialect of --dialect, or nil for auto.
func dialect(a *args) *automaton.Dialect {
	d, err := automaton.ParseDialect(a.text("dialect"))
	if err != nil {
		return nil
	}
	return &d
}
