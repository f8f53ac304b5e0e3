package compile

// Semantics numbers what compiled rules mean: how a body is read (lines, fields, groups,
// product tokens, patterns, ranks) and how package automaton matches what is made of it.
// Archives hold the number, and a program with another one refuses them. It is raised
// whenever any body, agent and URL may get another verdict or line than before, and also
// when a rule is compiled to other fields of automaton.Rule, even if the verdicts stay. It
// is not raised for what changes only speed, notes or texts. TestFixture of
// automaton/archive fails when that is forgotten for the bodies of the fixture.
const Semantics = 1
