package inflate_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	kgzip "github.com/klauspost/compress/gzip"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// BenchmarkInflate decompresses about 30 MB of gzip, on one goroutine into one buffer, and compares
// with libraries. The inputs are a log, real if available, and base64 of random bytes, which hardly
// repeat.
func BenchmarkInflate(b *testing.B) {
	for _, name := range []string{"log", "dense"} {
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
	if name == "dense" {
		random := make([]byte, corpusSize*3/4)
		_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
		return []byte(base64.StdEncoding.EncodeToString(random))
	}
	name = "../../../../shared/data/logs/wordpress-2016.combined.log.gz"
	if _, err := os.Stat(name); err != nil {
		name = "../../../testdata/sample/access.log.gz"
	}
	var z inflate.Gzip
	z.Reset(bufio.NewReader(bytes.NewReader(readFile(b, name))))
	text, err := readMembers(&z, 1<<17, "")
	if err != nil {
		b.Fatal(err)
	}
	return bytes.Repeat([]byte(text), corpusSize/len(text)+1)[:corpusSize]
}
