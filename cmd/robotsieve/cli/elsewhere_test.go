package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/scan/job"
)

// TestElsewhereHasTheReportsAndExitCodes: a program whose jobs are done elsewhere prints what robotsieve prints, and its rows, wherever they are
// written, are those of robotsieve.
func TestElsewhereHasTheReportsAndExitCodes(t *testing.T) {
	const sample = "../../../testdata/sample/"
	var rows, kept, own string
	e := &Elsewhere{
		Name: "elsewhere", Short: "Jobs elsewhere", Long: "Jobs elsewhere.",
		Adapt: func(cmd *cobra.Command) { cmd.Flags().StringVar(&own, "own", "", "a flag of its own") },
		Audit: func(ctx context.Context, o job.AuditOptions, r Rows) (*job.Audited, error) {
			var b bytes.Buffer
			end := func() error { return nil }
			if r.List != "" {
				o.Rows, end = r.Begin(&b)
			}
			a, err := job.Audit(ctx, o)
			if err := end(); err != nil {
				t.Error(err)
			}
			rows = b.String()
			return a, err
		},
		Filter: func(ctx context.Context, o job.FilterOptions) (*job.Filtered, error) {
			var b bytes.Buffer
			f, err := job.Filter(ctx, o, &b)
			kept = b.String()
			return f, err
		},
	}
	run := func(args ...string) result {
		var out, diagnosis bytes.Buffer
		code := e.Run(t.Context(), args, strings.NewReader("https://lantern.example/private/\nhttps://lantern.example/\n"), &out, &diagnosis)
		return result{out.String(), diagnosis.String(), code}
	}
	audit := []string{"audit", "--policy", sample + "policy.csv", "--host", "https://lantern.example", "--crawlers", sample + "crawlers.json", "--ip-ranges", sample + "ranges"}
	more := func(args ...string) []string {
		return append(append(audit[:len(audit):len(audit)], args...), sample+"access.log.gz")
	}

	for _, args := range [][]string{more(), more("--samples", "1"), more("--fail-on", "violation>0"), more("--fail-on", "violation>99%"), more("--quiet")} {
		here := command(t, "", args...)
		there := run(args...)
		if there.err = strings.ReplaceAll(there.err, "elsewhere: ", "robotsieve: "); there != here {
			t.Errorf("%s: code %d, and here %d: %s%s", args, there.code, here.code, there.out, there.err)
		}
	}
	for _, output := range []string{"ndjson", "csv"} {
		here := command(t, "", more("--list", "violations", "--output", output)...)
		if there := run(more("--list", "violations", "--output", output)...); rows != here.out || rows == "" || !strings.Contains(there.out, "GrabbitBot") || there.code != exitDone {
			t.Errorf("%s: code %d, %d bytes of rows, and here %d: %.200s", output, there.code, len(rows), len(here.out), there.out)
		}
	}
	filter := []string{"filter", "--robots", sample + "robots.txt", "--agent", "GPTBot", "-"}
	here := command(t, "https://lantern.example/private/\nhttps://lantern.example/\n", filter...)
	if there := run(filter...); kept != here.out || there.code != here.code || strings.ReplaceAll(there.err, "elsewhere: ", "robotsieve: ") != here.err {
		t.Errorf("code %d: %q, and here %d: %q", there.code, kept, here.code, here.out)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{more("--evidence", "x"), "elsewhere: unknown flag: --evidence"},
		{[]string{"merge", "x"}, `elsewhere: unknown command "merge"`},
		{more("--output", "parquet"), "--output parquet is for --list"},
	} {
		if there := run(c.args...); there.code != exitUsage || !strings.Contains(there.err, c.says) || !strings.Contains(there.err, "Try 'elsewhere ") {
			t.Errorf("%s: code %d: %s", c.args, there.code, there.err)
		}
	}
	if there := run(more("--own", "x", "--quiet")...); there.code != exitDone || own != "x" {
		t.Errorf("code %d, its own flag is %q: %s", there.code, own, there.err)
	}
}
