package english

import (
	"testing"
	"time"
)

func TestHours(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"24h":      24 * time.Hour,
		"48h":      48 * time.Hour,
		"3 days":   72 * time.Hour,
		"30 days":  30 * 24 * time.Hour,
		"73h":      73 * time.Hour,
		"25h30m":   25*time.Hour + 30*time.Minute,
		"24h0m10s": 24*time.Hour + 10*time.Second,
		"1h1m":     time.Hour + time.Minute,
		"24h1m20s": 24*time.Hour + 80*time.Second,
	} {
		if got := Hours(d); got != want {
			t.Errorf("%v is written as %q, want %q", d, got, want)
		}
	}
}
