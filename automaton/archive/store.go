package archive

// Store keeps the encoded rulesets of a Writer until they are written, each distinct one
// once. It need not be safe for several goroutines.
type Store interface {
	// Add keeps a copy of data and returns its number: that of equal data added before, or
	// else how many were added before.
	Add(data []byte) (int, error)
	// Append appends the data with a number to dst.
	Append(dst []byte, number int) ([]byte, error)
}

// memory is a Store without bounds.
type memory struct {
	numbers map[string]int
	all     []string
}

func (m *memory) Add(data []byte) (int, error) {
	n, there := m.numbers[string(data)]
	if !there {
		n = len(m.all)
		m.all = append(m.all, string(data))
		m.numbers[m.all[n]] = n
	}
	return n, nil
}

func (m *memory) Append(dst []byte, number int) ([]byte, error) {
	return append(dst, m.all[number]...), nil
}
