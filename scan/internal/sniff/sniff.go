// Package sniff identifies a file by its first bytes and by its name: how it is compressed, and whether it is an
// archive, a log, a list, the output of a crawl, a robots.txt, or something mistaken for one of these.
//
// The name decides only what the bytes leave open, because files are renamed and pipes have no
// name.
package sniff

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// Codec is a compression format. The zero value means that it isn't known yet.
type Codec int32

// The codecs. Deflate is for members of a zip, and S2 for temporary files. No file is recognized as
// either.
const (
	Unknown Codec = iota
	Plain
	Gzip
	Zstd
	Bzip2
	Xz
	Deflate
	S2
)

var codecs = [...]struct {
	name   string
	begins string // how files of the codec usually begin
	ends   []string
}{
	Unknown: {},
	Plain:   {name: "plain"},
	Gzip:    {"gzip", "\x1f\x8b", []string{".gz", ".tgz"}},
	Zstd:    {"zstd", "\x28\xb5\x2f\xfd", []string{".zst", ".zstd"}},
	Bzip2:   {"bzip2", "BZh91AY&SY", []string{".bz2"}},
	Xz:      {"xz", "\xfd7zXZ\x00", []string{".xz"}},
	Deflate: {name: "deflate"},
	S2:      {name: "s2"},
}

// String returns the name of the codec, or "" if it isn't known.
func (c Codec) String() string { return codecs[c].name }

// CodecLen is the number of bytes that CodecOf needs: ten for bzip2, because a text could begin
// with "BZh9".
const CodecLen = 10

// MayBeCompressed reports whether a compressed file may begin with a byte.
func MayBeCompressed(first byte) bool {
	return strings.IndexByte("\x1f\x28\xfdB", first) >= 0 || first&0xf0 == 0x50
}

// CodecOf returns the codec of a file by its first bytes, or Plain if none matches.
func CodecOf(head []byte) Codec {
	for c := Gzip; c <= Xz; c++ {
		if c != Bzip2 && bytes.HasPrefix(head, []byte(codecs[c].begins)) {
			return c
		}
	}
	switch {
	case len(head) >= 4 && head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18":
		return Zstd // a skippable frame
	case len(head) >= CodecLen && string(head[:3]) == "BZh" && '1' <= head[3] && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90"):
		return Bzip2 // a block, or the end of the stream
	}
	return Plain
}

// CodecOfName returns the codec of a file by its name, or Unknown if the name doesn't show it.
func CodecOfName(name string) Codec {
	_, c := split(name)
	return c
}

// Uncompressed removes a compression extension from a file name.
func Uncompressed(name string) string {
	name, _ = split(name)
	return name
}

func split(name string) (string, Codec) {
	for c := range codecs {
		for _, end := range codecs[c].ends {
			if n := len(name) - len(end); n > 0 && strings.EqualFold(name[n:], end) {
				return name[:n], Codec(c)
			}
		}
	}
	return name, Unknown
}

// Compressions returns the usual extensions of compressed files.
func Compressions() (ends []string) {
	for c := Gzip; c <= Xz; c++ {
		ends = append(ends, codecs[c].ends[0])
	}
	return ends
}

// SampleLen is the number of bytes that CheckName and Archive need.
const SampleLen = 512

// CheckName rejects a file whose name has a compression extension, while its first bytes are
// neither compressed nor text. Otherwise an empty file, or one with a damaged beginning, would be a
// log without a single usable line. Text is accepted whatever the name.
func CheckName(name string, sample []byte) error {
	named := codecs[CodecOfName(name)]
	switch {
	case named.begins == "":
		return nil
	case len(sample) == 0:
		return fmt.Errorf("0 bytes, while even an empty %s file has a header", named.name)
	case strings.HasPrefix(named.begins, string(sample)) || bytes.ContainsFunc(sample, isControl):
		return fmt.Errorf("neither text nor %s, as its name says: it begins with % x, and %s with % x",
			named.name, sample[:min(len(sample), len(named.begins))], named.name, named.begins)
	}
	return nil
}

