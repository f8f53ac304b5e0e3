package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/internal/lists"
	"github.com/robotsieve/robotsieve/scan/internal/page"
	"github.com/robotsieve/robotsieve/scan/source"
)

// FilterOptions select the URLs that Filter keeps. Either Robots or Archive is given.
type FilterOptions struct {
	Agents  []Agent    // at most filter.MaxAgents
	Any     bool       // keeps URLs that one of the agents may fetch; the default is that all may
	Robots  RobotsFile // judges all URLs, whatever their host
	Archive string     // name of a file, made by Compile, that holds the rules of each origin
	URLs    Inputs     // lists of URLs

	Format string      // of the lists, one of ListFormats; "" or "auto" finds it for each
	List   ListColumns // the columns of the URL and of the time of capture

	// AsOf is the instant at which robots.txt is consulted for rows without a time, in the form of
	// AuditOptions.Since; a date is its midnight in UTC. "" stands for the newest
	// robots.txt.
	AsOf string
	// Now is the time that AsOf counts back from; zero is the time of the call.
	Now time.Time

	Disallowed bool // keeps the disallowed URLs instead of the allowed ones
	NoPolicy   bool // keeps URLs of origins with an unknown robots.txt
	Invalid    bool // prints rows without a URL; they still count as invalid
	Quotes     int  // how many invalid rows, from the first, Filtered.Quotes holds

	// Annotate is the form of the lines that replace the rows.
	Annotate Annotation
	// Prove refuses lists with rows without a time, and treats versions without a date as unknown: each
	// row must be proven allowed at its own time.
	Prove bool
	// Page drops records of WARC with one of these directives for the agents on their page, such as
	// "noindex,noarchive"; "" drops none.
	Page string
	// Prompt writes the answer for each row as soon as the row has been read.
	Prompt bool

	// Memory is how many bytes the filter may hold, beside an archive, which is mapped; 0 is
	// DefaultMemory. If robots.txt does not fit, the error is of the kind Input.
	Memory int64
	// Workers is how many goroutines judge rows; below 1, one for each processor. There are
	// fewer if Memory is too small for them.
	Workers  int
	Messages Messages
}

// ListColumns are the columns of lists, by their names or their numbers, from 1. In JSON and CDXJ they are
// paths of members, with dots between the names.
type ListColumns struct {
	Column string // the URL; "" stands for the column with URLs, preferring the usual names
	Date   string // the time; "" stands for none, except in CDX and CDXJ, which have a column for it
	// Key is the column of a Parquet file that identifies its rows in an annotation of the kind Parquet;
	// "" stands for the number of the row.
	Key string
}

// ListFormats returns the names of the formats of lists.
func ListFormats() (names []string) {
	for k := list.URLs; k <= list.Parquet; k++ {
		names = append(names, k.String())
	}
	return names
}

// Annotation is the form of the lines that a filter writes in place of the kept rows.
type Annotation string

const (
	NoAnnotation Annotation = ""        // the kept rows are written
	JSON         Annotation = "json"    // see filter.NewJSON
	TSV          Annotation = "tsv"     // see filter.NewTSV
	Append       Annotation = "append"  // see filter.NewAppended
	Parquet      Annotation = "parquet" // see columnar.Sidecar
)

// Filtered counts the rows that Filter read.
type Filtered struct {
	filter.Summary
	// Agents are the names of the agents, in the order of Summary.Barred.
	Agents []string
	// Inputs say how the reading of each input ended. Names without any input come
	// last, with only their errors.
	Inputs []source.Result
	// Records means that the rows are records of WARC files.
	Records bool
	// MaxRow is the maximum length of a line in bytes; 0 for records, of which only those are held in
	// memory that cannot be copied from their file.
	MaxRow int
	// Partial means that lines are missing: an input could not be read to its end or
	// lacks URLs, or the filtering ended early.
	Partial bool
}

