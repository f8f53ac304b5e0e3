package sniff

import (
	"archive/tar"
	"bytes"
	"strings"
	"testing"
)

func TestCodecs(t *testing.T) {
	for text, want := range map[string]Codec{
		"":                            Plain,
		"BZh9 is what this line says": Plain,
		"\x1f":                        Plain,
		"\x1f\x8b\x08":                Gzip,
		"\xfd7zXZ\x00":                Xz,
		"\xfd7zXZ":                    Plain,
		"\x28\xb5\x2f\xfd":            Zstd,
		"\x5f\x2a\x4d\x18":            Zstd,
		"BZh11AY&SY":                  Bzip2,
		"BZh91AY&S":                   Plain,
	} {
		if got := CodecOf([]byte(text)); got != want || got != Plain && !MayBeCompressed(text[0]) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for name, want := range map[string]struct {
		codec       Codec
		without, is string
	}{
		"a.log": {Unknown, "a.log", ""}, "a.log.GZ": {Gzip, "a.log", ""}, "d/a.csv.zst": {Zstd, "d/a.csv",
			"csv"}, "a.tgz": {Gzip, "a", ""},
		".gz": {Unknown, ".gz", ""}, "a.JSON.bz2": {Bzip2, "a.JSON", "json"}, "a.tab": {Unknown, "a.tab",
			"tsv"}, "a.wet.xz": {Xz, "a.wet", "warc"},
		"a.jsonl/robots.txt": {Unknown, "a.jsonl/robots.txt", ""}, "": {}, "warc": {Unknown, "warc", ""},
	} {
		if c := CodecOfName(name); c != want.codec || Uncompressed(name) != want.without || Named(name) != want.is {
			t.Errorf("%q: %v, %q, %q", name, c, Uncompressed(name), Named(name))
		}
	}
}

func TestForms(t *testing.T) {
	var archive bytes.Buffer
	if err := tar.NewWriter(&archive).WriteHeader(&tar.Header{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	for head, want := range map[string]string{"PK\x03\x04": "zip", "PK\x05\x06": "zip", "PK": "",
		archive.String(): "tar", strings.Repeat("0", 600): ""} {
		if got := Archive([]byte(head)); got != want {
			t.Errorf("%.20q is %q, want %q", head, got, want)
		}
	}
	for head, want := range map[string]string{
		"\ufeff\r\nWARC/1.0": "warc", "filedesc://x": "arc", "PAR1\x15": "parquet", "{\"a\"": "json", "": "", "x": "",
		" CDX N b a\ncom,a)/ 2024 x": "cdx", "com,a)/ 20240102030405 http://a/ text/html": "cdx",
		"com,a)/ 20240102030405 {}": "cdxj",
		"!meta {":                   "cdxj", "User-Agent: *": "robots.txt", "Disallow: 20140301000000 {": "robots.txt", "# 2014\nx": "",
	} {
		if got := Form([]byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head, got, want)
		}
	}
}
