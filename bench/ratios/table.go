package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/robotsieve/robotsieve/bench"
)

// trial is what is measured in turn: ours, beside others. Each of these is a row of the table; without any there is one row.
type trial struct {
	what string
	// enter makes the contestants, and what they need in memory.
	enter  func() (ours contestant, beside []peer, err error)
	busy   bool   // the ratio is the share of all processors that was busy
	target string // if there is nothing beside it
}

// peer is what we are compared with.
type peer struct {
	contestant
	target string
}

// trials returns them in the order of the table.
func trials(program string, t *texts, f *files) []trial {
	list := inflateTrials(t, f.size/16)
	enter := func(what string, ours contestant, beside ...peer) trial {
		return trial{what: what, enter: func() (contestant, []peer, error) { return ours, beside, nil }}
	}
	audit := func(lines int, names ...string) contestant {
		return command("robotsieve", reports(lines), program, append([]string{"audit", "--output", "json", "--robots", t.sampleRobots}, names...)...)
	}
	wc := func(name string, lines int) contestant { return command("wc -l", prints(lines), "wc", "-l", name) }
	list = append(list,
		enter("audit of .gz", audit(f.lines, f.gz),
			peer{function("klauspost's inflate", f.size, openKlauspost(), fromFile(f.gz)), "<= 0.65"},
			peer{command("igzip -dc", decompresses(f.size), "igzip", "-dc", f.gz), "<= 2.0"}),
		enter("audit of .zst", audit(f.lines, f.zst), peer{command("zstd -dc", decompresses(f.size), "zstd", "-dc", f.zst), "<= 1.25"}),
		enter("audit of plain", audit(f.lines, f.plain), peer{wc(f.plain, f.lines), "<= 2.2"}),
		enter("filter of URLs by 100 rules", command("robotsieve", printsSomething, program, "filter", "--robots", f.robots, "--agent", "FooBot", f.urls),
			peer{wc(f.urls, f.urlsNumber), "<= 6"}),
	)
	alone := func(what, target string, ours contestant) trial {
		alone := enter(what, ours)
		alone.target = target
		return alone
	}
	rotated := alone(fmt.Sprintf("audit of %d rotated .gz, share of %d processors", rotations, runtime.NumCPU()), ">= 95 %", audit(f.rotatedLines, f.rotated...))
	rotated.busy = true
	return append(list, rotated,
		alone("audit of 1 MB", "<= 12 ms", audit(f.megabyteLines, f.megabyte)),
		alone("version", "", command("robotsieve", printsSomething, program, "version")))
}

// inflateTrials are those of the decompressor alone, one thread, on texts of so many octets.
func inflateTrials(t *texts, size int) (list []trial) {
	for _, k := range kinds(t, size) {
		list = append(list, trial{what: "inflate of " + k.name, enter: func() (contestant, []peer, error) {
			text := k.text()
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, _ = w.Write(text) // a buffer does not fail
			if err := w.Close(); err != nil {
				return contestant{}, nil, err
			}
			from, n := fromMemory(packed.Bytes()), len(text)
			return function("robotsieve", n, openOurs(), from), []peer{{function("klauspost", n, openKlauspost(), from), k.target}}, nil
		}})
	}
	return list
}

const rowFormat = "| %-46s | %10s | %-30s | %6s | %8s |\n"

func printHead(out io.Writer) {
	fmt.Fprintf(out, rowFormat, "what", "ours", "beside", "ratio", "target")
	fmt.Fprintln(out, "|---|--:|---|--:|--:|")
}

// measure prints the rows of the trial.
func (t *trial) measure(ctx context.Context, rounds int, out io.Writer) error {
	ours, beside, err := t.enter()
	if err != nil {
		return err
	}
	list := []contestant{ours}
	for _, p := range beside {
		list = append(list, p.contestant)
	}
	times, err := inTurn(ctx, rounds, list)
	if err != nil {
		return err
	}
	own := median(times[0])
	if len(beside) == 0 {
		ratio := ""
		if t.busy {
			ratio = fmt.Sprintf("%.0f %%", 100*busy(times[0]))
		}
		fmt.Fprintf(out, rowFormat, t.what, show(own), "", ratio, t.target)
	}
	for i, p := range beside {
		if p.missing {
			fmt.Fprintf(out, rowFormat, t.what, show(own), p.name+" is missing", "", p.target)
			continue
		}
		other := median(times[i+1])
		fmt.Fprintf(out, rowFormat, t.what, show(own), p.name+" "+show(other), fmt.Sprintf("%.2f", float64(own)/float64(other)), p.target)
	}
	return nil
}

func median(times []spent) time.Duration {
	var walls []time.Duration
	for _, t := range times {
		walls = append(walls, t.wall)
	}
	return bench.Median(walls)
}

// busy returns the share of all processors that the runs used, from 0 to 1.
func busy(times []spent) float64 {
	var shares []float64
	for _, t := range times {
		shares = append(shares, t.cpu.Seconds()/t.wall.Seconds()/float64(runtime.NumCPU()))
	}
	return bench.Median(shares)
}

func show(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
