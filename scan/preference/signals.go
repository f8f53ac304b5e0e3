package preference

import "slices"

// Signal is a row of the table of signals: a preference that can be stated, with its specification.
type Signal struct {
	Name  string // of its lines in lower case, or of its kind
	Use   string // what the preference is about: a key or label of the line, or a token
	Where Place
	// Yes and No are the values for these. Words are values that are kept as they are. If all are empty, any
	// URL is a value.
	Yes, No string
	Words   []string
	// Wildcard says whether the groups for * bind a token: yes, no or unknown.
	Wildcard string
	// Source is the page that describes the signal, and Date the date of that text or of its reading.
	Source, Date string
}

// Place is where a signal stands.
type Place string

// The places of signals.
const (
	InGroup  Place = "group"       // on a line of a group, for the crawlers that the group binds
	InFile   Place = "file"        // on a line anywhere in the file, for all crawlers
	AsToken  Place = "token"       // in a user-agent line, as a name that no crawler sends
	TDMRepAt Place = "tdmrep.json" // in /.well-known/tdmrep.json
)

const (
	contentSignals = "https://contentsignals.org/"
	managedRobots  = "https://developers.cloudflare.com/bots/additional-configurations/managed-robots-txt/"
	aiprefAttach   = "https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/"
	aiprefVocab    = "https://datatracker.ietf.org/doc/draft-ietf-aipref-vocab/"
	policyTokens   = "https://datatracker.ietf.org/doc/draft-kelley-aipref-training-preference-signal/"
	rsl            = "https://rslstandard.org/guide"
	tdmrep         = "https://w3c.github.io/tdm-reservation-protocol/spec/"
	googleCrawlers = "https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers"
	appleBot       = "https://support.apple.com/en-us/119829"
)

// The names of signals.
const (
	ContentSignal = "content-signal"
	ContentUsage  = "content-usage"
	License       = "license"
	ControlToken  = "control-token"
	PolicyToken   = "policy-token"
	TDMRep        = "tdmrep"
)

// signals is the table. A new key, value or draft is a row here.
var signals = []Signal{
	{Name: ContentSignal, Use: "search", Where: InGroup, Yes: "yes", No: "no", Source: contentSignals, Date: "2026-11-28"},
	{Name: ContentSignal, Use: "ai-input", Where: InGroup, Yes: "yes", No: "no", Source: contentSignals,
		Date: "2026-11-28"},
	{Name: ContentSignal, Use: "ai-train", Where: InGroup, Yes: "yes", No: "no", Source: contentSignals,
		Date: "2026-11-28"},
	{Name: ContentSignal, Use: "use", Where: InGroup, Words: []string{"immediate", "reference", "full"},
		Source: managedRobots, Date: "2026-11-28"},
	{Name: ContentUsage, Use: "train-ai", Where: InGroup, Yes: "y", No: "n", Source: aiprefAttach, Date: "2026-08-19"},
	{Name: ContentUsage, Use: "search", Where: InGroup, Yes: "y", No: "n", Source: aiprefAttach, Date: "2026-08-19"},
	{Name: License, Where: InFile, Source: rsl, Date: "2026-11-28"},
	{Name: ControlToken, Use: "google-extended", Where: AsToken, Wildcard: "unknown", Source: googleCrawlers,
		Date: "2026-11-21"},
	{Name: ControlToken, Use: "applebot-extended", Where: AsToken, Wildcard: "unknown", Source: appleBot,
		Date: "2026-11-21"},
	// The draft's spelling of its token is unknown, so the row is without one and matches nothing.
	{Name: PolicyToken, Where: AsToken, Wildcard: "unknown", Source: policyTokens, Date: "2026-10-30"},
	{Name: TDMRep, Use: "tdm", Where: TDMRepAt, Yes: "0", No: "1", Source: tdmrep, Date: "2025-12-07"},
	{Name: TDMRep, Use: "tdm-policy", Where: TDMRepAt, Source: tdmrep, Date: "2025-12-07"},
}

// Signals returns the table.
func Signals() []Signal { return slices.Clone(signals) }

// find returns the row of a use, nil if there is none.
func find(name, use string) *Signal {
	i := slices.IndexFunc(signals, func(s Signal) bool { return s.Name == name && s.Use == use })
	if i < 0 {
		return nil
	}
	return &signals[i]
}

// The values of a Statement, besides words and URLs.
const (
	Yes     = "yes"
	No      = "no"
	Partly  = "partly" // for some paths only
	Unknown = "unknown"
)

// value returns the meaning of a text as a value of the signal, "" if it is invalid.
func (s *Signal) value(text string) string {
	switch {
	case text == s.Yes:
		return Yes
	case text == s.No:
		return No
	case slices.Contains(s.Words, text):
		return text
	}
	return ""
}
