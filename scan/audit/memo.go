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
