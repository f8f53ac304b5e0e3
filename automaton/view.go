package automaton

// Agents returns the agents of the ruleset in the order in which names are
// looked for: sorted by token, in file order for the dialect original. The slice
// is the ruleset's own and is not to be changed.
func (r *Ruleset) Agents() []Agent {
	if r == nil {
		return nil
	}
	return r.agents
}

// Lists returns the rules of the machine as the lists that it was made of by New
// and Join, each in the order of its rank. Machines that Join made of the same
// machine have a list in common, which is then the same slice. The rules are the
// machine's own and are not to be changed.
func (m *Machine) Lists() [][]Rule {
	if m == nil {
		return nil
	}
	parts := m.all()
	lists := make([][]Rule, len(parts))
	for i, p := range parts {
		lists[i] = p.rules
	}
	return lists
}
