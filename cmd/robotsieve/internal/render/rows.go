package render

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"net/netip"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/report"
)

// row is a judged request for a list.
type row struct {
	*audit.Event
	input   string // name of the input
	address []byte // as printed
	agent   []byte // as printed
	claim   []byte // as printed
	// These come from audit.Event.Named and the crawler. Without one, identity and verdict are empty, too.
	crawler, operator, role, category string
}

func newRow(e *audit.Event, input string) row {
	r := row{Event: e, input: input, address: e.Address, agent: e.Agent, claim: e.Claim, category: report.Unknown}
	if e.Name == "" {
		r.category = ""
		return r
	}
	r.crawler, r.operator, r.role = e.Named()
	if e.Crawler != nil {
		r.category = e.Crawler.Category
	}
	return r
}

// microseconds converts a time in nanoseconds since 1970 to whole microseconds.
func microseconds(nanos int64) int64 {
	if nanos%1000 < 0 {
		return nanos/1000 - 1
	}
	return nanos / 1000
}

var requestRows = columns[row]{
	{name: "time", kind: timeRow, means: "when the request was made, in UTC, cut to microseconds; " +
		"none if the line has no time that can be read",
		unlike: true, value: func(r *row) value { return integer(microseconds(r.Time)).when(r.HasTime) }},
	{name: "origin", means: "where it went, such as `https://example.com`: " +
		"without the scheme if it may have been either; none if the log does not tell",
		value: func(r *row) value { return words(r.Origin) }},
	{name: "crawler", means: "the name of the crawler; of one that is not known as its header writes it, " +
		"with letters outside ASCII as `\\u{HHHH}`",
		value: func(r *row) value { return words(r.crawler) }},
	{name: "operator", means: "who runs the crawler; `unknown` if the crawler is not known",
		value: func(r *row) value { return words(r.operator) }},
	{name: "role", means: "`crawler`, or `fetcher`: sent by a person, a subscription or the site's own operator",
		value: func(r *row) value { return words(r.role) }},
	{name: "identity", means: "whether the client is known to be the crawler: `verified`, `spoofed`, " +
		"`unverified` or `unverifiable`",
		value: func(r *row) value { return words(r.Identity.String()).when(r.crawler != "") }},
	{name: "address", means: "the client's address, as the log has it; with `--anonymize` its pseudonym; " +
		"none if the log has none",
		value: func(r *row) value { return octets(r.address) }},
	{name: "method", means: "the request's method, at most its first 8 KiB",
		value: func(r *row) value { return octets(r.Method) }},
	{name: "target", means: "the request's target, at most its first 8 KiB",
		unlike: true, value: func(r *row) value { return octets(r.Target) }},
	{name: "status", kind: integerRow, means: "the status of the answer; none if the log has none",
		value: func(r *row) value { return integer(int64(r.Status)).when(r.Status != 0) }},
	{name: "bytes", kind: integerRow, means: "how many bytes of the body were sent; none if the log does not tell",
		unlike: true, value: func(r *row) value { return integer(r.Size).when(r.Size >= 0) }},
	{name: "outcome", means: "how the server answered: `content` (2xx with a body), `not_modified` (304), " +
		"`empty` (2xx without a body), `redirected` (another 3xx), `refused` (" + report.RefusedBy +
		"), `other` (all others, 202 among them)",
		value: func(r *row) value { return words(r.Outcome.String()) }},
	{name: "verdict", means: namesOf(verdicts),
		value: func(r *row) value { return words(r.Verdict.String()).when(r.crawler != "") }},
	{name: "reason", means: "why it is `indeterminate`, as `reasons` of the report names it; " +
		"none for all other verdicts",
		value: func(r *row) value { return words(r.Reason.String()).when(r.Verdict == report.Indeterminate) }},
	{name: "rule_line", kind: integerRow, means: "the line of robots.txt that forbids it; " +
		"this and the next three have a value only for violations",
		value: func(r *row) value { return integer(int64(r.Rule.Line)).when(r.Verdict == report.Violation) }},
	{name: "rule", means: "the rule of that line, as `Disallow: /path`, however the line spells it",
		value: func(r *row) value { return words(r.Rule.Rule).when(r.Verdict == report.Violation) }},
	{name: "rule_version", kind: timeRow, means: "from when on the version with that line was in force; " +
		"none if before all time",
		value: func(r *row) value { return timeOf(r.Rule.Version).when(r.Verdict == report.Violation) }},
	{name: "rule_file", means: "the file of that version",
		value: func(r *row) value { return words(r.Rule.File).when(r.Verdict == report.Violation) }},
	{name: "informed", kind: boolRow, means: "a client of this name had been sent a robots.txt that forbids the " +
		"request, or been told by 304 that its copy stands; none where the log does not say what was sent; " +
		"only for `violation` and `grace`",
		value: func(r *row) value {
			isKnown := r.Informed || r.InformedKnown
			return boolean(r.Informed).when(isKnown && (r.Verdict == report.Violation || r.Verdict == report.Grace))
		}},
	{name: "evasive", kind: boolRow, means: "it is allowed or contested as it was sent, " +
		"although every copy forbids the normal form of its path",
		value: func(r *row) value { return boolean(r.Evasive) }},
	{name: "input", means: "the name of the log, as `inputs` of the report has it",
		value: func(r *row) value { return words(r.input) }},
	{name: "line", kind: integerRow, means: "the number of the line in that log, decompressed, from 1",
		unlike: true, value: func(r *row) value { return integer(r.Number) }},
	{name: "category", means: "what the crawler is for, such as `ai-training`; `unknown` if the crawler is not known",
		value: func(r *row) value { return words(r.category) }},
	{name: "user_agent", means: "the client's User-Agent, at most its first 8 KiB; none with `--anonymize`",
		value: func(r *row) value { return octets(r.agent) }},
	{name: "claim", means: "what the log says about the client: the header Signature-Agent, or a word of a CDN such as " +
		"`VerifiedBotCategory`. It is not verified and plays no part in `identity`; none with `--anonymize`",
		value: func(r *row) value { return octets(r.claim) }},
}

