package capture_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
)

const robots = "http://example.com/robots.txt"

func TestWARCResponses(t *testing.T) {
	const ok, chunked, zip, site = "HTTP/1.1 200 OK", "\r\nTransfer-Encoding: chunked", "\r\nContent-Encoding: gzip",
		"http://example.com "
	answered := func(head, body string) string { return response(robots, head, body) }
	zipped := gz("a\n")
	inChunks := fmt.Sprintf("a\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", zipped[:10], len(zipped)-10, zipped[10:])
	for name, c := range map[string]struct{ record, want string }{
		"plain": {answered(ok, "a\n"), site + `200 "a\n"`},
		"of an origin with a port": {response("HTTPS://Example.com:8443/robots.txt", ok, "a"),
			`https://example.com:8443 200 "a"`},
		"in angle brackets":    {response("<"+robots+">", ok, "a"), site + `200 "a"`},
		"without a reason":     {answered("HTTP/2 200", "a"), site + `200 "a"`},
		"empty":                {answered("HTTP/1.1 204 No Content", ""), site + `204 ""`},
		"missing":              {answered("HTTP/1.1 404 Not Found", "<html>"), site + `404 ""`},
		"broken":               {answered("HTTP/1.1 503 Sorry", "<html>"), site + `503 ""`},
		"redirect":             {answered("HTTP/1.1 301 Moved\r\nLOCATION:  /x ", ""), site + `301 "" /x`},
		"with an odd status":   {answered("HTTP/1.1 999 Denied", ""), site + `999 ""`},
		"only a status line":   {record("response", robots, "2026", "HTTP/1.1 404 Not Found\r\n"), site + `404 ""`},
		"chunked":              {answered(ok+chunked, "1\r\na\r\n2;x=y\r\nbc\r\n0\r\n\r\n"), site + `200 "abc"`},
		"chunked only by name": {answered(ok+chunked, "User-agent: *\n"), site + `200 "User-agent: *\n"`},
		"gzip":                 {answered(ok+strings.ToUpper(zip), zipped), site + `200 "a\n"`},
		"gzip only by name":    {answered(ok+zip, "a"), site + `200 "a"`},
		"gzip, chunked":        {answered(ok+zip+chunked, inChunks), site + `200 "a\n"`},
		"damaged chunks":       {answered(ok+chunked, "1\r\na\r\nxyz\r\n"), string(capture.BadBody)},
		"damaged gzip":         {answered(ok+zip, zipped[:15]), string(capture.BadBody)},
		"of another coding":    {answered(ok+"\r\nContent-Encoding: utf8", "a"), site + `200 "a"`},
		"an old HTTP":          {answered("HTTP/1.1 20", "a"), string(capture.NotHTTP)},
		"SIP":                  {answered("SIP/2.0 200 OK", "a"), string(capture.NotHTTP)},
		"not HTTP":             {answered("User-agent: *", "a"), string(capture.NotHTTP)},
		"nothing":              {record("response", robots, "2026", ""), string(capture.NotHTTP)},
		"not modified":         {answered("HTTP/1.1 304 Not Modified", ""), string(capture.NotModified)},
		"revisit":              {record("revisit", robots, "2026", ok+"\r\n\r\n"), string(capture.Revisit)},
		"without a date":       {record("response", robots, "yesterday", ok+"\r\n\r\n"), string(capture.BadDate)},
		"of no host":           {response("http://a b/robots.txt", ok, ""), string(capture.BadHost)},
		"endless header":       {answered(ok+"\r\n"+strings.Repeat("x: y\r\n", 20_000), ""), string(capture.LongHead)},
	} {
		t.Run(name, func(t *testing.T) {
			after := record("response", "http://after/robots.txt", "2026-11-01", "HTTP/1.1 200 OK\r\n\r\nb")
			same(t, read(capture.WARC(strings.NewReader(c.record+after), all)), c.want, `http://after 200 "b"`)
		})
	}
}

func TestWARCRecordsOfOtherThingsArePassedOver(t *testing.T) {
	page := "HTTP/1.1 200 OK\r\n\r\nUser-agent: *"
	var b strings.Builder
	for _, target := range []string{"http://h/", "http://h/a/robots.txt", "http://h/robots.txt?x",
		"http://h?/robots.txt", "http:///robots.txt",
		"ftp://h/robots.txt", "dns:h", "", "/robots.txt", "http://h/Robots.txt"} {
		b.WriteString(record("response", target, "2026", page))
	}
	for _, kind := range []string{"request", "metadata"} {
		b.WriteString(record(kind, robots, "2026", page))
	}
	b.WriteString("WARC/0.17\nWARC-Type: warcinfo\ncontent-length: 3\nno field\n\nabc")
	b.WriteString(response(robots, "HTTP/1.1 200 OK", "a"))
	same(t, read(capture.WARC(strings.NewReader(b.String()), all)), `http://example.com 200 "a"`)
}

