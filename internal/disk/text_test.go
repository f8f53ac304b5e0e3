package disk

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

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
