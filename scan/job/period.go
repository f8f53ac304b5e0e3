package job

import (
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/basis"
)

// zoneOf returns the time zone of AuditOptions.TimeZone.
func zoneOf(name string) (*time.Location, error) {
	switch {
	case name == "":
		return time.UTC, nil
	case strings.EqualFold(name, "local"):
		return time.Local, nil
	case name == "Z":
		return time.UTC, nil
	}
	if at, err := time.Parse("Z07:00", name); err == nil {
		return at.Location(), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, usageError("--time-zone %q is no time zone, such as Europe/Berlin, +02:00, UTC or Local", name)
	}
	return zone, nil
}

// period returns the period of the options, whose dates are midnights in a zone.
func (o *AuditOptions) period(zone *time.Location) (p audit.Period, err error) {
	now := o.Now
	if now.IsZero() {
		now = time.Now()
	}
	if p.Since, err = timeOf("--since", o.Since, zone, now); err != nil {
		return p, err
	}
	if p.Until, err = timeOf("--until", o.Until, zone, now); err != nil {
		return p, err
	}
	if !p.Since.IsZero() && !p.Until.IsZero() && !p.Since.Before(p.Until) {
		return p, usageError("--since %s is not before --until %s", o.Since, o.Until)
	}
	return p, nil
}

// timeOf reads a time of an option, which is empty, a date in a zone, a time that names its
// own, or a number of hours, days or weeks before now.
func timeOf(flag, text string, zone *time.Location, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
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

// The years that a log may have.
const (
	firstYear = 1700
	lastYear  = 2200
)
