package capture_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/capture"
)

func TestFieldsWithOtherNames(t *testing.T) {
	fields, err := capture.ParseFields("host=site.domain, body=robots,status=code,date=at")
	if err != nil {
		t.Fatal(err)
	}
	o := all
	o.Fields = fields
	for _, c := range []struct{ line, want string }{
		{`{"site":{"domain":"http://h"},"robots":"a","at":"2026-01-02"}`, `http://h 200 "a"`},
		{`{"site.domain":"http://h","robots":"a","host":"x"}`, `http://h 200 "a"`},
		{`{"site":{"domain":"http://h"},"code":404}`, `http://h 404 ""`},
		{`{"site":{"domain":"http://h"},"code":503}`, `http://h 503 ""`},
		{`{"site":{"domain":"http://h"},"code":"503"}`, `http://h 503 ""`},
		{`{"site":{"domain":"http://h"},"code":404.0}`, `http://h 404 ""`},
		{`{"site":{"domain":"http://h"},"code":"404 Not Found"}`, string(capture.BadStatus)},
		{`{"site":"http://h","robots":"a"}`, string(capture.NoHost)},
		{`{"site":{"domain":null},"robots":"a"}`, string(capture.NoHost)},
		{`{"site":{"domain":"http://h"},"robots":3}`, string(capture.NotJSON)},
		{`{"site":{"domain":"http://h"},"robots":"a","at":"yesterday"}`, string(capture.BadDate)},
		{`{"site":{"domain":"http://h"},"body":"a"}`, string(capture.NoBody)},
	} {
		same(t, read(capture.JSONLines(strings.NewReader(c.line), o)), c.want)
	}
	for _, bad := range []string{"", "host", "host=", "body=b", "host=h", "host=h,bodies=b", "host=h,body=b,"} {
		if _, err := capture.ParseFields(bad); err == nil {
			t.Errorf("%q gives fields", bad)
		}
	}
}

func TestDatesOfFields(t *testing.T) {
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		`"2026-01-02"`: day, `"2026-01-02T03:04:05Z"`: day.Add(3*time.Hour + 4*time.Minute + 5*time.Second),
		`"2026-01-02T02:00:00+02:00"`: day,
		`"2026-01-02 00:00:00"`:       day, `"20260102000000"`: day, `1767312000`: day, `"1767312000"`: day,
		`"2026-01-02 00:00:00+00:00"`: day, `"2026-01-02 00:00:00.5+0000"`: day, `1767312000000`: day, `"20260102"`: day,
		`"2026"`: {}, `"202601"`: {}, `"2026-01"`: day.AddDate(0, 0, -1),
		`"20"`: {}, `5`: {}, `"01/02/2026"`: {},
	} {
		o := all
		o.Fields = capture.Fields{capture.Host: "h", capture.Body: "b", capture.Date: "d"}
		for c, err := range capture.JSONLines(strings.NewReader(`{"h":"http://h","b":"","d":`+text+`}`), o) {
			if !c.Time.Equal(want) || (err != nil) != want.IsZero() {
				t.Errorf("%s: %v, error %v, want %v", text, c.Time, err, want)
			}
		}
	}
}

