package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/job"
)

// profileForm is a format of profiles.
type profileForm struct {
	start func(io.Writer) error
	stop  func(io.Writer) error
	file  string
	is    func(io.Reader) bool // recognizes a profile by its first bytes
}

// profileModes are the values of --profile.
var profileModes = []string{"none", "cpu", "mem", "trace"}

var profileForms = map[string]profileForm{
	"cpu":   {pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }, "cpu.pprof", isPprof},
	"mem":   {sampleHeap, func(w io.Writer) error { return pprof.Lookup("heap").WriteTo(w, 0) }, "mem.pprof", isPprof},
	"trace": {trace.Start, func(io.Writer) error { trace.Stop(); return nil }, "trace.out", isTrace},
}

// sampleHeap samples an allocation for every 4096 bytes, which is often enough for short runs.
func sampleHeap(io.Writer) error {
	runtime.MemProfileRate = 4096
	return nil
}

// startProfile starts the profile that --profile asks for, and returns the function that ends it.
// If the profile can't be written, that function prints an error and makes the command fail.
func startProfile(s streams, a *args) (stop func(*error), err error) {
	form, wanted := profileForms[a.text("profile")]
	if !wanted {
		return func(*error) {}, nil
	}
	file, err := form.create(a.text("profile-dir"))
	if err != nil {
		return nil, err
	}
	if err := form.start(file); err != nil {
		return nil, inputError(errors.Join(err, file.Close()))
	}
	return func(failed *error) {
		err := cmp.Or(form.stop(file), file.Close())
		info, statErr := disk.Stat(file.Name())
		if err == nil && (statErr != nil || info.Size() == 0) { // pprof loses errors
			err = fmt.Errorf("%s is empty", file.Name())
		}
		if err != nil {
			s.warn("writing the profile: %v", err)
			*failed = cmp.Or(*failed, exitWith(exitInput))
		}
	}, nil
}

// create creates the file of a profile, or empties one that may be replaced.
func (f profileForm) create(dir string) (*disk.File, error) {
	if err := disk.MkdirAll(dir, 0o777); err != nil {
		return nil, inputError(err)
	}
	name := filepath.Join(dir, f.file)
	old, err := disk.Lstat(name)
	if err == nil && !f.replaceable(name, old) {
		return nil, usageError("--profile would replace %s, which is no profile", name)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		file, err := disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		if err == nil {
			return file, nil
		}
		return nil, inputError(err)
	}
	return nil, inputError(err)
}

// replaceable reports whether a file is empty or already a profile of this format.
func (f profileForm) replaceable(name string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return info.Mode().IsRegular()
	}
	file, err := disk.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	return f.is(file)
}

// isPprof distinguishes the compressed binary messages of pprof from compressed text.
func isPprof(r io.Reader) bool {
	z, err := gzip.NewReader(r)
	if err != nil {
		return false
	}
	head, _ := io.ReadAll(io.LimitReader(z, 64))
	isBinary := func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) }
	return bytes.ContainsFunc(head, isBinary)
}

func isTrace(r io.Reader) bool {
	const magic = "go 1."
	head, _ := io.ReadAll(io.LimitReader(r, int64(len(magic))))
	return string(head) == magic
}

// showProgress draws a bar of the bytes read, with the rate and the time left, until the returned
// function is called. It draws nothing unless w is a terminal.
func showProgress(w io.Writer, r job.Progress) (end func()) {
	if !isTerminal(w) {
		return func() {}
	}
	begin, done, ended := time.Now(), make(chan struct{}), make(chan struct{})
	// A closed terminal is no reason to end.
	draw := func(text string) { _, _ = fmt.Fprintf(w, "\r%-79s\r%s", "", text) }
	go func() {
		defer close(ended)
		for tick := time.NewTicker(150 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				draw("")
				return
			case <-tick.C:
				read, total := r.Progress()
				draw(progressText(read, total, time.Since(begin)))
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// progressText returns a line of at most 79 characters. total is negative if unknown, as for a pipe.
func progressText(read, total int64, since time.Duration) string {
	const mb, width = 1e6, 30
	rate := float64(read) / mb / since.Seconds()
	if total < 0 {
		return fmt.Sprintf("%.1f MB  %.1f MB/s  %s", float64(read)/mb, rate, since.Round(time.Second))
	}
	share := min(float64(read)/float64(max(total, 1)), 1)
	line := fmt.Sprintf("%.1f / %.1f MB [%-*s] %.1f MB/s", float64(read)/mb, float64(total)/mb, width,
		strings.Repeat("=", int(share*width)), rate)
	if read > 0 {
		left := float64(since) * (1 - share) / share
		line += "  " + time.Duration(left).Round(time.Second).String()
	}
	return line
}

// earlyGCPercent delays the first garbage collection until the heap reaches 16 MB instead of 4 MB.
// The minimum is 4 MB for each 100 per cent.
const earlyGCPercent = 400

// withoutHeapProfile turns off the sampling of allocations, which costs a short run a tenth of a
// millisecond per megabyte. --profile mem turns it on again.
func withoutHeapProfile() { runtime.MemProfileRate = 0 }

// delayCollection spares small processes the garbage collector. It lets the heap grow to 16 MB
// before the first collection, then restores the usual setting. It does nothing if GOGC is set.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(earlyGCPercent)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
