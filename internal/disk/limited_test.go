package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLimited checks that no more bytes than the limit are read, and that the error names the
// limit.
func TestLimited(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	for limit := range int64(15) {
		want := "0123456789"[:min(limit, 10)]
		data, err := io.ReadAll(Limited(iotest.OneByteReader(strings.NewReader("0123456789")), limit))
		_, whole := ReadLimited(name, limit)
		var over LimitError
		if string(data) != want || errors.As(err, &over) != (limit < 10) || errors.As(whole, &over) != (limit < 10) ||
			over != 0 && int64(over) != limit {
			t.Errorf("limit %d: %q, %v, %v", limit, data, err, whole)
		}
	}
	if _, err := ReadLimited("/dev/zero", 3<<20); err != nil && !errors.Is(err, os.ErrNotExist) &&
		err.Error() != "/dev/zero: longer than the limit of 3 MiB" {
		t.Error(err)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"GPTBot\n", ""}, {"\x1f", ""}, {"BZh9 is text", ""},
		{"\x1f\x8b\x08 and more", "compressed with gzip: decompress it first"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd: decompress it first"},
		{"BZh91AY&SY", "compressed with bzip2: decompress it first"},
		{"\xfd7zXZ\x00", "compressed with xz: decompress it first"},
	} {
		r := Text(strings.NewReader(c.text))
		for range 2 { // the error stays
			data, err := io.ReadAll(r)
			if c.want != "" && (err == nil || err.Error() != c.want || len(data) > 0) || c.want == "" && err != nil {
				t.Errorf("%q: %q, %v", c.text, data, err)
			}
		}
	}
	data, err := io.ReadAll(Text(io.MultiReader(strings.NewReader("a"), iotest.ErrReader(io.ErrNoProgress))))
	if string(data) != "a" || !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%q, %v", data, err)
	}
}
