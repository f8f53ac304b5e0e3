package report

import "math"

// AddCounts adds n times each number of other to a list of counts.
func AddCounts(to, other []int64, n int64) {
	for i, of := range other {
		to[i] += of * n
	}
}

// Plus adds numbers of bytes, which come from a log and may be arbitrary. A sum that overflows becomes the maximum.
func Plus[N ~int64](x, y N) N {
	if x > math.MaxInt64-y {
		return math.MaxInt64
	}
	return x + y
}

// TotalsOf returns the sums over all crawlers.
func TotalsOf(crawlers []CrawlerInfo) (t Totals) {
	for i := range crawlers {
		t.add(&crawlers[i])
	}
	if t.Requests > 0 {
		t.VerifiedShare = float64(t.Identity[Verified]) / float64(t.Requests)
	}
	return t
}

func (t *Totals) add(c *CrawlerInfo) {
	t.Requests += c.Requests
	AddCounts(t.Verdicts[:], c.Verdicts[:], 1)
	AddCounts(t.Outcomes[:], c.Outcomes[:], 1)
	AddCounts(t.Identity[:], c.Identity[:], 1)
	t.Bytes, t.ViolationBytes = Plus(t.Bytes, c.Bytes), Plus(t.ViolationBytes, c.ViolationBytes)
	t.Evasive += c.Evasive
	if InCategory(c.Category, AI) {
		t.AI.Requests += c.Requests - c.Verdicts[Spoofed]
		t.AI.Violations += c.Verdicts[Violation]
		t.AI.Bytes, t.AI.ViolationBytes = Plus(t.AI.Bytes, c.Bytes), Plus(t.AI.ViolationBytes, c.ViolationBytes)
	}
	if c.Role == RoleFetcher && c.Exempt == "" {
		t.Fetchers.Requests += c.Requests
		t.Fetchers.Violations += c.Verdicts[Violation]
		t.Fetchers.VerifiedContent += c.VerifiedContent()
	} else {
		t.VerifiedContent += c.VerifiedContent()
	}
}

// VerifiedContent counts the violations by verified clients that got content.
func (c *CrawlerInfo) VerifiedContent() (n int64) {
	for _, v := range c.Violations {
		if v.Identity == Verified && v.Outcome == Content {
			n += v.N
		}
	}
	return n
}

// AllRequests counts the requests of all crawlers, including those that Choice leaves out.
func (r *Report) AllRequests() int64 { return r.Totals.Requests + r.Choice.Requests }

// Informed counts the informed violations of the crawler.
func (c *CrawlerInfo) Informed() (n int64) {
	for _, v := range c.Violations {
		if v.Informed {
			n += v.N
		}
	}
	return n
}

// WrongSum names the first sum of the audit rules that does not hold in the report, or returns ""
// if all do: each line has one kind, each request one verdict, and each violation one outcome
// (audit-rules 10). Every report is checked before it leaves this package.
func (r *Report) WrongSum() string {
	kinds := []int64{r.Unparsed, r.NotCrawlers, r.OtherHost, r.NotJudged, r.Choice.Requests}
	for i := range r.Crawlers {
		c := &r.Crawlers[i]
		kinds = append(kinds, c.Requests)
		switch {
		case rest(c.Requests, c.Verdicts[:]...) != 0:
			return "verdicts of " + Printable(c.Crawler)
		case rest(c.Verdicts[Violation], c.Outcomes[:]...) != 0:
			return "outcomes of " + Printable(c.Crawler)
		}
	}
	for i := range r.Sites {
		if rest(r.Totals.Requests, r.Sites[i].Verdicts[:]...) < 0 { // (other sites) gets the rest
			return "sites"
		}
	}
	if rest(r.NotCrawlers, r.AllOverlooked()) < 0 {
		return "headers that were overlooked"
	}
	if rest(r.Lines, kinds...) != 0 {
		return "lines"
	}
	return ""
}

// rest subtracts the parts of a number from it. It returns -1 if they add up to more or if one is negative.
func rest(whole int64, parts ...int64) int64 {
	for _, n := range parts {
		if n < 0 || n > whole {
			return -1
		}
		whole -= n
	}
	return whole
}
