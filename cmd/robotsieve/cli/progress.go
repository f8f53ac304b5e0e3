package cli

import (
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/robotsieve/robotsieve/scan/job"
)

// showProgress draws a bar of the bytes read, with rate and time left, until the
// returned function is called. It draws nothing unless w is a terminal.
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
