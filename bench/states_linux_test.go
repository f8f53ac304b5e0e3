package bench

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStates measures how large the state of a day's log is, by what it depends on, and how long the program takes to add up many
// states, and with how much memory. docs/state.md has the figures. It needs 5 GB for temporary files, and some minutes:
//
//	go test ./bench -run '^$' -bench States -benchtime 1x -timeout 1h
func BenchmarkStates(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "robotsieve")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/robotsieve").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	basis := writeBasis(b, dir)
	usual := day{lines: 10_000_000, forbidden: 20}
	few, many, invented := usual, usual, usual
	few.lines, many.forbidden, invented.unknown = 1_000_000, 200, 100_000
	for _, c := range []struct {
		name, basis string
		day
		flags []string
	}{
		{"one_robots", "constant", usual, nil},
		{"one_robots_1M_lines", "constant", few, nil},
		{"history", "history", usual, nil},
		{"history_new_at_noon", "noon", usual, nil},
		{"history_that_forbade_all", "all", usual, nil},
		{"history_10_times_the_forbidden", "history", many, nil},
		{"crawl_delay", "delay", usual, nil},
		{"unknown_crawlers_100k", "constant", invented, nil},
		{"samples_10", "history", usual, []string{"--samples", "10"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			log, state := filepath.Join(dir, "day.log"), filepath.Join(dir, "day.state")
			c.write(b, log)
			defer os.Remove(log)
			for b.Loop() {
				run(b, program, append(append([]string{"audit", "--quiet", "--force", "--policy", basis[c.basis], "--host", "https://a.example", "--state", state}, c.flags...), log)...)
			}
			reportSize(b, state, c.lines)
		})
	}
	small, large := day{lines: 50_000, forbidden: 20, unknown: 1000}, day{lines: 5_000_000, forbidden: 20, unknown: 1000}
	b.Run("merge_1000", func(b *testing.B) {
		mergeStates(b, program, basis["history"], small, 1000, 32, 100)
	})
	b.Run("merge_8_large", func(b *testing.B) {
		mergeStates(b, program, basis["all"], large, 8)
	})
}

// mergeStates makes the states of n days, and adds them up at once and in trees, so many at a time.
func mergeStates(b *testing.B, program, policy string, of day, n int, fans ...int) {
	dir, size := b.TempDir(), int64(0)
	log, whole := filepath.Join(dir, "part.log"), filepath.Join(dir, "whole.state")
	var names []string
	for i := range n {
		of.number = i
		of.write(b, log)
		names = append(names, filepath.Join(dir, fmt.Sprintf("%03d.state", i)))
		run(b, program, "audit", "--quiet", "--policy", policy, "--host", "https://a.example", "--state", names[i], log)
		if info, err := os.Stat(names[i]); err == nil {
			size += info.Size()
		}
	}
	merge := func(sum string, states []string) (peak int) {
		return run(b, program, append([]string{"merge", "--quiet", "--force", "--state", sum}, states...)...)
	}
	b.Run("at_once", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(float64(merge(whole, names)), "peak-MB")
		}
		b.ReportMetric(float64(size)/1e6, "states-MB")
		reportSize(b, whole, n*of.lines)
	})
	for _, fan := range fans {
		b.Run(fmt.Sprintf("tree_of_%d", fan), func(b *testing.B) {
			for b.Loop() {
				level, peak := names, 0
				for at := 0; len(level) > 1; at++ {
					var sums []string
					for i := 0; i < len(level); i += fan {
						sums = append(sums, filepath.Join(dir, fmt.Sprintf("%d-%d-%d.sum", fan, at, i)))
						peak = max(peak, merge(sums[len(sums)-1], level[i:min(i+fan, len(level))]))
					}
					level = sums
				}
				b.ReportMetric(float64(peak), "peak-MB")
			}
		})
	}
}

// run runs the program and returns the most memory that it has held, in MB.
func run(b *testing.B, program string, args ...string) (peak int) {
	b.Helper()
	c := exec.Command(program, args...)
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return int(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10) // in KiB on Linux
}

