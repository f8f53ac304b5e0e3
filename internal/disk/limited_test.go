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

// TestLimited: so many bytes are read and not one more, and the error names the limit.
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
