package policy

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// ReadDirectory reads a source in the form of a folder. It has either one folder per host, or
// host:port, with versions of robots.txt named by time, or one folder per time with the robots.txt
// of the hosts:
//
//	example.com/2026-11-01T00:00:00Z.txt
//	2026-11-01/example.com.txt
//
// A time may also be 2026-11-01T000000Z, for systems that permit no colon in a name; 2026-11-01,
// for midnight in UTC; or 20261101000000, followed by anything but a digit. In the name of a folder
// a date may be followed by other text, and may be just a month (Row.Month). A file in a folder
// named by time is named by host, with or without .txt or .robots.txt, or it is robots.txt in the
// folder of a host.
//
// All count as answers with status 200, on http and https. Hidden files are left out; anything else
// is an error with its path. Of each file as much is kept as ReadBody returns; together they have
// at most 1 GiB, the same ones once. Versions or files that take more than memory bytes are
// disk.ErrMemory. Nothing is read that is not in the folder.
func readDirectory(path string, maxBytes int, memory int64) ([]Row, error) {
	root, err := disk.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	d := &directory{path: path, root: root, bodies: newBodyFiles(root.OpenRegular, maxBytes, memory)}
	folders, err := d.visible(".")
	for i := 0; i < len(folders) && err == nil; i++ {
		err = d.folder(folders[i])
	}
	return d.rows, err
}

// MonthSkew is the skew for a time of which only the month is known.
const MonthSkew = 31 * 24 * time.Hour

// directory is a folder being read.
type directory struct {
	path   string
	root   *disk.Root
	bodies *bodyFiles
	rows   []Row
}

// folder adds the versions in a folder that is named by a host or a time.
func (d *directory) folder(folder string) error {
	if info, err := d.root.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: a file where folders named by hosts are expected", filepath.Join(d.path, folder))
	}
	files, err := d.visible(folder)
	if err != nil {
		return err
	}
	for _, name := range files {
		row, err := d.row(folder, name)
		if err != nil {
			return fmt.Errorf("%s: %w", row.Where, err)
		}
		f, err := d.bodies.read(row.File)
		if err != nil {
			return err
		}
		row.Body, row.Past, row.Size, row.Sum = f.body, f.past, f.size, f.sum
		d.rows = append(d.rows, row)
		if int64(len(d.rows))*VersionBytes > d.bodies.memory {
			return fmt.Errorf("%s: with the files before it %w", row.Where, disk.ErrMemory)
		}
	}
	return nil
}

// row derives a version from the names of a folder and of a file or a folder in it.
func (d *directory) row(folder, name string) (row Row, err error) {
	row = Row{Status: 200, File: folder + "/" + name, Where: filepath.Join(d.path, folder, name)}
	at, isMonth, isTime := capture.DateOf(folder)
	host, isFile := folder, false
	if isTime {
		if info, err := d.root.Stat(row.File); err == nil && info.IsDir() {
			row.File, row.Where = row.File+"/robots.txt", filepath.Join(row.Where, "robots.txt")
		}
		host, err = capture.HostOf(row.File)
	} else if at, isFile = capture.DateOfFile(name); !isFile {
		err = badTime(name, "2006-01-02T15:04:05Z.txt")
	}
	if err != nil {
		return row, err
	}
	if row.Origins, err = origin.Parse(host); err != nil {
		return row, fmt.Errorf("bad origin %w", err)
	}
	row.From, err = moment(at)
	row.Month = isMonth
	return row, err
}

// visible returns the names in a folder that aren't hidden. It fails if there are none.
func (d *directory) visible(folder string) ([]string, error) {
	entries, err := d.root.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: the folder is empty", filepath.Join(d.path, folder))
	}
	return names, nil
}
