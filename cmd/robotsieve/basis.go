package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// basis is all that an audit rests on but the logs. Written as JSON it is the
// head of a state: states add up if it is the same.
type basis struct {
	audit.Basis
	Rows     []basisRow
	Bodies   [][]byte // of the rows, each once
	Window   time.Duration
	Dialect  string // "auto" or one for all crawlers
	MaxBytes int    // as compile.Options has it
	Profiles []crawler.Profile
	Sums     [][]byte // SHA-256 of the files of Ranges, and of Names
	Samples  int
}

// basisRow is a policy.Row.
type basisRow struct {
	Origins  []string
	From     int64
	Status   int
	Body     int // index in Bodies, -1 if none
	Size     int64
	File     string
	MaxAge   time.Duration
	Location string
	Where    string
}

// policyFlags are the flags that say by what is judged.
type policyFlags struct {
	robots         robotsFlags
	source         *string
	history        func() (string, error)
	assumeConstant *bool
	hosts          *[]string
	window         *string
	crawlers       *string
}

func addPolicyFlags(cmd *cobra.Command) policyFlags {
	flags := cmd.Flags()
	return policyFlags{
		robots: addRobotsFlags(cmd),
		source: flags.String("policy", "", "the versions of robots.txt to judge by: a manifest (CSV) or a folder of dated files"),
		history: choice(cmd, "history", "auto",
			"what the times of versions are: when they were put up, or when they were seen; auto is deployed for a manifest and observed for a folder",
			"auto", "deployed", "observed"),
		assumeConstant: flags.Bool("assume-constant", false, "take the first version of each origin as in force before all time"),
		hosts: flags.StringArray("host", nil,
			"judge only this site, such as https://example.com (repeatable); needed where the log names hosts and --robots does not say whose it is, or where --policy does and the log does not"),
		window:   flags.String("window", "24h", "for how long a crawler may use a copy of robots.txt, 24h or more"),
		crawlers: crawlersFlag(cmd),
	}
}

// Bounds of --window.
const (
	minWindow = 24 * time.Hour
	maxWindow = 3660 * 24 * time.Hour
)

// read reads what the flags name.
func (f policyFlags) read(ctx context.Context, s streams) (*basis, error) {
	b := &basis{Basis: audit.Basis{AssumeConstant: *f.assumeConstant}}
	var err error
	if b.MaxBytes, err = f.robots.limit(); err != nil {
		return nil, err
	}
	if b.Dialect, err = f.robots.dialect(); err != nil {
		return nil, err
	}
	if b.Window, err = parseDuration(*f.window); err != nil {
		return nil, usageError("--window %w", err)
	}
	if b.Window < minWindow || b.Window > maxWindow {
		return nil, usageError("--window %s: between %s, for which RFC 9309 2.4 lets a crawler keep a copy, and %s", *f.window, english.Hours(minWindow), english.Hours(maxWindow))
	}
	for _, host := range *f.hosts {
		list, err := origin.Parse(host)
		if err != nil {
			return nil, usageError("--host %w", err)
		}
		for _, o := range list {
			b.Hosts = append(b.Hosts, o.String())
		}
	}
	if b.Profiles, err = job.Profiles(*f.crawlers); err != nil {
		return nil, err
	}
	history, err := f.history()
	if err != nil {
		return nil, err
	}
	switch {
	case *f.robots.file == "" && *f.source == "":
		return nil, usageError("no policy: name the robots.txt to judge by with --robots FILE, or its versions with --policy")
	case *f.robots.file != "" && *f.source != "":
		return nil, usageError("--robots and --policy cannot be given together")
	case *f.robots.file != "" && (history != "auto" || b.AssumeConstant):
		return nil, usageError("--history and --assume-constant are for --policy: a robots.txt given by --robots is taken as in force throughout")
	case *f.robots.file != "":
		return b, b.readRobots(ctx, s, f.robots)
	}
	return b, b.readVersions(*f.source, history)
}

func (b *basis) readRobots(ctx context.Context, s streams, f robotsFlags) error {
	body, size, err := f.open(s, b.MaxBytes).Measure(ctx)
	if err != nil {
		return err
	}
	b.Constant, b.File = true, *f.file
	b.Rows = []basisRow{{Status: 200, Body: 0, Size: size, File: *f.file}}
	b.Bodies = [][]byte{body}
	return nil
}

func (b *basis) readVersions(path, history string) error {
	info, err := os.Stat(path)
	if err != nil {
		return inputError(err)
	}
	read := policy.ReadManifest
	if info.IsDir() {
		read = policy.ReadDirectory
	}
	rows, err := read(path, b.MaxBytes)
	if err != nil {
		return inputError(err)
	}
	b.File = path
	b.Observed = history == "observed" || history == "auto" && info.IsDir()
	bodies := map[string]int{}
	for _, r := range rows {
		row := basisRow{
			From: r.From, Status: r.Status, Body: -1, Size: r.Size, File: r.File, MaxAge: r.MaxAge, Location: r.Location, Where: r.Where,
		}
		for _, o := range r.Origins {
			row.Origins = append(row.Origins, o.String())
		}
		if r.Status/100 == 2 {
			i, known := bodies[string(r.Body)]
			if !known {
				i = len(b.Bodies)
				bodies[string(r.Body)] = i
				b.Bodies = append(b.Bodies, r.Body)
			}
			row.Body = i
		}
		b.Rows = append(b.Rows, row)
	}
	return nil
}