func (o *FilterOptions) inputs() disk.Inputs {
	names := slices.Concat(o.URLs.Names, []string{o.Robots.Name, o.Archive})
	for _, agent := range o.Agents {
		names = append(names, agent.Crawlers)
	}
	return disk.Inputs{Names: names, Stdin: o.URLs.Stdin}
}

// Filter writes to out the URLs that the agent may fetch: byte for byte, in the
// order of the input. It goes on when an input cannot be used, and warns of it; an input
// without a URL cannot be used, unless it is empty or blank. It fails
// if there are lines, not all of them blank, but none of them is a URL. An error is of type *Error. If the
// filtering had begun by then, the result is not nil and counts the judged and
// written lines.
//
// The archive is mapped into memory: it may be replaced during use, as Compile
// does, but not changed in place. If its size or modification time changes, the filtering
// ends with an error before it writes any later results.
func Filter(ctx context.Context, o FilterOptions, out io.Writer) (*Filtered, error) {
	if err := o.inputs().Refuse(disk.Streams(out, o.Messages.To)); err != nil {
		return nil, outputError(err)
	}
	memory := newBudget(o.Memory)
	rules, err := prepared(ctx, func() (rulesInUse, error) { return o.config(ctx, memory) })
	if err != nil {
		return nil, err
	}
	if rules.archive != nil {
		defer func() { _ = rules.archive.Mapped.Close() }() // nothing can be done about an error
	}
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
	opened, err := lists.Open(ctx, inputs, &lists.Options{Format: o.Format, Column: o.List.Column, Date: o.List.Date,
		Key: o.List.Key, Prompt: o.Prompt,
		Warn: func(m string) { o.Messages.warn("%s", m) }}, memory.workers(o.Workers))
	if err != nil {
		return nil, errNothingDone
	}
	defer opened.Close()
	if n := len(opened.Inputs) + len(opened.Refused) + len(errs); o.Annotate == Parquet && n > 1 {
		return nil, usageError("option Annotate parquet makes a table of one list, and there are %d: filter each apart", n)
	}
	for _, err := range opened.Refused {
		o.Messages.warn("%v", err)
	}
	errs = append(errs, opened.Refused...)
	if rules.config.Page != 0 && !opened.Records && len(opened.Inputs) > 0 {
		return nil, usageError("option Page looks into the records of WARC files, and no list is one")
	}
	if o.Prove && !opened.Records && slices.ContainsFunc(opened.Layouts, func(l *list.Layout) bool { return !l.Timed() }) {
		return nil, usageError("option Prove needs the time of each request: option List.Date names its column")
	}
	rules.config.Layouts, rules.config.Swapped, rules.config.Values = opened.Layouts, opened.Swapped, opened.Values
	shares, err := memory.divide(memory.workers(o.Workers), opened.Inputs)
	if err != nil {
		return nil, err
	}
	if rules.archive != nil {
		rules.archive.Most = max(shares.rest/4*3, leastRules)
	}
	summary, results, err := o.run(ctx, rules.config, opened, shares, out)
	f := &Filtered{Summary: summary, Agents: rules.names, Inputs: results, Records: opened.Records,
		MaxRow: opened.MaxRow(), Partial: err != nil || len(errs) > 0}
	f.tell(o.Messages)
	if rules.archive != nil {
		always, span := rules.archive.SawDates()
		switch {
		case !always || span:
		case o.AsOf != "":
			o.Messages.warn("%s has no version with a date of these sites, so option AsOf changed nothing", o.Archive)
		case o.List.Date != "":
			o.Messages.warn("%s has no version with a date of these sites, so option List.Date changed nothing", o.Archive)
		}
	}
	if n := summary.Count[filter.BadRow]; n > 0 && slices.ContainsFunc(opened.Layouts,
		func(l *list.Layout) bool { return l != nil && l.Kind() == list.CSV }) {
		o.Messages.warn("%s not of the format; the quotes of a field of CSV must end, with only a delimiter behind them, "+
			"and a URL with a delimiter needs quotes", english.Plural(n, "row"))
	}
	for _, err := range errs {
		f.Inputs = append(f.Inputs, source.Result{Err: err})
	}
	switch {
	case ctx.Err() != nil:
		f.Partial = true
		err = &Error{Interrupted, errors.New("interrupted: the summary covers the rows judged and printed before that")}
	case err != nil:
		err = inputError(err)
	case f.NoURL():
		err = inputError(fmt.Errorf("no %s of the lists has a URL", f.Noun()))
	}
	return f, err
}

