package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// runDump prints the machines of robots.txt files, one dialect after the other,
// each machine once with the user agents that it binds.
func runDump(ctx context.Context, s streams, format string, dialects []automaton.Dialect, limit int, files []string) error {
	print := (*automaton.Machine).String
	switch format {
	case "text":
	case "dot":
		print = (*automaton.Machine).Graphviz
	default:
		return usageError("--dump %q is neither text nor dot", format)
	}
	for _, file := range files {
		body, err := robotsFlags{file: &file}.open(s, limit).Read(ctx)
		if err != nil {
			return meantFormat(file, err)
		}
		for _, d := range dialects {
			r := compile.Compile(body, compile.Options{Dialect: d, MaxBytes: limit}).Ruleset
			if err := dump(s.out, printable(file), r, print); err != nil {
				return inputError(fmt.Errorf("writing the machines: %w", err))
			}
		}
	}
	return nil
}

// meantFormat adds to an error what was probably meant, where the value of --dump
// stands behind a blank and so is taken for a file.
func meantFormat(file string, err error) error {
	if (file == "dot" || file == "text") && errors.Is(err, fs.ErrNotExist) {
		return usageError("%w; for the format write --dump=%s", err, file)
	}
	return err
}

func dump(w io.Writer, file string, r *automaton.Ruleset, print func(*automaton.Machine) string) error {
	machines, agents := bound(r)
	for i, m := range machines {
		if _, err := fmt.Fprintf(w, "// %s, %v: %s\n%s", file, r.Dialect(), strings.Join(agents[i], ", "), print(m)); err != nil {
			return err
		}
	}
	if len(machines) == 0 {
		_, err := fmt.Fprintf(w, "// %s, %v: no group binds anybody\n", file, r.Dialect())
		return err
	}
	return nil
}

// bound returns the machines of a ruleset, each once, and the agents that each
// binds.
func bound(r *automaton.Ruleset) (machines []*automaton.Machine, agents [][]string) {
	place := map[*automaton.Machine]int{}
	add := func(m *automaton.Machine, agent string) {
		i, known := place[m]
		if !known {
			i = len(machines)
			place[m] = i
			machines, agents = append(machines, m), append(agents, nil)
		}
		agents[i] = append(agents[i], agent)
	}
	for _, a := range r.Agents() {
		add(a.Machine, fmt.Sprintf("%q", a.Token))
	}
	if m := r.Wildcard(); m != nil {
		add(m, "*")
	}
	return machines, agents
}
