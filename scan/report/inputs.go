package report

import (
	"bytes"
	"encoding/json"
	"time"
)

// PolicyInfo describes the robots.txt files.
type PolicyInfo struct {
	File    string   `json:"file"`    // robots.txt, or the manifest or folder of its versions
	Bytes   int      `json:"bytes"`   // the size of a single robots.txt; -1: not known
	Origins []string `json:"origins"` // the origins judged; none: any
	Dialect string   `json:"dialect"` // auto, or the one dialect for all crawlers
	Notes   int      `json:"notes"`   // odd things about the lines of a single robots.txt
	// NoRule is what the first robots.txt looks like, such as "it is empty", if none has a rule.
	NoRule string `json:"no_rule"`
	// History is constant for one robots.txt, else what the times of versions mean: deployed or observed; none
	// without a robots.txt.
	History       History `json:"history"`
	WindowSeconds int64   `json:"window_seconds"` // how long a crawler may use a copy that was replaced
	DelaySeconds  int64   `json:"delay_seconds"`  // how much later a request may be served or logged
	SkewSeconds   int64   `json:"skew_seconds"`   // by how much clocks may differ
	// AssumeConstant: each first version is taken as in force before all time.
	AssumeConstant bool          `json:"assume_constant"`
	Versions       []VersionInfo `json:"versions"` // all versions, by origin and time
}

// None reports whether no robots.txt was given, so that nothing is judged.
func (p *PolicyInfo) None() bool { return p.History == NoHistory }

// MarshalJSON implements json.Marshaler. It leaves <, > and & to the encoder that calls it.
func (p PolicyInfo) MarshalJSON() ([]byte, error) {
	if p.None() {
		return json.Marshal(p.History)
	}
	type object PolicyInfo
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(object(p))
	return b.Bytes(), err
}

// VersionInfo is one version of an origin's robots.txt.
type VersionInfo struct {
	Origin        string `json:"origin"`          // empty: any
	From          Time   `json:"from"`            // empty: before all time
	Status        int    `json:"status"`          // 0: unreachable
	File          string `json:"file"`            // where its body is
	Bytes         int64  `json:"bytes"`           // -1: not known
	MaxAgeSeconds int64  `json:"max_age_seconds"` // how long it may be kept, if that was said
	Location      string `json:"location"`        // where it redirects to
	// SHA256 is that of the whole decompressed file, in hexadecimal; empty if it was not read to its end.
	SHA256 string `json:"sha256"`
	// Body is the file itself, or the beginning of one that is longer than the limit of bytes
	// (compile.Options.MaxBytes) and one byte; nil if there is none. It must not be changed.
	Body []byte `json:"-"`
	// Cited counts violations of its rules, for both http and https if the log does not tell them apart.
	Cited int64 `json:"violations"`
}

// RangeInfo is a list of a crawler's addresses.
type RangeInfo struct {
	Crawler string `json:"crawler"`  // whose
	File    string `json:"file"`     // where it is from
	Created Time   `json:"created"`  // empty: undated
	DatedBy string `json:"dated_by"` // what says so: creationTime, name or option
}

// RobotsInfo is about the log's own answers to robots.txt.
type RobotsInfo struct {
	Requests int64 `json:"requests"` // GETs of /robots.txt by any client
	// Logged: there is at least one; if not, nothing is known about who fetched it.
	Logged bool  `json:"logged"`
	Served int64 `json:"served"` // those answered with a body, or with 304
	None   int64 `json:"none"`   // those answered that there is no robots.txt
	Failed int64 `json:"failed"` // those without a usable answer
	// ClearedBy are answers to crawlers that there is no robots.txt, while the files have one, by status.
	ClearedBy []StatusCount `json:"cleared_by"`
	// Strangers are answers 404 and 410 to other clients that clear crawlers, and ClearedByStrangers the
	// requests that would be violations without them.
	Strangers          []StatusCount `json:"strangers"`
	ClearedByStrangers int64         `json:"cleared_by_strangers"`
	Sizes              int64         `json:"sizes"`           // answers with a 2xx other than 204 and a size that is not 0
	Differing          int64         `json:"sizes_differing"` // those whose size is of no version in force
	// SizesChange: the sizes of one site's answers differ among each other.
	SizesChange bool `json:"sizes_change"`
	// SizesMixed: different sizes came in turn while the same versions were in force, so the file may depend on
	// who asks.
	SizesMixed bool `json:"sizes_mixed"`
	// Contradicted: the answers contradict the files, so the headline is conditional.
	Contradicted bool       `json:"contradicted"`
	Listed       []SizeInfo `json:"differences"` // the answers of other sizes than the files
}

