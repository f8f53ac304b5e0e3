package audit

// budget divides Config.Memory. What is not in it does not grow with the log: the tables of
// a worker, some 2 MB, and the rows of a report, which has bounded lists.
type budget struct {
	memos   int   // of one worker: see quota
	records int64 // deferred records
	paths   int64 // violationPaths, when the memos are no longer needed
}

// divide gives a quarter to the memos of all workers, and five eighths to deferred records. An eighth
// is for garbage.
func divide(memory int64, workers int) budget {
	if memory <= 0 {
		memory = defaultMemory
	}
	return budget{
		memos:   int(min(memory/4/int64(max(workers, 1)), maxMemos)),
		records: memory / 8 * 5,
		paths:   memory / 4,
	}
}

const (
	defaultMemory = 256 << 20
	// maxMemos is what a worker's memos are of use for: a log has 10^2 to 10^5 distinct headers
	// and a few hosts.
	maxMemos = 24 << 20
)
