package logwriter

import (
	"fmt"
	"time"
)

// Envelope is what a program puts around the lines of another.
type Envelope struct {
	Name string
	// Wrap appends a line in its envelope, without its line end.
	Wrap func(b, line []byte, at time.Time) []byte
	// Valid tells that the envelope holds only UTF-8: other bytes are replaced.
	Valid bool
}

// Envelopes returns all envelopes.
func Envelopes() []*Envelope {
	return []*Envelope{
		// Source: RFC 3164, 4.1, as syslogd writes it to files: without the priority.
		{Name: "syslog", Wrap: func(b, line []byte, at time.Time) []byte {
			return fmt.Appendf(b, "%s web1 nginx[2869]: %s", at.Format(time.Stamp), line)
		}},
		// Source: RFC 5424, 6.
		{Name: "syslog5424", Wrap: func(b, line []byte, at time.Time) []byte {
			return fmt.Appendf(b, `<190>1 %s web1.example.net nginx 2869 - [origin ip="10.0.0.2" x="\"]"] %s`,
				at.Format("2006-01-02T15:04:05.000000Z07:00"), line)
		}},
		// Source: docs.docker.com/engine/logging/drivers/json-file. The encoder is Go's, which
		// replaces bytes that are no UTF-8.
		{Name: "docker", Valid: true, Wrap: func(b, line []byte, at time.Time) []byte {
			return fmt.Appendf(b, `{"log":"%s","stream":"stdout","time":"%s"}`,
				quoted(string(line)+"\n"), at.UTC().Format(time.RFC3339Nano))
		}},
		// Source: kubernetes/design-proposals-archive, node/kubelet-cri-logging.md.
		{Name: "cri", Wrap: func(b, line []byte, at time.Time) []byte {
			return fmt.Appendf(b, "%s stdout F %s", at.Format(time.RFC3339Nano), line)
		}},
		// Source: docs.docker.com/reference/cli/docker/compose/logs.
		{Name: "compose", Wrap: func(b, line []byte, _ time.Time) []byte {
			return fmt.Appendf(b, "web-1  | %s", line)
		}},
		// Source: systemd.io/JOURNAL_EXPORT_FORMATS, JSON. A field that is no UTF-8 is an array of
		// numbers; so is one with control characters.
		{Name: "journald", Wrap: func(b, line []byte, at time.Time) []byte {
			return fmt.Appendf(b, `{"__CURSOR":"s=7f3a;i=1","__REALTIME_TIMESTAMP":"%d","_BOOT_ID":"6b",`+
				`"SYSLOG_IDENTIFIER":"nginx","PRIORITY":"6","MESSAGE":%s,"_PID":"2869"}`, at.UnixMicro(), journal(line))
		}},
		// Colours around the line, as programs write them to terminals. Source: ECMA-48, 8.3.117,
		// SGR.
		{Name: "ansi", Wrap: func(b, line []byte, _ time.Time) []byte {
			return fmt.Appendf(b, "\x1b[32m%s\x1b[0m", line)
		}},
	}
}

// journal is a field in JSON as the journal writes it.
func journal(line []byte) string {
	printable := valid(string(line)) == string(line)
	for _, c := range line {
		printable = printable && (c >= ' ' && c != 0x7f || c == '\t' || c == '\n')
	}
	if printable {
		return `"` + quoted(string(line)) + `"`
	}
	numbers := make([]byte, 0, len(line)*4)
	for i, c := range line {
		if i > 0 {
			numbers = append(numbers, ',')
		}
		numbers = fmt.Append(numbers, c)
	}
	return "[" + string(numbers) + "]"
}
