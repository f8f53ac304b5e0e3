package audit

import (
	"bytes"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// judging asks package judge about requests and binds crawlers to the rules of robots.txt.
type judging struct {
	// policy is for the times of the log. It may be Skewed, which changes neither origins nor copies nor bindings.
	policy   *policy.Policy
	quota    *quota
	bindings map[bindingKey]*policy.Binding
	scratch  automaton.Scratch
	targets  targets
	target   target
	question judge.Case
	// everybody is a client bound by the groups for *; nil without Listeners.Undeclared.
	everybody *client
}

func (j *judging) start(a *Auditor, q *quota) {
	j.policy, j.quota, j.targets.slots = a.config.Policy, q, newSlots[recentTarget]()
	if a.config.Undeclared != nil {
		j.everybody = &client{agent: &agent{subject: a.subject(crawler.Claim{})}, identity: nobody.identity}
		j.everybody.subject.Tokens = nil
	}
}

func (w *judging) empty() {
	if w.bindings != nil {
		w.targets.empty()
	}
	w.bindings = map[bindingKey]*policy.Binding{}
}

// target is a request's target as one crawler reads it. It implements judge.Copies.
type target struct {
	*judging
	agent   *agent
	text    []byte
	recent  *recentTarget // nil if it is too long
	lossy   format.Lossy
	normal  []byte          // its normal form; empty if equal to the target
	stances []policy.Stance // of one origin's copies
	// spellings are for a decoded target, and normalSpellings for its normal form: see spellings.go.
	spellings, normalSpellings spellings
}

// ask returns the record as a case for package judge, given the entry of its target.
func (w *judging) ask(r *format.Record, at *site, c *agent, ask robotsAsk, of *recentTarget) *judge.Case {
	t := &w.target
	t.agent, t.text, t.lossy, t.normal, t.recent = c, r.Target, r.Lossy, t.normal[:0], of
	if r.Lossy != format.Rewritten && t.mayBeAbnormal() {
		t.findNormal()
	}
	q := &w.question // set field by field: assigning a whole Case would copy it
	q.Exempt, q.Robots = c.exempt(), ask != asksElse
	q.Ambiguous, q.Truncated, q.OtherScheme = c.Ambiguous, r.Truncated || c.Overlong, at.isOtherScheme()
	q.Time, q.HasTime, q.Site, q.Class = r.Time, r.HasTime, at.Site, c.class
	q.Exact, q.HasNormal, q.Lawful = r.Lossy == format.Exact, len(t.normal) > 0, nil
	return q
}

func (t *target) mayBeAbnormal() bool {
	if t.recent != nil {
		return t.recent.mayBeAbnormal
	}
	return mayBeAbnormal(t.text)
}

// findNormal finds the target's normal form, if that differs from it.
func (t *target) findNormal() {
	var differs bool
	t.normal, differs = appendNormal(t.normal, t.text)
	if !differs {
		t.normal = t.normal[:0]
		return
	}
	for i, spelling := range t.spellings.list[:t.spellings.n] {
		t.normalSpellings.list[i], _ = appendNormal(t.normalSpellings.list[i][:0], spelling)
	}
	t.normalSpellings.n = t.spellings.n
}

// Permit implements judge.Copies.
func (t *target) Permit(o int32, normal bool) bool {
	if t.lossy != format.Exact {
		return false
	}
	b, e := t.bindingAt(t.agent, o), t.recent
	switch {
	case normal:
		return b.RulesPermit(&t.scratch, t.normal)
	case e == nil:
		return b.RulesPermit(&t.scratch, t.text)
	case e.binding != b:
		e.binding, e.isJudged, e.permits = b, false, b.RulesPermit(&t.scratch, t.text)
	}
	return e.permits
}

// Stances implements judge.Copies. Equal copies are asked only once. /robots.txt as a normal form is permitted.
func (t *target) Stances(origin int32, normal bool) []policy.Stance {
	text, spellings := t.text, &t.spellings
	if normal {
		text, spellings = t.normal, &t.normalSpellings
	}
	binding := t.bindingAt(t.agent, origin)
	t.stances = t.stances[:0]
	if normal && t.asksFor(text) != asksElse {
		return append(t.stances, make([]policy.Stance, t.policy.Copies(origin))...)
	}
	for i, first := range binding.Alike() {
		if int(first) < i {
			t.stances = append(t.stances, t.stances[first])
		} else {
			t.stances = append(t.stances, t.stanceOf(binding, first, text, spellings))
		}
	}
	return t.stances
}

// stanceOf returns the stance of a copy on a text that has other spellings.
func (t *target) stanceOf(b *policy.Binding, copy int32, text []byte, of *spellings) policy.Stance {
	if t.lossy == format.Rewritten {
		return b.JudgeUnseen(copy).Stance
	}
	stance := t.judge(b, copy, text).Stance
	if t.lossy == format.Exact {
		return stance
	}
	for _, spelling := range of.list[:of.n] {
		if stance != b.Judge(&t.scratch, copy, spelling).Stance {
			return policy.Unseen
		}
	}
	return stance
}

// judge returns the judgement of a copy on a text, which is usually the target itself.
func (t *target) judge(b *policy.Binding, copy int32, text []byte) policy.Judgement {
	if e := t.recent; e != nil && e.binding == b && copy == 0 && string(text) == string(t.text) {
		return e.judge(&t.scratch)
	}
	return b.Judge(&t.scratch, copy, text)
}

// lineOf returns the line in a version of an origin that decides on the target.
func (w *judging) lineOf(c *agent, o, version int32) uint32 {
	return w.target.judge(w.bindingAt(c, o), w.policy.Versions(o)[version].Copy, w.target.text).Line
}

// bound caches what last bound a crawler, because nearly all of its requests are bound by the same.
type bound struct {
	at      int32 // the origin of binding
	binding *policy.Binding
	// delay is the Crawl-delay for the crawler in the version that delayOf cites.
	delayOf   *policy.Lawful
	delay     time.Duration
	isDelayed bool
	// allowed are the lawful copies under which a plain request to the origin was last allowed. A request is plain if
	// its verdict depends on nothing else than the crawler, these copies and whether they permit its target.
	allowed *policy.Lawful
}

// allows reports whether a plain request to an origin is known to be allowed, so that package judge need not be asked.
func (b *bound) allows(target *recentTarget, origin int32, l *policy.Lawful) bool {
	return l != nil && b.allowed == l && b.at == origin && target.binding == b.binding && target.permits
}

// bindingKey names the rules that bind an agent on an origin, possibly through further tokens in its header.
type bindingKey struct {
	agent  *agent
	origin int32
	tokens string
}

// bindingAt returns the rules that bind the crawler on an origin.
func (w *judging) bindingAt(c *agent, origin int32) *policy.Binding {
	if c.binding != nil && c.at == origin {
		return c.binding
	}
	k := bindingKey{agent: c, origin: origin}
	b := w.bindings[k]
	if b == nil {
		b = w.bind(c, origin)
		w.bindings[k] = b
		w.quota.held += memoBytes
	}
	c.at, c.binding, c.allowed = origin, b, nil
	return b
}

// bind returns the rules that bind the crawler on an origin. They are the same for all of its
// headers with tokens of the same groups.
func (w *judging) bind(c *agent, origin int32) *policy.Binding {
	p, s := w.policy, c.subject
	k := bindingKey{agent: c, origin: origin}
	if c.of != nil {
		s.Perhaps = p.TokensIn(origin, s, c.header)
		k.agent, k.tokens = c.of, strings.Join(s.Perhaps, " ")
	}
	b := w.bindings[k]
	if b == nil {
		b = p.Bind(origin, s)
		w.quota.held += bindingBytes + boundBytes*p.Copies(origin) + 2*len(k.tokens)
		w.bindings[k] = b
	}
	return b
}

// delayFor returns the Crawl-delay in the version that a violation would quote, among the lawful
// copies l of an origin; ok is false if there is none for the crawler.
func (w *judging) delayFor(c *agent, origin int32, l *policy.Lawful) (delay time.Duration, ok bool) {
	if c.delayOf != l {
		c.delayOf, c.delay, c.isDelayed = l, 0, false
		if l.Quoted >= 0 && delaySupport(c.Profile) != report.No {
			c.delay, c.isDelayed = w.bindingAt(c, origin).Delay(w.policy.Versions(origin)[l.Quoted].Copy)
		}
	}
	return c.delay, c.isDelayed
}

const robotsTxt = "/robots.txt"

// robotsAsk is how a target asks for robots.txt.
type robotsAsk uint8

const (
	asksElse   robotsAsk = iota // not at all
	asksRobots                  // for /robots.txt itself
	asksLike                    // with a query or extra slashes, so perhaps for something else
)

// robotsAsk returns how a record asks for robots.txt, whatever its method.
func (w *judging) robotsAsk(r *format.Record) robotsAsk {
	path := r.Target
	if path[0] != '/' {
		path = path[authorityEnd(path):]
	}
	if len(path) > 0 && path[0] == '/' && (len(path) < 2 || path[1] != 'r' && path[1] != '/') {
		return asksElse
	}
	return w.asksFor(r.Target)
}

func (w *judging) asksFor(target []byte) robotsAsk {
	if target[0] == '/' && !bytes.HasPrefix(target, []byte(robotsTxt)) && !bytes.HasPrefix(target, []byte("//")) {
		return asksElse
	}
	if !bytes.Contains(target, []byte(robotsTxt)) {
		return asksElse
	}
	path := automaton.RFC9309.TargetPath(&w.scratch, target)
	if string(path) == robotsTxt {
		return asksRobots
	}
	path, _, _ = bytes.Cut(path, []byte("?"))
	if len(path) < len(robotsTxt) || string(path[len(path)-len(robotsTxt):]) != robotsTxt ||
		len(bytes.Trim(path[:len(path)-len(robotsTxt)], "/")) > 0 {
		return asksElse
	}
	return asksLike
}
