package lint_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/lint"
)

// TestReal counts the notes of each kind on every twentieth of the real files, and the files that have one.
// With SHOW=1 it reads all of them and prints every note.
func TestReal(t *testing.T) {
	const name = "../../../shared/data/robots/bodies.jsonl.gz"
	file, err := os.Open(name)
	if err != nil {
		t.Skip("no real files: ", err)
	}
	defer file.Close()
	lines, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.Sitemap = nil
	notes, files := map[string]int{}, map[string]int{}
	var took []time.Duration
	show := os.Getenv("SHOW") != ""
	read := 0
	for d := json.NewDecoder(lines); ; read++ {
		var body struct{ Host, Body string }
		if err := d.Decode(&body); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !show && read%20 > 0 {
			continue
		}
		start := time.Now()
		found := lint.Check([]byte(body.Body), o)
		took = append(took, time.Since(start))
		if d := time.Since(start); d > time.Second/2 {
			t.Logf("%s: %d bytes in %v", body.Host, len(body.Body), d)
		}
		seen := map[string]bool{}
		for _, n := range found {
			notes[n.Kind]++
			if !seen[n.Kind] {
				files[n.Kind]++
			}
			if show {
				fmt.Printf("%s\t%s\t%d\t%s\t%s\t%q\t%q\n", n.Kind, body.Host, n.Line, n.Severity, n.Note, n.Text, n.Witness)
			}
			seen[n.Kind] = true
		}
	}
	for _, k := range lint.Kinds() {
		t.Logf("%-25s %-8s %7d notes %6d files", k.Name, k.Severity, notes[k.Name], files[k.Name])
	}
	sum := time.Duration(0)
	for _, d := range took {
		sum += d
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	t.Logf("%d files in %v: median %v, 99 %% %v, longest %v", len(took), sum, took[len(took)/2], took[len(took)*99/100],
		took[len(took)-1])
}
