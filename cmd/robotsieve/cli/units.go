package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
)

// minMemory is the minimum of --memory, in bytes.
const minMemory = 1_000_000

func ofMemory(text string) (any, error) {
	n, err := parseBytes(text)
	if err != nil {
		return nil, wrongf("%w", err)
	}
	if n < minMemory {
		return nil, wrongf("%s is less than 1MB", text)
	}
	return n, nil
}

// duration is a time above 0. unit is the default unit.
func duration(unit string) kind {
	return kind{value: "TIME", read: func(text string) (any, error) {
		if text != "" && strings.Trim(text, "0123456789") == "" {
			text += unit
		}
		d, err := parseDuration(text)
		switch {
		case err != nil:
			return nil, wrongf("%w", err)
		case d <= 0:
			return nil, wrongf("%s is not above 0", text)
		}
		return d, nil
	}}
}

// units are the units of bytes, longer names first.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
	{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12},
}

// parseBytes parses a number of bytes, from 1 to less than 8 EiB, with or without a unit.
func parseBytes(s string) (int64, error) {
	number, unit := strings.TrimSpace(s), 1.0
	for _, u := range units {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	n *= unit
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), math.IsNaN(n):
		return 0, fmt.Errorf("%q is not a number of bytes, such as 256MB or 1GiB", s)
	case n < 1 || n >= math.MaxInt64:
		return 0, fmt.Errorf("%q is not a number of bytes from 1 to 8 EiB", s)
	}
	return int64(n), nil
}

const maxTime = math.MaxUint16 * 24 * time.Hour

// parseDuration parses a time as Go writes it, or a whole number of days.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if number, ok := strings.CutSuffix(s, "d"); ok {
		var days uint64
		days, err = strconv.ParseUint(number, 10, 16)
		d = time.Duration(days) * 24 * time.Hour
	}
	if err != nil || d > maxTime {
		return 0, fmt.Errorf("%q is not a time, such as 24h or 30d, of at most %s", s, english.Hours(maxTime))
	}
	return d, nil
}

var timeout = kind{value: "TIME", read: func(text string) (any, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return nil, wrongf("%q is not a time such as 30s", text)
	case d <= 0:
		return nil, wrongf("%v is not above 0", d)
	}
	return d, nil
}}
