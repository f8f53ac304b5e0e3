package history

import (
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Writer writes rows to a folder as a manifest and bodies. Each distinct body is written once and
// named by its SHA-256. A row that repeats the previous row of its origin is omitted if times are
// policy.Deployed, and kept as an observation otherwise. A Writer isn't safe for concurrent use.
type Writer struct {
	Summary
	fault  func(message string)
	failed error // error of Add
	folder *disk.Folder
	times  string
	// byDigest has the rows by the SHA-1 of their bodies, rows with a known body first. byTime has
	// them in the order of the manifest. Fields are joined by NUL.
	byDigest, byTime *spill.Records
}

// Summary counts what a Writer has written.
type Summary struct {
	Origins, Rows, Bodies int64
	Unknown               int64 // rows without a known body
}

// The fields of a row of one origin, in sorting order.
const (
	hostField = iota
	timeField // in hexadecimal
	orderField
	statusField
	fileField
	digestField
	locationField
	placeField
	monthField // policy.OnlyMonth if only the month is known
	originField
	numFields
)

const (
	bodiesFolder = "bodies"
	maxDigest    = 100     // bytes kept of a digest
	maxField     = 8 << 10 // bytes kept of a location or a place
)

// CheckFolder reports whether a history may be written to a folder, like disk.CheckFolder. A folder
// may be replaced if it contains nothing but a history.
func CheckFolder(dir string, force bool) error {
	return disk.CheckFolder(dir, "a history", force, func(entries []fs.DirEntry) bool {
		ours := func(e fs.DirEntry) bool {
			return e.IsDir() && e.Name() == bodiesFolder || e.Type().IsRegular() && e.Name() == policy.ManifestName
		}
		return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !ours(e) })
	})
}

// NewWriter creates a folder that CheckFolder has permitted. memory is the budget in bytes. What
// can't be written is reported to fault.
func NewWriter(dir, times string, memory int64, fault func(message string)) (*Writer, error) {
	folder, err := disk.NewFolder(dir, 0o777)
	return &Writer{
		folder: folder, times: times, fault: fault,
		byDigest: spill.NewRecords(spill.Options{Memory: memory / 4}),
		byTime:   spill.NewRecords(spill.Options{Memory: memory / 2}),
	}, err
}

// Add adds a row. Its errors come from the file system. A nil writer discards rows.
func (w *Writer) Add(r *Row) error {
	if w == nil {
		return nil
	}
	w.failed = cmp.Or(w.failed, w.add(r))
	return w.failed
}

func (w *Writer) add(r *Row) error {
	if !isKept(r.Time) || r.Status != policy.Unreachable && (r.Status < 100 || r.Status > 999) {
		w.fault(fmt.Sprintf("%s: the year %d is none of 1700 to 2199, or %d is no status", r.Place,
			r.Time.UTC().Year(), r.Status))
		return nil
	}
	f := make([]string, numFields)
	f[timeField] = fmt.Sprintf("%016x", uint64(r.Time.UnixNano())^1<<63)
	f[orderField] = fmt.Sprintf("%08x", r.Order)
	f[statusField], f[locationField], f[placeField] = strconv.Itoa(r.Status), field(r.Location), field(r.Place)
	if r.Month {
		f[monthField] = policy.OnlyMonth
	}
	sha1 := ""
	switch isFile := r.Status/100 == 2 && r.Status != 204; {
	case isFile && r.Body == nil:
		f[digestField] = field(cmp.Or(r.Digest[:min(len(r.Digest), maxDigest)], "unknown"))
		sha1 = f[digestField]
	case isFile:
		var err error
		if f[fileField], err = w.writeBody(r.Body); err != nil {
			return err
		}
		sha1 = SHA1(r.Body)
	}
	for _, o := range r.Origins {
		if _, err := origin.Parse(o.String()); err != nil {
			w.fault(fmt.Sprintf("%s: the origin %v", r.Place, err))
			continue
		}
		f[hostField], f[originField] = o.Host, o.String()
		unknown := strconv.FormatBool(f[digestField] != "")
		if err := w.byDigest.Add([]byte(strings.Join(append([]string{sha1, unknown}, f...), "\x00"))); err != nil {
			return err
		}
	}
	return nil
}

// isKept reports whether a manifest can represent a time.
func isKept(t time.Time) bool { return t.UTC().Year() >= 1700 && t.UTC().Year() < 2200 }

// field returns a text as a field, which becomes a cell of the manifest.
func field(text string) string { return policy.Cell(text[:min(len(text), maxField)]) }

