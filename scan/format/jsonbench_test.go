package format

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

// sampleAgent is the User-Agent of the samples.
const sampleAgent = `Mozilla/5.0 (compatible; FooBot/1.0)`

// BenchmarkJSON reads the requests of browsers as JSON lines, and beside it the same as
// combined, and by a parser of whole lines. An audit does this with every line.
func BenchmarkJSON(b *testing.B) {
	combined := logOf(func(i int, path, agent string) string {
		return fmt.Sprintf(`192.0.2.%d - - [04/Mar/2026:05:%02d:%02d +0000] "GET %s HTTP/1.1" 200 %d "https://www.example.com/" "%s"`, i%250, i/60%60, i%60, path, 1000+i, agent)
	})
	b.Run("combined", func(b *testing.B) { benchmarkNext(b, "combined", combined) })
	for _, name := range []string{"nginx_json", "caddy", "traefik_json", "cloudflare", "gcp", "aws_waf"} {
		f := mustFormat(b, name)
		log := logOf(func(i int, path, agent string) string {
			line := strings.NewReplacer("/a?b=c", path, sampleAgent, agent, "192.0.2.1", fmt.Sprintf("192.0.2.%d", i%250), "1234", fmt.Sprint(1000+i)).Replace(f.sample)
			return strings.TrimSuffix(line, "}") + more[name] + "}"
		})
		b.Run(name, func(b *testing.B) { benchmarkNext(b, name, log) })
		if name == "caddy" {
			// Its headers are in another order in each line.
			i, headers := 0, []string{`"Accept":["*/*"],`, `"Accept-Language":["de"],`, `"Sec-Fetch-Mode":["navigate"],`}
			mixed := mixLines(log, func(line string) string {
				i++
				return strings.Replace(line, `"User-Agent"`, headers[i%3]+headers[(i+1+i/3%2)%3]+`"User-Agent"`, 1)
			})
			b.Run("caddy_mixed", func(b *testing.B) { benchmarkNext(b, name, mixed) })
			log = mixed
		}
		b.Run(name+"/fastjson", func(b *testing.B) {
			var p fastjson.Parser
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				for line := range bytes.Lines(log) {
					if _, err := p.ParseBytes(line); err != nil {
						b.Fatal(err)
					}
				}
			}
			perLine(b, log)
		})
	}
}

// more is what real lines have beside the members of the samples.
var more = map[string]string{
	"nginx_json": `,"remote_user":"","server_name":"www.example.com","request_time":0.012,"upstream_response_time":"0.011","http_x_forwarded_for":"","request_id":"1f0c3d5e7a9b","ssl_protocol":"TLSv1.3"`,
	"caddy":      `,"bytes_read":0,"user_id":"","resp_headers":{"Server":["Caddy"],"Etag":["\"cacq4sswpg5c2wo\""],"Content-Type":["text/html"],"Vary":["Accept-Encoding"],"Alt-Svc":["h3=\":443\"; ma=2592000"]}`,
	"cloudflare": `,"CacheCacheStatus":"hit","CacheResponseBytes":12480,"ClientASN":64500,"ClientCountry":"de","ClientRequestBytes":220,"ClientRequestProtocol":"HTTP/2","ClientRequestReferer":"","EdgeColoCode":"FRA","WAFAction":"unknown"`,
}

// logOf returns a log of 2,000 lines that differ as those of a real log do.
func logOf(line func(i int, path, agent string) string) []byte {
	agents := []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15",
		"Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
	}
	paths := []string{"/", "/wp-content/themes/style.css?ver=4.5.3", "/2016/05/a-post-with-a-long-name/", "/feed/", "/wp-includes/js/jquery/jquery.js?ver=1.12.4"}
	var log []byte
	for i := range 2000 {
		log = append(append(log, line(i, paths[i*7%len(paths)], agents[i*5%3+i%2])...), '\n')
	}
	return log
}

// mixLines changes each line of a log.
func mixLines(log []byte, change func(line string) string) []byte {
	var mixed []byte
	for line := range strings.Lines(string(log)) {
		mixed = append(mixed, change(line)...)
	}
	return mixed
}

func benchmarkNext(b *testing.B, name string, log []byte) {
	var r Record
	reader := mustReader(b, name)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		reader.Reset(log)
		n := 0
		for kind := reader.Next(&r); kind != End; kind = reader.Next(&r) {
			if kind != Request {
				b.Fatalf("%s", r.Line)
			}
			n++
		}
		if n != 2000 {
			b.Fatal(n)
		}
	}
	perLine(b, log)
}

// perLine reports the time for a line, and the length of one.
func perLine(b *testing.B, log []byte) {
	lines := bytes.Count(log, []byte("\n"))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lines), "ns/line")
	b.ReportMetric(float64(len(log))/float64(lines), "B/line")
}
