package job

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// The files of a folder that its lines are in are logs themselves, which are audited as others are.
// Of each log that was read there is one with an empty line for each line that it does not have, so
// that the numbers of lines stay; and for each site there is one of what others were told who asked
// for its robots.txt.

// The formats of these: of logs that tell the sizes of answers, and of others.
const (
	answersFormat   = `[$time_iso8601] "$request" $status $body_bytes_sent "$http_user_agent"`
	sizelessAnswers = `[$time_iso8601] "$request" $status "$http_user_agent"`
)

// Records of lines of files: those of a log come in the order of their numbers, answers in the
// order of time.
const (
	logLine byte = iota
	answerLine
)

// appendLogLine appends a record of a line in its place.
func appendLogLine(b []byte, input int, number int64, line []byte) []byte {
	b = binary.BigEndian.AppendUint32(append(b, logLine), uint32(input))
	return append(binary.BigEndian.AppendUint64(b, uint64(number)), line...)
}

// appendAnswer appends a record of what a client was told that asked for robots.txt. It has the
// line of a log without addresses and names.
func appendAnswer(b []byte, j *audit.Judged) []byte {
	text := answersFormat
	if j.Size <= format.NoSizes {
		text = sizelessAnswers
	}
	b = binary.BigEndian.AppendUint32(append(b, answerLine), uint32(j.Site.First))
	b = appendKey(binary.BigEndian.AppendUint32(b, uint32(j.Site.N)), text)
	b = binary.BigEndian.AppendUint64(b, uint64(j.Time)^1<<63)
	at := time.Unix(0, j.Time).UTC().Format(time.RFC3339)
	b = fmt.Appendf(b, "[%s] \"GET /robots.txt HTTP/1.1\" %03d ", at, j.Status)
	switch {
	case text == sizelessAnswers:
	case j.Size < 0:
		b = append(b, "- "...)
	default:
		b = fmt.Appendf(b, "%d ", j.Size)
	}
	return append(b, "\"-\""...)
}

// addAnswer adds an answer, unless the log does not have its time: then it says nothing.
func (l *evidenceLines) addAnswer(j *audit.Judged) {
	if w := &l.writers[j.Worker+1]; j.HasTime {
		w.record = appendAnswer(w.record[:0], j)
		w.failed(w.files.Add(w.record))
	}
}

// headers adds the lines of a chunk that name the columns of its log, but those that repeat what is
// in force.
func (l *evidenceLines) headers(worker int, f *format.Format, header []byte, input int, first int64, chunk []byte) {
	if l == nil {
		return
	}
	w := &l.writers[worker+1]
	for before, line := range f.HeaderLines(chunk) {
		if bytes.Equal(line, header) {
			continue
		}
		header = line
		w.failed(w.files.Add(appendLogLine(nil, input, first+before, line)))
	}
}

// choose adds the lines of crawlers with violations, and of their operators' fetches, to those of
// files. The fetches of all others are what others were told. It returns how many violations there
// are.
func (l *evidenceLines) choose() (violations int64, err error) {
	w := l.files.Writer()
	var operator crawlerKey
	accused := false
	err = l.all(func(x *evidenceLine) error {
		if x.operator != operator {
			operator, accused = x.operator, false
		}
		switch {
		case x.kind == violationLine:
			violations++
			accused = true
		case !accused && len(x.answer) == 0:
			return nil
		case !accused:
			return w.Add(x.answer)
		}
		return w.Add(appendLogLine(nil, x.input, x.number, x.line))
	})
	return violations, errors.Join(err, w.Flush())
}

// logWriter writes the files that lines are in.
type logWriter struct {
	*evidence.Writer
	manifest *evidence.Manifest
	policy   *policy.Policy
	file     *evidence.FileWriter // nil before the first
	of       []byte               // the beginning of the records of its lines
	lines    int64
}

// write writes the lines of files, which have been chosen.
func (w *logWriter) write(l *evidenceLines) error {
	var err error
	for _, a := range w.manifest.Answers {
		err = errors.Join(err, w.Remove(a.Lines))
	}
	for i := range w.manifest.Inputs {
		err = errors.Join(err, w.Remove(w.manifest.Inputs[i].Lines))
		w.manifest.Inputs[i].Lines = ""
	}
	if w.manifest.Answers = []evidence.Answers{}; err != nil {
		return err
	}
	for r, err := range l.files.All() {
		if err != nil {
			return err
		}
		for range r.N {
			if err := w.line(r.Data); err != nil {
				return err
			}
		}
	}
	return w.end()
}

func (w *logWriter) end() error {
	f := w.file
	if w.file, w.lines = nil, 0; f == nil {
		return nil
	}
	return f.Close()
}

