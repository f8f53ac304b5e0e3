package crawler

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var categories = []string{"search", "ai-training", "ai-search", "user-triggered", "preview", "seo", "archive",
	"ads", "monitoring", "feed", "security", "research", "other"}

// TestBuiltinIsRead checks that Read finds the same profiles in crawlers.json, which has no escapes.
func TestBuiltinIsRead(t *testing.T) {
	want, err := Read([]byte(builtinText))
	if err != nil || len(want) != len(Builtin()) {
		t.Fatalf("%d profiles, want %d: %v", len(Builtin()), len(want), err)
	}
	for i, p := range Builtin() {
		if !reflect.DeepEqual(p, want[i]) {
			t.Errorf("got  %+v\nwant %+v", p, want[i])
		}
	}
	if n := testing.AllocsPerRun(1, func() { readBuiltin() }); n > 300 {
		t.Errorf("%v allocations, for which each audit waits", n)
	}
}

// TestBuiltin checks each built-in profile for requirements that Read doesn't make, because users'
// profiles may be about anything.
func TestBuiltin(t *testing.T) {
	set := builtinSet(t)
	if n := len(set.Profiles()); n < 300 {
		t.Errorf("only %d profiles", n)
	}
	r := set.Reader()
	for i := range set.Profiles() {
		p := &set.Profiles()[i]
		t.Run(p.Name, func(t *testing.T) {
			if !slices.Contains(categories, p.Category) {
				t.Errorf("category %q", p.Category)
			}
			if !slices.Contains([]string{"", "dns", "ranges", "ranges,dns"}, p.Verify) {
				t.Errorf("verify %q", p.Verify)
			}
			if (p.Source == "") != (p.Date == "") || p.Obeys != "unknown" && p.Source == "" {
				t.Errorf("obeys %q, as of the day %q says %q", p.Obeys, p.Date, p.Source)
			}
			if _, err := time.Parse(time.DateOnly, p.Date); p.Date != "" && err != nil {
				t.Errorf("date: %v", err)
			}
			if len(p.Domains) > 0 && !strings.Contains(p.Verify, "dns") {
				t.Errorf("domains %q of one that is verified by %q", p.Domains, p.Verify)
			}
			if slices.ContainsFunc(p.Domains, func(d string) bool { return inDomains("x."+rented, []string{d}) }) {
				t.Errorf("any rented machine may be it, by %q", p.Domains)
			}
			if p.Control != (len(p.Words) == 0) {
				t.Errorf("control token: %v, words %q", p.Control, p.Words)
			}
			if p.Exempt != "" && p.Obeys == "yes" {
				t.Errorf("it obeys and is exempt: %s", p.Exempt)
			}
			if (p.Dialect == "google") != (p.Operator == "Google") {
				t.Errorf("dialect %q of an operator %q", p.Dialect, p.Operator)
			}
			for _, name := range []string{p.Name, strings.ToUpper(p.Name), strings.ToLower(p.Name)} {
				if got := set.ByName(name); got != p {
					t.Errorf("ByName(%q) = %v", name, got)
				}
			}
			for _, word := range p.Words {
				for _, word := range []string{word, strings.ToUpper(word)} {
					for _, header := range []string{
						"Mozilla/5.0 (compatible; " + word + "/1.0; +http://" + pageOf(set, p) + "/)",
						word, word + "/2.0", "Mozilla/5.0 (" + word + ")",
					} {
						if got := r.Read([]byte(header)); !same(got, Claim{Profile: p, Name: p.Name}) {
							t.Errorf("%q is %v", header, got)
						}
					}
					for _, header := range []string{"x" + word + "x", "Foo/1.0 (+http://operator.example/" + word + ")"} {
						if got := r.Read([]byte(header)); got.Profile != nil && got.Profile.Operator == p.Operator &&
							!strings.Contains(word, " ") {
							t.Errorf("%q is %v", header, got)
						}
					}
				}
			}
		})
	}
}

