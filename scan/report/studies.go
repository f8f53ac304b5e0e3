package report

// StudyRow is a measure of a study, as docs/studies.md defines it.
type StudyRow struct {
	Measure string
	Scope   string // log, all, category, operator, crawler or site
	Name    string // of the category and so on
	// Identity is that of the clients; empty if they are all but impostors.
	Identity string
	N        int64  // on how many of Unit the value rests
	Unit     string // such as sessions
	Requests int64  // and how many requests these are, as far as they are counted
	Value    float64
	// Low and High are the ends of the interval of 95 per cent. Each of the three numbers may be NaN,
	// which is none.
	Low, High float64
	Note      string
}