// namesOf lists the names of columns for the documentation.
func namesOf(list columns[crawler]) string {
	var names []string
	for _, f := range list {
		names = append(names, "`"+f.name+"`")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// RowOutputs returns the names of the outputs of rows, the default first.
func RowOutputs() []string { return []string{"ndjson", "csv", "parquet"} }

func (t columns[T]) list(w io.Writer, output string) *List[T] {
	l := &List[T]{out: w, append: t.appendJSON, begin: beginLines("")}
	switch output {
	case "csv":
		l.append, l.begin = t.appendCSV, beginLines(t.csvHeader())
	case "parquet":
		l.append, l.begin = t.appendValues, t.beginParquet
	}
	return l
}

// Rows lists judged requests, one per row.
type Rows struct {
	*List[row]
	key []byte
}

// NewRows returns an empty list for one of RowOutputs. With a key it replaces addresses by
// pseudonyms: the first 16 bytes, in hexadecimal, of the HMAC-SHA256 of the address.
func NewRows(w io.Writer, output string, key []byte) *Rows {
	return &Rows{requestRows.list(w, output), key}
}

// Appender returns a function, not safe for concurrent use, that appends the row of a request in an input.
func (l *Rows) Appender() func(rows []byte, e *audit.Event, input string) []byte {
	var names *pseudonyms
	if len(l.key) > 0 {
		names = &pseudonyms{mac: hmac.New(sha256.New, l.key), known: map[string][]byte{}}
	}
	var r row // shared, as one per call would be allocated
	return func(rows []byte, e *audit.Event, input string) []byte {
		r = newRow(e, input)
		if names != nil {
			r.agent, r.claim = nil, nil // they may name a person
		}
		if names != nil && len(e.Address) > 0 {
			r.address = names.of(e.Address)
		}
		for range e.N {
			rows = l.append(rows, &r)
		}
		return rows
	}
}

// List writes rows of type T. It must be closed.
type List[T any] struct {
	// append appends a row and may be called concurrently. begin returns the writer for finished rows.
	append func(b []byte, r *T) []byte
	begin  func(io.Writer) (io.WriteCloser, error)
	out    io.Writer
	to     io.WriteCloser // nil before the first row
	err    error          // the first write error
	row    []byte         // buffer of Add
}

// Add writes a row.
func (l *List[T]) Add(r *T) error {
	l.row = l.append(l.row[:0], r)
	_, err := l.Write(l.row)
	return err
}

// Write writes complete rows made by an appender. After an error it writes nothing.
func (l *List[T]) Write(rows []byte) (int, error) {
	l.start()
	if l.err == nil {
		_, l.err = l.to.Write(rows)
	}
	if l.err != nil {
		return 0, l.err
	}
	return len(rows), nil
}

// start starts the list, unless it has started.
func (l *List[T]) start() {
	if l.to == nil && l.err == nil {
		l.to, l.err = l.begin(l.out)
	}
}

// Close ends the list. It must be called even without rows, unless nothing should be written then.
// It returns nil if Write has returned an error.
func (l *List[T]) Close() error {
	if l.err != nil {
		return nil //nolint:nilerr // Write has returned it
	}
	l.start()
	if l.err == nil {
		l.err = l.to.Close()
	}
	return l.err
}

// Begun reports whether there is a row.
func (l *List[T]) Begun() bool { return l.to != nil }

// pseudonyms replaces addresses by pseudonyms.
type pseudonyms struct {
	mac   hash.Hash
	known map[string][]byte // of recent addresses
	sum   [sha256.Size]byte
}

// maxPseudonyms limits the cache of pseudonyms. Crawlers use few addresses within a log.
const maxPseudonyms = 4096

// of returns the pseudonym of an address, in any notation.
func (p *pseudonyms) of(address []byte) []byte {
	name := p.known[string(address)]
	if name == nil {
		if len(p.known) == maxPseudonyms {
			clear(p.known)
		}
		normal := address
		if ip, err := netip.ParseAddr(string(address)); err == nil {
			normal = []byte(ip.Unmap().String())
		}
		p.mac.Reset()
		p.mac.Write(normal)
		name = hex.AppendEncode(nil, p.mac.Sum(p.sum[:0])[:16])
		p.known[string(address)] = name
	}
	return name
}

// beginLines starts a list of text lines after a header.
func beginLines(header string) func(io.Writer) (io.WriteCloser, error) {
	return func(w io.Writer) (io.WriteCloser, error) {
		_, err := io.WriteString(w, header)
		return lines{w}, err
	}
}

type lines struct{ io.Writer }

func (lines) Close() error { return nil }
