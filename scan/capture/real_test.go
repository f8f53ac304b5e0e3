package capture_test

import (
	"archive/tar"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/source"
)

// TestSamplesOfOtherTools reads the WARC files that test other readers of WARC.
// The counts were made by a reader of regular expressions.
func TestSamplesOfOtherTools(t *testing.T) {
	type counts struct{ bodies, statuses, revisits int }
	want := map[string]counts{
		"aut/warc/example.warc.gz":    {bodies: 33, statuses: 5}, // 404
		"ipwb/warcs/sample-1.warc.gz": {revisits: 5},
		"ipwb/warcs/froggie.warc.gz":  {bodies: 1},
		"ipwb/warcs/mkelly1.warc":     {bodies: 1},
	}
	in, err := source.NewFile(filepath.Join("..", "..", "..", "shared", "data", "crawl", "warc-samples.tar.xz"))
	if err != nil {
		t.Skip("reference data are not part of the module:", err)
	}
	packed, err := in.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	read := 0
	for files := tar.NewReader(packed); ; read++ {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(file.Name, "warc/data/") && capture.KindOf(file.Name) != capture.Archive {
			continue
		}
		r, err := source.NewInput(file.Name, files, -1).Open()
		if err != nil {
			continue
		}
		var got counts
		for c, err := range capture.WARC(r, all) {
			switch {
			case err != nil && strings.Contains(err.Error(), string(capture.Revisit)):
				got.revisits++
			case err == nil && c.Status == 200:
				got.bodies++
			case err == nil:
				got.statuses++
			}
		}
		r.Close()
		name := strings.TrimPrefix(file.Name, "./")
		if w, known := want[name]; known && got != w {
			t.Errorf("%s: got %+v, want %+v", name, got, w)
		}
		delete(want, name)
	}
	if len(want) > 0 || read < 50 {
		t.Errorf("%d files, without %v", read, want)
	}
}
