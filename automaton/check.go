package automaton

func (t *Table) check(rules []Rule) error {
	p := &t.Points[0]
	t.rooted = p.B != 0 || p.Anchor != 0 || p.Try != p.TryEnd
	return nil
}
