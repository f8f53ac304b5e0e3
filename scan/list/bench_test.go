package list

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// generated returns a list of a kind of about n bytes, as in practice.
func generated(kind string, n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString([]string{"robots ", "exclusion ", "a ", "protocol. ", `\n`, `\"quoted\" `, "é ",
				"crawl, "}[random.IntN(8)])
		}
		return b.String()
	}
	url := func() string {
		return fmt.Sprintf("https://www.example%d.com/path/%d/page-%d.html?q=%d", random.IntN(9), random.IntN(1000),
			random.IntN(1e6), random.IntN(10))
	}
	var b bytes.Buffer
	if kind == "csv" {
		b.WriteString("id,url,status,title\n")
	}
	for i := 0; b.Len() < n; i++ {
		switch kind {
		case "json-2k", "json-50k":
			size := 1500 + random.IntN(800)
			if kind == "json-50k" {
				size = 50e3
			}
			fmt.Fprintf(&b,
				`{"text":"%s","id":"<urn:uuid:%016x>","dump":"CC-MAIN-2024-10","url":"%s","date":"2024-02-%02dT05:06:07Z","file_path":"s3://commoncrawl/%d.warc.gz","language":"en","language_score":0.%d,"token_count":%d,"meta":{"tags":["a","b"],"ok":true,"none":null}}`+"\n",
				words(size), random.Uint64(), url(), 1+random.IntN(28), random.IntN(1e6), random.IntN(1e9), random.IntN(1e4))
		case "json-ascii":
			fmt.Fprintf(&b, `{"url":"%s","text":"%s"}`+"\n", url(), strings.Repeat(`\u4e2d\u6587`, 150+random.IntN(40)))
		case "json-shapes": // names in any order, and arrays of any length
			members := []string{`"url":"` + url() + `"`, `"text":"` + words(1500) + `"`, `"n":1.5`, `"ok":true`}
			for i := range 12 {
				members = append(members, fmt.Sprintf(`"m%d":[%s1]`, i, strings.Repeat("0.125,", random.IntN(20))))
			}
			random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			b.WriteString("{" + strings.Join(members, ",") + "}\n")
		case "csv":
			fmt.Fprintf(&b, "%d,%s,200,some title of a page\n", i, url())
		case "csv-quoted":
			fmt.Fprintf(&b, `"%d","%s","200","some ""title"", of a page"`+"\n", i, url())
		case "tsv":
			fmt.Fprintf(&b, "%d\t%s\t200\tsome title of a page\n", i, url())
		case "cdx":
			fmt.Fprintf(&b,
				"com,example%d)/path/%d 202401020304%02d %s text/html 200 ABCDEFGHIJKLMNOPQRSTUVWXYZ234567 - - 12345 %d CC-MAIN-20240102.warc.gz\n", random.IntN(9), random.IntN(1e6), random.IntN(60), url(), random.IntN(1e9))
		case "cdxj":
			fmt.Fprintf(&b,
				`com,example%d)/path/%d 202401020304%02d {"url": "%s", "mime": "text/html", "mime-detected": "text/html", "status": "200", "digest": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "length": "%d", "offset": "%d", "filename": "crawl-data/CC-MAIN-2024-10/segments/1707947473347.0/warc/CC-MAIN-20240220211055-20240221001055-00000.warc.gz", "languages": "eng", "encoding": "UTF-8"}`+"\n",
				random.IntN(9), random.IntN(1e6), random.IntN(60), url(), random.IntN(1e5), random.IntN(1e9))
		case "urls":
			b.WriteString(url() + "\n")
		case "sitemap":
			if i == 0 {
				b.WriteString("<urlset>")
			}
			fmt.Fprintf(&b, "  <url>\n    <loc>%s</loc>\n    <lastmod>2024-01-02</lastmod>\n  </url>\n", url())
		}
	}
	return b.Bytes()
}

var lineKinds = map[string]Kind{"json-2k": JSON, "json-50k": JSON, "json-ascii": JSON, "json-shapes": JSON, "csv": CSV,
	"csv-quoted": CSV, "tsv": TSV, "cdx": CDX, "cdxj": CDXJ, "urls": URLs}

func BenchmarkReader(b *testing.B) {
	for _, name := range []string{"urls", "csv", "csv-quoted", "tsv", "json-2k", "json-50k", "json-ascii",
		"json-shapes", "cdx", "cdxj"} {
		b.Run("kind="+name, func(b *testing.B) {
			list := generated(name, 8<<20)
			l, err := New(lineKinds[name], list[:200<<10], Options{})
			if err != nil {
				b.Fatal(err)
			}
			r := l.NewReader()
			var row Row
			rows, urls := 0, 0
			b.SetBytes(int64(len(list)))
			b.ReportAllocs()
			for b.Loop() {
				for r.Reset(list, false); r.Next(&row); {
					rows++
					if row.State == Good {
						urls++
					}
				}
			}
			if rows-urls > b.N+1 {
				b.Fatalf("%d URLs in %d rows", urls, rows)
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

func BenchmarkSitemap(b *testing.B) {
	list := append(generated("sitemap", 4<<20), "</urlset>"...)
	b.SetBytes(int64(len(list)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, NewSitemap(bytes.NewReader(list))); err != nil {
			b.Fatal(err)
		}
	}
}
