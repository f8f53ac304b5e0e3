package policy

// Body returns the body of one of an origin's versions, or of what it redirects to,
// not to be changed; nil if there is none.
func (p *Policy) Body(origin, version int32) []byte {
	h := p.histories[origin]
	if c := h.versions[version].Copy; c >= 0 {
		return h.copies[c].body.text
	}
	return nil
}
