package format

import (
	"strings"
	"testing"
)

func TestInstant(t *testing.T) {
	const at = 1704164645 // 2024-01-02T03:04:05Z
	for text, want := range map[string]int64{
		"2024-01-02T03:04:05Z":            at,
		"2024-01-02t03:04:05.999z":        at,
		"2024-01-02T05:04:05+02:00":       at,
		" 2024-01-02 03:04:05 ":           at,
		"2024-01-02 03:04:05+0000":        at,
		"2024-01-02":                      at - 3*3600 - 4*60 - 5,
		"20240102030405":                  at,
		"20240102030405123":               at,
		"202401020304":                    at - 5,
		"20240102":                        at - 3*3600 - 4*60 - 5,
		"202401":                          1704067200,
		"2024":                            1704067200,
		"1704164645":                      at,
		"1704164645.9":                    at,
		"1704164645123":                   at,
		"1704164645123456":                at,
		"1704164645123456789":             at,
		"Tue, 02 Jan 2024 03:04:05 GMT":   at,
		"Tue, 2 Jan 2024 03:04:05 UTC":    at,
		"Tue, 02 Jan 2024 04:04:05 +0100": at,
		"02/Jan/2024:03:04:05 +0000":      at,
		"1969-12-31T23:59:59.5Z":          -1,
		"2024-02-29":                      1709164800,
	} {
		if got, ok := Instant([]byte(text)); got != want || !ok {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "x", "2024-02-30", "20240230", "20241301", "202", "20240102030461",
		"Tue, 02 Jan 2024", "Tue, 02 Jan 2024 03:04:05", "Tue, 02 Foo 2024 03:04:05 GMT",
		"2024-01-02T03:04", "2024-1-2", "99999999999999", "-5", "17041646451234567890", "12345678.5", "٢٠٢٤"} {
		if got, ok := Instant([]byte(text)); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestStamp(t *testing.T) {
	for text, want := range map[string]int64{"20240102030405": 1704164645, "2024010203": 1704164400,
		"20240102030405000": 1704164645, "1996": 820454400} {
		if got, ok := Stamp([]byte(text)); got != want || !ok {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "199", "19961", "1996010203040", "19960102030405x", "199613",
		strings.Repeat("1", 24)} {
		if got, ok := Stamp([]byte(text)); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}