// TestDatedBodies reads one object on many lines, several objects, and damaged ones.
func TestDatedBodies(t *testing.T) {
	one := "\ufeff {\n  \"http://a\": {\"2026-01-02\": \"x\", \"2026-02\": \"y\"},\n  \"http://b\": {\"2026-01-02\": null, \"?\": \"z\"}, \"http://c\": null\n}\n" +
		`{"a b":{"2026-01-02":"x"}}`
	var got []string
	for c, err := range capture.Objects(strings.NewReader(one), all) {
		switch {
		case err != nil:
			got = append(got, err.Error())
		default:
			got = append(got, fmt.Sprintf("%s %s %q", c.Origins[0], c.Time.Format(time.DateOnly), c.Body))
		}
	}
	want := `http://a 2026-01-02 "x"|http://a 2026-02-01 "y"|at byte 97: no date of capture: "http://b ?"|at byte 143: not the name of a host or origin: "a b 2026-01-02"`
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "|"), want)
	}
	for bad, says := range map[string]string{
		`{"http://a":{"2026-01-02":"x"}`:             "unexpected EOF",
		`{"http://a":{"2026-01-02":"x","2026-01-03"`: "unexpected EOF",
		`{"http://a":{"2026-01-02":"x"},"b":3}`:      `the value of "b" is not an object`,
		`{"http://a":{"2026-01-02":"x","y":[]}}`:     `the value of "y" in "http://a" is no text`,
		`{"http://a":{"2026-01-02":"x"}} []`:         "not an object",
		`{"http://a":{"2026-01-02":"x"}} garbage`:    "invalid character",
	} {
		o := read(capture.Objects(strings.NewReader(bad), all))
		if len(o.got) != 1 || o.err == nil || !strings.Contains(o.err.Error(), says) {
			t.Errorf("%s: %q, error %v", bad, o.got, o.err)
		}
	}
}

// TestLongTextsInDatedBodies checks that these use no more memory than a line may.
func TestLongTextsInDatedBodies(t *testing.T) {
	o := all
	o.MaxLine = 10_000
	text := `{"http://a":{"2026-01-02":"` + strings.Repeat("x", 9_000) +
		`","2026-01-03":"` + strings.Repeat("x", 1<<20) + `"}}`
	if got := read(capture.Objects(strings.NewReader(text), o)); len(got.got) != 1 || got.err == nil ||
		!strings.Contains(got.err.Error(), "longer than there is memory for") {
		t.Errorf("%d captures, error %v", len(got.got), got.err)
	}
}

// TestObjectsThatAreNotDated checks that these are lines, and that the error for an array names it.
func TestObjectsThatAreNotDated(t *testing.T) {
	same(t, read(capture.Objects(strings.NewReader(`{"host":"http://h","body":"a"}`), all)), `http://h 200 "a"`)
	same(t, read(capture.Objects(strings.NewReader(`{"meta":{"x":"y"},"host":"http://h","body":"a"}`), all)),
		`http://h 200 "a"`)
	var form *capture.FormError
	for _, err := range capture.Objects(strings.NewReader(" [\n{}]"), all) {
		if !errors.As(err, &form) {
			t.Errorf("an array: error %v", err)
		}
	}
}

func TestDateOfAFolder(t *testing.T) {
	for name, want := range map[string]string{
		"2026-01": "2026-01-01 month", "x/2026-01-15": "2026-01-15", "2026-01-robots.txt": "2026-01-01 month",
		"2026-01-15_robots": "2026-01-15", "20260115120000": "2026-01-15", "20260115120000-x": "2026-01-15",
		"2026-01-15T00:00:00Z": "2026-01-15", "2026-01-15T120000Z": "2026-01-15", "2026-01-15T12": "",
		"202601151200001": "", "20261315120000": "",
		"2026": "", "2026-13": "", "2026-011": "", "2026-01x": "", "a2026-01": "", "2026-01.example.com": "",
	} {
		at, isMonth, ok := capture.DateOf(name)
		got := ""
		if ok {
			got = at.Format(time.DateOnly)
		}
		if isMonth && ok {
			got += " month"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// FuzzObjects checks that captures of any text have hosts, and bodies within the limit.
func FuzzObjects(f *testing.F) {
	f.Add(`{"http://a":{"2026-01-02":"x"}}`, "host=a.b,body=c")
	f.Add(`{"host":"http://h","body":"a","d":1767312000}`, "host=host,body=body,date=d")
	f.Fuzz(func(t *testing.T, text, fields string) {
		o := capture.Options{MaxBody: 10, MaxLine: 1000}
		o.Fields, _ = capture.ParseFields(fields)
		for c, err := range capture.Objects(strings.NewReader(text), o) {
			if err == nil && (len(c.Origins) == 0 || len(c.Body) > 10 || c.Status < 100) {
				t.Errorf("%+v", c)
			}
		}
	})
}
