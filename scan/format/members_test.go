package format

import (
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	paths := NewMemberPaths("a.b", `x\.y`, "l.1.c", "0")
	for _, test := range []struct{ object, want string }{
		{`{"a":{"b":"1"},"x.y":2,"l":[{"c":0},{"c":true}],"0":"z"}`, "1 2 true z"},
		{`{"\u0061":{"b":"\u0031\\"},"a":{"b":"no"}}`, `1\   `},
		{`{"a":{"b":null},"a":{"b":""},"a":{"b":"last"}}`, "last   "},
		{`{"a":{"b":["no"]},"a.b":"no","l":{"1":{"c":"no"}}}`, "   "},
		{`{"a":[{"b":"no"}],"x":{"y":"no"}}`, "   "},
	} {
		m := NewMembers(paths)
		m.Reset([]byte("# " + test.object + " \n"))
		end := m.Object(1)
		var values []string
		for i := range 4 {
			values = append(values, string(m.Value(i)))
		}
		if got := strings.Join(values, " "); got != test.want || end != 2+len(test.object) || m.Blanks(end) != end+1 {
			t.Errorf("%s has %q and ends at %d, want %q", test.object, got, end, test.want)
		}
	}
}

// TestMembersLimits reads objects within each other, and more values than a log may have.
func TestMembersLimits(t *testing.T) {
	m := NewMembers(NewMemberPaths("a"))
	for depth, ends := range map[int]bool{1000: true, 1001: false} {
		object := strings.Repeat(`{"b":`, depth-1) + "{}" + strings.Repeat("}", depth-1)
		m.Reset([]byte(object))
		if got := m.Object(0); (got == len(object)) != ends {
			t.Errorf("%d objects within each other end at %d", depth, got)
		}
	}
	object := `{"b":[` + strings.Repeat("1,", 2*jsonCommas) + `1],"a":"x"}`
	m.Reset([]byte(object))
	if end := m.Object(0); end != len(object) || string(m.Value(0)) != "x" {
		t.Errorf("an object of many values ends at %d", end)
	}
}

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
	for _, text := range []string{"", "-", "x", "2024-02-30", "20240230", "20241301", "202", "20240102030461", "Tue, 02 Jan 2024", "Tue, 02 Jan 2024 03:04:05", "Tue, 02 Foo 2024 03:04:05 GMT",
		"2024-01-02T03:04", "2024-1-2", "99999999999999", "-5", "17041646451234567890", "12345678.5", "٢٠٢٤"} {
		if got, ok := Instant([]byte(text)); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestStamp(t *testing.T) {
	for text, want := range map[string]int64{"20240102030405": 1704164645, "2024010203": 1704164400, "20240102030405000": 1704164645, "1996": 820454400} {
		if got, ok := Stamp([]byte(text)); got != want || !ok {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "199", "19961", "1996010203040", "19960102030405x", "199613", strings.Repeat("1", 24)} {
		if got, ok := Stamp([]byte(text)); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}
