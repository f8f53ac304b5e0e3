package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestZstdWithADictionary reads Zstandard files as ArchiveTeam writes them: the dictionary of all
// frames comes first, in a frame that other decoders skip, plain or compressed.
func TestZstdWithADictionary(t *testing.T) {
	var samples [][]byte
	for i := range 500 {
		samples = append(samples, fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h%d/\r\n", i))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: bytes.Join(samples[:50], nil),
		Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	want := string(bytes.Join(samples[:40], nil))
	var frames []byte
	for _, s := range samples[:40] {
		frames = append(frames, zstFrame(t, s, false, zstd.WithEncoderDict(dict))...)
	}
	for name, payload := range map[string][]byte{"plain": dict, "compressed": zstFrame(t, dict, false)} {
		head := binary.LittleEndian.AppendUint32([]byte(dictFrame), uint32(len(payload)))
		file := append(append(head, payload...), frames...)
		got, err := readInput(file)
		if err != nil || got != want {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
		if got, err := readInput(file[:len(head)+9]); err == nil {
			t.Errorf("%s, cut off, is %q", name, got)
		}
	}
	endless := binary.LittleEndian.AppendUint32([]byte(dictFrame), 1<<31)
	if _, err := readInput(append(endless, dict...)); err == nil || !strings.Contains(err.Error(), "dictionary") {
		t.Errorf("a dictionary of 2 GiB: %v", err)
	}
}

func readInput(file []byte) (string, error) {
	r, err := NewInput("a.warc.zst", bytes.NewReader(file), int64(len(file))).Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

// TestDocumentsAreTold checks that an office document, which is a zip, is recognized, and that its
// members aren't inputs.
func TestDocumentsAreTold(t *testing.T) {
	for member, want := range map[string]string{"xl/workbook.xml": "an Excel workbook: save it as CSV",
		"content.xml": "an OpenDocument spreadsheet", "[Content_Types].xml": "an Office document"} {
		zipped := zipOf(t, 0, archived{name: "docProps/app.xml", data: []byte("<x/>")},
			archived{name: member, data: []byte("<x/>")})
		in := write(t, "a", zipped)
		ins, _, errs := Inputs(t.Context(), []string{in}, nil, Limits{})
		if len(ins) > 0 || len(errs) != 1 || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%s: %d inputs, %v", member, len(ins), errs)
		}
	}
}
