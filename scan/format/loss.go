package format

// Loss returns the worst that a log does to targets, by its beginning, head.
func Loss(f *Format, head []byte) (worst Lossy) {
	var r Record
	reader := f.NewReader()
	reader.Reset(head)
	for kind := reader.Next(&r); kind != End && worst != Rewritten; kind = reader.Next(&r) {
		if kind == Request {
			reader.Complete(&r)
			worst = max(worst, r.Lossy)
		}
	}
	return worst
}
