package bench

import (
	"bytes"
	"io"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// headers returns the second column of a packed table of shared/data/bots.
func headers(b *testing.B, name string) (list [][]byte) {
	b.Helper()
	x, err := xz.NewReader(bytes.NewReader(shared(b, "data/bots/"+name)))
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(x)
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range lines(data) {
		if _, header, ok := bytes.Cut(line, []byte("\t")); ok {
			list = append(list, header)
		}
	}
	return list
}

// BenchmarkClassify times the reading of a header that no worker has seen
// before: each distinct header of real logs, of many sites and of crawlers only.
// An operation is one header.
func BenchmarkClassify(b *testing.B) {
	for _, corpus := range []struct{ name, file string }{
		{"logs", "log-user-agent-counts.tsv.xz"},
		{"crawlers", "bot-user-agents.tsv.xz"},
	} {
		b.Run("headers="+corpus.name, func(b *testing.B) {
			profiles := crawler.Builtin()
			set, err := crawler.New(profiles)
			if err != nil {
				b.Fatal(err)
			}
			list, size := headers(b, corpus.file), 0
			for _, header := range list {
				size += len(header)
			}
			reader := set.Reader()
			b.SetBytes(int64(size / len(list)))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				reader.Read(list[i%len(list)])
			}
		})
	}
}
