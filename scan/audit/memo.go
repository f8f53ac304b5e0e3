package audit

// Bounds of a worker's memos: a log has 10^2 to 10^5 distinct headers and a few
// hosts. A memo that is full is emptied; headers longer than maxMemoKey are rare,
// and are read anew each time.
const (
	maxMemoEntries = 1 << 15
	maxMemoBytes   = 4 << 20
	maxMemoKey     = 2 << 10
)

// memo maps bytes from the log to the value that was made of them.
type memo[V any] struct {
	m     map[string]V
	bytes int
}

func (m *memo[V]) put(key []byte, v V) {
	if len(key) > maxMemoKey {
		return
	}
	if m.m == nil || len(m.m) >= maxMemoEntries || m.bytes+len(key) > maxMemoBytes {
		m.reset()
	}
	m.m[string(key)] = v
	m.bytes += len(key)
}

func (m *memo[V]) reset() { m.m, m.bytes = map[string]V{}, 0 }
