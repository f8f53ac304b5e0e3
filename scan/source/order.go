package source

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/sniff"
)

// compareNames orders names of files as their folders are read: folder by folder, by name, but the
// files of a rotated set from the oldest to the newest: access.log-20260101.gz, access.log.10.gz,
// access.log.2.gz, access.log.1, access.log.
func compareNames(a, b string) int {
	for {
		partA, restA, moreA := strings.Cut(a, "/")
		partB, restB, moreB := strings.Cut(b, "/")
		switch c := compareRotated(partA, partB); {
		case c != 0:
			return c
		case !moreB && moreA:
			return 1
		case !moreA && moreB:
			return -1
		case !moreA:
			return 0
		}
		a, b = restA, restB
	}
}

// compareRotated orders two names in one folder.
func compareRotated(a, b string) int {
	if a == b {
		return 0
	}
	x, y := rotationOf(a), rotationOf(b)
	return cmp.Or(
		strings.Compare(x.log, y.log),
		cmp.Compare(x.kind, y.kind),
		strings.Compare(x.date, y.date),
		cmp.Compare(y.number, x.number), // the highest number is the oldest
		strings.Compare(a, b))
}

// rotation is what the name of a file tells of a rotated set.
type rotation struct {
	log    string // name of the file that is written to
	kind   rotationKind
	date   string // if dated
	number int    // if numbered
}

// rotationKind is in the order of reading.
type rotationKind int

const (
	dated    rotationKind = iota // access.log-20260101, access.log.2026-01-01
	numbered                     // access.log.2
	current                      // access.log
)

// maxRotations is the highest number that counts rotations. Anything longer is a date.
const maxRotations = 99_999

// rotationOf reads a name without the end that says how the file is compressed.
func rotationOf(name string) rotation {
	if sniff.CodecOfName(name) != sniff.Unknown {
		name = name[:strings.LastIndexByte(name, '.')]
	}
	log := strings.TrimRight(name, "0123456789-._")
	suffix := name[len(log):]
	digits := strings.Trim(suffix, "-._")
	if log == "" || digits == "" || !strings.ContainsRune("-._", rune(suffix[0])) {
		return rotation{log: name, kind: current}
	}
	if n, err := strconv.Atoi(digits); err == nil && n <= maxRotations && suffix == "."+digits {
		return rotation{log: log, kind: numbered, number: n}
	}
	return rotation{log: log, kind: dated, date: suffix}
}

func sortNames(names []string) { slices.SortFunc(names, compareNames) }
