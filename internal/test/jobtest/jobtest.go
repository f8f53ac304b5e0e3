// Package jobtest writes logs of all kinds, with a policy, for tests that audit the same logs in several ways.
package jobtest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Logs are the names of logs, with what an audit needs to judge them.
type Logs struct {
	Names  []string
	Policy string   // a manifest with two versions
	Ranges string   // an argument of --ip-ranges
	Hosts  []string // of --host
	Since  string   // a date within the logs
}

// Write writes logs to a folder: days plain ones and as many compressed ones of a day each, and one
// or two of each kind with special treatment: damaged, with lines that can't be parsed, without
// lines, with a header, and one large enough to be divided.
func Write(t testing.TB, dir string, days int, zstd func(data []byte) []byte) Logs {
	w := &writer{t: t, dir: dir, rng: rand.New(rand.NewPCG(19, 1))}
	for i := range days {
		w.log(fmt.Sprintf("plain%03d.log", i), w.lines(1+i%12, 300, 0.01))
		w.log(fmt.Sprintf("packed%03d.log.gz", i), source.AppendMember(nil, w.lines(1+i%12, 300, 0)))
		if i%4 == 0 {
			w.log(fmt.Sprintf("packed%03d.log.zst", i), zstd(w.lines(1+i%12, 200, 0)))
		}
	}
	damaged := source.AppendMember(nil, w.lines(4, 2000, 0))
	w.log("damaged.log.gz", damaged[:len(damaged)*2/3])
	w.log("damaged.log.zst", append(zstd(w.lines(5, 200, 0)), 1, 2, 3))
	w.log("unclear.log", w.lines(6, 200, 0.10))
	w.log("more-unclear.log", w.lines(6, 400, 0.20))
	w.log("rubbish.log", slices.Concat(w.lines(7, 1, 0), bytes.Repeat([]byte("?\n"), 90)))
	w.log("empty.log", nil)
	w.log("divided.log", w.lines(8, 2000, 0.07))
	w.log("iis.log", []byte("#Fields: date time cs-method cs-uri-stem sc-status cs(User-Agent) c-ip\n2026-11-09 10:00:00 GET /private/ 200 GPTBot/1.2 192.0.2.1\n"))
	w.put("1.txt", []byte("User-agent: *\nDisallow: /private/\n"))
	w.put("2.txt", []byte("User-agent: *\nCrawl-delay: 9\nDisallow: /shop\n"))
	return Logs{
		Names: w.logs,
		Policy: w.put("manifest.csv", []byte("from,origin,status,file\n2026-10-01T00:00:00Z,https://example.com,200,1.txt\n"+
			"2026-11-06T12:00:00Z,https://example.com,200,2.txt\n")),
		Ranges: "GPTBot=" + w.put("gptbot.json",
			[]byte(`{"creationTime":"2026-11-03T00:00:00.0","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`)),
		Hosts: []string{"https://example.com"},
		Since: "2026-11-02",
	}
}

type writer struct {
	t    testing.TB
	dir  string
	rng  *rand.Rand
	logs []string
}

func (w *writer) put(name string, data []byte) string {
	name = filepath.Join(w.dir, name)
	f, err := disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return name
}

func (w *writer) log(name string, data []byte) { w.logs = append(w.logs, w.put(name, data)) }

var agents = []string{
	"GPTBot/1.2", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "NewBot/1.0",
	"CCBot/2.0 (GPTBot)", "Mozilla/5.0 Firefox/130",
}

// lines returns n lines of a day in November 2026, a share of which can't be parsed.
func (w *writer) lines(day, n int, rubbish float64) []byte {
	var b bytes.Buffer
	rng := w.rng
	for i := range n {
		if rng.Float64() < rubbish {
			fmt.Fprintf(&b, "rubbish %d\n", i)
			continue
		}
		path, status := []string{"/private/x", "/", "/shop?a=%7e", "/robots.txt"}[min(rng.IntN(12), 3)], 200
		if path == "/robots.txt" && day == 4 && rng.IntN(9) == 0 {
			status = 503 // clears the requests of some days
		}
		fmt.Fprintf(&b, "192.0.%d.%d - - [%02d/Nov/2026:%02d:%02d:%02d +0000] \"GET %s HTTP/1.1\" %d %d \"-\" %q\n",
			2+rng.IntN(2), rng.IntN(40), day, rng.IntN(24), rng.IntN(60), rng.IntN(60), path, status, 40+rng.IntN(9),
			agents[rng.IntN(len(agents))])
	}
	return b.Bytes()
}