// writeBody writes a body, unless it has been written, and returns the name of its file.
func (w *Writer) writeBody(body []byte) (name string, err error) {
	sum := sha256.Sum256(body)
	name = bodiesFolder + "/" + hex.EncodeToString(sum[:]) + ".txt"
	file, err := w.folder.Create(name, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	w.Bodies++
	_, err = file.Write(body)
	return name, errors.Join(err, file.Sync(), file.Close())
}

// SHA1 returns the digest of a body in the form of Row.Digest.
func SHA1(body []byte) string {
	sum := sha1.Sum(body)
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// Commit writes the manifest and renames the folder to its final name. If it fails, nothing is
// left.
func (w *Writer) Commit(ctx context.Context) error {
	w.byTime.StopAt(ctx)
	w.byDigest.StopAt(ctx)
	err := w.findBodies()
	if err == nil {
		err = w.writeManifest()
	}
	return errors.Join(w.folder.Commit(err), w.byTime.Close(), w.byDigest.Close())
}

// Discard removes everything written so far.
func (w *Writer) Discard() error {
	return errors.Join(w.folder.Discard(), w.byTime.Close(), w.byDigest.Close())
}

// findBodies sorts the rows by time. Rows with only a digest get the body of another row with the
// same digest, if there is one.
func (w *Writer) findBodies() error {
	var known, file string
	for record, err := range w.byDigest.All() {
		if err != nil {
			return err
		}
		f := strings.Split(string(record), "\x00")
		sha1, f := f[0], f[2:]
		if f[fileField] != "" {
			known, file = sha1, f[fileField]
		} else if f[digestField] != "" && sha1 == known {
			f[fileField], f[digestField] = file, ""
		}
		if err := w.byTime.Add([]byte(strings.Join(f, "\x00"))); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) writeManifest() error {
	file, err := w.folder.Create(policy.ManifestName, 0o666)
	if err != nil {
		return err
	}
	m := manifest{csv: csv.NewWriter(file), of: w}
	_ = m.csv.Write([]string{"from", "origin", "status", "file", "location", "digest", "history", "source"})
	for record, err := range w.byTime.All() {
		if err != nil {
			return errors.Join(err, file.Close())
		}
		m.add(strings.Split(string(record), "\x00"))
	}
	m.flush()
	m.csv.Flush()
	err = m.csv.Error()
	if w.Rows == 0 {
		err = errors.New("no version of a robots.txt was found")
	}
	return errors.Join(err, file.Sync(), file.Close())
}

// manifest writes rows, grouped by host.
type manifest struct {
	csv  *csv.Writer // keeps the first error
	of   *Writer
	host string
	last map[string]told // by origin of the host
	held []string        // row to be written; it is held because the next one may be its equivalent for https
	at   int64           // time of held
}

// told is the last answer of an origin.
type told struct {
	at     int64
	answer string
}

// add adds a row, unless it changes nothing. If two rows have the same time, the second gets one
// nanosecond more, because both answers were given.
func (m *manifest) add(f []string) {
	if f[hostField] != m.host {
		m.host, m.last = f[hostField], map[string]told{}
	}
	bits, _ := strconv.ParseUint(f[timeField], 16, 64)
	at, answer := int64(bits^1<<63), strings.Join(f[statusField:placeField], "\x00")
	before, seen := m.last[f[originField]]
	if same := seen && before.answer == answer; same && (m.of.times == policy.Deployed || at <= before.at) {
		return
	}
	if !seen {
		m.of.Origins++
	} else if at <= before.at {
		at, f[monthField] = before.at+1, ""
	}
	m.last[f[originField]] = told{at, answer}
	host := origin.Origin{Host: m.host}.String()
	if h := m.held; h != nil && at == m.at && slices.Equal(h[:originField], f[:originField]) &&
		h[originField] == "http://"+host && f[originField] == "https://"+host {
		h[originField] = host
		return
	}
	m.flush()
	m.held, m.at = f, at
}

// flush writes the held row.
func (m *manifest) flush() {
	f := m.held
	m.held = nil
	if f == nil {
		return
	}
	if f[digestField] != "" {
		m.of.Unknown++
	}
	m.of.Rows++
	status := f[statusField]
	if status == "0" {
		status = "unreachable"
	}
	from := time.Unix(0, m.at).UTC().Format(cmp.Or(f[monthField], time.RFC3339Nano))
	_ = m.csv.Write([]string{from, policy.Cell(f[originField]), status, f[fileField],
		f[locationField], f[digestField], m.of.times, f[placeField]})
}
