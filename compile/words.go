package compile

import "github.com/robotsieve/robotsieve/automaton"

// Words is automaton.NewWords.
func Words(words []string) (*automaton.Words, error) { return automaton.NewWords(words) }
