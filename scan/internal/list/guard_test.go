package list

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// endless repeats a text after another.
type endless struct {
	begin, repeat string
	read          int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.begin)
	e.begin = e.begin[n:]
	for n < len(p) {
		n += copy(p[n:], e.repeat)
	}
	e.read += int64(n)
	return n, nil
}

// TestHostileSitemaps reads endless sitemaps: each ends with an error, soon, and with little memory.
func TestHostileSitemaps(t *testing.T) {
	for name, list := range map[string]endless{
		"text":            {begin: "<urlset><url><loc>", repeat: "http://a/"},
		"text in pieces":  {begin: "<urlset><url><loc>", repeat: "http://a/<!-- -->"},
		"white space":     {repeat: " "},
		"attribute":       {begin: `<urlset x="`, repeat: "a"},
		"attributes":      {begin: `<urlset`, repeat: ` a="b"`},
		"name":            {begin: "<", repeat: "a"},
		"long names":      {begin: "<urlset>", repeat: "<" + strings.Repeat("a", 2000) + ">"},
		"nested":          {begin: "<urlset>", repeat: "<url>"},
		"comment":         {begin: "<urlset><!--", repeat: "a"},
		"instruction":     {begin: "<?xml ", repeat: "a"},
		"directive":       {begin: "<!DOCTYPE x [", repeat: `<!ENTITY a "b">`},
		"CDATA":           {begin: "<urlset><![CDATA[", repeat: "a"},
		"entities":        {begin: "<urlset><url><loc>", repeat: "&amp;"},
		"latin1":          {begin: `<?xml version="1.0" encoding="latin1"?><urlset>`, repeat: "\xe9"},
		"ends before all": {begin: "</urlset>", repeat: "</urlset>"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n, err := io.Copy(io.Discard, NewSitemap(&list))
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasPrefix(err.Error(), "at byte ") {
				t.Errorf("the error is %v", err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; list.read > 4<<20 || took > 128<<20 {
				t.Errorf("it ends after %d bytes and %d of output, and takes %d of memory: %v", list.read, n, took, err)
			}
		})
	}
}

// TestLongRows reads rows with many fields, and with endless quotes and brackets.
func TestLongRows(t *testing.T) {
	const n = 1 << 20
	objects := withMembers(&Layout{kind: JSON}, "url", "")
	table := &Layout{kind: CSV, shape: field.Columns{Delimiter: ',', Quotes: true}, date: -1}
	for _, test := range []struct {
		layout *Layout
		text   string
		want   State
	}{
		{table, `"` + strings.Repeat(`""`, n), BadRow},
		{table, `"` + strings.Repeat(`""`, n) + `"`, Good},
		{table, strings.Repeat(`,`, n), NoURL},
		{table, strings.Repeat(`"",`, n), NoURL},
		{table, strings.Repeat("x", n) + `,"`, BadRow},
		{objects, `{"url":"` + strings.Repeat(`\"`, n) + `"}`, Good},
		{objects, `{"url":"a","x":` + strings.Repeat(`[`, n), BadRow},
		{objects, `{"url":"a","x":` + strings.Repeat(`{"a":`, n), BadRow},
		{objects, `{"url":"a","x":[` + strings.Repeat(`0,`, n) + `0]}`, Good},
	} {
		r := test.layout.NewReader()
		r.Reset([]byte(test.text), false)
		var row Row
		if r.Next(&row); string(row.Line) != test.text || row.State != test.want {
			t.Errorf("%.20q… of %d bytes has the state %d, want %d", test.text, len(test.text), row.State, test.want)
		}
	}
}
