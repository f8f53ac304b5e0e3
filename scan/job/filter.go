package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/source"
)

// FilterOptions say which URLs Filter keeps. Either Robots or Archive is given.
type FilterOptions struct {
	Agent   Agent
	Robots  RobotsFile // judges all URLs, whatever their host
	Archive string     // name of a file, made by Compile, that holds the rules of each origin
	URLs    Inputs     // lists of URLs, one a line

	Disallowed bool // keeps the disallowed URLs instead of the allowed ones
	NoPolicy   bool // keeps URLs of origins whose robots.txt the archive does not tell
	Invalid    bool // prints lines that are no URL; they count as invalid all the same
	Quotes     int  // how many invalid lines, the first ones, Filtered.Quotes holds

	// Memory is how many bytes the filter may hold, beside an archive, which is mapped; 0 is
	// DefaultMemory. If it is too little for robots.txt, the error is of the kind Input.
	Memory int64
	// Workers is how many goroutines judge lines; below 1, one for each processor. There are
	// fewer if Memory is too little for so many.
	Workers  int
	Messages Messages
}

// Filtered counts the lines that Filter read.
type Filtered struct {
	filter.Summary
	// Inputs say how the reading of each input ended. Names that gave no input come
	// last, with nothing but their errors.
	Inputs []source.Result
	// Partial says that lines are missing: an input could not be read to its end or has
	// no line that is a URL, or the filtering ended early.
	Partial bool
}

func (o *FilterOptions) inputs() inputFiles {
	return inputFiles{slices.Concat(o.URLs.Names, []string{o.Robots.Name, o.Archive, o.Agent.Crawlers}), o.URLs.Stdin}
}

// RefuseOutput returns an error, of type *Error, if a file that a flag of the caller names, to be written by the caller, is read by
// the filtering or is another of its outputs.
func (o *FilterOptions) RefuseOutput(flag, name string, out io.Writer) error {
	return refuseShared(flag, name, o.inputs(), streams(out, o.Messages.To))
}

// Filter writes to out the URLs that the agent may fetch: byte for byte, in the
// order of the input. It goes on when an input cannot be used, and warns of it; an input
// without a URL cannot be used, unless it is empty or blank. It fails
// if there are lines, but none of them is a URL. An error is of type *Error. If the
// filtering had begun by then, the result is not nil and counts the lines that were judged
// and written.
//
// The archive is mapped into memory: it may be replaced while it is used, as Compile
// does, but not changed in place. If its file becomes shorter, the filtering ends
// with an error.
func Filter(ctx context.Context, o FilterOptions, out io.Writer) (*Filtered, error) {
	if err := o.inputs().refuse(streams(out, o.Messages.To)); err != nil {
		return nil, err
	}
	memory := newBudget(o.Memory)
	rules, err := prepared(ctx, func() (rulesInUse, error) { return o.config(ctx, memory) })
	if err != nil {
		return nil, err
	}
	defer func() { _ = rules.release() }() // nothing can be done about an error
	inputs, errs, err := o.URLs.resolve(ctx, memory, o.Workers, o.Messages)
	if err != nil {
		return nil, err
	}
	for i, err := range errs {
		if len(inputs) == 0 && i == len(errs)-1 {
			return nil, inputError(err)
		}
		o.Messages.warn("%v", err)
	}
	inParallel(ctx, len(inputs), memory.workers(o.Workers), func(i int) {
		if inputs[i].Regular() { // a pipe may have nothing to read before another has been read
			_, _ = inputs[i].Head(1) // for the codec; the Reader returns the error
		}
	})
	shares, err := memory.divide(memory.workers(o.Workers), inputs)
	if err != nil {
		return nil, err
	}
	if archive, ok := rules.config.Policy.(*archived); ok {
		archive.most = max(shares.rest/4*3, leastRules)
	}
	reader := source.NewReader(inputs, source.Options{Workers: shares.workers, Memory: shares.reading, InOrder: true})
	end := o.Messages.progress(reader)
	summary, err := filter.Run(ctx, reader, shares.workers, rules.config, out)
	end()

	f := &Filtered{Summary: summary, Inputs: reader.Results(), Partial: err != nil || len(errs) > 0}
	f.tell(o.Messages)
	for _, err := range errs {
		f.Inputs = append(f.Inputs, source.Result{Err: err})
	}
	switch {
	case ctx.Err() != nil:
		f.Partial = true
		err = &Error{Interrupted, errors.New("interrupted: the summary covers the lines judged and printed before that")}
	case err != nil:
		err = inputError(err)
	case f.noURL():
		err = errNoURL
		if len(f.Quotes) > 0 && compile.IsUTF16(f.Quotes[0].Text) {
			err = fmt.Errorf("%w: the first looks like UTF-16; save the list as UTF-8", err)
		}
		err = inputError(err)
	}
	return f, err
}