// TestProfilesOfTheSpecification checks the profiles named in audit-rules 7. A token equals the
// name unless tokens has another.
func TestProfilesOfTheSpecification(t *testing.T) {
	set := builtinSet(t)
	tokens := map[string]string{"Googlebot-Image": " Googlebot", "Googlebot-News": " Googlebot",
		"Googlebot-Video": " Googlebot",
		"bingbot":         " msnbot", "Screaming": " Googlebot"}
	for want, names := range map[string]string{
		"": "Googlebot Googlebot-Image Storebot-Google Googlebot-Video GPTBot ClaudeBot bingbot Screaming AhrefsSiteAudit",
		"fetcher": "facebookexternalhit Claude-User MistralAI-User DuckAssistBot Twitterbot Slackbot-LinkExpanding TelegramBot " +
			"WhatsApp Discordbot LinkedInBot SkypeUriPreview UptimeRobot Pingdom.com_bot StatusCake NewsBlur Feedbin",
		"fetcher, exempt": "ChatGPT-User Perplexity-User Meta-ExternalFetcher Inoreader Google-Read-Aloud FeedFetcher-Google " +
			"Google-Agent Google-CWS Google-GeminiNotebook Google-NotebookLM Google-Pinpoint Google-Site-Verification " +
			"GoogleMessages GoogleProducer Feedly Kimi-User",
		"exempt":   "Google-Safety",
		"control":  "Google-Extended Applebot-Extended Googlebot-News",
		"not by *": "AdsBot-Google AdsBot-Google-Mobile",
	} {
		for _, name := range strings.Fields(names) {
			p := set.ByName(name)
			if p == nil {
				t.Errorf("no profile %s", name)
				continue
			}
			var is []string
			for _, fact := range []struct {
				name string
				is   bool
			}{
				{"fetcher", p.IsFetcher()}, {"exempt", p.Exempt != ""}, {"control", p.Control}, {"not by *", p.IgnoresWildcard},
			} {
				if fact.is {
					is = append(is, fact.name)
				}
			}
			if got := strings.Join(is, ", "); got != want || !strings.EqualFold(strings.Join(p.Tokens, " "), name+tokens[name]) {
				t.Errorf("%s is %q with tokens %q, want %q with %q", name, got, p.Tokens, want, name+tokens[name])
			}
		}
	}
}

// readOn is the last day on which a page was read for crawlers.json.
const readOn = "2026-11-28"

// TestFactsHaveTheirSource requires each profile to name the page, and the day, on which facts that
// could accuse or excuse are based. Facts without a citation are left out, on the side that accuses
// less: a claim to obey, a second product token, a way to verify.
func TestFactsHaveTheirSource(t *testing.T) {
	// No page of the operator says so, but without it the crawler could be accused: as one
	// with a header of its own, or by a group that has its other name.
	uncited := map[string]string{
		"Webzio-Extended": "that it is a control token",
		"360Spider":       "a second product token",
	}
	for _, p := range builtinSet(t).Profiles() {
		facts := map[string]bool{
			"a second product token":     len(p.Tokens) > 1,
			"that * does not bind it":    p.IgnoresWildcard,
			"that it is exempt":          p.Exempt != "",
			"that it is a control token": p.Control,
			"its dialect":                p.Dialect != "",
			"whether it obeys":           p.Obeys != "unknown",
			"whether it heeds delays":    p.CrawlDelay != "",
			"how to verify it":           p.Verify != "",
		}
		source, err := url.Parse(p.Source)
		cited := err == nil && (source.Scheme == "https" || source.Scheme == "http") && strings.Contains(source.Host, ".")
		day, err := time.Parse(time.DateOnly, p.Date)
		dated := err == nil && p.Date <= readOn && day.Year() >= 1994
		for fact, stated := range facts {
			if stated && !(cited && dated) && uncited[p.Name] != fact {
				t.Errorf("%s: %s has no page, %q as of %q", p.Name, fact, p.Source, p.Date)
			}
		}
		if p.Source != "" && !cited || p.Date != "" && !dated {
			t.Errorf("%s: page %q as of %q", p.Name, p.Source, p.Date)
		}
		if strings.Contains(p.Source, "ai-robots-txt") {
			t.Errorf("%s: a list is no source", p.Name)
		}
	}
}

