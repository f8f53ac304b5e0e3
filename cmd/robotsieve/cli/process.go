package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pkg/profile"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/job"
)

type profileForm struct {
	of   func(*profile.Profile)
	file string
	is   func(io.Reader) bool // recognizes a profile by its first bytes
}

var profileModes = []string{"none", "cpu", "mem", "trace"}

var profileForms = map[string]profileForm{
	"cpu":   {profile.CPUProfile, "cpu.pprof", isPprof},
	"mem":   {profile.MemProfile, "mem.pprof", isPprof},
	"trace": {profile.TraceProfile, "trace.out", isTrace},
}

// startProfile starts the profile of --profile. If it can't be written, stop makes the command fail.
func startProfile(s streams, a *args) (stop func(*error), err error) {
	form, wanted := profileForms[a.text("profile")]
	if !wanted {
		return func(*error) {}, nil
	}
	dir := a.text("profile-dir")
	// If pkg/profile cannot write, it ends the process.
	if err := disk.MkdirAll(dir, 0o777); err != nil {
		return nil, inputError(err)
	}
	if err := form.makeRoom(dir); err != nil {
		return nil, err
	}
	// The hook of pkg/profile would keep SIGINT from the command.
	running := profile.Start(form.of, profile.ProfilePath(dir), profile.NoShutdownHook, profile.Quiet)
	return func(failed *error) {
		running.Stop() // it has no error to return
		name := filepath.Join(dir, form.file)
		if info, err := disk.Stat(name); err != nil || info.Size() == 0 {
			s.warn("writing the profile: %s is empty", name)
			*failed = cmp.Or(*failed, exitWith(exitInput))
		}
	}, nil
}

// makeRoom makes a file for a profile, or finds one that may be replaced.
func (f profileForm) makeRoom(dir string) error {
	name := filepath.Join(dir, f.file)
	old, err := disk.Lstat(name)
	switch {
	case err == nil && !f.replaceable(name, old):
		return usageError("--profile would replace %s, which is no profile", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return inputError(err)
	}
	file, err := disk.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return inputError(err)
	}
	return nil
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

// showProgress draws a bar with the rate and the time left until end is called, if w is a terminal.
func showProgress(w io.Writer, r job.Progress) (end func()) {
	if !isTerminal(w) {
		return func() {}
	}
	_, total := r.Progress()
	container := mpb.New(mpb.WithOutput(w), mpb.WithWidth(80))
	bytes := decor.CountersKiloByte("% .1f / % .1f ")
	left := decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 8})
	if total < 0 { // the length of a pipe is not known
		bytes = decor.CurrentKiloByte("% .1f ")
		left = decor.Elapsed(decor.ET_STYLE_GO, decor.WC{W: 8})
	}
	bar := container.AddBar(total,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(bytes),
		mpb.AppendDecorators(decor.AverageSpeed(decor.SizeB1000(0), " % .1f "), left),
	)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				read, _ := r.Progress()
				bar.SetCurrent(read)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		bar.Abort(true)
		container.Wait()
	}
}

// earlyGCPercent starts the collector at 16 MB: it has 4 MB for each 100 per cent.
const earlyGCPercent = 400

// delayCollection lets the heap grow to 16 MB before the first collection, and then restores the usual
// setting. It does nothing if GOGC is set.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(earlyGCPercent)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
