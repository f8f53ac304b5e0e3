package inflate_test

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

var update = flag.Bool("update", false, "write testdata anew, by the tools that are installed")

// tools are the compressors of others, which read a text on standard input and write gzip. Each
// chooses its blocks and codes in its own way.
var tools = []string{
	"gzip -1", "gzip -2", "gzip -3", "gzip -4", "gzip -5", "gzip -6", "gzip -7", "gzip -8", "gzip -9",
	"pigz -0", "pigz -1", "pigz -6", "pigz -11", // the last one is zopfli
	"igzip -0", "igzip -1", "igzip -2", "igzip -3",
	"libdeflate-gzip -1", "libdeflate-gzip -3", "libdeflate-gzip -6", "libdeflate-gzip -9", "libdeflate-gzip -12",
	"zstd --format=gzip -1", "zstd --format=gzip -9", "zstd --format=gzip -19",
	"bgzip",
}

// TestTools: what each of the tools that are installed compresses is read. For a machine that has
// none, testdata holds what they made of one text (go test -run Tools -update).
func TestTools(t *testing.T) {
	sample := texts()["log"][:6000]
	if *update {
		if err := os.WriteFile("testdata/text", sample, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range tools {
		t.Run(tool, func(t *testing.T) {
			args := strings.Fields(tool)
			if _, err := exec.LookPath(args[0]); err != nil {
				t.Skip("not installed")
			}
			for name, text := range texts() {
				text = text[:min(len(text), 10_000)]
				expect(t, name, compress(t, args, text), text)
			}
			if *update {
				name := filepath.Join("testdata", strings.NewReplacer(" ", "", "/", "").Replace(tool)+".gz")
				if err := os.WriteFile(name, compress(t, args, sample), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func compress(t *testing.T, args []string, text []byte) []byte {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Skip(err) // it may be another tool of that name, or an old one
	}
	return out
}

func TestSamplesOfTools(t *testing.T) {
	text := readFile(t, "testdata/text")
	samples, err := filepath.Glob("testdata/*.gz")
	if err != nil || len(samples) < 20 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	for _, name := range samples {
		expect(t, name, readFile(t, name), text)
	}
}

// expect verifies that the members of gzip hold this text.
func expect(t *testing.T, name string, data, text []byte) {
	t.Helper()
	var z inflate.Gzip
	z.Reset(bufio.NewReader(bytes.NewReader(data)))
	var got []byte
	for {
		if err := z.Next(); err != nil {
			break // told by the text
		}
		part, err := readAll(&z, 1<<17)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got = append(got, part...)
	}
	if !bytes.Equal(got, text) {
		t.Errorf("%s: %d octets, not the %d that were compressed", name, len(got), len(text))
	}
}
