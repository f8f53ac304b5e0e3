package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/crawler"
)

// TestReportIsPrintedWhereTheStateCannotBeWritten checks that an unwritable state doesn't lose the
// report.
func TestReportIsPrintedWhereTheStateCannotBeWritten(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	dir := filepath.Join(t.TempDir(), "dir")
	makeDir(t, dir)
	// The folder is there when the flags are checked, and gone when the log has been read.
	in := &vanishing{strings.NewReader(logLine("/p", "GPTBot/1")), dir}
	var out, diag strings.Builder
	code := streams{in: in, out: &out, err: &diag}.run(t.Context(), []string{"audit", "--robots", robots, "--output",
		"json", "--fail-on", "violation>0", "--state", filepath.Join(dir, "a.state"), "-"})
	r := result{out.String(), diag.String(), code}
	if report := auditJSON(t, r); code != exitInput || report["lines"] != 1.0 || !strings.Contains(r.err, "a.state") ||
		strings.Contains(r.err, "--fail-on") {
		t.Errorf("code %d, %v lines, stderr %q", code, report["lines"], r.err)
	}
}

// vanishing removes a folder when it is read.
type vanishing struct {
	*strings.Reader
	dir string
}

func (v *vanishing) Read(p []byte) (int, error) {
	os.RemoveAll(v.dir)
	return v.Reader.Read(p)
}

func makeState(t testing.TB, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.state")
	done(t, "", append([]string{"audit", "--state", name}, args...)...)
	return name
}

// rehead replaces the head of a state, with a checksum that is right.
func rehead(state []byte, head []byte) []byte {
	magic := bytes.IndexByte(state, '\n') + 1
	n := int(binary.BigEndian.Uint64(state[magic:]))
	b := binary.BigEndian.AppendUint64(slices.Clone(state[:magic]), uint64(len(head)))
	b = append(b, head...)
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(head, crc32.MakeTable(crc32.Castagnoli)))
	return append(b, state[magic+8+n+4:]...)
}

func headOf(state []byte) []byte {
	magic := bytes.IndexByte(state, '\n') + 1
	return state[magic+8:][:binary.BigEndian.Uint64(state[magic:])]
}

func TestMergeOfDamage(t *testing.T) {
	policy := manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n"},
		"2026-11-01T00:00:00Z,https://example.com,200,a.txt")
	log := file(t, "a.log", logLine("/p", "GPTBot/1")+logLine("/robots.txt", "GPTBot/1"))
	name := makeState(t, "--policy", policy, "--host", "https://example.com", log)
	good := raw(t, name)
	bad := filepath.Join(t.TempDir(), "bad.state")
	refused := func(what string, state []byte) {
		t.Helper()
		write(t, bad, string(state))
		if r := command(t, "", "merge", bad); r.code != exitInput || r.out != "" || !strings.Contains(r.err, "bad.state") {
			t.Errorf("%s: %+v", what, r)
		}
	}
	refused("half", good[:len(good)/2]) // package audit has damage at each byte
	refused("a byte more", append(slices.Clip(good), 'x'))
	var head map[string]any
	must.Do(t, json.Unmarshal(headOf(good), &head))
	basis := head["Basis"].(map[string]any)["Basis"].(map[string]any)
	for key, values := range map[string][]any{
		"Constant": {true}, "Rows": {nil, []any{}, []any{map[string]any{"Origins": []string{"https://example.com"},
			"Status": 200, "Body": 7}}, []any{map[string]any{"Body": -5}}},
		"Window": {0, -1, int64(1 << 62)}, "Dialect": {"", "bing"},
		"Profiles": {nil, []any{map[string]any{}}, []any{map[string]any{"name": "x", "control": true}}},
		"Hosts":    {[]string{"not a host"}, []string{"https://other.example"}}, "Samples": {-1, "x"}, "Bodies": {nil},
	} {
		for _, value := range values {
			was := basis[key]
			basis[key] = value
			changed := must.Get(json.Marshal(head))(t)
			refused(fmt.Sprintf("%s is %v", key, value), rehead(good, changed))
			basis[key] = was
		}
	}
	for _, text := range []string{"", "{", "null", "{}", `{"Basis":null}`, `{"Basis":[]}`} {
		refused("head "+text, rehead(good, []byte(text)))
	}
}

// TestSumOfDamageReplacesNoState checks damage that is found only when the report is made.
func TestSumOfDamageReplacesNoState(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	name := makeState(t, "--robots", robots, file(t, "a.log", logLine("/p", "GPTBot/1")))
	state := raw(t, name)
	// The tally of a state without its records.
	empty := raw(t, makeState(t, "--robots", robots, file(t, "b.log", "")))
	records := func(b []byte) int { // after the first line, the head and the tally
		at := bytes.IndexByte(b, '\n') + 1
		for range 2 {
			at += 8 + int(binary.BigEndian.Uint64(b[at:])) + 4
		}
		return at
	}
	bad := file(t, "bad.state", string(state[:records(state)])+string(empty[records(empty):]))
	sum := file(t, "sum.state", string(state))
	if r := command(t, "", "merge", "--state", sum, bad); r.code != exitInput || r.out != "" ||
		!strings.Contains(r.err, "the state is damaged: its numbers do not add up") {
		t.Fatalf("%+v", r)
	}
	if got, err := os.ReadFile(sum); err != nil || !bytes.Equal(got, state) {
		t.Error("the sum of a damaged state has replaced another", err)
	}
	done(t, "", "merge", "--state", sum, name)
}