// reportSize reports the size of a state of so many lines.
func reportSize(b *testing.B, name string, lines int) {
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "state-MB")
	b.ReportMetric(float64(info.Size())/float64(lines), "state-B/line")
}

// writeBasis writes manifests of robots.txt, and returns their paths by name: one version; twelve, of which each but the last forbids one
// article in a thousand, and the last is of the year before; the same with the last at noon of the first day; two, of which the old one forbids all;
// and one that states a Crawl-delay.
func writeBasis(b *testing.B, dir string) map[string]string {
	paths := map[string]string{}
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		return path
	}
	put("now.txt", "User-agent: *\nDisallow: /private/\n")
	put("all.txt", "User-agent: *\nDisallow: /\n")
	put("delay.txt", "User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n")
	manifest := func(name, last, file string, versions int) {
		text := "from,origin,status,file\n"
		for v := range versions - 1 {
			old := fmt.Sprintf("old%d.txt", v)
			put(old, fmt.Sprintf("User-agent: *\nDisallow: /private/\nDisallow: /articles/%d/\n", v))
			text += fmt.Sprintf("2024-%02d-01T00:00:00Z,https://a.example,200,%s\n", v+1, old)
		}
		paths[name] = put(name+".csv", text+last+",https://a.example,200,"+file+"\n")
	}
	manifest("constant", "2024-01-01T00:00:00Z", "now.txt", 1)
	manifest("history", "2025-06-01T00:00:00Z", "now.txt", 12)
	paths["all"] = put("all.csv", "from,origin,status,file\n2024-01-01T00:00:00Z,https://a.example,200,all.txt\n2025-06-01T00:00:00Z,https://a.example,200,now.txt\n")
	manifest("noon", "2026-01-01T12:00:00Z", "now.txt", 12)
	manifest("delay", "2024-01-01T00:00:00Z", "delay.txt", 1)
	return paths
}

// day is a log of one day: three lines in ten are of crawlers, of 20 addresses each.
type day struct {
	number    int // since 2026-01-01
	lines     int
	forbidden int // requests of crawlers that robots.txt forbids, in a thousand
	unknown   int // crawlers that are not known, which make a tenth of the requests of crawlers
}

var knownAgents = []string{
	"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
	"GPTBot/1.2", "ClaudeBot/1.0", "CCBot/2.0 (https://commoncrawl.org/faq/)", "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
	"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
}

// write writes the log. Its lines differ, as those of a real one do, since equal records take the room of one.
func (d day) write(b *testing.B, path string) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	rng := rand.New(rand.NewPCG(uint64(d.number), 1))
	start := time.Date(2026, 1, 1+d.number, 0, 0, 0, 0, time.UTC)
	var line []byte
	for i := range d.lines {
		at := start.Add(time.Duration(i) * 24 * time.Hour / time.Duration(d.lines))
		who := rng.IntN(1000)
		agent, path, size := "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36", "/articles/", 1000+rng.IntN(90_000)
		if who < 300 {
			agent = knownAgents[who%len(knownAgents)]
			if d.unknown > 0 && who < 30 {
				agent = fmt.Sprintf("Crawler%dBot/1.0 (+https://crawler.example/)", rng.IntN(d.unknown))
			}
			switch what := rng.IntN(1000); {
			case what < d.forbidden:
				path = "/private/"
			case what >= 998:
				path, size = "/robots.txt", 34
			}
		}
		if line = at.AppendFormat(fmt.Appendf(line[:0], "192.0.%d.%d - - [", who%64, rng.IntN(20)), "02/Jan/2006:15:04:05 -0700"); path == "/robots.txt" {
			line = fmt.Appendf(line, "] \"GET %s HTTP/1.1\" 200 %d \"-\" %q\n", path, size, agent)
		} else {
			line = fmt.Appendf(line, "] \"GET %s%d/%d HTTP/1.1\" 200 %d \"-\" %q\n", path, rng.IntN(1000), rng.IntN(1000), size, agent)
		}
		if _, err := w.Write(line); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}
