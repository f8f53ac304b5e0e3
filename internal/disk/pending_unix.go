//go:build !windows

package disk

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

func createPending(path string, perm fs.FileMode) (*os.File, *renameio.PendingFile, error) {
	p, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(perm),
		renameio.WithExistingPermissions())
	if err != nil {
		return nil, nil, err
	}
	return p.File, p, nil
}
