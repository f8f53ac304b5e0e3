package job

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// manyHeaders is a log whose columns change every few lines, with blank lines, lines that are too long and garbage.
func manyHeaders(lines int) string {
	rng := rand.New(rand.NewPCG(7, 8))
	columns := []string{"date", "time", "c-ip", "cs-method", "cs-uri-stem", "cs-uri-query", "cs(User-Agent)",
		"sc-status", "cs-host"}
	var b strings.Builder
	header := func() {
		rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
		fmt.Fprintf(&b, "#Fields: %s\n", strings.Join(columns, " "))
	}
	for header(); lines > 0; lines-- {
		value := map[string]string{
			"date": "2026-03-04", "time": fmt.Sprintf("05:%02d:07", rng.IntN(60)), "c-ip": "192.0.2.1", "cs-method": "GET",
			"cs-uri-query": "-", "sc-status": "200", "cs-host": "-",
			"cs-uri-stem": []string{"/private/x", "/public", "/robots.txt"}[rng.IntN(3)],
			"cs(User-Agent)": []string{"GPTBot/1.0",
				"Mozilla/5.0+(compatible;+Googlebot/2.1;++http://www.google.com/bot.html)", "Mozilla/5.0"}[rng.IntN(3)],
		}
		for i, c := range columns {
			b.WriteString(strings.Repeat(" ", min(i, 1)) + value[c])
		}
		b.WriteString("\n")
		switch rng.IntN(12) {
		case 0:
			header()
		case 1:
			b.WriteString("\r\n#Remark: #Fields: x\n")
		case 2:
			b.WriteString("garbage\n")
		case 3:
			b.WriteString("#Fields: " + strings.Repeat("long ", 500) + "\n" + strings.Repeat("x", 3000) + "\n")
		}
	}
	return b.String()
}

// auditOf audits a log in chunks by a number of workers. It returns the report without the
// lines that were not parsed: of those that are too long it has what is kept of them in a chunk.
func auditOf(t *testing.T, in *source.Input, name string, workers, chunk int) string {
	t.Helper()
	profiles := crawler.Builtin()
	set, err := crawler.New(profiles)
	if err != nil {
		t.Fatal(err)
	}
	run := audit.New(audit.Config{Crawlers: set, Policy: policy.Constant(policy.Row{Body: []byte("User-agent: " +
		"*\nDisallow: /private/\n"), File: "robots.txt"}, policy.Options{}), Samples: 5}).Begin()
	defer run.Close()
	f, ok := format.ByName(name)
	if !ok {
		t.Fatal(name)
	}
	head, err := in.Head(format.SampleBytes)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = f.For(head, true); err != nil {
		t.Fatal(err)
	}
	logs := &auditLogs{list: []*auditLog{{Input: in, format: f}}}
	reader := source.NewReader(logs.inputs(), source.Options{Workers: workers, ChunkSize: chunk, MaxLine: 2048})
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if logs.scan(ctx, run, reader, workers) {
		t.Fatalf("%d workers, chunks of %d: it did not end", workers, chunk)
	}
	report, err := run.Report(audit.Inputs{})
	if err != nil {
		t.Fatal(err)
	}
	report.UnparsedSamples = nil
	b, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestAnyChunksOneReport checks that a log whose columns change has the same report, however it is cut into chunks
// and distributed.
func TestAnyChunksOneReport(t *testing.T) {
	log := manyHeaders(1000)
	name := file(t, "u_ex260304.log", log)
	stream := func() *source.Input { return source.NewInput("stream", strings.NewReader(log), int64(len(log))) }
	opened := func() *source.Input {
		in, err := source.NewFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	want := auditOf(t, stream(), "w3c", 1, 1<<10)
	if !strings.Contains(want, "GPTBot") || !strings.Contains(want, "Googlebot") {
		t.Fatalf("%.1000s", want)
	}
	for _, workers := range []int{1, 2, 16} {
		for _, chunk := range []int{32, 100, 333, 1000} {
			for _, in := range []*source.Input{stream(), opened()} {
				if got := auditOf(t, in, "w3c", workers, chunk); got != want {
					t.Fatalf("%s: %d workers, chunks of %d\n got %.1000s\nwant %.1000s", in.Name, workers, chunk, got, want)
				}
			}
		}
	}
}

// TestHeadersOfAnEndedScan checks that no worker waits for a header after reading has ended early.
func TestHeadersOfAnEndedScan(t *testing.T) {
	f, _ := format.ByName("w3c")
	log := &auditLog{Input: source.NewLines("", nil), format: f}
	log.trackBeginnings()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		chunk := &source.Chunk{Seq: 3, Data: bytes.Repeat([]byte("x\n"), 10)}
		(&auditLogs{list: []*auditLog{log}}).readChunk(ctx, 0, nil, chunk)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for the chunks before")
	}
}
