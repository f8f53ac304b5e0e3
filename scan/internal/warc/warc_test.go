package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// record returns the bytes of a record.
func record(kind, target, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-10-01T00:00:00Z\r\nWARC-Record-ID: <urn:%s>\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, target, target, len(block), block)
}

// parted is a file of parts.
type parted struct {
	parts []string
	in    *strings.Reader
}

func (p *parted) Next() error {
	if len(p.parts) == 0 {
		return io.EOF
	}
	p.in, p.parts = strings.NewReader(p.parts[0]), p.parts[1:]
	return nil
}

func (p *parted) Read(b []byte) (int, error) { return p.in.Read(b) }

// all reads the records of parts: their kinds and targets, bytes, and whether each is all of its
// part.
func all(parts ...string) (heads, texts []string, whole []bool, err error) {
	r := NewPartsReader(&parted{parts: parts}, 1<<20)
	for {
		rec, err := r.Next()
		if err != nil {
			return heads, texts, whole, err
		}
		heads = append(heads, rec.Kind+" "+rec.Target)
		if err := r.End(); err != nil {
			return heads, texts, whole, err
		}
		text, ok := r.Bytes()
		if !ok {
			return heads, texts, whole, errors.New("a record is not kept")
		}
		texts, whole = append(texts, string(text)), append(whole, r.Whole())
	}
}

func TestRecordsAndTheirOctets(t *testing.T) {
	a, b, c := record("warcinfo", "", "x"), record("Response", "<http://a/>", "HTTP/1.1 200 OK\r\n\r\n"),
		record("metadata", "http://c/", "")
	for name, f := range map[string]struct {
		parts []string
		whole []bool
	}{
		"a record a part":    {[]string{a, b, c}, []bool{true, true, true}},
		"one part":           {[]string{a + b + c}, []bool{false, false, false}},
		"two and one":        {[]string{a + b, c}, []bool{false, false, true}},
		"with an empty part": {[]string{"", a, "", b, c, ""}, []bool{true, true, true}},
	} {
		heads, texts, whole, err := all(f.parts...)
		//nolint:errorlint // the end itself
		if err != io.EOF || fmt.Sprint(heads) != "[warcinfo  response http://a/ metadata http://c/]" {
			t.Errorf("%s: %q, error %v", name, heads, err)
		}
		if strings.Join(texts, "") != a+b+c || len(texts) != 3 || texts[1] != b || fmt.Sprint(whole) != fmt.Sprint(f.whole) {
			t.Errorf("%s: records %q, whole %v", name, texts, whole)
		}
	}
}

func TestFieldsOfARecord(t *testing.T) {
	text := "WARC/1.1\nwarc-type: RESPONSE\nWARC-Date: 2026-10\nWARC-Record-ID: <urn:1>\nWARC-Concurrent-To: <urn:2>\nWARC-Truncated: length\nno field\n folded: x\nContent-Length: 3\n\nabc"
	r := NewReader(strings.NewReader(text))
	rec, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Record{1, "response", "", "2026-10", "<urn:1>", "<urn:2>", true, 3}); *rec != want {
		t.Errorf("%+v, want %+v", *rec, want)
	}
	if at, err := rec.Time(); err != nil || !at.Equal(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%v, error %v", at, err)
	}
	block, err := io.ReadAll(r)
	if string(block) != "abc" || err != nil {
		t.Errorf("%q, error %v", block, err)
	}
	if _, err := r.Next(); err != io.EOF { //nolint:errorlint // the end itself
		t.Errorf("error %v at the end", err)
	}
}

// TestDamagedFiles checks that an error names the record, and that nothing hangs or grows.
func TestDamagedFiles(t *testing.T) {
	good := record("response", "http://a/", "abc")
	for name, c := range map[string]struct{ bad, want string }{
		"garbage":       {"hello\n", `record 2: no WARC record where one should begin: "hello"`},
		"no length":     {"WARC/1.0\r\n\r\n", "record 2: WARC record without a Content-Length"},
		"an odd length": {"WARC/1.0\r\nContent-Length: 3x\r\n\r\n", `without a Content-Length: "3x"`},
		"an endless header": {"WARC/1.0\r\n" + strings.Repeat("a: b\r\n", 20_000),
			"record 2: header longer than 65536 bytes"},
		"a cut header": {"WARC/1.0\r\nWARC-Type: resp", "record 2: unexpected EOF"},
		"a cut block":  {good[:len(good)-6], "record 2: unexpected EOF"},
		"a huge claim": {"WARC/1.0\r\nContent-Length: 9223372036854775807\r\n\r\nabc", "record 2: unexpected EOF"},
	} {
		_, texts, _, err := all(good + c.bad)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(texts) != 1 || texts[0] != good {
			t.Errorf("%s: %d records, error %v", name, len(texts), err)
		}
	}
}

// TestALongRecordIsNotKept checks that it is read but not kept, and that the next one is kept.
func TestALongRecordIsNotKept(t *testing.T) {
	long, short := record("response", "http://a/", strings.Repeat("x", 5000)), record("response", "http://b/", "y")
	r := NewPartsReader(&onePart{Reader: strings.NewReader(long + short)}, 1000)
	for _, want := range []string{"", short} {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if err := r.End(); err != nil {
			t.Fatal(err)
		}
		text, ok := r.Bytes()
		if ok != (want != "") || ok && string(text) != want {
			t.Errorf("%v, %d bytes", ok, len(text))
		}
		if begin, end := r.Extent(); want != "" && (begin != int64(len(long)) || end != int64(len(long+short))) {
			t.Errorf("the second record is from %d to %d", begin, end)
		}
	}
}

// FuzzReader checks that no bytes cause a panic, and that the records are read in the same way when
// only they remain.
func FuzzReader(f *testing.F) {
	f.Add([]byte(record("response", "http://a/", "abc")+record("request", "http://a/", "")), 70)
	f.Add([]byte("WARC/1.0\nContent-Length: 2\n\nab\n\n\nWARC/1.0\r\nContent-Length: 0\r\n\r\n"), 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		parts := []string{string(data)}
		if 0 < cut && cut < len(data) {
			parts = []string{string(data[:cut]), string(data[cut:])}
		}
		heads, texts, _, _ := all(parts...)
		again, same, _, _ := all(texts...)
		if n := len(texts); fmt.Sprint(again) != fmt.Sprint(heads[:n]) || fmt.Sprint(same) != fmt.Sprint(texts) {
			t.Errorf("%q is read again as %q", texts, same)
		}
		if p, err := ReadResponse(bytes.NewReader(data)); err == nil {
			if body, _ := p.Body(100, false); len(body) > 100 {
				t.Errorf("a body of %d bytes", len(body))
			}
		}
	})
}
