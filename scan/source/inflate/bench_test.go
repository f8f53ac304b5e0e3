package inflate_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	kgzip "github.com/klauspost/compress/gzip"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// BenchmarkInflate decompresses some 30 MB of gzip, by one goroutine into one buffer, beside the
// libraries: a log, the same as JSON, the documents of this project, and base64 of random bytes,
// in which hardly anything comes again. The log is a real one where there is one.
func BenchmarkInflate(b *testing.B) {
	for _, name := range []string{"log", "json", "prose", "dense"} {
		text := corpus(b, name)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(text)
		_ = w.Close()
		from, p := bytes.NewReader(nil), make([]byte, 512<<10)
		br := bufio.NewReaderSize(from, 256<<10)
		run := func(by string, open func() io.Reader) {
			b.Run("of="+name+"/by="+by, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					from.Reset(packed.Bytes())
					br.Reset(from)
					n := 0
					for r := open(); ; {
						m, err := r.Read(p)
						if n += m; err != nil {
							break
						}
					}
					if n != len(text) {
						b.Fatalf("%d octets, not %d", n, len(text))
					}
				}
			})
		}
		var ours inflate.Gzip
		run("robotsieve", func() io.Reader {
			ours.Reset(br)
			if err := ours.Next(); err != nil {
				b.Fatal(err)
			}
			return &ours
		})
		var theirs kgzip.Reader
		run("klauspost", func() io.Reader {
			if err := theirs.Reset(br); err != nil {
				b.Fatal(err)
			}
			return &theirs
		})
		var standard gzip.Reader
		run("standard", func() io.Reader {
			if err := standard.Reset(br); err != nil {
				b.Fatal(err)
			}
			return &standard
		})
	}
}

const corpusSize = 30 << 20

// corpus makes one of the texts.
func corpus(b *testing.B, name string) []byte {
	b.Helper()
	switch name {
	case "dense":
		random := make([]byte, corpusSize*3/4)
		chacha := rand.NewChaCha8([32]byte{1})
		_, _ = chacha.Read(random)
		return []byte(base64.StdEncoding.EncodeToString(random))
	case "prose":
		names, _ := filepath.Glob("../../../docs/*.md")
		var text []byte
		for _, name := range names {
			text = append(text, readFile(b, name)...)
		}
		return repeated(text)
	case "json":
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		for line := range bytes.Lines(corpus(b, "log")) {
			fields := bytes.SplitN(bytes.TrimSpace(line), []byte(" "), 9)
			record := map[string]string{}
			for i, field := range fields {
				record[[]string{"ip", "ident", "user", "time", "zone", "method", "path", "protocol",
					"rest"}[i]] = string(field)
			}
			if _ = e.Encode(record); out.Len() > corpusSize {
				break
			}
		}
		return out.Bytes()
	}
	name = "../../../../shared/data/logs/wordpress-2016.combined.log.gz"
	if _, err := os.Stat(name); err != nil {
		name = "../../../testdata/sample/access.log.gz"
	}
	return repeated(unzip(b, name))
}

func unzip(b *testing.B, name string) []byte {
	b.Helper()
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	return text
}

func repeated(text []byte) []byte {
	return bytes.Repeat(text, corpusSize/len(text)+1)[:corpusSize]
}
