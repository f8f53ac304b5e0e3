package report

import (
	"bytes"
	"encoding/json"
	"time"
)

// PolicyInfo describes the robots.txt files.
type PolicyInfo struct {
	File    string   `json:"file"`    // robots.txt, or the manifest or folder of its versions
	Bytes   int      `json:"bytes"`   // the size of a single robots.txt; -1 if unknown
	Origins []string `json:"origins"` // the origins judged; none for any
	Dialect string   `json:"dialect"` // auto, or the dialect used for all crawlers
	Notes   int      `json:"notes"`   // how many oddities the lines of a single robots.txt have
	// NoRule describes the first robots.txt, such as "it is empty", if none of them has a rule.
	NoRule string `json:"no_rule"`
	// History is constant for one robots.txt, otherwise the meaning of the versions' times, deployed
	// or observed; none without a robots.txt.
	History       History `json:"history"`
	WindowSeconds int64   `json:"window_seconds"` // how long a crawler may use a copy after it was replaced
	DelaySeconds  int64   `json:"delay_seconds"`  // how much later a request may be served or logged
	SkewSeconds   int64   `json:"skew_seconds"`   // how much clocks may differ
	// AssumeConstant: each first version is taken as in force from the beginning.
	AssumeConstant bool `json:"assume_constant"`
	// Committed: the versions are commits of a git repository, whose file may differ from the one that was sent.
	Committed bool          `json:"committed"`
	Versions  []VersionInfo `json:"versions"` // all versions, by origin and time
}

// None reports whether no robots.txt was given, so that nothing is judged.
func (p *PolicyInfo) None() bool { return p.History == NoHistory }

// MarshalJSON implements json.Marshaler. It leaves <, > and & to the encoder that calls it.
func (p PolicyInfo) MarshalJSON() ([]byte, error) {
	if p.None() {
		return json.Marshal(p.History)
	}
	type object PolicyInfo
	return JSON(object(p), "")
}

// JSON returns a value as JSON and a newline, on one line unless indent is set. It leaves <, > and & unescaped because
// the JSON isn't for web pages.
func JSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// VersionInfo is one version of an origin's robots.txt.
type VersionInfo struct {
	Origin        string `json:"origin"`          // the site; empty for any
	From          Time   `json:"from"`            // when it began; empty for before all time
	Status        int    `json:"status"`          // 0 if unreachable
	File          string `json:"file"`            // where its body is stored
	Bytes         int64  `json:"bytes"`           // -1 if unknown
	MaxAgeSeconds int64  `json:"max_age_seconds"` // how long it may be cached, if stated
	Location      string `json:"location"`        // where it redirects to
	// SHA256 is the hash of the whole decompressed file, in hexadecimal; empty if it was not read to its end.
	SHA256 string `json:"sha256"`
	// Body is the file, cut off one byte past the size limit (compile.Options.MaxBytes); nil if there
	// is none. It must not be changed.
	Body []byte `json:"-"`
	// Cited counts violations of its rules, for both http and https if the log doesn't distinguish them.
	Cited int64 `json:"violations"`
}

// RangeInfo describes a list of a crawler's addresses.
type RangeInfo struct {
	Crawler string `json:"crawler"`  // the crawler
	File    string `json:"file"`     // where the list comes from
	Created Time   `json:"created"`  // empty if undated
	DatedBy string `json:"dated_by"` // the source of the date: creationTime, name or option
}

// RobotsInfo describes the log's own answers to robots.txt.
type RobotsInfo struct {
	Requests int64 `json:"requests"` // GETs of /robots.txt by any client
	// Logged: there is at least one; otherwise the log doesn't show who fetched it.
	Logged bool  `json:"logged"`
	Served int64 `json:"served"` // how many were answered with a body, or with 304
	None   int64 `json:"none"`   // how many were told that there is no robots.txt
	Failed int64 `json:"failed"` // how many got no usable answer
	// ClearedBy are answers to crawlers, by status, that meant there was no robots.txt although the files have one.
	ClearedBy []StatusCount `json:"cleared_by"`
	// Strangers are answers 404 and 410 to other clients that clear crawlers, and ClearedByStrangers
	// the requests that would otherwise be violations.
	Strangers          []StatusCount `json:"strangers"`
	ClearedByStrangers int64         `json:"cleared_by_strangers"`
	Sizes              int64         `json:"sizes"`           // answers 2xx other than 204 whose size is not 0
	Differing          int64         `json:"sizes_differing"` // how many of these have the size of no version in force
	// SizesChange: the answers of one site had different sizes.
	SizesChange bool `json:"sizes_change"`
	// SizesMixed: different sizes alternated while the same versions were in force, so the file may
	// depend on the client.
	SizesMixed bool `json:"sizes_mixed"`
	// Contradicted: the answers contradict the files, so the headline is conditional.
	Contradicted bool       `json:"contradicted"`
	Listed       []SizeInfo `json:"differences"` // the answers whose sizes no file has
}

