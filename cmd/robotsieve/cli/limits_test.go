package cli

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/compile"
)

// TestLimitsAreNamedRightly: for each limit, what is just within it gives no message of it, and
// what is just beyond it gives the message that names it.
func TestLimitsAreNamedRightly(t *testing.T) {
	skipInShort(t)
	robots, log := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "a.log", logLine("/p", "GPTBot/1"))
	archive := filepath.Join(t.TempDir(), "a.rsv")
	audit := func(args ...string) []string {
		return append(append([]string{"audit", "--robots", robots}, args...), log)
	}
	filter := []string{"filter", "--robots", robots, "--agent", "x", "--invalid", "error", "-"}
	check := []string{"check", "--robots", robots, "--agent", "x", "-"}
	url := func(n int) string { return "http://a.example/" + strings.Repeat("x", n-len("http://a.example/")) }
	// body is a robots.txt of n bytes.
	body := func(n int) string {
		return "user-agent: *\n" + strings.Repeat("#\n", (n-14)/2) + strings.Repeat("\n", n%2)
	}
	dir := func(n int) string { return tree(t, map[string]string{"a.example/robots.txt": body(n)}) }
	const kept = compile.DefaultMaxBytes
	for _, c := range []struct {
		name           string
		within, beyond []string
		stdin, past    string // of within and beyond
		says           string // of beyond
	}{
		{name: "--workers", within: audit("--workers", "1024"), beyond: audit("--workers", "1025"), says: "--workers 1025 is not between 1 and 1024"},
		{name: "--workers, least", within: audit("--workers", "1"), beyond: audit("--workers", "0"), says: "--workers 0 is not between 1 and 1024"},
		{name: "--window", within: audit("--window", "3660d"), beyond: audit("--window", "3661d"), says: "--window 3,661 days is not between 24h and 3,660 days"},
		{name: "--window, in days", within: audit("--window", "1d"), beyond: audit("--window", "65535d"), says: "--window 65,535 days is not between 24h and 3,660 days"},
		{name: "--delay", within: audit("--delay", "3h"), beyond: audit("--delay", "2h59m59.9s"), says: "--delay 2h59m59.9s is not between 3h and 3,660 days"},
		{name: "--skew", within: audit("--skew", "10m"), beyond: audit("--skew", "9m"), says: "--skew 9m is not between 10m and 3,660 days"},
		{name: "times", within: audit("--ranges-max-age", "65535"), beyond: audit("--ranges-max-age", "65536"), says: `"65536d" is not a time, such as 24h or 30d, of at most 65,535 days`},
		{name: "times in hours", within: audit("--ranges-max-age", "1572840h"), beyond: audit("--ranges-max-age", "1572841h"), says: `"1572841h" is not a time, such as 24h or 30d, of at most 65,535 days`},
		{name: "--max-unparsed", within: audit("--max-unparsed", "100"), beyond: audit("--max-unparsed", "100.1"), says: `--max-unparsed "100.1" is not a number from 0 to 100`},
		{name: "whole numbers", within: audit("--max-bytes", "0x7fffffffffffffff"), beyond: audit("--max-bytes", "99999999999999999999"), says: "--max-bytes 99999999999999999999 is not between -9223372036854775808 and 9223372036854775807"},
		{name: "--samples", within: audit("--samples", "0"), beyond: audit("--samples", "-1"), says: "--samples -1 is negative"},
		{name: "--memory", within: audit("--memory", "1MB"), beyond: audit("--memory", "0"), says: `--memory "0" is not a number of bytes from 1 to 8 EiB`},
		{name: "--memory, most", within: audit("--memory", "1TB"), beyond: audit("--memory", "1e400"), says: `--memory "1e400" is not a number of bytes from 1 to 8 EiB`},
		{name: "--memory, least", within: audit("--memory", "1000000"), beyond: audit("--memory", "999999"), says: "--memory 999999 is less than 1MB"},

		{name: "years of a manifest", within: []string{"audit", "--policy", manifest(t, nil, "2199-12-31T23:59:59Z,https://example.com,404,"), log},
			beyond: []string{"audit", "--policy", manifest(t, nil, "2200-01-01T00:00:00Z,https://example.com,404,"), log}, says: "not of the years 1700 to 2199"},
		{name: "IPv4 ranges", within: audit("--ip-ranges", "GPTBot="+file(t, "a", "17.0.0.0/8\n")), beyond: audit("--ip-ranges", "GPTBot="+file(t, "a", "16.0.0.0/7\n")), says: "wider than /8 (IPv4) or /19 (IPv6)"},
		{name: "IPv6 ranges", within: audit("--ip-ranges", "GPTBot="+file(t, "a", "2a00::/19\n")), beyond: audit("--ip-ranges", "GPTBot="+file(t, "a", "2a00::/18\n")), says: "wider than /8 (IPv4) or /19 (IPv6)"},

		{name: "a line of a URL list", within: filter, beyond: filter, stdin: url(1<<20) + "\n", past: url(1<<20+1) + "\n", says: "longer than 1 MiB"},
		{name: "a last line of a URL list", within: filter, beyond: filter, stdin: url(1 << 20), past: url(1<<20 + 1), says: "longer than 1 MiB"},
		{name: "a line of URLs for check", within: check, beyond: check, stdin: url(maxLine) + "\r\n", past: url(maxLine+1) + "\n", says: "line 1 is longer than 16,777,216 bytes"},
		{name: "--max-bytes", within: []string{"compile", "-o", archive, dir(1000), "--max-bytes", "1000"}, beyond: []string{"compile", "-o", archive, dir(1002), "--max-bytes", "1000"},
			says: "cut at --max-bytes, 1,000 bytes, at the end of a line"},
		{name: "--max-bytes that is not given", within: []string{"compile", "-o", archive, dir(kept)}, beyond: []string{"compile", "-o", archive, dir(kept + 2)},
			says: "cut at --max-bytes, 512,000 bytes, at the end of a line"},
		{name: "--max-bytes 0", within: []string{"compile", "-o", archive, dir(kept + 2), "--max-bytes", "0"}, beyond: []string{"compile", "-o", archive, dir(2 << 20), "--max-bytes", "0"},
			says: "cut at the most that compile reads of a robots.txt with this --memory, 1,295,544 bytes, at the end of a line"},
		{name: "a robots.txt", within: []string{"audit", "--robots", file(t, "r", body(kept)), log}, beyond: []string{"audit", "--robots", file(t, "r", body(kept+2)), log}, says: "past the size limit"},
	} {
		if r := command(t, c.stdin, c.within...); r.code != exitDone || strings.Contains(r.err, c.says) {
			t.Errorf("%s: within: %.300s", c.name, fmt.Sprint(r.code, r.err))
		}
		if r := command(t, c.past, c.beyond...); !strings.Contains(r.err, c.says) {
			t.Errorf("%s: beyond: %.300s, want %q", c.name, fmt.Sprint(r.code, r.err), c.says)
		}
	}
}

// TestLongCases: the limit of a line is of what stands before its end.
func TestLongCases(t *testing.T) {
	skipInShort(t)
	for end, more := range map[string]int{"\n": 0, "\r\n": 0, "": 0, "\n ": 1} {
		in := bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", maxCase+more)+end), 1<<20)
		if line, err := readCase(in, nil); errors.Is(err, errLongCase) != (more > 0) || err == nil && len(line) != maxCase {
			t.Errorf("a line of %d bytes before %q: %d bytes, %v", maxCase+more, end, len(line), err)
		}
	}
}
