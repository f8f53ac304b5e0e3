package job

import (
	"bytes"
	"context"
	"fmt"

	"github.com/robotsieve/robotsieve/scan/format"
)

// ExplainOptions name the logs that Explain looks at.
type ExplainOptions struct {
	Logs Inputs
	// Format is the format of the logs, as AuditOptions.Format has it. "" or "auto": each
	// log's is found by its first lines.
	Format   string
	Messages Messages
}

// ExplainedLog says how the first lines of a log are read. Its texts have the bytes of the
// log: escape them before printing (audit.Printable).
type ExplainedLog struct {
	Name string
	*format.Explanation
	// Missing says what an audit will lack, and what to do about it.
	Missing []string
}

// maxExamples is how many lines of a kind Explain shows.
const maxExamples = 3

// Explain looks at the first lines of logs, and hands over for each log how they are read.
// An error of show ends it. The error says that some log cannot be read; Messages have said
// which.
func Explain(ctx context.Context, o ExplainOptions, show func(*ExplainedLog) error) error {
	if len(o.Logs.Names)+len(o.Logs.Opened) == 0 {
		return usageError("no logs: name the access logs to explain")
	}
	named, err := formatByName(o.Format)
	if err != nil {
		return err
	}
	inputs, errs, err := o.Logs.resolve(ctx, newBudget(0), 1, o.Messages)
	if err != nil {
		return err
	}
	for _, err := range errs {
		o.Messages.warn("%v", err)
	}
	failed := len(errs)
	for _, in := range inputs {
		head, err := wait(ctx, func() ([]byte, error) { return in.Head(format.SampleBytes) })
		if ctx.Err() != nil {
			return errNothingDone
		}
		if err != nil {
			o.Messages.warn("%v", explained(err))
			failed++
			continue
		}
		log := explainHead(in.Name, head, named)
		if log.Err != nil {
			failed++
		}
		if err := show(log); err != nil {
			return err
		}
	}
	if failed > 0 {
		return inputError(fmt.Errorf("%d of the logs cannot be read", failed))
	}
	return nil
}

// explainHead explains the beginning of a log.
func explainHead(name string, head []byte, f *format.Format) *ExplainedLog {
	whole := len(head) < format.SampleBytes
	if f != nil {
		bound, err := f.Enclosed(head, whole).Bound(bytes.TrimPrefix(head, format.BOM))
		if err != nil {
			return &ExplainedLog{Name: name, Explanation: &format.Explanation{Err: err}}
		}
		f = bound
	}
	log := &ExplainedLog{Name: name, Explanation: format.Explain(head, whole, f, maxExamples)}
	if log.Format != nil {
		log.Missing = missing(log.Format)
		if !format.NamesZones(log.Format, head) {
			log.Missing = append(log.Missing, "its times name no zone and are taken as UTC: name the zone of the server with --time-zone")
		}
	}
	return log
}

// missing says what an audit of logs of a format will lack, and what to do about it.
func missing(f *format.Format) (list []string) {
	remedies := map[string]string{
		"User-Agent": "without the User-Agent no line names a crawler: have the server log it",
		"time":       "without the time no request can be judged: have the server log it",
		"client":     "without the client's address no crawler can be verified, and no impostor found",
		"host":       "the lines name no host: name the site with --host",
		"status":     "without the status it is not known which answers to /robots.txt counted",
		"size":       "without the size it is not known whether an answer to /robots.txt had a body",
	}
	for _, what := range f.Lacks() {
		list = append(list, remedies[what])
	}
	if f.Sampled() {
		list = append(list, "such logs may leave out requests by design, so the counts are lower bounds: state it with --sampled")
	}
	return list
}