// SizeInfo counts answers to robots.txt of one size that no version in force had.
type SizeInfo struct {
	Origin   string  `json:"origin"`   // empty: any
	Bytes    int64   `json:"bytes"`    // the size
	Expected []int64 `json:"expected"` // the sizes of the versions in force; none if there was none
	N        int64   `json:"n"`        // how many answers
	First    Time    `json:"first"`    // when the first was sent
	Last     Time    `json:"last"`     // and the last
}

// InputInfo is one file that was read.
type InputInfo struct {
	Name string `json:"name"` // the file
	Host string `json:"host"` // the site whose log it is, by --host SITE=LOG; empty: not named there
	// Format is a [format](formats.md), with its envelope (syslog:combined), or a mix
	// (combined+vhost_combined).
	Format string `json:"format"`
	Codec  string `json:"codec"`              // plain, or the compression
	Disk   int64  `json:"bytes"`              // the size on disk
	Bytes  int64  `json:"bytes_uncompressed"` // the bytes that were read
	// SHA256 is that of the bytes on disk, in hexadecimal; empty if not all were read, and for large plain logs
	// without --sha256 or --state.
	SHA256 string `json:"sha256"`
	// DuplicateOf is an earlier input with the same decompressed content; if Lines is 0, this one was not
	// counted.
	DuplicateOf string `json:"duplicate_of"`
	Lines       int64  `json:"lines"`    // its lines
	Unparsed    int64  `json:"unparsed"` // those that are no record of the format
	// OutOfPeriod are its requests outside the period, not among Lines, if there are any.
	OutOfPeriod int64  `json:"out_of_period,omitempty"`
	Complete    bool   `json:"complete"` // it was read to its end
	Error       string `json:"error"`    // why it was not
	// NoAgents: none of the first requests has a User-Agent, though the format has the field.
	NoAgents bool `json:"no_agents,omitempty"`
	// Clients is what the first requests have instead of client addresses, if anything: names (of hosts),
	// proxy, or forwarded (a proxy with X-Forwarded-For).
	Clients ClientsBy `json:"clients,omitempty"`
}

// ClientsBy is what the requests of a log name clients by.
type ClientsBy string

// What clients are named by: see InputInfo.Clients.
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

// Clients returns what the clients of all logs are named by, ByAddress if logs differ in that.
func (r *Report) Clients() ClientsBy {
	for _, by := range [...]ClientsBy{ByName, ByProxy, ByForwarded} {
		if r.allRead(func(in InputInfo) bool { return in.Clients == by }) {
			return by
		}
	}
	return ByAddress
}

// allRead reports whether something holds for all inputs that have lines, and there are some.
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

// BasisInfo describes the files and choices that an audit rests on, for the sentences of
// its report. The audit itself does not use it.
type BasisInfo struct {
	// File names the robots.txt, or the list of its versions.
	File string
	// Constant: policy.Constant made the policy. Observed: versions have the times at
	// which they were seen. Otherwise they have the times at which they were deployed.
	Constant, Observed bool
	// None: no robots.txt was given, and nothing is judged.
	None bool `json:",omitempty"`
	// AssumeConstant: the first version of each origin is taken as in force before all
	// time.
	AssumeConstant bool
	// LastSeen has, for each origin of an observed source, the time of its last row.
	LastSeen map[string]int64 `json:"-"`
	// Hosts are the only origins that are judged; none: all of the policy.
	Hosts []string
	// Ranges are the lists of addresses of Config.Identities, and RangesMaxAge is how long
	// before or after a request a list may have been made to verify a client.
	Ranges       []RangeInfo
	RangesMaxAge time.Duration
	// Names is the file of resolved names, empty if there is none.
	Names string
	// ClientIP and TrustedProxies are the text of Config.ClientIP; empty is "addr".
	ClientIP       string
	TrustedProxies []string
	// Sampled is how the logs were sampled, in the user's words.
	Sampled string
	// Oddities are warnings about the robots.txt files themselves. NoRule is as in PolicyInfo.
	Oddities []string `json:"-"`
	NoRule   string   `json:"-"`
}
