package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Cut shortens text to a number of characters.
func Cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// Names joins names by commas, in lines of limited width.
func Names(names []string, width int) string {
	var short []string
	for _, name := range names {
		short = append(short, Cut(name, width-len(",")))
	}
	return text.WrapSoft(strings.Join(short, ", "), width)
}

// Wrap breaks a text at blanks so that no line is too wide, unless a single word is.
func Wrap(s string, width int) string { return text.WrapSoft(s, width) }

// share formats a share in per cent. Only none is 0 %, and only all is 100 %.
func share(of float64) string {
	switch {
	case of > 0 && of < 0.001:
		return "less than 0.1 %"
	case of < 1 && of > 0.999:
		return "more than 99.9 %"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", of*100), ".0") + " %"
}

// seconds writes a number of seconds in the unit that suits it.
func seconds(s float64) string {
	switch {
	case s < 120:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", s), ".0") + " s"
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.0f h", s/3600)
	default:
		return fmt.Sprintf("%.0f d", s/86400)
	}
}

// clock formats a time of the report to the second, shortClock to the minute, and no time as "".
func clock(t report.Time) string {
	if _, offset := t.Zone(); offset == 0 {
		return timeAs(t, "2006-01-02 15:04:05 UTC")
	}
	return timeAs(t, "2006-01-02 15:04:05 -07:00")
}
func shortClock(t report.Time) string { return timeAs(t, "2006-01-02 15:04") }

// days formats the day of a time of the report, or the first and last of two days.
func days(first, last report.Time) string {
	from, to := timeAs(first, time.DateOnly), timeAs(last, time.DateOnly)
	if to == from {
		return from
	}
	return from + " to " + to
}

func timeAs(t report.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(layout)
}

// size writes a number of bytes in the unit that suits it.
func size(n int64) string {
	if n < 1000 {
		return english.Plural(n, "byte")
	}
	f, units := float64(n)/1000, "kMGTPE"
	for ; f >= 999.5; f /= 1000 {
		units = units[1:]
	}
	return fmt.Sprintf("%.3g %cB", f, units[0])
}