// FuzzMerge checks that any head of a state gives a report or an error.
func FuzzMerge(f *testing.F) {
	robots := filepath.Join(f.TempDir(), "robots.txt")
	log := filepath.Join(f.TempDir(), "a.log")
	crawlers := filepath.Join(f.TempDir(), "mine.json")
	for name, content := range map[string]string{
		robots: "user-agent: *\ndisallow: /p\n", log: logLine("/p", "MyBot/1"),
		crawlers: `[{"name":"MyBot","operator":"Me","category":"other","words":["MyBot"],"tokens":["MyBot"],"obeys":"yes"}]`,
	} {
		write(f, name, content)
	}
	state := raw(f, makeState(f, "--robots", robots, "--crawlers", crawlers, log))
	// The profile of MyBot alone is enough, and quicker.
	head := headOf(state)
	at, end := bytes.Index(head, []byte(`"Profiles":[`))+len(`"Profiles":[`), bytes.Index(head, []byte(`],"Series"`))
	mine := bytes.LastIndex(head[:end], []byte(`{"name":"MyBot"`))
	f.Add(slices.Concat(head[:at], head[mine:]))
	name := filepath.Join(f.TempDir(), "fuzzed.state")
	f.Fuzz(func(t *testing.T, head []byte) {
		must.Do(t, os.WriteFile(name, rehead(state, head), 0o666))
		if r := command(t, "", "merge", name); r.code != exitDone && r.code != exitInput ||
			(r.out == "") != (r.code == exitInput) {
			t.Errorf("%+v", r)
		}
	})
}

// manifest writes a manifest of rows "from,origin,status,file" and its files.
func manifest(t *testing.T, files map[string]string, rows ...string) string {
	t.Helper()
	name := filepath.Join(tree(t, files), "manifest.csv")
	write(t, name, "from,origin,status,file\n"+strings.Join(rows, "\n")+"\n")
	return name
}

// fakeDNS answers lookups from tables, and notes which were made.
type fakeDNS struct {
	names map[string][]string // of addresses
	addrs map[string][]string // of names

	mu    sync.Mutex
	asked []string
	stop  context.CancelFunc // called at the first lookup, if not nil
}

func (d *fakeDNS) lookUp(table map[string][]string, what string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, what)
	if d.stop != nil {
		d.stop()
	}
	switch answer, ok := table[what]; {
	case !ok:
		return nil, &net.DNSError{Err: "no such host", Name: what, IsNotFound: true}
	case answer == nil:
		return nil, errors.New("server misbehaving")
	default:
		return answer, nil
	}
}

func (d *fakeDNS) resolver() crawler.Resolver {
	return crawler.Resolver{
		LookupAddr: func(_ context.Context, addr string) ([]string, error) { return d.lookUp(d.names, addr) },
		LookupHost: func(_ context.Context, host string) ([]string, error) { return d.lookUp(d.addrs, host) },
		Rate:       1e6,
	}
}

