package audit

// wrongSum names the first sum of the audit rules that does not hold in the report, and is empty
// if all do: each line is of one kind, each request has one verdict, and each violation one
// outcome (audit-rules 10). Every report is checked before it leaves this package.
func (r *Report) wrongSum() string {
	kinds := []int64{r.Unparsed, r.NotCrawlers, r.OtherHost, r.NotJudged}
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
	if rest(r.Lines, kinds...) != 0 {
		return "lines"
	}
	return ""
}

// rest subtracts the parts of a number from it. It returns -1 if they add up to more, or
// if one of them is negative.
func rest(whole int64, parts ...int64) int64 {
	for _, n := range parts {
		if n < 0 || n > whole {
			return -1
		}
		whole -= n
	}
	return whole
}