// SizeInfo counts answers to robots.txt of one size that no version in force had.
type SizeInfo struct {
	Origin   string  `json:"origin"`   // the site; empty for any
	Bytes    int64   `json:"bytes"`    // the size
	Expected []int64 `json:"expected"` // the sizes of the versions in force; none if there was none
	N        int64   `json:"n"`        // how many answers
	First    Time    `json:"first"`    // when the first was sent
	Last     Time    `json:"last"`     // when the last was sent
}

// InputInfo describes one file that was read.
type InputInfo struct {
	Name string `json:"name"` // the file
	Host string `json:"host"` // the site of the log, as given by --host SITE=LOG; empty if not given
	// Format is a [format](formats.md), with its envelope (syslog:combined), or a mix (combined+vhost_combined).
	Format string `json:"format"`
	Codec  string `json:"codec"`              // plain, or the compression
	Disk   int64  `json:"bytes"`              // the size on disk
	Bytes  int64  `json:"bytes_uncompressed"` // the bytes that were read
	// SHA256 is the hash of the bytes on disk, in hexadecimal; empty if the file was not read to its
	// end, and for large plain logs without --sha256 or --evidence.
	SHA256 string `json:"sha256"`
	// DuplicateOf is an earlier input with the same decompressed content. If Lines is 0, this one was not counted.
	DuplicateOf string `json:"duplicate_of"`
	Lines       int64  `json:"lines"`    // its lines
	Unparsed    int64  `json:"unparsed"` // lines that could not be parsed as a record of the format
	// OutOfPeriod are its requests outside the period, which are not among Lines; omitted if there are none.
	OutOfPeriod int64  `json:"out_of_period,omitempty"`
	Complete    bool   `json:"complete"` // the file was read to its end
	Error       string `json:"error"`    // why it was not; empty if it was
	// NoAgents: none of the first requests has a User-Agent, although the format has the field.
	NoAgents bool `json:"no_agents,omitempty"`
	// Clients is what the first requests have instead of client addresses, if anything: names (host
	// names), proxy, or forwarded (a proxy with X-Forwarded-For).
	Clients ClientsBy `json:"clients,omitempty"`
}

// ClientsBy is how the requests of a log identify clients.
type ClientsBy string

// How clients are identified. See InputInfo.Clients.
const (
	ByAddress   ClientsBy = ""
	ByName      ClientsBy = "names"
	ByProxy     ClientsBy = "proxy"
	ByForwarded ClientsBy = "forwarded"
)

// NoAgents reports whether none of the first requests of any log has a User-Agent.
func (r *Report) NoAgents() bool {
	return r.allRead(func(in InputInfo) bool { return in.NoAgents })
}

// Clients returns how all logs identify clients, or ByAddress if they differ.
func (r *Report) Clients() ClientsBy {
	for _, by := range [...]ClientsBy{ByName, ByProxy, ByForwarded} {
		if r.allRead(func(in InputInfo) bool { return in.Clients == by }) {
			return by
		}
	}
	return ByAddress
}

// allRead reports whether something holds for all inputs with lines, of which there must be at least one.
func (r *Report) allRead(holds func(InputInfo) bool) bool {
	some := false
	for _, in := range r.Inputs {
		if in.Lines > 0 && !holds(in) {
			return false
		}
		some = some || in.Lines > 0
	}
	return some
}

// BasisInfo describes the files and choices that an audit rests on, for the sentences of its
// report. It does not affect the audit itself.
type BasisInfo struct {
	// File is the name of the robots.txt, or of the list of its versions.
	File string
	// Constant means that policy.Constant made the policy, Observed that the versions have the times
	// at which they were seen. Otherwise they have the times at which they were deployed.
	Constant, Observed bool
	// None means that no robots.txt was given, so nothing is judged.
	None bool `json:",omitempty"`
	// AssumeConstant means that the first version of each origin is taken as in force from the beginning.
	AssumeConstant bool
	// LastSeen has, for each origin of an observed source, the time of its last row.
	LastSeen map[string]int64 `json:"-"`
	// Hosts are the only origins to be judged. If empty, all origins of the policy are.
	Hosts []string
	// Ranges are the address lists of Config.Identities. RangesMaxAge is how long before or after a
	// request a list may have been made and still verify a client.
	Ranges       []RangeInfo
	RangesMaxAge time.Duration
	// Names is the file of resolved names; empty if there is none.
	Names string
	// ClientIP and TrustedProxies are the text of Config.ClientIP; empty stands for "addr".
	ClientIP       string
	TrustedProxies []string
	// Sampled describes how the logs were sampled, in the user's words.
	Sampled string
	// Oddities are warnings about the robots.txt files themselves. NoRule is as in PolicyInfo.
	Oddities []string `json:"-"`
	NoRule   string   `json:"-"`
}
