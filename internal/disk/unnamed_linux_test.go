package disk

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIsMount(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if IsMount(name) || IsMount(name+"2") {
		t.Error("a new file is a mount point")
	}
	if !IsMount("/") {
		t.Error("/ is no mount point")
	}
}