// line writes a line of a record.
func (w *logWriter) line(b []byte) (err error) {
	n, number := 1+4, int64(0) // what the records of a file begin with
	if b[0] == answerLine {
		_, rest := cutKey(b[1+4+4:])
		n = len(b) - len(rest)
	}
	of, rest := b[:n], b[n:]
	if w.file == nil || !bytes.Equal(of, w.of) {
		w.of = bytes.Clone(of)
		if err := errors.Join(w.end(), w.begin()); err != nil {
			return err
		}
	}
	number, rest = int64(binary.BigEndian.Uint64(rest)), rest[8:]
	for b[0] == logLine && w.lines+1 < number {
		blank := blanks[:min(int64(len(blanks)), number-w.lines-1)]
		if _, err := w.file.Write(blank); err != nil {
			return err
		}
		w.lines += int64(len(blank))
	}
	w.lines++
	return w.file.WriteLine(rest)
}

var blanks = bytes.Repeat([]byte("\n"), 4<<10)

// begin begins the file of a record.
func (w *logWriter) begin() (err error) {
	first := binary.BigEndian.Uint32(w.of[1:])
	if w.of[0] == logLine {
		in := &w.manifest.Inputs[first]
		in.Lines = fmt.Sprintf("lines.%04d.gz", first+1)
		w.file, err = w.Create(in.Lines)
		return err
	}
	site := policy.Site{First: int32(first), N: int32(binary.BigEndian.Uint32(w.of[1+4:]))}
	text, _ := cutKey(w.of[1+4+4:])
	name := fmt.Sprintf("answers.%04d.gz", len(w.manifest.Answers)+1)
	a := evidence.Answers{Lines: name, Origins: originTexts(w.policy, site), Format: text}
	w.manifest.Answers = append(w.manifest.Answers, a)
	w.file, err = w.Create(a.Lines)
	return err
}

// originTexts are the origins of a site.
func originTexts(p *policy.Policy, at policy.Site) []string {
	texts := []string{}
	for _, o := range p.Origins()[at.First:][:at.N] {
		texts = append(texts, o.String())
	}
	return texts
}

// logs returns the logs of a folder: those of the manifest in their places, of which some have no
// lines, and then the answers. path tells where a file is.
func (c *evidenceBasis) logs(path func(name string) string) (*auditLogs, error) {
	logs := &auditLogs{}
	add := func(file string, f *format.Format, in *evidence.Input) (err error) {
		log := &auditLog{Input: source.NewLines(in.Name, strings.NewReader("")), format: f}
		if file != "" {
			log.Input, err = source.NewFile(path(file))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		log.Name = in.Name
		logs.list = append(logs.list, log)
		return c.belongs(log, in)
	}
	for i := range c.manifest.Inputs {
		in, f := &c.manifest.Inputs[i], format.Default()
		var err error
		if in.Lines != "" {
			f, err = c.formatOf(in, path(in.Lines))
		}
		if err == nil {
			err = add(in.Lines, f, in)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	for _, a := range c.manifest.Answers {
		if !slices.Contains([]string{answersFormat, sizelessAnswers}, a.Format) {
			return nil, fmt.Errorf("%s: the format %q is not one of answers", a.Lines, a.Format)
		}
		f, err := format.Parse(a.Format)
		if err == nil {
			err = add(a.Lines, f, &evidence.Input{Origins: a.Origins})
		}
		if err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// belongs sets of which site a log is, by the manifest.
func (c *evidenceBasis) belongs(log *auditLog, in *evidence.Input) (err error) {
	if in.Only {
		log.host = in.Name
	}
	log.site, err = siteOfOrigins(in.Origins, c.side.config.Policy)
	return err
}

// maxHead bounds the lines by which it is found how a log is written, in bytes.
const maxHead = 64 << 10

// formatOf returns the format of a log of the folder.
func (c *evidenceBasis) formatOf(in *evidence.Input, path string) (f *format.Format, err error) {
	head, err := linesAtHead(path)
	if err != nil {
		return nil, err
	}
	if f = c.format; f == nil {
		var ok bool
		if f, ok = format.ByName(in.Format); !ok {
			return nil, fmt.Errorf("its format is %q, which this version of robotsieve does not know", in.Format)
		}
	}
	begins := false
	for before := range f.HeaderLines(head) {
		begins = before == 0
		break
	}
	if in.Header != "" && !begins {
		head = slices.Concat([]byte(in.Header), []byte("\n"), head)
	}
	if f, err = f.For(head, true); err != nil {
		return nil, err
	}
	return f.In(c.side.zone), nil
}

// linesAtHead returns the first lines of a log of the folder, without those that are empty.
func linesAtHead(path string) (head []byte, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	for r := bufio.NewReader(text); len(head) < maxHead; {
		line, err := r.ReadSlice('\n')
		if !bytes.Equal(line, blanks[:1]) {
			head = append(head, line...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
	return head, nil
}