// TestByName finds crawlers by name before words and tokens.
func TestByName(t *testing.T) {
	set := newSet(t, []Profile{
		{Name: "Screaming", Operator: "S", Words: []string{"Screaming Frog", "Frog"},
			Tokens: []string{"ScreamingFrog", "Second"}},
		{Name: "ScreamingFrog", Operator: "T", Words: []string{"Toad"}, Tokens: []string{"Frog"}},
		{Name: "Control", Operator: "U", Control: true, Tokens: []string{"Toad"}},
		{Name: "Other", Operator: "V", Words: []string{"Another"}, Tokens: []string{"Pond"}},
	})
	for name, want := range map[string]string{
		"screaming":      "Screaming",
		"SCREAMING FROG": "Screaming",
		"ScreamingFrog":  "ScreamingFrog",
		"frog":           "Screaming",
		"toad":           "ScreamingFrog",
		"Control":        "Control",
		"pond":           "Other",
		"Second":         "",
		"Scream":         "",
		"":               "",
	} {
		got := ""
		if p := set.ByName(name); p != nil {
			got = p.Name
		}
		if got != want {
			t.Errorf("ByName(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestReadError has one case for each kind of invalid list of profiles.
func TestReadError(t *testing.T) {
	const good = `{"name":"Foo","operator":"F","words":["Foo"],"tokens":["foo"],"obeys":"yes"}`
	if _, err := Read([]byte("[" + good + "]")); err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) string { return "[" + strings.Replace(good, old, new, 1) + "]" }
	second := func(name, word string) string {
		return fmt.Sprintf(`[%s,{"name":%q,"operator":"B","words":[%q],"tokens":["bar"],"obeys":"yes"}]`, good, name, word)
	}
	for _, c := range []struct{ name, data, says string }{
		{"a list of names", `["Foo"]`, "cannot unmarshal string"},
		{"a word for words", change(`["Foo"]`, `"Foo"`), "words"},
		{"more behind the list", change("", "") + "x", "follows"},
		{"a second list", change("", "") + "[]", "follows"},
		{"no category that is known", change(`"operator":"F",`, `"operator":"F","category":"seo ",`), "category"},
		{"words of a control token", change(`"tokens"`, `"control":true,"tokens"`), "control token"},
		{"no word", change(`"words":["Foo"],`, ""), "no word"},
		{"an empty word", change(`["Foo"]`, `["Foo",""]`), "no word"},
		{"no token of a further product", change(`"obeys"`, `"also":[["bar"],[]],"obeys"`), "no product token"},
		{"no token", change(`"tokens":["foo"],`, ""), "no product token"},
		{"an empty token", change(`["foo"]`, `["foo",""]`), `"" is not a product token`},
		{"a token with a version", change(`["foo"]`, `["foo/1.0"]`), `"foo/1.0" is not a product token`},
		{"a token with a blank", change(`["foo"]`, `["foo bar"]`), `"foo bar" is not a product token`},
		{"no word on whether it obeys", change(`"yes"`, `""`), "obeys"},
		{"another word on whether it obeys", change(`"yes"`, `"perhaps"`), "obeys"},
		{"an unknown dialect", change(`"obeys"`, `"dialect":"bing","obeys"`), "bing"},
		{"a domain in capitals", change(`"obeys"`, `"domains":["Foo.example"],"obeys"`), "Foo.example"},
		{"a domain that ends in a dot", change(`"obeys"`, `"domains":["foo.example."],"obeys"`), "foo.example."},
		{"a domain that begins with a dot", change(`"obeys"`, `"domains":[".foo.example"],"obeys"`), ".foo.example"},
		{"a domain with a wildcard", change(`"obeys"`, `"domains":["*.foo.example"],"obeys"`), "*.foo.example"},
		{"a domain of all of com", change(`"obeys"`, `"domains":["com"],"obeys"`), "com"},
		{"an empty domain", change(`"obeys"`, `"domains":[""],"obeys"`), "domain name"},
		{"a domain that begins with a hyphen", change(`"obeys"`, `"domains":["-foo.example"],"obeys"`), "domain name"},
		{"a domain with a long label", change(`"obeys"`, `"domains":["`+strings.Repeat("x", 64)+`.example"],"obeys"`),
			"domain name"},
		{"a long domain", change(`"obeys"`, `"domains":["`+strings.Repeat("x.", 130)+`example"],"obeys"`), "domain name"},
		{"the domain of rented machines", change(`"obeys"`, `"domains":["googleusercontent.com"],"obeys"`), "rented"},
		{"a part of the domain of rented machines",
			change(`"obeys"`, `"domains":["bc.googleusercontent.com"],"obeys"`), "rented"},
		{"a name twice", second("foo", "Bar"), "shares"},
		{"a word twice in one profile", change(`["Foo"]`, `["Foo","foo"]`), "shares"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Read([]byte(c.data))
			if err == nil {
				t.Fatalf("read as %+v", got)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
		})
	}
}

// TestExtend changes the known crawlers by a user's list.
func TestExtend(t *testing.T) {
	base := []Profile{
		{Name: "Foo", Operator: "F", Words: []string{"Foo", "Foo Bar"}, Tokens: []string{"foo"}, Obeys: "yes",
			Exempt: "because"},
		{Name: "Bar", Operator: "B", Words: []string{"Bar"}, Tokens: []string{"bar"}, Obeys: "no"},
		{Name: "Bar-Extended", Operator: "B", Control: true, Tokens: []string{"bar-extended"}, Obeys: "yes"},
	}
	own := func(name string, words ...string) Profile {
		return Profile{Name: name, Operator: "U", Words: words, Tokens: []string{"own"}, Obeys: "unknown",
			Control: len(words) == 0}
	}
	for _, c := range []struct {
		name string
		more []Profile
		want string // names with their operators and words
	}{
		{"nothing", nil, "Foo F [Foo Foo Bar], Bar B [Bar], Bar-Extended B []"},
		{"a word of another", []Profile{own("Baz", "foo bar")},
			"Foo F [Foo], Bar B [Bar], Bar-Extended B [], Baz U [foo bar]"},
		{"one of the other's words by one that is replaced", []Profile{own("Bar", "Foo")},
			"Foo F [Foo Bar], Bar U [Foo], Bar-Extended B []"},
		{"a control token", []Profile{own("bar")}, "Foo F [Foo Foo Bar], bar U [], Bar-Extended B []"},
		{"a control token that gets a header", []Profile{own("Bar-Extended", "BarX")},
			"Foo F [Foo Foo Bar], Bar B [Bar], Bar-Extended U [BarX]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := Extend(base, c.more)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range all {
				got = append(got, fmt.Sprint(p.Name, " ", p.Operator, " ", p.Words))
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			newSet(t, all)
		})
	}
	if len(base[0].Words) != 2 || base[0].Words[1] != "Foo Bar" {
		t.Errorf("the known ones were changed: %v", base)
	}
	all, err := Extend(base, []Profile{own("Foo", "Foo")})
	if err != nil || all[0].Exempt != "" {
		t.Errorf("what was replaced is still exempt: %+v, %v", all, err)
	}
}

// TestLongTextsAreRefused checks the limit of texts, which reports and messages repeat.
func TestLongTextsAreRefused(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	for field, change := range map[string]func(p *Profile, text string){
		"name":     func(p *Profile, text string) { p.Name = text },
		"operator": func(p *Profile, text string) { p.Operator = text },
		"word":     func(p *Profile, text string) { p.Words = []string{text} },
		"token":    func(p *Profile, text string) { p.Tokens = []string{text} },
		"also":     func(p *Profile, text string) { p.Also = [][]string{{"x"}, {text}} },
		"exempt":   func(p *Profile, text string) { p.Exempt = text },
		"source":   func(p *Profile, text string) { p.Source = text },
		"date":     func(p *Profile, text string) { p.Date = text },
		"verify":   func(p *Profile, text string) { p.Verify = text },
		"list":     func(p *Profile, text string) { p.Lists = []List{{text, "https://x.example/", "2026-01-01"}} },
		"URL":      func(p *Profile, text string) { p.Lists = []List{{"x.json", "https://" + text[8:], "2026-01-01"}} },
	} {
		for text, want := range map[string]error{long: errLong, long[1:]: nil} {
			p := Profile{Name: "x", Operator: "x", Words: []string{"x"}, Tokens: []string{"x"}, Obeys: "yes"}
			change(&p, text)
			if _, err := Extend(nil, []Profile{p}); !errors.Is(err, want) || err != nil && len(err.Error()) > 200 {
				t.Errorf("%s of %d bytes: %.200v, want %v", field, len(text), err, want)
			}
		}
	}
}

// pageOf is a host of an operator.
func pageOf(set *Set, p *Profile) string {
	if sites := set.sites[p.Operator]; len(sites) > 0 {
		return "www." + sites[0]
	}
	return "operator.example"
}