// TestWARCPagesThatAreWanted checks that wanted pages are captures with a path. Damage in them
// affects only the redirects that lead there.
func TestWARCPagesThatAreWanted(t *testing.T) {
	var asked []string
	o := all
	o.Wants = func(to answer.Target) bool {
		asked = append(asked, to.Origin.String()+to.Path)
		return strings.HasPrefix(to.Path, "/r")
	}
	const ok = "HTTP/1.1 200 OK"
	records := strings.Join([]string{
		response("https://H:443/r_v2.txt?#x", ok, "a"),
		response("http://h/x", ok, "b"),
		response("http://h/r 2", "HTTP/1.1 301 Moved\r\nLocation: /r3", ""),
		response("dns:h", ok, "c"),
		response("http://h/robots.txt?", ok, "c"),
		response("ftp://h/robots.txt", ok, "c"),
		record("request", "http://h/r", "2026", ""),
		record("revisit", "http://h/r", "2026", ok+"\r\n\r\n"),
		response("http://h/r", ok+"\r\nContent-Encoding: br", "d"),
		response(robots, ok, "e"),
	}, "")
	var got []string
	for c, err := range capture.WARC(strings.NewReader(records), o) {
		if err != nil {
			t.Error(err)
		}
		got = append(got, text(c))
	}
	if want := []string{`https://h/r_v2.txt 200 "a"`, `http://h/r%202 301 "" /r3`, `http://h/r 200 "d"`,
		`http://example.com 200 "e"`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if want := []string{"https://h/r_v2.txt", "http://h/x", "http://h/r%202", "http://h/r"}; !slices.Equal(asked,
		want) {
		t.Errorf("asked about %q", asked)
	}
}

func TestWARCThatIsDamagedEndsWithAnErrorAfterWhatWasBefore(t *testing.T) {
	o := read(capture.WARC(strings.NewReader(response(robots, "HTTP/1.1 200 OK", "a")+"hello\n"), all))
	if len(o.got) != 1 || o.err == nil || !strings.Contains(o.err.Error(), "record 2: no WARC record") {
		t.Errorf("got %+v", o)
	}
}

func TestWARCResponseThatIsCutShortIsNotACapture(t *testing.T) {
	whole := strings.TrimSuffix(response(robots, "HTTP/1.1 200 OK", "User-agent: *\nDisallow: /\n"), "\r\n\r\n")
	for n := strings.Index(whole, "\r\n\r\n") + 4; n < len(whole); n++ {
		o := read(capture.WARC(strings.NewReader(whole[:n]), all))
		if len(o.got) != 1 || o.got[0] != string(capture.CutShort) || !errors.Is(o.err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: got %+v", n, len(whole), o)
		}
	}
}

// TestBodyThatTheCrawlerCutIsKept checks this, because the rules before the cut hold.
func TestBodyThatTheCrawlerCutIsKept(t *testing.T) {
	cut := response(robots, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", "ff\r\nabc")
	same(t, read(capture.WARC(strings.NewReader(cut), all)), string(capture.BadBody))
	cut = strings.Replace(cut, "WARC-Date", "WARC-Truncated: length\r\nWARC-Date", 1)
	same(t, read(capture.WARC(strings.NewReader(cut), all)), `http://example.com 200 "abc"`)
}

func TestHostileBodiesTakeBoundedMemory(t *testing.T) {
	var zeros strings.Builder
	io.Copy(&zeros, endless("\x00", 64<<20))
	bomb := response(robots, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip", gz(zeros.String()))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := read(capture.WARC(strings.NewReader(bomb), capture.Options{MaxBody: 1000}))
	big := io.MultiReader(strings.NewReader("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: "+robots+
		"\r\nWARC-Date: 2026\r\nContent-Length: 100000019\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), endless("x", 1e8))
	p := read(capture.WARC(big, capture.Options{MaxBody: 1000}))
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 4<<20 || o.err != nil || p.err != nil ||
		len(o.got)+len(p.got) != 2 {
		t.Errorf("%d bytes allocated, errors %v, %v", taken, o.err, p.err)
	}
}

func FuzzWARC(f *testing.F) {
	f.Add([]byte(response(robots, "HTTP/1.1 200 OK", "a")))
	f.Add([]byte(response(robots, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip",
		"1\r\na\r\n0\r\n\r\n") + record("revisit", robots, "2026", "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		for c, err := range capture.WARC(strings.NewReader(string(data)), capture.Options{MaxBody: 100,
			Wants: func(answer.Target) bool { return true }}) {
			if err == nil && (len(c.Origins) != 1 || c.Status < 200 || len(c.Body) > 100 || c.Time.IsZero() &&
				!strings.Contains(string(data), "0001")) {
				t.Errorf("%+v", c)
			}
		}
	})
}
