package judge

// A 404 or 410 that anybody was sent clears all crawlers: a file that is really missing is missing for
// everybody. An answer that stands alone depended on who asked, and clears nobody: it is in a run of
// answers 404 and 410 between two answers with a file that are at most the delay apart, and all of the
// run went to one client address (audit-rules 2 (b)). Answers of other kinds do not matter here.

// second is a second of clock time, in nanoseconds.
const second = int64(1_000_000_000)

// Answer is what a GET of /robots.txt by any client was answered.
type Answer struct {
	Time    int64 // in nanoseconds since 1970, if HasTime: of its second, or of its minute for a 5xx
	HasTime bool
	Kind    Kind
	// Client is a hash of the client's address, if the answer is ToldGone; 0 if that is not known.
	Client uint64
	// Stranger: the client names no crawler. Is410: so it is ToldGone by 410, not by 404.
	Stranger, Is410 bool
}

// goneAnswers are answers 404 and 410 that stand alone or not together. They are at most the delay
// apart, which is shorter than any span, so that the first and the last of them stand for all.
type goneAnswers struct {
	any         bool
	first, last int64    // their seconds
	n           [2]int64 // how many are to be counted, with status 404 and 410
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

// gone returns n answers that are equal to one.
func (x *Answer) gone(n int64) goneAnswers {
	g := goneAnswers{any: true, first: x.Time, last: x.Time}
	g.n[index(x.Is410)] = n
	return g
}

// stretch is a part of an origin's answers, in the order of time.
type stretch struct {
	gone    [2]goneAnswers // to clients that name a crawler, and to strangers
	client  uint64         // the only one that they went to, unless several
	several bool           // they went to several clients, or to one that is not known
}

// merge adds a later part.
func (s *stretch) merge(more *stretch) {
	isOne := s.client == 0 || more.client == 0 || s.client == more.client
	s.client, s.several = max(s.client, more.client), s.several || more.several || !isOne
	for i := range s.gone {
		s.gone[i].merge(more.gone[i])
	}
}

// runs finds those answers 404 and 410 of an origin that do not stand alone. It is told the answers in
// the order of their seconds. The order within a second is not known: they are taken
// in the one that clears, so that they follow a file of this second and are followed by it.
type runs struct {
	now     stretch // of the second at
	at      int64
	hasNow  bool
	file    bool    // a file was sent in it
	since   stretch // since the last second with a file, which is part of it
	fileAt  int64
	hasFile bool // there was one
}

// add adds n equal answers, each of which is a file, a 404 or a 410.
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

// endSecond gives those answers to clear of which it is known now that they do not stand alone.
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

// end is called after the last answer: no file follows.
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
