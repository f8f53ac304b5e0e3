package audit

// quota is what the memos of a worker, and the rows that its lines are counted in, may
// hold, in bytes. They charge what they keep to it. When it is used up, all of them are
// emptied before the next line, so that a log may have any number of distinct headers,
// names, hosts, statuses and rules to be bound by, of any length.
type quota struct{ limit, held int }

func (q *quota) isUsedUp() bool { return q.held > q.limit }

// What entries take beside their texts, in bytes, rounded up: a slot of a map that is half
// full, the value, and what the allocator adds.
const (
	memoBytes    = 256
	agentBytes   = 2 << 10 // with its row
	headerBytes  = 512     // of an agent for one header
	bindingBytes = 512
	boundBytes   = 512 // for each copy of a binding
	statusBytes  = 64
)

// memo maps bytes from the log to the value that was made of them.
type memo[V any] map[string]V

// keep adds a value that holds further bytes. Keys longer than maxMemoKey are rare, and are
// read anew each time.
func (m memo[V]) keep(q *quota, key []byte, v V, further int) {
	if len(key) > maxMemoKey {
		return
	}
	m[string(key)] = v
	q.held += len(key) + further + memoBytes
}

const maxMemoKey = 2 << 10

// budget divides Config.Memory. What is not in it does not grow with the log: the tables of
// a worker, some 5 MB, and the rows of a report, which has bounded lists.
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