// resolveWith runs audit --resolve with a DNS of the test's own.
func resolveWith(t *testing.T, ctx context.Context, d *fakeDNS, args ...string) (result, reporttest.Figures) {
	t.Helper()
	var out, diag strings.Builder
	cmd := commands["audit"](streams{in: strings.NewReader(""), out: &out, err: &diag, dns: d.resolver()})
	cmd.SetArgs(append([]string{"--resolve", "--output", "json"}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var exit exitError
	if err := cmd.ExecuteContext(ctx); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := result{out.String(), diag.String(), int(exit)}
	report, err := reporttest.FiguresOf(r.out)
	if err != nil {
		t.Fatalf("%v, stderr %q", err, r.err)
	}
	return r, report
}

func logLineFrom(addr, path, agent string) string {
	return strings.Replace(logLine(path, agent), "192.0.2.1", addr, 1)
}

func dnsWorld() *fakeDNS {
	return &fakeDNS{
		names: map[string][]string{
			"192.0.2.10":  {"evil.example.", "crawl-1.googlebot.com."},
			"192.0.2.11":  {"host.example."},
			"192.0.2.12":  {"crawl-2.googlebot.com."},
			"192.0.2.13":  nil,
			"192.0.2.14":  {"crawl-1.googlebot.com."},
			"2001:db8::1": {"crawl-6.googlebot.com."},
		},
		addrs: map[string][]string{
			"crawl-1.googlebot.com.": {"192.0.2.10", "192.0.2.14"},
			"crawl-2.googlebot.com.": {"198.51.100.1"},
			"crawl-6.googlebot.com.": {"2001:db8::1"},
		},
	}
}

const googleAgent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// violationsBy is the figure of Googlebot's violations by clients with an identity.
func violationsBy(identity string) string {
	return fmt.Sprintln("Googlebot: violations", identity, "content", "GET", false)
}

func TestResolveVerifiesAddressesOfViolationsOnly(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	log := file(t, "a.log", strings.Join([]string{
		logLineFrom("192.0.2.10", "/p", googleAgent), logLineFrom("192.0.2.10", "/p/2", googleAgent),
		logLineFrom("192.0.2.10", "/free", googleAgent),
		logLineFrom("192.0.2.11", "/p", googleAgent),
		logLineFrom("192.0.2.12", "/p", googleAgent),
		logLineFrom("192.0.2.13", "/p", googleAgent),
		logLineFrom("192.0.2.14", "/free", googleAgent),
		logLineFrom("2001:DB8:0::1", "/p", googleAgent),
		logLineFrom("10.0.0.1", "/p", googleAgent),
		logLineFrom("192.0.2.10", "/p", "GPTBot/1"), // whose operator names no domains
		logLineFrom("192.0.2.11", "/p", "SomeUnknownBot/1 (+https://some.example/)"),
	}, ""))
	d := dnsWorld()
	r, report := resolveWith(t, t.Context(), d, "--robots", robots, log)
	if r.code != exitDone || !strings.Contains(r.err, "looking up the names of 5 addresses") {
		t.Errorf("code %d, stderr %q", r.code, r.err)
	}
	for figure, want := range map[string]float64{
		"Googlebot: identity verified": 3, "Googlebot: identity unverified": 5, "Googlebot: identity unverifiable": 1,
		violationsBy("verified"): 3, violationsBy("unverified"): 3, violationsBy("unverifiable"): 1,
		"GPTBot: identity verified": 0, "SomeUnknownBot: identity verified": 0,
	} {
		if n := report.Number(figure); n != want {
			t.Errorf("%s is %v, want %v", figure, n, want)
		}
	}
	slices.Sort(d.asked)
	want := []string{"192.0.2.10", "192.0.2.11", "192.0.2.12", "192.0.2.13", "2001:db8::1", "crawl-1.googlebot.com.",
		"crawl-2.googlebot.com.", "crawl-6.googlebot.com."}
	if !slices.Equal(d.asked, want) {
		t.Errorf("asked for %q, want %q", d.asked, want)
	}
	const note = "The names of 5 addresses of violations were looked up: 2 are the crawler's own by forward-confirmed " +
		"reverse DNS. For the others that proves nothing. For 1 the DNS gave no answer."
	if !strings.Contains(r.out, note) {
		t.Errorf("the report does not say %q: %v", note, auditJSON(t, r)["assumptions"])
	}

	// Each request counts as before, but for who it was.
	without := must.Get(reporttest.FiguresOf(command(t, "", "audit", "--output", "json", "--robots", robots, log).out))(t)
	identities := regexp.MustCompile(`: (identity|violations) |verified_content`)
	for _, d := range reporttest.CompareFigures(report, without) {
		if reporttest.Told().MatchString(d.Figure) && !identities.MatchString(d.Figure) {
			t.Errorf("with and without --resolve: %v", d)
		}
	}
}

// TestResolveAsksOnlyWhereIdentityIsOpen checks that clients already verified or proven to be
// impostors aren't looked up.
func TestResolveAsksOnlyWhereIdentityIsOpen(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	ranges := file(t, "googlebot.txt", "192.0.2.14\n")
	log := file(t, "a.log", logLineFrom("192.0.2.10", "/p", googleAgent)+logLineFrom("192.0.2.14", "/p", googleAgent))
	d := dnsWorld()
	r, report := resolveWith(t, t.Context(), d, "--robots", robots, "--ip-ranges", "Googlebot="+ranges+"@2026-11-10", log)
	if report.Number("Googlebot: identity verified") != 1 || report.Number("Googlebot: identity spoofed") != 1 {
		t.Errorf("%v", report)
	}
	if len(d.asked) > 0 || !strings.Contains(r.out, "The names of 0 addresses") {
		t.Errorf("asked for %q; %v", d.asked, auditJSON(t, r)["assumptions"])
	}
}

func TestResolveThatIsInterruptedSaysSo(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	log := file(t, "a.log", logLineFrom("192.0.2.10", "/p", googleAgent)+logLineFrom("192.0.2.11", "/p", googleAgent))
	d := dnsWorld()
	ctx, stop := context.WithCancel(t.Context())
	d.stop = stop
	r, report := resolveWith(t, ctx, d, "--robots", robots, "--fail-on", "violation>0", log)
	if r.code != exitInterrupted || report["partial"] == nil ||
		!strings.Contains(r.err, "interrupted: not all names were looked up") ||
		strings.Count(r.err, "--fail-on is not checked on a part of the input") != 1 {
		t.Errorf("code %d, partial %v, stderr %q", r.code, report["partial"], r.err)
	}
	if report.Number("Googlebot: verdicts violation") != 2 {
		t.Errorf("%v", report)
	}
}
