package main

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// texts are what the files are made of, by repetition.
type texts struct {
	origin       string // of the log
	log          []byte // lines, each with its newline
	html         []byte
	urls, robots []byte // a list of URLs, and the 100 rules that it is filtered by
	sampleRobots string // the name of the robots.txt that the log is audited by
}

// readTexts reads the shared data beside the checkout, or the sample where there is none.
func readTexts(root string) (*texts, error) {
	shared, sample := filepath.Join(root, "../shared/data"), filepath.Join(root, "testdata/sample")
	t := &texts{origin: "wordpress-2016 of the shared data", sampleRobots: filepath.Join(sample, "robots.txt")}
	var err error
	t.log, err = readGzip(filepath.Join(shared, "logs/wordpress-2016.combined.log.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		t.origin = "that of the sample"
		t.log, err = readGzip(filepath.Join(sample, "access.log.gz"))
	}
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(t.log, []byte("\n")) {
		t.log = append(t.log, '\n')
	}
	if t.html, err = os.ReadFile(filepath.Join(root, "cmd/robotsieve/cli/testdata/sample.html")); err != nil {
		return nil, err
	}
	t.urls, err = os.ReadFile(filepath.Join(shared, "bench/urls_10k.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		t.urls, t.robots = listOf(t.log)
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	t.robots, err = os.ReadFile(filepath.Join(shared, "bench/robots_medium.txt"))
	return t, err
}

func readGzip(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// listOf makes a list of URLs of the paths of a log in the format combined, and 100 rules of the beginnings of some.
func listOf(log []byte) (urls, robots []byte) {
	var paths [][]byte
	for line := range bytes.Lines(log) {
		if fields := bytes.Fields(line); len(fields) > 6 && bytes.HasPrefix(fields[6], []byte("/")) {
			paths = append(paths, fields[6])
			urls = fmt.Appendf(urls, "https://lantern.example%s\n", fields[6])
		}
	}
	robots = []byte("User-agent: *\n")
	for i := range 100 {
		path := paths[i*len(paths)/100]
		robots = fmt.Appendf(robots, "Disallow: %s%d\n", path[:min(len(path), 12)], i%10)
	}
	return urls, robots
}

// files are the files that the contestants read.
type files struct {
	size, lines    int // of the log
	plain, gz, zst string
	rotated        []string // logs of about that size in all
	rotatedLines   int
	megabyte       string // a log
	megabyteLines  int
	urls, robots   string // a list, and the rules for it
	urlsNumber     int
}

// writeFiles writes a log of about size octets, in each form.
func writeFiles(ctx context.Context, dir string, t *texts, size int) (*files, error) {
	name := func(name string) string { return filepath.Join(dir, name) }
	log, small := cut(t.log, size), cut(t.log, 1e6)
	times, listTimes := copies(log, size), copies(t.urls, size/4)
	f := &files{
		size: times * len(log), lines: times * lines(log),
		plain: name("access.log"), gz: name("access.log.gz"), zst: name("access.log.zst"),
		megabyte: name("small.log"), megabyteLines: lines(small),
		urls: name("urls.txt"), robots: name("robots.txt"), urlsNumber: listTimes * lines(t.urls),
	}
	// Larger windows would find the copies of a short log in each other.
	window := min(2<<20, 1<<(bits.Len(uint(len(log)))-1))
	frame := func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithWindowSize(window)) }
	return f, errors.Join(
		write(ctx, f.plain, nil, log, times),
		write(ctx, f.zst, frame, log, times),
		writeGzip(f.gz, slices.Repeat([]piece{compress(log)}, times)...),
		write(ctx, f.megabyte, nil, small, 1),
		write(ctx, f.urls, nil, t.urls, listTimes),
		os.WriteFile(f.robots, t.robots, 0o600),
		f.rotate(dir, cut(t.log, size/rotations), size/rotations),
	)
}

// rotate writes logs of about size octets each. Each begins with another line: logs with the same content would count as one, and which are
// the same is seen at their beginnings where they differ there, as those of a server do.
func (f *files) rotate(dir string, log []byte, size int) error {
	pieces := slices.Repeat([]piece{compress(log)}, copies(log, size))
	f.rotatedLines = rotations * (1 + len(pieces)*lines(log))
	for i := range rotations {
		first := compress(fmt.Appendf(nil, `192.0.2.1 - - [01/Jan/2016:00:00:%02d +0000] "GET / HTTP/1.1" 200 512 "-" "-"`+"\n", i))
		f.rotated = append(f.rotated, filepath.Join(dir, fmt.Sprintf("access.log.%d.gz", i+1)))
		if err := writeGzip(f.rotated[i], append([]piece{first}, pieces...)...); err != nil {
			return err
		}
	}
	return nil
}

const rotations = 30

// cut returns the whole lines of the first octets of a text, at least one.
func cut(text []byte, size int) []byte {
	if len(text) <= size {
		return text
	}
	if end := bytes.LastIndexByte(text[:size], '\n'); end >= 0 {
		return text[:end+1]
	}
	return text[:bytes.IndexByte(text, '\n')+1]
}

// copies is how many of a text have about size octets: one of a text that was cut to that.
func copies(text []byte, size int) int { return max(1, (size+len(text)/2)/len(text)) }

func lines(text []byte) int { return bytes.Count(text, []byte("\n")) }

// write writes a text several times over, through a compressor unless that is nil.
func write(ctx context.Context, name string, through func(io.Writer) (io.WriteCloser, error), text []byte, times int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var w io.WriteCloser = f
	if through != nil {
		if w, err = through(f); err != nil {
			return err
		}
	}
	for range times {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return w.Close()
}

// piece is a text and the blocks of DEFLATE that it is compressed to. They end at the end of an octet, and none of them refers to what is before
// them, so they may stand in a row.
type piece struct{ text, blocks []byte }

// compress compresses a text as gzip does by default.
func compress(text []byte) piece {
	var blocks bytes.Buffer
	w, _ := flate.NewWriter(&blocks, flate.DefaultCompression) // a level that there is
	_, _ = w.Write(text)                                       // a buffer does not fail
	_ = w.Flush()
	return piece{text, blocks.Bytes()}
}

// writeGzip writes pieces as one member.
func writeGzip(name string, pieces ...piece) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
	sum, size := uint32(0), uint32(0)
	for _, p := range pieces {
		sum = crc32.Update(sum, crc32.IEEETable, p.text)
		size += uint32(len(p.text))
		if err == nil {
			_, err = f.Write(p.blocks)
		}
	}
	end := []byte{3, 0} // an empty last block
	end = binary.LittleEndian.AppendUint32(end, sum)
	end = binary.LittleEndian.AppendUint32(end, size)
	if err == nil {
		_, err = f.Write(end)
	}
	return errors.Join(err, f.Close())
}

// kind is a text for the decompressor alone.
type kind struct {
	name   string
	target string // of the time beside that of klauspost
	text   func() []byte
}

func kinds(t *texts, size int) []kind {
	return []kind{
		{"log", "<= 0.59", func() []byte { return fill(cut(t.log, size), size) }},
		{"JSON", "<= 0.77", func() []byte { return jsonOf(t.log, size) }},
		{"HTML", "<= 0.77", func() []byte { return fill(t.html, size) }},
		{"base64", "<= 0.77", func() []byte { return base64Of(size) }},
	}
}

func fill(text []byte, size int) []byte { return bytes.Repeat(text, copies(text, size)) }

// jsonOf writes the lines of a log in the format combined as objects.
func jsonOf(log []byte, size int) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	for out.Len() < size {
		for line := range bytes.Lines(log) {
			record := struct{ Client, Request, Answer, Referrer, Agent string }{}
			fields := bytes.Split(line, []byte(`"`))
			for i, field := range []*string{&record.Client, &record.Request, &record.Answer, &record.Referrer, nil, &record.Agent} {
				if field != nil && i < len(fields) {
					*field = string(bytes.TrimSpace(fields[i]))
				}
			}
			_ = e.Encode(record) // a buffer does not fail
			if out.Len() >= size {
				break
			}
		}
	}
	return out.Bytes()
}

// base64Of writes random octets in base64, in which hardly anything comes again.
func base64Of(size int) []byte {
	random := make([]byte, size*3/4)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random) // never fails
	return []byte(base64.StdEncoding.EncodeToString(random))
}
