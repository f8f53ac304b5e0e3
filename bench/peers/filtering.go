package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/robotsieve/robotsieve/bench"
)

// Where the list of URLs and the robots.txt of their hosts are, seen from this folder.
const (
	listedURLs   = "../../../shared/data/urls/with-robots.txt.gz"
	listedRobots = "../../../shared/data/robots/by-host.jsonl.gz"
)

// listAgent is the crawler that would fetch the URLs of the list.
const listAgent = "ExampleBot"

// filterers are the engines that filter the list. The others take minutes, or no URLs of several sites.
var filterers = []string{"robotsieve", "temoto/robotstxt (Go)", "robots-parser (JavaScript)", "Protego (Python)"}

// loadList reads URLs and the robots.txt of their hosts: each is a site, in the order of the list.
func loadList() (*corpus, error) {
	urls, err := readGzip(listedURLs)
	if err != nil {
		return nil, err
	}
	robots, err := readGzip(listedRobots)
	if err != nil {
		return nil, err
	}
	bodies := map[string][]byte{}
	for line := range bytes.Lines(robots) {
		var r struct {
			Host  string `json:"host"`
			Body  string `json:"body"`
			Coded []byte `json:"body_b64"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", listedRobots, err)
		}
		if bodies[r.Host] = r.Coded; r.Coded == nil {
			bodies[r.Host] = []byte(r.Body)
		}
	}
	c := &corpus{name: "URLs with the robots.txt of their hosts"}
	at := map[string]int{}
	for line := range strings.Lines(string(urls)) {
		line = strings.TrimSuffix(line, "\n")
		robotsURL := robotsOf(line)
		_, host, _ := strings.Cut(strings.TrimSuffix(robotsURL, "/robots.txt"), "://")
		body, known := bodies[host]
		if !known {
			continue
		}
		i, there := at[robotsURL]
		if !there {
			i = len(c.sites)
			at[robotsURL] = i
			c.sites = append(c.sites, bench.Site{RobotsURL: robotsURL, Agent: listAgent, Body: body})
		}
		c.sites[i].URLs = append(c.sites[i].URLs, line)
	}
	c.judge()
	return c, nil
}

// filterList has each engine filter the list: it parses the robots.txt of each host once and judges its URLs. The command does that from file
// to file, reading and writing included, with an archive that it has made before.
func filterList(ctx context.Context, command string, all []bench.Entrant, timeout time.Duration, out, stderr io.Writer) error {
	c, err := loadList()
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(out, "\nNo list was filtered: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	octets, urls := c.size()
	fmt.Fprintf(out, "\nFiltering a list: %d URLs of %d sites, %d bytes of robots.txt, each parsed once.\n", urls, len(c.sites), octets)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "peer\t%9s\t%10s\t%8s\n", "seconds", "ns a URL", "agrees")
	row := func(name string, seconds float64, agreed, asked int) {
		fmt.Fprintf(t, "%s\t%9.3f\t%10.0f\t%8s\n", show(name), seconds, seconds*1e9/float64(urls), bench.Percent(agreed, asked)+" %")
	}
	if _, err := os.Stat(command); err == nil {
		seconds, agreed, err := c.filterByCommand(ctx, command)
		if err != nil {
			return err
		}
		row("robotsieve filter, from file to file", seconds, agreed, urls)
	}
	for _, name := range filterers {
		for _, e := range all {
			if e.Name != name || ctx.Err() != nil {
				continue
			}
			fmt.Fprintf(stderr, "%s, a list ...\n", show(e.Name))
			r := c.measure(ctx, e, bench.Plan{Rounds: 1, Timeout: timeout})
			if r.Missing != nil || r.Broken != nil {
				fmt.Fprintf(t, "%s\t%9s\t%10s\t%8s\n", show(e.Name), "-", "-", "missing")
				continue
			}
			parse, _ := r.Parse()
			match, _ := r.Match()
			row(e.Name, (parse*float64(r.Sites)+match*float64(r.Asked))/1e9, r.Agreed, r.Asked)
		}
	}
	return t.Flush()
}

// filterByCommand runs the command on one processor's worth of work, and returns the median of its times and how many
// verdicts are the expected ones.
func (c *corpus) filterByCommand(ctx context.Context, command string) (seconds float64, agreed int, err error) {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	archive, list := filepath.Join(dir, "rules.rsv"), filepath.Join(dir, "urls.txt")
	var text, hosts bytes.Buffer
	lines := json.NewEncoder(&hosts)
	for i := range c.sites {
		s := &c.sites[i]
		text.WriteString(strings.Join(s.URLs, "\n") + "\n")
		if err := lines.Encode(map[string]any{"host": strings.TrimSuffix(s.RobotsURL, "/robots.txt"), "body_b64": s.Body}); err != nil {
			return 0, 0, err
		}
	}
	if err := os.WriteFile(list, text.Bytes(), 0o600); err != nil {
		return 0, 0, err
	}
	made := exec.CommandContext(ctx, command, "compile", "--dialect", "google", "--max-bytes", "0", "-o", archive, "-")
	made.Stdin = &hosts
	if said, err := made.CombinedOutput(); err != nil && made.ProcessState.ExitCode() != 3 { // 3: a host that is none
		return 0, 0, fmt.Errorf("%w: %s", err, said)
	}
	run := func(args ...string) ([]byte, error) {
		args = append([]string{"filter", "--rules", archive, "--dialect", "google", "--agent", listAgent, "--workers", "1"}, append(args, list)...)
		return exec.CommandContext(ctx, command, args...).Output()
	}
	verdicts, err := run("--annotate", "tsv")
	if err != nil {
		return 0, 0, err
	}
	agreed = c.agreeing(verdicts)
	var times []float64
	for range 2*timedRounds + 1 {
		begin := time.Now()
		if _, err := run(); err != nil {
			return 0, 0, err
		}
		times = append(times, time.Since(begin).Seconds())
	}
	return bench.Median(times), agreed, nil
}

// agreeing counts the lines of verdicts that are the expected ones.
func (c *corpus) agreeing(verdicts []byte) (n int) {
	lines := bufio.NewScanner(bytes.NewReader(verdicts))
	for i := range c.sites {
		for k := range c.sites[i].URLs {
			if lines.Scan() && strings.HasPrefix(lines.Text(), c.want[i][k].String()+"\t") {
				n++
			}
		}
	}
	return n
}