func (b *basis) findOddities() []string {
	const most = 10
	var list []string
	rest := 0
	seen := map[int]bool{}
	for _, r := range b.Rows {
		if r.Body < 0 || seen[r.Body] {
			continue
		}
		seen[r.Body] = true
		if len(list) >= most {
			rest += min(1, len(job.Oddities(b.compile(r.Body, automaton.RFC9309), r.File)))
			continue
		}
		list = append(list, job.Oddities(b.compile(r.Body, automaton.RFC9309), cmp.Or(r.File, r.Where))...)
	}
	if rest > 0 {
		list = append(list, fmt.Sprintf("and %s of the policy of which there is something of the kind to say", plural(int64(rest), "more file")))
	}
	return list
}

func (b *basis) compile(body int, d automaton.Dialect) *compile.Robots {
	return compile.Compile(b.Bodies[body], compile.Options{Dialect: d, MaxBytes: b.MaxBytes, Engine: compile.EngineList})
}

// judge is a basis made ready to judge by.
type judge struct {
	*basis
	config  audit.Config
	dialect *automaton.Dialect
}

// judge compiles what the basis holds.
func (b *basis) judge() (*judge, error) {
	j := &judge{basis: b}
	set, err := crawlerSet(b.Profiles)
	if err != nil {
		return nil, err
	}
	if b.Dialect != "auto" {
		d, err := automaton.ParseDialect(b.Dialect)
		if err != nil {
			return nil, err
		}
		j.dialect = &d
	}
	hosts, err := origins(b.Hosts)
	if err != nil {
		return nil, err
	}
	o := policy.Options{
		Observed: b.Observed, Window: b.Window, AssumeConstant: b.AssumeConstant, Hosts: hosts,
		MaxBytes: b.MaxBytes,
	}
	p, err := b.policy(o)
	if err != nil {
		return nil, err
	}
	b.Oddities = b.findOddities()
	if b.Observed {
		b.LastSeen = map[string]int64{}
		for _, row := range b.Rows {
			for _, o := range row.Origins {
				b.LastSeen[o] = max(b.LastSeen[o], row.From)
			}
		}
	}
	j.config = audit.Config{Crawlers: set, Policy: p, Dialect: j.dialect, Samples: b.Samples}
	return j, nil
}

func (b *basis) policy(o policy.Options) (*policy.Policy, error) {
	var rows []policy.Row
	for _, r := range b.Rows {
		at, err := origins(r.Origins)
		if err != nil {
			return nil, err
		}
		row := policy.Row{
			Origins: at, From: r.From, Status: r.Status, Size: r.Size, File: r.File, MaxAge: r.MaxAge, Location: r.Location, Where: r.Where,
		}
		if r.Body >= 0 {
			row.Body = b.Bodies[r.Body]
		}
		rows = append(rows, row)
	}
	if b.Constant {
		return policy.Constant(rows[0], o), nil
	}
	p, err := policy.New(rows, o)
	if err != nil {
		return nil, inputError(err)
	}
	return p, nil
}

// errBasis is for a state that was not written by this program.
var errBasis = errors.New("the head of the state makes no sense")

func origins(texts []string) ([]origin.Origin, error) {
	var list []origin.Origin
	for _, text := range texts {
		o, err := origin.Parse(text)
		if err != nil {
			return nil, err
		}
		list = append(list, o...)
	}
	return list, nil
}

// checkHosts refuses a robots.txt for nobody knows which of the hosts that the
// logs name.
func (b *basis) checkHosts(logs *auditLogs) error {
	if !b.Constant || len(b.Hosts) > 0 {
		return nil
	}
	for i, f := range logs.formats {
		if !f.HasHost() {
			continue
		}
		hosts, err := logs.hosts(i)
		if err != nil {
			return err
		}
		return usageError("%s is %s, which names hosts: say with --host which of them %s is for. Seen in its first lines: %s",
			logs.inputs[i].Name, f.Name(), b.File, strings.Join(hosts, ", "))
	}
	return nil
}

// unnamedHosts says so where nobody knows which host a log is of.
func (b *basis) unnamedHosts(s streams, logs *auditLogs) (warnings []string) {
	if b.Constant || len(b.Hosts) > 0 {
		return nil
	}
	return logs.formatWarnings(s, func(f format.Format) bool { return !f.HasHost() },
		"names no host, so nobody knows which robots.txt its requests are bound by: name the site with --host")
}

// stateHead is the head of a state.
type stateHead struct {
	Basis    json.RawMessage
	Inputs   []audit.InputInfo
	Warnings []string
	Partial  bool
}

// head returns the head of a state of which that is to be said.
func (b *basis) head(a about) ([]byte, error) {
	basis, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return json.Marshal(stateHead{basis, a.inputs, a.warnings, a.partial})
}

// verifies tells whether there is anything to verify clients by.
func (j *judge) verifies() bool {
	return len(j.Ranges) > 0 || j.Names != "" || j.config.Addresses
}
