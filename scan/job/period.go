package job

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
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
	if p.Since, err = timeOf("--since", o.Since, zone); err != nil {
		return p, err
	}
	if p.Until, err = timeOf("--until", o.Until, zone); err != nil {
		return p, err
	}
	if !p.Since.IsZero() && !p.Until.IsZero() && !p.Since.Before(p.Until) {
		return p, usageError("--since %s is not before --until %s", o.Since, o.Until)
	}
	return p, nil
}

// timeOf reads a time of an option, which is empty or a date in a zone or a time that names
// its own.
func timeOf(flag, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.ParseInLocation(time.DateOnly, text, zone)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return at, usageError("%s %q is neither a date such as 2026-11-22 nor a time such as 2026-11-22T05:00:00Z or 2026-11-22T05:00:00+02:00", flag, text)
	}
	if year := at.UTC().Year(); year < firstYear || year > lastYear {
		return at, usageError("%s %s is not between the years %d and %d", flag, text, firstYear, lastYear)
	}
	return at.UTC(), nil
}

// The years that a log may have.
const (
	firstYear = 1700
	lastYear  = 2200
)

// zoneNotes say in which zone the times of logs are taken that name none, for each format of
// such logs.
func (l *auditLogs) zoneNotes(zone *time.Location, given bool) (notes []string) {
	name := zone.String()
	switch {
	case zone == time.Local:
		name = "the zone of the machine that read them"
	case name == "":
		name = time.Time{}.In(zone).Format("-07:00")
	}
	text := "The times in logs of the format %s name no zone: they are taken as those of " + name + ", as requested."
	if !given {
		text = "The times in logs of the format %s name no zone: they are taken as those of UTC (--time-zone)."
	}
	for _, log := range l.list {
		if log.zoneless {
			notes = append(notes, fmt.Sprintf(text, log.format.Name()))
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}
