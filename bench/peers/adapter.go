package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/bench"
)

// An adapter is a script or small program around a library in another language. It prints a line
// with its version when the library is loaded. Then it reads questions, a site a
// line, and answers each at once with a line.
//
// A question is words of base64 separated by spaces: the URL of the robots.txt,
// the agent, the body of the robots.txt, and any number of URLs. The answer is
//
//	PARSE MATCH VERDICTS
//
// with the nanoseconds that parsing took and that all the URLs took, by the
// monotonic clock of the language, so that neither the start of the interpreter
// nor this exchange is in them. VERDICTS has a character for each URL (see
// bench.Verdict), or is "!" and why the robots.txt was rejected.
type adapter [][]string // command lines, of which the first that can load the library is taken

// The adapters' scripts.
var (
	//go:embed adapters/libraries.py
	librariesPy string
	//go:embed adapters/python.py
	pythonPy string
	//go:embed adapters/google.py
	googlePy string
	//go:embed adapters/robots-parser.js
	robotsParserJS string
)

func (a adapter) start(ctx context.Context) (bench.Engine, error) {
	var errs []error
	for _, command := range a {
		p, err := startScript(ctx, command)
		if err == nil {
			return p, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", command[0], err))
	}
	return nil, errors.Join(errs...)
}

func startScript(ctx context.Context, command []string) (bench.Engine, error) {
	s := &scripted{stderr: &bench.Tail{}}
	s.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	s.killRest = bench.OwnGroup(s.cmd)
	s.cmd.Stderr = s.stderr
	s.cmd.WaitDelay = time.Second
	in, inErr := s.cmd.StdinPipe()
	out, err := s.cmd.StdoutPipe()
	if err = cmp.Or(inErr, err); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	s.in, s.out = in, bufio.NewReader(out)
	if s.name, err = s.line(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

type scripted struct {
	name     string
	cmd      *exec.Cmd
	killRest func()
	in       io.WriteCloser
	out      *bufio.Reader
	stderr   *bench.Tail
	buf      []byte
	closed   bool
}

func (s *scripted) Version() string { return s.name }

func (s *scripted) Close() { s.end(0) }

// end waits for the adapter to end by itself, and kills it after a while.
func (s *scripted) end(grace time.Duration) {
	if s.closed {
		return // its process id may be another's by now
	}
	s.closed = true
	s.in.Close()
	// Which fails where it has ended by itself.
	kill := time.AfterFunc(grace, func() { _ = s.cmd.Cancel() })
	_ = s.cmd.Wait() // its error is that it was killed
	kill.Stop()
	s.killRest()
}

// line reads a line of the adapter's output. The error explains why there is none.
func (s *scripted) line(ctx context.Context) (string, error) {
	line, err := s.out.ReadString('\n')
	if err == nil {
		return strings.TrimSuffix(line, "\n"), nil
	}
	s.end(time.Second) // after which all that it said is in stderr
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return "", s.stderr.Explain(fmt.Errorf("it ended: %w", err))
}

func (s *scripted) Round(ctx context.Context, sites []bench.Site, record func([]bench.Verdict)) (bench.Times, error) {
	var total bench.Times
	for i := range sites {
		s.buf = appendQuestion(s.buf[:0], &sites[i])
		_, _ = s.in.Write(s.buf) // if this fails, line says why
		line, err := s.line(ctx)
		if err != nil {
			return total, err
		}
		t, verdicts, err := parseReply(line, len(sites[i].URLs))
		if err != nil {
			return total, err
		}
		total.Parse += t.Parse
		total.Match += t.Match
		record(verdicts)
	}
	return total, nil
}

func appendQuestion(b []byte, s *bench.Site) []byte {
	b = base64.StdEncoding.AppendEncode(b, []byte(s.RobotsURL))
	b = base64.StdEncoding.AppendEncode(append(b, ' '), []byte(s.Agent))
	b = base64.StdEncoding.AppendEncode(append(b, ' '), s.Body)
	for _, u := range s.URLs {
		b = base64.StdEncoding.AppendEncode(append(b, ' '), []byte(u))
	}
	return append(b, '\n')
}

// parseReply reads an answer about n URLs.
func parseReply(line string, n int) (bench.Times, []bench.Verdict, error) {
	words := strings.SplitN(line, " ", 3)
	if len(words) != 3 {
		return bench.Times{}, nil, fmt.Errorf("not an answer: %.80q", line)
	}
	parse, err1 := strconv.ParseInt(words[0], 10, 64)
	match, err2 := strconv.ParseInt(words[1], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return bench.Times{}, nil, fmt.Errorf("not an answer: %w", err)
	}
	t := bench.Times{Parse: time.Duration(parse), Match: time.Duration(match)}
	if strings.HasPrefix(words[2], "!") {
		t.Match = 0
		return t, []bench.Verdict(strings.Repeat(string(bench.NoAnswer), n)), nil
	}
	if len(words[2]) != n || strings.Trim(words[2], "01?") != "" {
		return bench.Times{}, nil, fmt.Errorf("not verdicts on %d URLs: %.80q", n, words[2])
	}
	return t, []bench.Verdict(words[2]), nil
}
