package main

// mutant is a rule that is broken in the code.
type mutant struct {
	rule     string   // what is wrong in the mutant
	file     string   // from the top of the tree
	packages []string // whose tests are to notice it
	edits    []string // old text, new text, old text, new text…
}

// The files with the rules, and the packages whose tests hold them.
const (
	policyFile   = "scan/policy/policy.go"
	historyFile  = "scan/policy/history.go"
	lawfulFile   = "scan/policy/lawful.go"
	rowFile      = "scan/policy/row.go"
	hopsFile     = "scan/policy/redirects.go"
	bindingFile  = "scan/policy/binding.go"
	pastFile     = "scan/policy/pastlimit.go"
	statusFile   = "scan/answer/status.go"
	redirectFile = "scan/answer/redirect.go"
	answersFile  = "scan/audit/answers.go"
	factsFile    = "scan/audit/facts.go"
	passFile     = "scan/audit/finalpass.go"
	requestFile  = "scan/audit/request.go"
	verdictFile  = "scan/audit/verdict.go"
	auditFile    = "scan/audit/audit.go"
	momentsFile  = "scan/audit/moments.go"
)

var (
	inPolicy = []string{"./scan/policy", "./scan/audit"}
	inAnswer = []string{"./scan/answer", "./scan/policy"}
	inAudit  = []string{"./scan/audit"}
)