// isControl reports whether a character occurs in no log.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r < 0x80 && !strings.ContainsRune("\t\n\v\f\r\x1b", r)
}

// Archive returns the kind of an archive of files by its first bytes: "tar", "zip", or "" for none.
func Archive(head []byte) string {
	switch magic := string(head[:min(len(head), 4)]); {
	case magic == "PK\x03\x04", magic == "PK\x05\x06": // the second is an empty archive
		return "zip"
	case isTar(head):
		return "tar"
	}
	return ""
}

// isTar reports whether a file begins with a tar header, which has the sum of its bytes at offset
// 148 in octal digits. Text has none there.
func isTar(head []byte) bool {
	if len(head) < SampleLen {
		return false
	}
	const at, end = 148, 156
	said := int64(0)
	for _, c := range strings.Trim(string(head[at:end]), " \x00") {
		if c < '0' || c > '7' {
			return false
		}
		said = said<<3 | int64(c-'0')
	}
	unsigned, signed := int64(0), int64(0) // some old programs added signed bytes
	for i, c := range head[:SampleLen] {
		if at <= i && i < end {
			c = ' '
		}
		unsigned, signed = unsigned+int64(c), signed+int64(int8(c))
	}
	return said > 0 && (said == unsigned || said == signed)
}

// endings maps extensions of file names to formats of lists and crawl output.
var endings = map[string]string{
	".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "json", ".ndjson": "json", ".json": "json",
	".cdx": "cdx", ".cdxj": "cdxj", ".warc": "warc", ".wat": "warc", ".wet": "warc", ".parquet": "parquet",
}

// Named returns the format of a list, or of the output of a crawl, by the name of its file, which
// may be compressed: "csv", "tsv", "json", "cdx", "cdxj", "warc", "parquet", or "" if the name
// doesn't show it.
func Named(name string) string {
	return endings[strings.ToLower(path.Ext(Uncompressed(path.Base(name))))]
}

const bom = "\ufeff"

// Form returns the format of a file if its first bytes show it: "warc", "arc", "parquet", "cdx",
// "cdxj", "json", "robots.txt", otherwise "". It recognizes JSON only by an object.
func Form(head []byte) string {
	text := bytes.TrimLeft(head, bom+" \t\r\n")
	for _, magic := range []string{"WARC/", "filedesc://", "PAR1", "{"} {
		if bytes.HasPrefix(text, []byte(magic)) {
			return map[string]string{"W": "warc", "f": "arc", "P": "parquet", "{": "json"}[magic[:1]]
		}
	}
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte(bom)), []byte("\n"))
	switch {
	case robotsLine().Match(text):
		return "robots.txt"
	case capturesLine().Match(line):
		return "cdxj"
	case IsCDXHeader(line), indexLine().Match(line):
		return "cdx"
	}
	return ""
}

// Possible first lines of files in known formats. The key of an index doesn't end with a colon,
// unlike lines of a robots.txt.
var (
	robotsLine   = lazy.Regexp(`(?i)^\s*(user-agent|disallow|allow|sitemap|crawl-delay)\s*:`)
	capturesLine = lazy.Regexp(`^([!@]\w+ ?[\[{]|\S*[^\s:] [0-9]{4,17} \{)`)
	indexLine    = lazy.Regexp(`^\S*[^\s:] [0-9]{4,17} [A-Za-z][A-Za-z0-9+.-]*:\S* \S`)
)

// IsRobots reports whether the first line of a text that isn't blank or a comment looks like a
// robots.txt.
func IsRobots(head []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte(bom))) {
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' {
			return robotsLine().Match(text)
		}
	}
	return false
}

// IsCDXHeader reports whether a line is a CDX header. It begins with the delimiter, which isn't a
// quote, unlike possible CSV headers.
func IsCDXHeader(line []byte) bool {
	return len(line) > len(" CDX a") && string(line[1:4]) == "CDX" && line[4] == line[0] && line[0] != '"'
}
