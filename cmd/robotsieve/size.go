package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// units are the units of bytes, the longer names first.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
	{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12},
}

// parseBytes reads a number of bytes, 1 or more, with or without a unit.
func parseBytes(s string) (int64, error) {
	number, unit := strings.TrimSpace(s), 1.0
	for _, u := range units {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if n *= unit; err != nil || !(n >= 1 && n < math.MaxInt64) {
		return 0, fmt.Errorf("%q is not a number of bytes, such as 256MB or 1GiB", s)
	}
	return int64(n), nil
}

// parseDuration reads a time in the form of Go, or a whole number of days.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if number, ok := strings.CutSuffix(s, "d"); ok {
		var days uint64
		days, err = strconv.ParseUint(number, 10, 16)
		d = time.Duration(days) * 24 * time.Hour
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a time, such as 24h or 30d", s)
	}
	return d, nil
}
