package cli

import (
	"strings"
	"testing"
	"time"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1B": 1, "7 B": 7, "1k": 1e3, "1kB": 1e3, "1KB": 1e3, "1KiB": 1024, "1MB": 1e6, "1MiB": 1 << 20, "1.5GB": 1.5e9,
		" 256MB ": 256e6, "1 GiB": 1 << 30, "2T": 2e12, "1e6": 1e6,
	} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0MB", "-1", "-1MB", "MB", "junk", "1XB", "NaN", "Inf", "1e30", "9999999999GB", "0.5", "1 2", "0x"} {
		if got, err := parseBytes(text); err == nil || !strings.Contains(err.Error(), "is not a number of bytes") {
			t.Errorf("%q: got %d, %v; want an error", text, got, err)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"24h": 24 * time.Hour, "1d": 24 * time.Hour, "30d": 720 * time.Hour, "0d": 0, "90m": 90 * time.Minute, "36h30m": 36*time.Hour + 30*time.Minute,
		"65535d": 65535 * 24 * time.Hour,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "-1d", "+1d", "1.5d", "65536d", "99999999999h", "24", "1 d", "24x", "1d12h"} {
		if got, err := parseDuration(text); err == nil || !strings.Contains(err.Error(), "is not a time") {
			t.Errorf("%q: got %v, %v; want an error", text, got, err)
		}
	}
}