// mutants are in the order of section 2. A rule that is written in several places of the
// code has a mutant for each.
var mutants = []mutant{
	// The span.
	{"W: the window is shorter than 24 h", policyFile, inPolicy, []string{"MinWindow = 24 * time.Hour", "MinWindow = 23 * time.Hour"}},
	{"d: the delay is shorter than 3 h", policyFile, inPolicy, []string{"MinDelay  = 3 * time.Hour", "MinDelay  = 2 * time.Hour"}},
	{"s: the skew is shorter than 10 min", policyFile, inPolicy, []string{"MinSkew   = 10 * time.Minute", "MinSkew   = 9 * time.Minute"}},
	{"W, d, s: smaller values are not refused", policyFile, inPolicy, []string{"d.given < d.least {", "d.given < 0 {"}},
	{"W, d, s: larger values have no effect", policyFile, inPolicy, []string{
		"int64(max(o.Window, MinWindow)), delay: int64(max(o.Delay, MinDelay)), skew: int64(max(o.Skew, MinSkew))", "int64(MinWindow), delay: int64(MinDelay), skew: int64(MinSkew)",
	}},
	{"max_age is not added to the window", historyFile, inPolicy, []string{"after(after(r.end, int64(r.maxAge)), t.general())", "after(r.end, t.general())"}},
	{"max_age stands in place of the window", historyFile, inPolicy, []string{
		"after(after(r.end, int64(r.maxAge)), t.general())", "after(after(after(r.end, max(t.window, int64(r.maxAge))), t.delay), t.skew)",
	}},
	{"span: begins without the window", historyFile, inPolicy, []string{"return after(after(t.window, t.delay), t.skew)", "return after(t.delay, t.skew)"}},
	{"span: begins without the delay", historyFile, inPolicy, []string{"return after(after(t.window, t.delay), t.skew)", "return after(t.window, t.skew)"}},
	{"span: begins without the skew", historyFile, inPolicy, []string{"return after(after(t.window, t.delay), t.skew)", "return after(t.window, t.delay)"}},
	{"span: ends without the skew", lawfulFile, inPolicy, []string{"if before(r.start, f.skew) > t ||", "if r.start > t ||"}},
	{"span: that of fetches begins without delay and skew", policyFile, inPolicy, []string{"return before(t, p.general()), after(t, p.skew)", "return before(t, p.window), after(t, p.skew)"}},
	{"span: that of fetches ends without the skew", policyFile, inPolicy, []string{"return before(t, p.general()), after(t, p.skew)", "return before(t, p.general()), t"}},
	{"version: does not end where the next one begins", rowFile, inPolicy, []string{"line[n-1].end = r.From", "line[n-1].end = after(r.From, int64(time.Hour))"}},

	// The operator's fetches.
	{"fetch: HEAD counts", requestFile, inAudit, []string{
		"if string(r.Method) != \"GET\" {\n\t\treturn\n\t}\n\tw.answered(at)", "if m := string(r.Method); m != \"GET\" && m != \"HEAD\" {\n\t\treturn\n\t}\n\tw.answered(at)",
	}},
	{"fetch: other crawlers of the operator do not count", auditFile, inAudit, []string{"a.operators[a.profiles[c.Profile]]", "a.profiles[c.Profile]"}},
	{"fetch: those of other operators count", auditFile, inAudit, []string{"append(a.operators, numbers[p.Operator])", "append(a.operators, 0*numbers[p.Operator])"}},
	{"fetch: an impostor's counts", passFile, inAudit, []string{"|| x.identity == SpoofedIdentity {", "|| false {"}},
	{"fetch: an exempt agent's counts", requestFile, inAudit, []string{"if c.exempt() {\n\t\tkind = toldNothing", "if false {\n\t\tkind = toldNothing"}},
	{"fetch: one with an ambiguous header counts for unambiguous requests", passFile, inAudit, []string{"if use == fetchAmbiguous {\n\t\treturn\n\t}", ""}},
	{"fetch: one with an ambiguous header does not count for ambiguous requests", passFile, inAudit, []string{
		"if f.rival != nil {\n\t\tf.rival.add(x)", "if f.rival != nil && ambiguous == 0 {\n\t\tf.rival.add(x)",
	}},
	{"fetch: unknown crawlers are one operator", auditFile, inAudit, []string{"append([]byte{aboutUnknown}, name...)", "append([]byte{aboutUnknown}, name[:0]...)"}},

	// The meaning of answers.
	{"answer: 4xx fails", statusFile, inAnswer, []string{"case hundred == 4:\n\t\treturn None", "case hundred == 4:\n\t\treturn Failed"}},
	{"answer: 204 is a file", statusFile, inAnswer, []string{"case status == 204:\n\t\treturn None", "case status == 204:\n\t\treturn File"}},
	{"answer: 2xx of size 0 is a file", verdictFile, inAudit, []string{"status != 204 && (size > 0 || size == format.NoSizes)", "status != 204 && (size >= 0 || size == format.NoSizes)"}},
	{"answer: 2xx of size \"-\" is a file", verdictFile, inAudit, []string{"status != 204 && (size > 0 || size == format.NoSizes)", "status != 204 && (size != 0 || size == format.NoSizes)"}},
	{"answer: in a log without sizes every answer is empty", verdictFile, inAudit, []string{"size == format.NoSizes)", "size == format.NoSizes-1)"}},
	{"answer: 5xx means that there is no robots.txt", statusFile, inAnswer, []string{"default:\n\t\treturn Failed", "case hundred == 5:\n\t\treturn None\n\tdefault:\n\t\treturn Failed"}},
	{"answer: 444 is like other 4xx", statusFile, inAnswer, []string{"status == 444, ", ""}},
	{"answer: 499 is like other 4xx", statusFile, inAnswer, []string{", status == 499:", ":"}},
	{"answer: no status is none", statusFile, inAnswer, []string{"case status == 204:", "case status == 204, status == 0:"}},
	{"answer: 429 does not fail for Google", statusFile, inAnswer, []string{"case status == 429 && by == Google, status", "case status"}},
	{"answer: 429 fails for all", statusFile, inAnswer, []string{"case status == 429 && by == Google, status", "case status == 429, status"}},
	{"answer: 408 fails", statusFile, inAnswer, []string{"status == 444, status == 499", "status == 408, status == 444, status == 499"}},
	{"answer: an undefined status is none", statusFile, inAnswer, []string{"case hundred == 4:", "case hundred == 4, hundred > 5:"}},
	{"answer: 3xx is none", statusFile, inAnswer, []string{"case hundred == 3:\n\t\treturn Redirect", "case hundred == 3:\n\t\treturn None"}},

	// (a)
	{"(a) only the newest version of the span counts", lawfulFile, inPolicy, []string{"\t\tadd(r)\n\t\tif r.means[f.class]", "\t\tif i == last-1 {\n\t\t\tadd(r)\n\t\t}\n\t\tif r.means[f.class]"}},
	{"(a) a fetch of another size shows nothing", factsFile, inAudit, []string{"if x.size == 0 {\n\t\treturn", "if x.size >= 0 {\n\t\treturn"}},
	{"(a) a fetch of the size of a version in force shows another file", factsFile, inAudit, []string{
		"if slices.ContainsFunc(versionsAt(f.policy, o, x.t), func(v policy.Version) bool { return v.Copy >= 0 && v.Size == x.size }) {\n\t\t\tcontinue\n\t\t}", "",
	}},
	{"(a) sizes are compared with the versions in force without the skew", factsFile, inAudit, []string{
		"if slices.ContainsFunc(versionsAt(f.policy, o, x.t), ", "first, last := f.policy.InForceExactly(o, x.t)\n\t\tif slices.ContainsFunc(f.policy.Versions(o)[first:last], ",
	}},
	{"(a) the size of any 2xx counts", answersFile, inAudit, []string{"if status != 200 {\n\t\treturn 0", "if status/100 != 2 {\n\t\treturn 0"}},
	{"(a) a size stands for one version only", historyFile, inPolicy, []string{
		"for ; i < len(h.sizes) && h.sizes[i].size == size; i++ {", "if i < len(h.sizes) && h.sizes[i].size == size {",
	}},
	{"(a) a size before the span counts", factsFile, inAudit, []string{"if m.meets(from, to) {", "if m.meets(math.MinInt64, to) {"}},

	// (b)
	{"(b) a version that says none permits nothing", lawfulFile, inPolicy, []string{"|| r.far || r.means[class] == answer.None", "|| r.far"}},
	{"(b) a fetch answered none permits nothing", factsFile, inAudit, []string{"logged.none = logged.none || of.none(from, to, google)\n", ""}},
	{"(b) that nobody could get a file permits nothing", factsFile, inAudit, []string{"loggedAnswers{none: f.noneToAll(o, from, to, google)}", "loggedAnswers{}"}},
	{"(b) nobody got a file, although none was answered none", answersFile, inAudit, []string{
		"(of.none(from-minute+1, to, google) || a.any.none(from-minute+1, to, google)) && !of[toldFile].meets(from, to-minute+1)",
		"(len(of[toldNone].kept) == 0 || of.none(from-minute+1, to, google)) && !of[toldFile].meets(from, to-minute+1)",
	}},
	{"(b) somebody got a file, and yet nobody did", answersFile, inAudit, []string{" && !of[toldFile].meets(from, to-minute+1)", ""}},
	{"(b) answers to other clients than crawlers do not count", requestFile, inAudit, []string{"} else {\n\t\tw.answered(at)\n\t}", "}"}},
	{"(b) answers that failed are files to others", requestFile, inAudit, []string{
		"case toldFile, toldSame, toldRedirect:\n\t\tw.deferAnswer", "case toldFile, toldSame, toldRedirect, toldFailed, toldError:\n\t\tw.deferAnswer",
	}},
	{"(b) 304 to others is no file", requestFile, inAudit, []string{"case toldFile, toldSame, toldRedirect:\n\t\tw.deferAnswer", "case toldFile, toldRedirect:\n\t\tw.deferAnswer"}},
	{"(b) a redirect of others is a denial", requestFile, inAudit, []string{"case toldFile, toldSame, toldRedirect:\n\t\tw.deferAnswer", "case toldFile, toldSame:\n\t\tw.deferAnswer"}},

	// (c)
	{"(c) a failed version does not lengthen the span", lawfulFile, inPolicy, []string{"l.Outage = min(l.Outage, r.outage[f.class].from)\n", ""}},
	{"(c) a failed fetch does not lengthen the span", factsFile, inAudit, []string{"; failed < math.MaxInt64 {", "; failed == 0 {"}},
	{"(c) a copy may be 29 days old", lawfulFile, inPolicy, []string{"const longOutage = 30 * 24", "const longOutage = 29 * 24"}},
	{"(c) what the log tells may be 29 days old", factsFile, inAudit, []string{"const longOutage = 30 * day", "const longOutage = 29 * day"}},
	{"(c) the lengthened span begins without the skew", lawfulFile, inPolicy, []string{"first = before(before(l.Outage, int64(longOutage)), h.skew)", "first = before(l.Outage, int64(longOutage))"}},
	{"(c) the lengthened span of fetches begins without the skew", factsFile, inAudit, []string{"-longOutage-int64(f.policy.Skew()))", "-longOutage)"}},
	{"(c) an outage begins with its last failed version", historyFile, inPolicy, []string{"o.from, o.first = min(o.from, other.from), o.first || other.first", "o.first = o.first || other.first"}},
	{"(c) a failed fetch stands in place of an earlier outage", lawfulFile, inPolicy, []string{"failed = min(failed, l.Outage)", "_ = min(failed, l.Outage)"}},
	{"(c) of two failed fetches the first is not kept", factsFile, inAudit, []string{"gap = 0 // it matters when the first of several failed", "gap = f.span"}},
	{"(c) a failed fetch: the last one counts, not the earliest", momentsFile, inAudit, []string{"first = min(first, k[kind].first(from, to))", "if t := k[kind].first(from, to); t < math.MaxInt64 {\n\t\t\t\tfirst = t\n\t\t\t}"}},
	{"(c) fetches of the lengthened span do not count", factsFile, inAudit, []string{"from = min(from, max(l.Outage, earliest)-longOutage-int64(f.policy.Skew()))\n", ""}},
	{"(c) that nobody could get a file in the lengthened span does not count", factsFile, inAudit, []string{"logged.none = logged.none || f.noneToAll(o, from, to, google)\n", ""}},
	{"(c) an outage of 30 days permits nothing", lawfulFile, inPolicy, []string{"return o.first || after(o.from, int64(longOutage)) <= t ||", "return o.first ||"}},
	{"(c) an outage with nothing known before it permits nothing", lawfulFile, inPolicy, []string{"return o.first || ", "return "}},
	{"(c) Google: a version of 500 permits nothing", lawfulFile, inPolicy, []string{" || class == answer.Google && r.status/100 == 5 && r.status != 503", ""}},
	{"(c) others: a version of 500 permits all", lawfulFile, inPolicy, []string{"class == answer.Google && r.status/100 == 5", "r.status/100 == 5"}},
	{"(c) Google: a version of 503 permits all", lawfulFile, inPolicy, []string{" && r.status/100 == 5 && r.status != 503", " && r.status/100 == 5"}},
	{"(c) Google: 429 and unreachable permit all", lawfulFile, inPolicy, []string{"r.status/100 == 5 && r.status != 503", "r.status != 503"}},
	{"(c) Google: a fetch answered 500 permits nothing", factsFile, inAudit, []string{"logged.unreachable || google && of.byKind[toldError].meets(from, to)", "logged.unreachable || google && of == nil"}},
	{"(c) others: a fetch answered 500 permits all", factsFile, inAudit, []string{"google && of.byKind[toldError].meets(from, to)", "of.byKind[toldError].meets(from, to)"}},
	{"(c) Google: a fetch answered 503 permits all", answersFile, inAudit, []string{"case status/100 == 5 && status != 503:", "case status/100 == 5:"}},
	{"(c) Google: a fetch answered 429 has not failed", answersFile, inAudit, []string{"|| google && k == toldLimited", ""}},

	// Sitemap lines.
	{"Sitemap: a copy forbids the target of its own line", bindingFile, inPolicy, []string{"if j.Answer != Permits && b.isSitemap(s, copy, target) {", "if false {"}},
	{"Sitemap: a line for another origin permits", bindingFile, inPolicy, []string{"if listed && (b.origin == nil || slices.Contains(origins, origin.Origin{}) || slices.Contains(origins, *b.origin)) {", "_ = origins\n\t\tif listed {"}},

	// Decision 1.
	{"1: a span before the first version is known", lawfulFile, inPolicy, []string{"Unknown: before(t, f.general()) < f.starts[0]}", "Unknown: false}"}},
	{"1: a lengthened span before the first version is known", lawfulFile, inPolicy, []string{"l.Unknown = l.Unknown || first < h.starts[0]\n", ""}},
	{"1: an unknown copy matters although a known one permits", verdictFile, inAudit, []string{"case l.Unknown && !permitted:", "case l.Unknown:"}},
	{"1: an unknown copy does not matter", verdictFile, inAudit, []string{"case l.Unknown && !permitted:", "case l.Unknown && false:"}},
	{"1: an observed history never ends", lawfulFile, inPolicy, []string{"l.Unknown = l.Unknown || min(t, r.end-1) > after(r.seen, h.window)\n", ""}},
	{"1: an observed history ends at its last observation", lawfulFile, inPolicy, []string{"> after(r.seen, h.window)", "> r.seen"}},
	{"1: --assume-constant does not let the last observation hold", rowFile, inPolicy, []string{"if o.Observed && !o.AssumeConstant {", "if o.Observed {"}},

	// Decision 2 and redirects.
	{"2: a redirect that cannot be followed does not matter", lawfulFile, inPolicy, []string{"l.Redirected = l.Redirected || r.copy < 0 && r.means[class] == answer.Redirect\n", ""}},
	{"2: a redirect that cannot be followed is a violation", verdictFile, inAudit, []string{"case redirected || !permitted && logged.redirect:", "case !permitted && logged.redirect:"}},
	{"2: redirects are not followed", hopsFile, inPolicy, []string{"case answer.Followed:\n\t\t\treturn f.target(to.Origin, r)", "case answer.Followed:"}},
	{"2: four redirects are followed", redirectFile, inAnswer, []string{"const maxRedirects = 5", "const maxRedirects = 4"}},
	{"2: six redirects are followed", redirectFile, inAnswer, []string{"const maxRedirects = 5", "const maxRedirects = 6"}},
	{"2: past the fifth redirect only the body counts", lawfulFile, inPolicy, []string{"l.NoPolicy || r.far || ", "l.NoPolicy || "}},
	{"2: past the fifth redirect only \"everything allowed\" counts", hopsFile, inPolicy, []string{"if r.far = true; len(f.chain) < maxChain {", "if r.far = true; false {"}},
	{"2: a redirect to a path that the source forbids cannot be followed", verdictFile, inAudit, []string{"none || !permits(i), redirected || permits(i)", "none, redirected || i >= 0"}},
	{"2: a redirect to a path that the source permits is none", verdictFile, inAudit, []string{"none || !permits(i), redirected || permits(i)", "none || i >= 0, redirected"}},
	{"2: a redirect to an origin without a version yet cannot be followed", hopsFile, inPolicy, []string{"none.status, none.end = notFound, ", "none.end = "}},
	{"2: a redirect in a circle cannot be followed", hopsFile, inPolicy, []string{"case answer.Endless:\n\t\t\tr.status = notFound", "case answer.Endless:"}},
	{"2: a redirect leads to the target's version of another moment", hopsFile, inPolicy, []string{"r.start, r.end = max(r.start, v.start), min(r.end, v.end)", "r.end = min(r.end, forever)"}},
	{"2: the longest max_age of redirects does not count", hopsFile, inPolicy, []string{"max(r.maxAge, v.row.MaxAge), v.row.Status", "v.row.MaxAge, v.row.Status"}},

	// Decisions 3 to 5.
	{"3: no copy permits, and it is grace", verdictFile, inAudit, []string{"case !permitted:\n\t\treturn decision{verdict: Violation}", "case !permitted:\n\t\treturn decision{verdict: Grace}"}},
	{"3: an unreachable robots.txt does not keep from a violation", verdictFile, inAudit, []string{"permitting > 0 || none || unreachable\n", "permitting > 0 || none\n"}},
	{"3: a robots.txt that is not there does not keep from a violation", verdictFile, inAudit, []string{"permitting > 0 || none || unreachable\n", "permitting > 0 || unreachable\n"}},
	{"4: (b) beside (c) is no_policy", verdictFile, inAudit, []string{"case permitting == 0 && unreachable:", "case permitting == 0 && unreachable && !none:"}},
	{"4: (b) alone is unreachable", verdictFile, inAudit, []string{"case permitting == 0:\n\t\treturn decision{verdict: NoPolicy}", "case permitting == 0:\n\t\treturn decision{verdict: Unreachable}"}},
	{"5: one copy that permits is allowed", verdictFile, inAudit, []string{"case permitting == bodies:", "case permitting <= bodies:"}},
	{"5: a body of another size is not among every copy", verdictFile, inAudit, []string{"len(l.Bodies)+len(logged.bodies)", "len(l.Bodies)"}},

	// Fetches answered with a redirect.
	{"redirect: a fetch answered 3xx does not matter", verdictFile, inAudit, []string{"case redirected || !permitted && logged.redirect:", "case redirected:"}},
	{"redirect: a fetch answered 3xx matters also where a copy permits", verdictFile, inAudit, []string{"|| !permitted && logged.redirect:", "|| logged.redirect:"}},
	{"redirect: a fetch answered 304 is a redirect", answersFile, inAudit, []string{"case status == 304:\n\t\treturn toldSame", "case status == 304:\n\t\treturn toldRedirect"}},
	{"redirect: one that the source has itself matters", requestFile, inAudit, []string{"case w.sourceRedirects(at):", "case false:"}},
	{"redirect: that of the source is compared without the skew", requestFile, inAudit, []string{
		"first, last := p.InForce(o, w.record.Time)\n\t\tif slices", "first, last := p.InForceExactly(o, w.record.Time)\n\t\tif slices",
	}},
	{"redirect: the source must have it for all origins of the host", requestFile, inAudit, []string{"return n > 0 && (n == at.N || oneHost(p, at.Site))", "return n > 0 && n == at.N"}},
	{"redirect: the source may have it for another host", requestFile, inAudit, []string{"return n > 0 && (n == at.N || oneHost(p, at.Site))", "return n > 0"}},
	{"redirect: a file within 60 s after it does not explain it", requestFile, inAudit, []string{"case at.schemeless && oneHost(", "case false && at.schemeless && oneHost("}},
	{"redirect: a file explains it also where the log tells the scheme", requestFile, inAudit, []string{"case at.schemeless && oneHost(", "case oneHost("}},
	{"redirect: a file 61 s after it explains it", factsFile, inAudit, []string{"const followed = minute", "const followed = 61 * minute / 60"}},
	{"redirect: a file 60 s after it does not explain it", factsFile, inAudit, []string{"const followed = minute", "const followed = 59 * minute / 60"}},
	{"redirect: a file of another crawler explains it", factsFile, inAudit, []string{"return r.kind == toldMoved && r.crawlerAt == x.crawlerAt", "return r.kind == toldMoved"}},
	{"redirect: a 304 after it does not explain it", factsFile, inAudit, []string{"case toldFile, toldSame:\n\t\tf.redirects", "case toldSame:\n\tcase toldFile:\n\t\tf.redirects"}},

	// Informed.
	{"informed: by the fetch of another name", factsFile, inAudit, []string{
		"known := f.rules[x.sender]", "key := sender{identity: x.identity}\n\tkey.at = x.at\n\tknown := f.rules[key]",
		"f.rules[x.sender] = append(known,", "f.rules[key] = append(known,",
		"for _, t := range f.rules[from] {", "key := sender{identity: from.identity}\n\tkey.at = from.at\n\tfor _, t := range f.rules[key] {",
	}},
	{"informed: by the fetch of a client of another identity state", factsFile, inAudit, []string{
		"known := f.rules[x.sender]", "key := sender{crawlerAt: x.crawlerAt}\n\tknown := f.rules[key]",
		"f.rules[x.sender] = append(known,", "f.rules[key] = append(known,",
		"for _, t := range f.rules[from] {", "for _, t := range f.rules[sender{crawlerAt: from.crawlerAt}] {",
	}},
	{"informed: by a fetch of the same moment", passFile, inAudit, []string{"answers) < x.Time", "answers) <= x.Time"}},
	{"informed: versions in force are taken without the skew", factsFile, inAudit, []string{
		"first, last := f.policy.InForce(o, x.t)\n\t\tif x.kind", "first, last := f.policy.InForceExactly(o, x.t)\n\t\tif x.kind",
	}},
	{"informed: one version in force that forbids is enough", factsFile, inAudit, []string{
		"return v.Status/100 != 2 || v.Copy < 0 || answers[i][v.Copy] != policy.Forbids\n\t\t}) {",
		"return v.Status/100 != 2 || v.Copy < 0 || answers[i][v.Copy] != policy.Forbids\n\t\t}) && answers[i][list[0].Copy] != policy.Forbids {",
	}},
	{"informed: a version without a body may be in force", factsFile, inAudit, []string{"v.Status/100 != 2 || v.Copy < 0 || answers", "v.Copy >= 0 && answers"}},
	{"informed: by a 304: not", factsFile, inAudit, []string{"if x.kind != toldFile && x.kind != toldSame {\n\t\treturn dst", "if x.kind != toldFile {\n\t\treturn dst"}},
	{"informed: by a 200 of any size", factsFile, inAudit, []string{"if x.kind == toldFile && !f.hasSize(o, first, last, x.size) {", "if false {"}},
	{"informed: the usual size does not stand for the file's", answersFile, inAudit, []string{"a.usual[c.of] = c.most", "_ = c.most"}},
	{"informed: the usual size need not be that of more than half", answersFile, inAudit, []string{"c.n > c.all-c.n && ", "c.n > 0 && "}},
	{"informed: the usual size counts although answers had the file's", passFile, inAudit, []string{"&& f.run.tally.SizesRight+f.run.tally.RightOutside == 0 {", "&& true {"}},

	// Sources.
	{"source: a second row for an origin and time is not refused", rowFile, inPolicy, []string{"if same := first[k]; same != nil {", "if same := first[k]; same != nil && false {"}},
	{"source: rows must come in their order", rowFile, inPolicy, []string{"slices.SortFunc(list, func(a, b *Row) int { return cmp.Compare(a.From, b.From) })", "slices.SortFunc(list, func(_, b *Row) int { return cmp.Compare(b.From, b.From) })"}},
	{"source: between two observations only the first is in force", rowFile, inPolicy, []string{"v.start = rows[i-1].From", "v.start = max(r.From, rows[i-1].From)"}},
	{"source: --assume-constant does not let the first version begin before all time", rowFile, inPolicy, []string{"} else if o.AssumeConstant {", "} else if false {"}},
	{"source: --robots is not in force throughout all time", policyFile, inPolicy, []string{"o.AssumeConstant = true\n", ""}},

	// Past the limit.
	{"limit: lines past it do not matter", bindingFile, inPolicy, []string{"if len(c.past) > 0 && r != ReadGoogle {", "if false {"}},
	{"limit: Google's crawlers may read past it", bindingFile, inPolicy, []string{"if len(c.past) > 0 && r != ReadGoogle {", "if len(c.past) > 0 {"}},
	{"limit: disallow lines past it count", pastFile, inPolicy, []string{`[]string{"user", "allow", "site"}`, `[]string{"user", "allow", "site", "disallow"}`}},
	{"limit: allow lines past it do not count", pastFile, inPolicy, []string{`[]string{"user", "allow", "site"}`, `[]string{"user", "site"}`}},
	{"limit: user-agent lines past it do not count", pastFile, inPolicy, []string{`[]string{"user", "allow", "site"}`, `[]string{"allow", "site"}`}},
	{"limit: Sitemap lines past it do not count", pastFile, inPolicy, []string{`[]string{"user", "allow", "site"}`, `[]string{"user", "allow"}`}},

	// Two readings of a copy: sections 2 and 7.
	{"readings: Google's reading alone counts for an unknown parser", bindingFile, inPolicy, []string{"return []Reading{ReadRFC9309, ReadGoogleWide}", "return []Reading{ReadGoogleWide}"}},
	{"readings: that of RFC 9309 alone counts for an unknown parser", bindingFile, inPolicy, []string{"return []Reading{ReadRFC9309, ReadGoogleWide}", "return []Reading{ReadRFC9309}"}},
	{"readings: a contested copy forbids", verdictFile, inAudit, []string{"if doubt < policy.Contested {", "if true {"}},
	{"readings: a contested copy permits", verdictFile, inAudit, []string{"d := decideAs(l, answers, logged, policy.Forbids)", "d := decideAs(l, answers, logged, policy.Permits)"}},
	{"readings: a contested body of another size does not matter", verdictFile, inAudit, []string{"l.Bodies, l.Hops, logged.bodies)", "l.Bodies, l.Hops)"}},
	{"readings: a path that the log changed is contested", verdictFile, inAudit, []string{"case doubt == policy.Unseen:", "case false:"}},
	{"readings: a violation by one reading is grace", verdictFile, inAudit, []string{"case d.verdict == Violation, d.verdict == Indeterminate, e.verdict == Violation,", "case d.verdict == Indeterminate, e.verdict == Violation,"}},
	{"readings: verdicts that differ harmlessly are contested", verdictFile, inAudit, []string{"default:\n\t\treturn decision{verdict: Grace}\n\t}\n}\n\n// leastSure", "default:\n\t\treturn indeterminate(ContestedRule)\n\t}\n}\n\n// leastSure"}},

	// Final verdicts, which no other line of the log may change.
	{"final: a request that all copies permit is settled although robots.txt may redirect", verdictFile, inAudit, []string{"case Allowed:\n\t\treturn !redirects && all(policy.Permits)", "case Allowed:\n\t\treturn all(policy.Permits)"}},
	{"final: a request that the lawful copies permit is settled although another one forbids", verdictFile, inAudit, []string{"case Allowed:\n\t\treturn !redirects && all(policy.Permits)", "case Allowed:\n\t\treturn !redirects"}},
	{"final: no_policy is settled although another copy permits", verdictFile, inAudit, []string{"return !redirects && all(policy.Forbids) && !google", "return !redirects && !google"}},
	{"final: no_policy of Google is settled although a fetch may have failed", verdictFile, inAudit, []string{"return !redirects && all(policy.Forbids) && !google", "return !redirects && all(policy.Forbids)"}},
	{"final: a violation is settled by the source", verdictFile, inAudit, []string{"case NoPolicy:\n\t\treturn !redirects", "case Violation:\n\t\treturn true\n\tcase NoPolicy:\n\t\treturn !redirects"}},
}