// noURL tells whether there are lines, but none of them is a URL.
func (f *Filtered) noURL() bool { return f.Read > 0 && f.Invalid == f.Read }

// tell tells of inputs that could not be used, wholly or in part.
func (f *Filtered) tell(messages Messages) {
	for _, r := range f.Inputs {
		for _, w := range r.Warnings {
			messages.warn("%s", w)
		}
		if r.Err != nil {
			messages.warn("%v", explained(r.Err))
			f.Partial = true
		}
	}
	if f.noURL() {
		return // that is the error
	}
	for _, q := range f.Useless {
		in := &f.Inputs[q.Input]
		err := fmt.Errorf("%s: no line is a URL; line %s is %q", in.Name, english.Grouped(q.Line), q.Text)
		messages.warn("%v", err)
		in.Err, f.Partial = cmp.Or(in.Err, err), true
	}
}

// leastRules is what decoded rules may take in the room of the program: with less, a filter
// would decode most of them for each URL.
const leastRules = 4 << 20

// errNoURL is the error of lists that have lines, but no URL. Nothing else would tell such a
// list, of another format or of names without a scheme, from one that is all disallowed.
var errNoURL = errors.New("no line of the lists is a URL")

// rulesInUse are the configuration of package filter. release gives up the rules in it.
type rulesInUse struct {
	config  filter.Config
	release func() error
}

// config makes the configuration of package filter.
func (o FilterOptions) config(ctx context.Context, memory *budget) (rules rulesInUse, err error) {
	c := filter.Config{Disallowed: o.Disallowed, NoPolicy: o.NoPolicy, Invalid: o.Invalid, Quotes: o.Quotes}
	switch {
	case o.Robots.Name == "" && o.Archive == "":
		return rules, usageError("no rules: name a robots.txt with --robots FILE, or an archive with --rules ARCHIVE")
	case o.Robots.Name != "" && o.Archive != "":
		return rules, usageError("--robots and --rules cannot be given together")
	case o.Robots.Name == "-" && slices.Contains(o.URLs.Names, "-"):
		return rules, usageError("robots.txt and the URLs cannot both be stdin")
	case len(o.URLs.Names)+len(o.URLs.Opened) == 0:
		return rules, usageError("no list of URLs")
	}
	agent, err := o.Agent.find(o.Messages)
	if err != nil {
		return rules, err
	}
	if agent.exempt != "" {
		o.Messages.warn("%s does not apply robots.txt: %s", agent.name, agent.exempt)
	}
	c.Dialect = agent.dialect
	if o.Archive != "" {
		archive, release, err := openRules(o.Archive, agent)
		if err != nil {
			return rules, err
		}
		agent.warnOfOthers(nil, o.Messages)
		c.Policy, c.Epoch = archive, archive.epoch.Load
		memory.loaded += int64(12 * archive.archive.Rulesets())
		return rulesInUse{c, release}, nil
	}
	robots, err := o.Robots.compile(ctx, compile.Options{Dialect: agent.dialect}, memory, o.Messages)
	if err != nil {
		return rules, err
	}
	agent.warnOfOthers(robots.Ruleset, o.Messages)
	c.Site = &filter.Rules{Machine: agent.Machine(robots.Ruleset)}
	return rulesInUse{c, func() error { return nil }}, nil
}