func (o *FilterOptions) run(ctx context.Context, c filter.Config, l *lists.Lists, of shares, out io.Writer) (
	filter.Summary, []source.Result, error) {
	if l.Records {
		records := filter.NewRecords(l.Inputs, c, of.reading, out)
		defer o.Messages.progress(records)()
		summary, err := records.Run(ctx)
		return summary, records.Results(), err
	}
	var table *columnar.Sidecar
	if o.Annotate == Parquet && len(l.Inputs) > 0 {
		table = columnar.NewSidecar(out, l.Keys)
		out = table
	}
	reader := source.NewReader(l.Inputs, source.Options{
		Workers: of.workers, Memory: of.reading, MaxLine: l.MaxRow(), InOrder: true, Prompt: o.Prompt,
	})
	defer o.Messages.progress(reader)()
	summary, err := filter.Run(ctx, reader, of.workers, c, out)
	results := reader.Results()
	damaged := slices.ContainsFunc(results, func(r source.Result) bool { return r.Err != nil })
	if table != nil && err == nil && !damaged { // without its end no reader accepts a table
		err = table.Close()
	}
	return summary, results, err
}

// Noun returns what is counted: lines, or records of WARC files.
func (f *Filtered) Noun() string {
	if f.Records {
		return "record"
	}
	return "line"
}

// NoURL reports whether there are rows, not all of them blank, but none with a URL. Otherwise
// a list in another format, or of names without a scheme, would look like one that is all
// disallowed.
func (f *Filtered) NoURL() bool { return f.Invalid == f.Read && f.Count[filter.Blank] < f.Read }

// tell warns of inputs that could not be used, wholly or in part.
func (f *Filtered) tell(messages Messages) {
	for _, r := range f.Inputs {
		for _, w := range r.Warnings {
			messages.warn("%s: %s", r.Name, w)
		}
		if r.Err != nil {
			messages.warn("%v", explained(r.Err))
			f.Partial = true
		}
	}
	if f.NoURL() {
		return // that is the error
	}
	for _, q := range f.Useless {
		in := &f.Inputs[q.Input]
		err := fmt.Errorf("%s: no line is a URL; line %s is %q", in.Name, english.Grouped(q.Line), q.Text)
		messages.warn("%v", err)
		in.Err, f.Partial = cmp.Or(in.Err, err), true
	}
}

// leastRules is how much of the program's own allowance decoded rules may take: with less, a filter
// would decode most of them for each URL.
const leastRules = 4 << 20

// rulesInUse are the configuration of package filter and the names of the agents.
type rulesInUse struct {
	config  filter.Config
	names   []string
	archive *archived.Rules // nil for a robots.txt
}

// newest is the instant, in Unix seconds, at which the newest rules are in force.
const newest = math.MaxInt64

// asOf reads the instant of an option, in Unix seconds.
func asOf(text string, now time.Time) (int64, error) {
	if text == "" {
		return newest, nil
	}
	at, err := timeOf("option AsOf", text, time.UTC, now)
	return at.Unix(), err
}

// check returns an error if the options contradict each other.
func (o *FilterOptions) check() error {
	switch {
	case cmp.Or(o.Format, "auto") != "auto" && !slices.Contains(ListFormats(), o.Format):
		return usageError("option Format %q is none of %s", o.Format, strings.Join(ListFormats(), ", "))
	case o.Robots.Name == "" && o.Archive == "":
		return usageError("no rules: option Robots or option Archive is needed")
	case o.Robots.Name != "" && o.Archive != "":
		return usageError("option Robots and option Archive cannot be given together")
	case o.Robots.Name != "" && (o.List.Date != "" || o.AsOf != ""):
		return usageError("option List.Date and option AsOf need option Archive")
	case o.Robots.Name == "-" && slices.Contains(o.URLs.Names, "-"):
		return usageError("robots.txt and the URLs cannot both be stdin")
	case len(o.URLs.Names)+len(o.URLs.Opened) == 0:
		return usageError("no list of URLs: name the files, or - for stdin")
	case len(o.Agents) == 0:
		return errNoAgent
	case len(o.Agents) > filter.MaxAgents:
		return usageError("%d agents are more than %d", len(o.Agents), filter.MaxAgents)
	}
	return nil
}

