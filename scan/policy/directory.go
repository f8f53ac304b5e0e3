package policy

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// ReadDirectory reads a source in the form of a folder. It has a folder for each host, or
// host:port, with the versions of its robots.txt. Their names are the times from which
// they are known, such as
//
//	example.com/2026-11-01T00:00:00Z.txt
//
// or 2026-11-01T000000Z.txt, for systems that permit no colon in a name, or
// 2026-11-01.txt, for midnight in UTC. All count as answers with status 200, on http and
// https. Hidden files are left out; anything else is an error with its
// path. Of each file as much is kept as ReadBody returns; together they have at most 1 GiB, the
// same ones once. Versions or files that take more than memory bytes are disk.ErrMemory.
func ReadDirectory(path string, maxBytes int, memory int64) ([]Row, error) {
	hosts, err := visible(path)
	if err != nil {
		return nil, err
	}
	var rows []Row
	bodies := newBodyFiles(maxBytes, memory)
	for _, host := range hosts {
		folder := filepath.Join(path, host)
		if info, err := disk.Stat(folder); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s: a file where folders named by hosts are expected", folder)
		}
		origins, err := origin.Parse(host)
		if err != nil {
			return nil, fmt.Errorf("%s: the folder is not named by a host: %w", folder, err)
		}
		files, err := visible(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			path := filepath.Join(folder, name)
			from, err := fileTime(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			f, err := bodies.read(path)
			if err != nil {
				return nil, err
			}
			if int64(len(rows))*VersionBytes > memory {
				return nil, fmt.Errorf("%s: with the files before it %w", path, disk.ErrMemory)
			}
			rows = append(rows, Row{
				Origins: origins, From: from, Status: 200, Body: f.body, Past: f.past, Size: f.size, Sum: f.sum, File: host +
					"/" + name, Where: path,
			})
		}
	}
	return rows, nil
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

// fileTime returns the time that is the name of a file. The layouts of package time
// accept a fraction of a second, but none is allowed here.
func fileTime(name string) (int64, error) {
	const usual = "2006-01-02T15:04:05Z.txt"
	if strings.Count(name, ".") > 1 || strings.Contains(name, ",") {
		return 0, badTime(name, usual)
	}
	return parseTime(name, usual, "2006-01-02T150405Z.txt", "2006-01-02.txt")
}
