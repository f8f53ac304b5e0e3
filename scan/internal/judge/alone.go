package judge

// A 404 or 410 for anyone clears all crawlers, because a file that is really missing is missing for
// everyone. An isolated answer depended on who asked, and clears nobody. An answer is isolated if
// it is in a run of 404 and 410 answers that all went to one client address, between two answers
// with a file at most the delay apart (audit-rules 2 (b)). Answers of other kinds don't matter
// here.

// second is a second of clock time, in nanoseconds.
const second = int64(1_000_000_000)

// Answer is the answer to a GET of /robots.txt by any client.
type Answer struct {
	Time    int64 // in nanoseconds since 1970, if HasTime; truncated to the second, or for a 5xx to the minute
	HasTime bool
	Kind    Kind
	// Client is a hash of the client's address for ToldGone, 0 if unknown.
	Client uint64
	// Stranger means that the client names no crawler. Is410 means that ToldGone came from a 410, not
	// a 404.
	Stranger, Is410 bool
}

// goneAnswers are answers 404 and 410, which are either all isolated or all not. They are at most
// the delay apart, which is shorter than any span, so the first and the last represent all.
type goneAnswers struct {
	any         bool
	first, last int64    // in seconds
	n           [2]int64 // how many count, by status 404 and 410
}

func (g *goneAnswers) merge(more goneAnswers) {
	switch {
	case !more.any:
	case !g.any:
		*g = more
	default:
		g.last, g.n[0], g.n[1] = max(g.last, more.last), g.n[0]+more.n[0], g.n[1]+more.n[1]
	}
}

// gone returns n copies of an answer.
func (x *Answer) gone(n int64) goneAnswers {
	g := goneAnswers{any: true, first: x.Time, last: x.Time}
	g.n[index(x.Is410)] = n
	return g
}

// stretch is a part of an origin's answers, in order of time.
type stretch struct {
	gone    [2]goneAnswers // for clients that name a crawler, and for strangers
	client  uint64         // the only client, unless several
	several bool           // there were several clients, or an unknown one
}

// merge appends a later stretch.
func (s *stretch) merge(more *stretch) {
	isOne := s.client == 0 || more.client == 0 || s.client == more.client
	s.client, s.several = max(s.client, more.client), s.several || more.several || !isOne
	for i := range s.gone {
		s.gone[i].merge(more.gone[i])
	}
}

// runs finds the answers 404 and 410 of an origin that aren't isolated. It receives answers in the
// order of their seconds. The order within a second is unknown, so it assumes the order that
// clears: they come both after and before a file of the same second.
type runs struct {
	now     stretch // the current second
	at      int64
	hasNow  bool
	file    bool    // it includes a file
	since   stretch // since the last second with a file, which is included
	fileAt  int64
	hasFile bool // there was a file
}

// add adds n equal answers. Each is a file, a 404 or a 410.
func (r *runs) add(x *Answer, n, delay int64, clear func(stranger int, g goneAnswers)) {
	if r.hasNow && x.Time != r.at {
		r.endSecond(delay, clear)
	}
	r.at, r.hasNow = x.Time, true
	if x.Kind != ToldGone {
		r.file = true
		return
	}
	one := stretch{client: x.Client, several: x.Client == 0}
	one.gone[index(x.Stranger)] = x.gone(n)
	r.now.merge(&one)
}

func index(is bool) int {
	if is {
		return 1
	}
	return 0
}

// endSecond passes to clear the answers that are now known not to be isolated.
func (r *runs) endSecond(delay int64, clear func(stranger int, g goneAnswers)) {
	r.since.merge(&r.now)
	cleared := !r.hasFile || r.since.several || r.at-r.fileAt > delay
	if cleared {
		r.clear(clear)
	}
	if r.file {
		r.since = r.now
		if cleared {
			r.since.gone = [2]goneAnswers{}
		}
		r.hasFile, r.fileAt = true, r.at
	}
	r.now, r.hasNow, r.file = stretch{}, false, false
}

// end is called after the last answer, when no more files can follow.
func (r *runs) end(delay int64, clear func(stranger int, g goneAnswers)) {
	r.endSecond(delay, clear)
	r.clear(clear)
}

func (r *runs) clear(clear func(stranger int, g goneAnswers)) {
	for i, g := range r.since.gone {
		if g.any {
			clear(i, g)
		}
	}
	r.since.gone = [2]goneAnswers{}
}