// config makes the configuration of package filter.
func (o *FilterOptions) config(ctx context.Context, memory *budget) (rules rulesInUse, err error) {
	if err := o.check(); err != nil {
		return rules, err
	}
	agents, err := different(o.Agents, o.Messages)
	if err != nil {
		return rules, err
	}
	c := filter.Config{
		Dated: o.AsOf == "", Any: o.Any, Disallowed: o.Disallowed, NoPolicy: o.NoPolicy, Invalid: o.Invalid,
		Quotes: o.Quotes,
	}
	if o.Page != "" {
		if c.Page, err = page.ParseDirectives(o.Page); err != nil {
			return rules, usageError("option Page: %w", err)
		}
	}
	if c.AsOf, err = asOf(o.AsOf, o.Now); err != nil {
		return rules, err
	}
	for _, agent := range agents {
		c.Dialects = append(c.Dialects, agent.Dialect)
		c.Tokens = append(c.Tokens, agent.Tokens)
		rules.names = append(rules.names, agent.Name)
	}
	if c.Annotate, err = lists.Annotator(string(o.Annotate), rules.names); err != nil {
		return rules, usageError("option Annotate %s: %w", o.Annotate, err)
	}
	if o.Archive == "" {
		c.Site, err = o.site(ctx, agents, memory)
		return rulesInUse{config: c, names: rules.names}, err
	}
	archive, err := openRules(ctx, o.Archive, agents...)
	if err != nil {
		return rules, err
	}
	for _, agent := range agents {
		o.Messages.warnOfOthers(agent, nil)
	}
	archive.Dated = o.Prove
	archive.Judge(&c)
	memory.loaded += int64(12 * archive.Archive.Rulesets())
	return rulesInUse{c, rules.names, archive}, nil
}

// different looks up agents. It is an error if two are the same.
func different(list []Agent, messages Messages) (agents []archived.Agent, err error) {
	for _, a := range list {
		agent, err := a.find(messages)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(agents, func(other archived.Agent) bool { return other.Name == agent.Name }) {
			return nil, usageError("agent %s is given twice", agent.Name)
		}
		if agent.Exempt != "" {
			messages.warn("%s does not apply robots.txt: %s", agent.Name, agent.Exempt)
		}
		agents = append(agents, agent)
	}
	return agents, nil
}

// site returns the rules of a robots.txt for each agent. It warns of its oddities.
func (o *FilterOptions) site(ctx context.Context, agents []archived.Agent, memory *budget) (rules []filter.Rules,
	err error) {
	body, err := o.Robots.read(ctx, memory)
	if err != nil {
		return nil, err
	}
	compiled := map[automaton.Dialect]*compile.Robots{}
	for _, agent := range agents {
		if compiled[agent.Dialect] == nil {
			memory.loadBody(body)
			if err := memory.check(); err != nil {
				return nil, err
			}
			compiled[agent.Dialect] = compile.Compile(body, compile.Options{Dialect: agent.Dialect,
				MaxBytes: o.Robots.MaxBytes})
		}
	}
	o.Messages.warnAll(Oddities(compiled[agents[0].Dialect], body, o.Robots.Name))
	for _, agent := range agents {
		rules = append(rules, filter.Rules{Machine: agent.Machine(compiled[agent.Dialect].Ruleset)})
		o.Messages.warnOfOthers(agent, compiled[agent.Dialect].Ruleset)
	}
	return rules, nil
}
