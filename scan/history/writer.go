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
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// Writer makes a folder of rows: a manifest, and beside it the bodies, each once, named by their
// SHA-256. A row that says the same as the one before it of its origin is left out if times are
// policy.Deployed, and kept as an observation otherwise. It belongs to one goroutine.
type Writer struct {
	Summary
	fault  func(message string)
	folder *disk.Folder
	times  string
	rows   *spill.Records // fields, joined by NUL
	// unread has, for each SHA-1, the SHA-256 of the body that has it, and then the rows of which
	// no more than that is known.
	unread *spill.Records
}

// Summary counts what a Writer has written.
type Summary struct {
	Origins, Rows, Bodies int64
	Unknown               int64 // rows whose body is not known
}

// The fields of a row as it is sorted: those of one host by time.
const (
	hostField = iota
	timeField // in hexadecimal
	orderField
	statusField
	bodyField // the SHA-256 in hexadecimal
	digestField
	locationField
	placeField
	monthField // policy.OnlyMonth if no more is known of the time
	schemeField
	portField
	numFields
)

const (
	bodiesFolder = "bodies"
	bodyEnd      = ".txt"
	maxField     = 8 << 10 // bytes of a location or a place that are kept
)

// CheckFolder reports whether a history may be written to a folder, as disk.CheckFolder does: one
// that holds nothing but a history may be replaced.
func CheckFolder(dir string, force bool) error {
	return disk.CheckFolder(dir, "a history", force, func(entries []fs.DirEntry) bool {
		ours := func(e fs.DirEntry) bool {
			return e.IsDir() && e.Name() == bodiesFolder || e.Type().IsRegular() && e.Name() == policy.ManifestName
		}
		return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !ours(e) })
	})
}

// NewWriter begins a folder, which CheckFolder has permitted, within a memory in bytes. What cannot
// be written is told to fault.
func NewWriter(dir, times string, memory int64, fault func(message string)) (*Writer, error) {
	folder, err := disk.NewFolder(dir, 0o777)
	return &Writer{
		folder: folder, times: times, fault: fault,
		rows:   spill.NewRecords(spill.Options{Memory: memory / 2}),
		unread: spill.NewRecords(spill.Options{Memory: memory / 4}),
	}, err
}

// Add adds a row. Its error is that of the disk.
func (w *Writer) Add(r *Row) error {
	if y := r.Time.UTC().Year(); y < 1700 || y >= 2200 ||
		r.Status != policy.Unreachable && (r.Status < 100 || r.Status > 999) {
		w.fault(fmt.Sprintf("%s: the year %d is none of 1700 to 2199, or %d is no status", r.Place, y, r.Status))
		return nil
	}
	f := make([]string, numFields)
	f[timeField] = fmt.Sprintf("%016x", uint64(r.Time.UnixNano())^1<<63)
	f[orderField] = fmt.Sprintf("%08x", r.Order)
	f[statusField], f[locationField], f[placeField] = strconv.Itoa(r.Status), field(r.Location), field(r.Place)
	if r.Month {
		f[monthField] = policy.OnlyMonth
	}
	if r.Status/100 == 2 && r.Status != 204 {
		var err error
		if f[bodyField], f[digestField], err = w.addBody(r); err != nil {
			return err
		}
	}
	for _, o := range r.Origins {
		if _, err := origin.Parse(o.String()); err != nil {
			w.fault(fmt.Sprintf("%s: the origin %v", r.Place, err))
			continue
		}
		f[hostField], f[schemeField], f[portField] = o.Host, o.Scheme, strconv.Itoa(int(o.Port))
		if err := w.addFields(f); err != nil {
			return err
		}
	}
	return nil
}

// field returns a text as a field: without control characters, and so that no table takes it for a
// formula. A relative reference means the same after "./".
func field(text string) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, text[:min(len(text), maxField)])
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "./" + text
	}
	return text
}

func (w *Writer) addFields(f []string) error {
	record := []byte(strings.Join(f, "\x00"))
	if f[bodyField] == "" && f[digestField] != "" {
		return w.unread.Add(append([]byte(f[digestField]+"\x001"), record...))
	}
	return w.rows.Add(record)
}

// addBody writes a body, unless that was done, and returns its SHA-256; or a digest if the body is
// not known.
func (w *Writer) addBody(r *Row) (body, digest string, err error) {
	if r.Body == nil {
		if digest = field(r.Digest); digest == "" {
			digest = "unknown"
		}
		return "", digest[:min(len(digest), 100)], nil
	}
	sum := sha256.Sum256(r.Body)
	body = hex.EncodeToString(sum[:])
	if err := w.unread.Add([]byte(SHA1(r.Body) + "\x000" + body)); err != nil {
		return "", "", err
	}
	file, err := w.folder.Create(bodiesFolder+"/"+body+bodyEnd, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return body, "", nil
	}
	if err != nil {
		return "", "", err
	}
	w.Bodies++
	_, err = file.Write(r.Body)
	return body, "", errors.Join(err, file.Sync(), file.Close())
}

