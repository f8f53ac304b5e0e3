package policy

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// ReadDirectory reads a source in the form of a folder. It has a folder for each host, or
// host:port, with the versions of its robots.txt, whose names are the times from which they are
// known; or a folder for each time, with the robots.txt of the hosts:
//
//	example.com/2026-11-01T00:00:00Z.txt
//	2026-11-01/example.com.txt
//
// A time may also be 2026-11-01T000000Z, for systems that permit no colon in a name; 2026-11-01,
// for midnight in UTC; and 20261101000000, with anything after it but a digit. The name of a folder
// may go on after a date, and have only the month, which is its first moment: then the skew by
// which the source is judged must be 31 days or more. The name of a file in it is a host, with or
// without .txt or .robots.txt, or it is robots.txt in the folder of a host.
//
// All count as answers with status 200, on http and https. Hidden files are left out; anything else
// is an error with its path. Of each file as much is kept as ReadBody returns; together they have
// at most 1 GiB, the same ones once. Versions or files that take more than memory bytes are
// disk.ErrMemory.
func ReadDirectory(path string, maxBytes int, memory int64, skew time.Duration) ([]Row, error) {
	names, err := visible(path)
	if err != nil {
		return nil, err
	}
	d := &directory{path: path, bodies: newBodyFiles(maxBytes, memory)}
	for _, name := range names {
		folder := filepath.Join(path, name)
		if info, err := disk.Stat(folder); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s: a file where folders named by hosts are expected", folder)
		}
		files, err := visible(folder)
		if err != nil {
			return nil, err
		}
		at, isMonth, isTime := capture.DateOf(name)
		if isMonth && skew < MonthSkew {
			return nil, fmt.Errorf("%s: the folder has only a month: --skew 31d covers that the day is not known", folder)
		}
		if isTime {
			err = d.ofTime(name, at, files)
		} else {
			err = d.ofHost(name, files)
		}
		if err != nil {
			return nil, err
		}
	}
	return d.rows, nil
}

// MonthSkew is the skew that covers a time of which only the month is known.
const MonthSkew = 31 * 24 * time.Hour

// directory is a folder that is read.
type directory struct {
	path   string
	bodies *bodyFiles
	rows   []Row
}

// ofHost reads the files of a host.
func (d *directory) ofHost(host string, files []string) error {
	origins, err := origin.Parse(host)
	if err != nil {
		return fmt.Errorf("%s: the folder is not named by a host: %w", filepath.Join(d.path, host), err)
	}
	for _, name := range files {
		from, err := fileTime(name)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(d.path, host, name), err)
		}
		if err := d.add(host+"/"+name, origins, from); err != nil {
			return err
		}
	}
	return nil
}

// ofTime reads the files of a time.
func (d *directory) ofTime(folder string, at time.Time, files []string) error {
	from, err := parseTime(at.Format(time.RFC3339), time.RFC3339)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(d.path, folder), err)
	}
	for _, name := range files {
		name = folder + "/" + name
		if info, err := disk.Stat(filepath.Join(d.path, name)); err == nil && info.IsDir() {
			name += "/robots.txt"
		}
		host, err := capture.HostOf(name)
		var origins []origin.Origin
		if err == nil {
			origins, err = origin.Parse(host)
		}
		if err == nil {
			err = d.add(name, origins, from)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(d.path, name), err)
		}
	}
	return nil
}

// add adds a version.
func (d *directory) add(name string, origins []origin.Origin, from int64) error {
	path := filepath.Join(d.path, name)
	f, err := d.bodies.read(path)
	if err != nil {
		return err
	}
	if int64(len(d.rows))*VersionBytes > d.bodies.memory {
		return fmt.Errorf("%s: with the files before it %w", path, disk.ErrMemory)
	}
	d.rows = append(d.rows, Row{Origins: origins, From: from, Status: 200, Body: f.body, Past: f.past, Size: f.size,
		Sum: f.sum, File: name, Where: path})
	return nil
}

// visible returns the names in a folder that are not hidden. There must be some.
func visible(path string) ([]string, error) {
	entries, err := disk.ReadDir(path)
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
		return nil, fmt.Errorf("%s: the folder is empty", path)
	}
	return names, nil
}

// fileTime returns the time that is the name of a file.
func fileTime(name string) (int64, error) {
	at, ok := capture.DateOfFile(name)
	if !ok {
		return 0, badTime(name, "2006-01-02T15:04:05Z.txt")
	}
	return parseTime(at.Format(time.RFC3339), time.RFC3339)
}
