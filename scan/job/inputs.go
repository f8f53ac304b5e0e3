package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Inputs are the inputs of a job.
type Inputs struct {
	// Names are files, folders, patterns and archives as source.Inputs resolves them;
	// "-" is Stdin.
	Names []string
	// Opened are inputs that the caller has opened. They are read after those
	// in Names.
	Opened []*source.Input
	// Stdin is the input that "-" names; nil stands for os.Stdin.
	Stdin io.Reader
}

// resolve returns the available inputs, and an error for each name that cannot be
// used, wholly or in part. It warns of duplicate names. err says why there is
// no list: ctx has ended, or the list does not fit into memory.
func (i Inputs) resolve(ctx context.Context, memory *budget, workers int, messages Messages) (inputs []*source.Input,
	failed []error, err error) {
	limits := source.Limits{Memory: max(memory.room(), 1), Windows: memory.windows(), Workers: memory.workers(workers)}
	inputs, warnings, failed := source.Inputs(ctx, i.Names, cmp.Or[io.Reader](i.Stdin, os.Stdin), limits)
	if ctx.Err() != nil {
		return nil, nil, errNothingDone
	}
	for _, err := range failed {
		if errors.Is(err, source.ErrRoom) {
			return nil, nil, inputError(fmt.Errorf("%w: option Memory %dMB is too little", err, memory.memory/1_000_000))
		}
	}
	messages.warnAll(warnings)
	for _, in := range i.Opened {
		in.Windows = limits.Windows
	}
	inputs = slices.Concat(inputs, i.Opened)
	for _, in := range inputs {
		memory.loaded += source.ListedBytes(in.Name)
	}
	return inputs, failed, nil
}

// prepared is interrupt.Wait for the preparations of a job. They may open and read pipes, which block.
// If ctx ends meanwhile, nothing has been done.
func prepared[T any](ctx context.Context, f func() (T, error)) (T, error) {
	v, err := interrupt.Wait(ctx, f)
	if ctx.Err() != nil { // which may have caused another error
		var none T
		return none, errNothingDone
	}
	return v, err
}

func zoneOf(name string) (*time.Location, error) {
	zone, err := report.Zone(name)
	if err != nil {
		return nil, usageError("option TimeZone %q is no time zone, such as Europe/Berlin, +02:00, UTC or Local", name)
	}
	return zone, nil
}

func (o *AuditOptions) period(zone *time.Location) (p audit.Period, err error) {
	if p.Since, err = timeOf("option Since", o.Since, zone, o.Now); err != nil {
		return p, err
	}
	if p.Until, err = timeOf("option Until", o.Until, zone, o.Now); err != nil {
		return p, err
	}
	if !p.Since.IsZero() && !p.Until.IsZero() && !p.Since.Before(p.Until) {
		return p, usageError("option Since %s is not before option Until %s", o.Since, o.Until)
	}
	return p, nil
}

// timeOf reads a time of an option: empty, a date in a zone, a time with its own
// zone, or a number of hours, days or weeks before now; the zero time stands for the present.
func timeOf(flag, text string, zone *time.Location, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if now.IsZero() {
		now = time.Now()
	}
	if before, ok := ago(text); ok {
		return now.Add(-before).UTC().Truncate(time.Second), nil
	}
	at, err := time.ParseInLocation(time.DateOnly, text, zone)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return at, usageError("%s %q is neither a date such as 2026-11-22, nor a time such as 2026-11-22T05:00:00Z or "+
			"2026-11-22T05:00:00+02:00, nor a number of hours, days or weeks before now, such as 24h, 7d or 4w, up to 3660d",
			flag, text)
	}
	if year := at.UTC().Year(); year < firstYear || year > lastYear {
		return at, usageError("%s %s is not between the years %d and %d", flag, text, firstYear, lastYear)
	}
	return at.UTC(), nil
}

// ago reads a number of hours, days or weeks, such as 24h, 7d or 4w, up to basis.MaxDuration.
func ago(text string) (time.Duration, bool) {
	units := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	last := len(text) - 1
	unit, ok := units[text[last]]
	n, err := strconv.ParseUint(text[:last], 10, 32)
	if !ok || err != nil || time.Duration(n) > basis.MaxDuration/unit {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// The range of years that a log may have.
const (
	firstYear = 1700
	lastYear  = 2200
)