// SHA1 returns the digest of a body as Row.Digest has it.
func SHA1(body []byte) string {
	sum := sha1.Sum(body)
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// Commit writes the manifest and gives the folder its name. If it fails nothing is left.
func (w *Writer) Commit(ctx context.Context) error {
	w.rows.StopAt(ctx)
	w.unread.StopAt(ctx)
	err := w.findBodies()
	if err == nil {
		err = w.writeManifest()
	}
	if err != nil {
		return errors.Join(err, w.Discard())
	}
	return errors.Join(w.folder.Commit(), w.rows.Close(), w.unread.Close())
}

// Discard removes what was written.
func (w *Writer) Discard() error {
	return errors.Join(w.folder.Discard(), w.rows.Close(), w.unread.Close())
}

// findBodies adds the rows of which only a digest is known, with the body that has it, if there is
// one.
func (w *Writer) findBodies() error {
	var known, body string
	for record, err := range w.unread.All() {
		if err != nil {
			return err
		}
		digest, rest, _ := strings.Cut(string(record), "\x00")
		if rest[0] == '0' {
			known, body = digest, rest[1:]
			continue
		}
		f := strings.Split(rest[1:], "\x00")
		if digest == known {
			f[bodyField], f[digestField] = body, ""
		}
		if err := w.rows.Add([]byte(strings.Join(f, "\x00"))); err != nil {
			return err
		}
	}
	return nil
}

// writeManifest writes the rows.
func (w *Writer) writeManifest() error {
	file, err := w.folder.Create(policy.ManifestName, 0o666)
	if err != nil {
		return err
	}
	m := manifest{csv: csv.NewWriter(file), of: w}
	_ = m.csv.Write([]string{"from", "origin", "status", "file", "location", "digest", "history", "source"})
	for record, err := range w.rows.All() {
		if err != nil {
			return errors.Join(err, file.Close())
		}
		m.add(strings.Split(string(record), "\x00"))
	}
	m.flush()
	if w.Rows == 0 {
		return errors.Join(errors.New("no version of a robots.txt was found"), file.Close())
	}
	m.csv.Flush()
	return errors.Join(m.csv.Error(), file.Sync(), file.Close())
}

// manifest writes the rows of one host after another.
type manifest struct {
	csv  *csv.Writer // keeps the first error
	of   *Writer
	host string
	last map[string]told // of the origins of the host
	held []string        // the row to be written, of which the next one may be that for https
	at   int64           // the time of held
}

// told is what an origin answered last.
type told struct {
	at     int64
	answer string
}

// add adds a row, unless it changes nothing. Of two rows of one moment the second is a nanosecond
// later, since both answers were given.
func (m *manifest) add(f []string) {
	if f[hostField] != m.host || m.last == nil {
		m.host, m.last = f[hostField], map[string]told{}
	}
	bits, _ := strconv.ParseUint(f[timeField], 16, 64)
	key, at := f[schemeField]+f[portField], int64(bits^1<<63)
	answer := strings.Join(f[statusField:placeField], "\x00")
	before, seen := m.last[key]
	if same := seen && before.answer == answer; same && (m.of.times == policy.Deployed || at <= before.at) {
		return
	}
	if !seen {
		m.of.Origins++
	} else if at <= before.at {
		at, f[monthField] = before.at+1, ""
	}
	m.last[key] = told{at, answer}
	if h := m.held; h != nil && at == m.at && slices.Equal(h[:schemeField], f[:schemeField]) &&
		h[schemeField]+h[portField] == "http80" && key == "https443" {
		h[schemeField] = ""
		return
	}
	m.flush()
	m.held, m.at = f, at
}

// flush writes the row that is held.
func (m *manifest) flush() {
	f := m.held
	if m.held = nil; f == nil {
		return
	}
	o := origin.Origin{Scheme: f[schemeField], Host: f[hostField]}
	if o.Scheme != "" {
		port, _ := strconv.ParseUint(f[portField], 10, 16)
		o.Port = uint16(port)
	}
	status, name := f[statusField], ""
	if status == "0" {
		status = "unreachable"
	}
	if f[bodyField] != "" {
		name = bodiesFolder + "/" + f[bodyField] + bodyEnd
	} else if f[digestField] != "" {
		m.of.Unknown++
	}
	m.of.Rows++
	from := time.Unix(0, m.at).UTC().Format(cmp.Or(f[monthField], time.RFC3339Nano))
	_ = m.csv.Write([]string{from, o.String(), status, name,
		f[locationField], f[digestField], m.of.times, f[placeField]})
}
