package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/loginfo"
)

// ExplainOptions name the logs that Explain examines.
type ExplainOptions struct {
	Logs Inputs
	// Format is the format of the logs, as in AuditOptions.Format. With "" or "auto", the format of
	// each log is detected from its first lines.
	Format   string
	Messages Messages
}

// ExplainedLog describes how the first lines of a log are read. Its texts have the bytes of the
// log: escape them before printing (report.Printable).
type ExplainedLog struct {
	Name string
	*format.Explanation
	// Missing says what an audit will lack, and how to fix that.
	Missing []string
}

// maxExamples is how many lines of a kind Explain shows.
const maxExamples = 3

// Explain examines the first lines of logs, and passes to show how each log is read.
// An error of show ends it. The error says that some log cannot be read; Messages name
// it.
func Explain(ctx context.Context, o ExplainOptions, show func(*ExplainedLog) error) error {
	if len(o.Logs.Names)+len(o.Logs.Opened) == 0 {
		return usageError("no logs: name the access logs to explain")
	}
	named, _, err := formatByName(ctx, o.Format)
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
		head, err := interrupt.Wait(ctx, func() ([]byte, error) { return in.Head(format.SampleBytes) })
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
		if all := len(inputs) + len(errs); all > 1 {
			return inputError(fmt.Errorf("the format of %d of %d logs was not found", failed, all))
		}
		return inputError(errors.New("the format of the log was not found"))
	}
	return nil
}

func explainHead(name string, head []byte, f *format.Format) *ExplainedLog {
	whole := len(head) < format.SampleBytes
	if f != nil {
		bound, err := f.For(head, whole)
		if err != nil {
			return &ExplainedLog{Name: name, Explanation: &format.Explanation{Err: err}}
		}
		f = bound
	}
	log := &ExplainedLog{Name: name, Explanation: format.Explain(head, whole, f, maxExamples)}
	if log.Format != nil {
		log.Missing = loginfo.Missing(log.Format)
		if !format.NamesZones(log.Format, head) {
			log.Missing = append(log.Missing, "time zone: the times are taken as UTC; name the zone of the server with "+
				"option TimeZone")
		}
	}
	return log
}

// maxServerConfig bounds a server configuration, in bytes.
const maxServerConfig = 16 << 20

// formatByName returns the format that an option names or describes, nil if it is to be detected
// from the first lines of each log: "" or "auto". Otherwise it is a name of format.ByName, FILE:NAME
// for a format in the configuration of a server, or a text of format.Parse. words is the option
// without the file.
func formatByName(ctx context.Context, text string) (f *format.Format, words string, err error) {
	if text == "" || text == "auto" {
		return nil, "", nil
	}
	if f, ok := format.ByName(text); ok {
		return f, text, nil
	}
	if file, name, ok := inConfig(text); ok {
		config, err := prepared(ctx, func() ([]byte, error) { return disk.ReadLimited(file, maxServerConfig) })
		switch {
		case errors.Is(err, errNothingDone):
			return nil, "", err
		case err != nil:
			return nil, "", inputError(fmt.Errorf("option Format %s: %w", text, err))
		}
		if f, err = format.ParseConfig(config, name); err == nil {
			words, err = format.ConfigText(config, name)
		}
		if err != nil {
			return nil, "", usageError("option Format %s: %w", text, err)
		}
		return f, words, nil
	}
	f, err = formatInWords(text)
	return f, text, err
}

// formatInWords is formatByName for a text that is neither a name nor FILE:NAME.
func formatInWords(text string) (*format.Format, error) {
	if info, err := disk.Stat(text); err == nil && info.Mode().IsRegular() {
		return nil, usageError("option Format %s is a file: give the name of a format in it too, as in %s:NAME", text, text)
	}
	if plainWord().MatchString(text) {
		perhaps := ""
		if similar := format.Similar(text); len(similar) > 0 {
			perhaps = "; perhaps you mean " + strings.Join(similar, ", ")
		}
		return nil, usageError("no format is called %q%s. robotsieve formats lists all, and shows how to give one of "+
			"your own", text, perhaps)
	}
	f, err := format.Parse(text)
	if err != nil {
		return nil, usageError("option Format: %w", err)
	}
	return f, nil
}

// plainWord matches what can only be a name. configName matches the name of a format in a
// configuration.
var (
	plainWord  = lazy.Regexp(`^[\w.:+-]+$`)
	configName = lazy.Regexp(`^[\w.+-]+$`)
)

// inConfig splits FILE:NAME. A text counts as that only if the file exists or looks like a path:
// formats contain colons too, and C:\nginx.conf lacks a NAME.
func inConfig(text string) (file, name string, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 1 || !configName().MatchString(text[at+1:]) {
		return "", "", false
	}
	file, name = text[:at], text[at+1:]
	if info, err := disk.Stat(file); err == nil {
		return file, name, info.Mode()&fs.ModeDir == 0
	}
	return file, name, !strings.ContainsAny(file, "%$()=\"' \n") && strings.ContainsAny(file, `./\`)
}

// formatOfText is formatByName for a text that names no file.
func formatOfText(text string) (*format.Format, error) {
	if text == "" || text == "auto" {
		return nil, nil
	}
	if f, ok := format.ByName(text); ok {
		return f, nil
	}
	return format.Parse(text)
}
