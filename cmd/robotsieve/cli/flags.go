package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// flagRow is a flag of some commands: its command line, completion, help, man pages and flags.md.
type flagRow struct {
	name  string
	short string // one letter; "" for none
	on    string // the commands that accept it, separated by blanks; see commandNames
	group group  // its heading in help
	kind  kind
	text  string // the default, as a user would write it; "" for none
	shown string // the default as help shows it, if it depends on the machine
	help  string
	rules []rule
}

// rule says which other flags a flag or a command requires or excludes.
type rule struct {
	on     string // only on these commands, separated by blanks; "" for all commands with the flag
	with   string // only if one of these is given
	unless string // only if none of these is given
	needs  string // one of these must be given
	not    string // none of these may be given
	// why is the error message. FLAG is the excluded flag, and VALUE its value or that of the rule's own.
	why string
}

// The lists in a rule are flags, with or without a value, such as "robots output=csv", and ARG for an
// argument. A flag with the value empty, 0 or false counts as absent.
const argument = "ARG"

// kind describes how the values of a flag are parsed.
type kind struct {
	value    string // the placeholder in help; "" for a flag without a value
	read     func(text string) (any, error)
	repeats  bool     // each use adds a value
	once     bool     // unless it repeats, a second use with another value is an error
	choices  []string // the only values, which completion offers
	complete func(cmd *cobra.Command, name string)
}

func (k kind) again() kind {
	k.repeats = true
	return k
}

// flagValue is a flag on a command line. It implements pflag.Value.
type flagValue struct {
	row    *flagRow
	text   string
	texts  []string // as given
	values []any    // parsed texts, or else the default
}

func (v *flagValue) String() string { return v.text }

// Type returns the placeholder in help.
func (v *flagValue) Type() string { return cmp.Or(v.row.kind.value, "bool") }

func (v *flagValue) Set(text string) error {
	value, err := v.row.kind.read(text)
	if err != nil {
		return usageError("--%s%w", v.row.name, err)
	}
	if k := v.row.kind; k.once && !k.repeats && len(v.texts) > 0 && v.text != text {
		return usageError("--%s is given twice, with %s and %s, and takes one", v.row.name, v.text, text)
	}
	if len(v.texts) == 0 || !v.row.kind.repeats {
		v.texts, v.values = nil, nil
	}
	v.text, v.texts, v.values = text, append(v.texts, text), append(v.values, value)
	return nil
}

// args holds a parsed command line, before rules between flags are checked.
type args struct {
	command string // by its name in commandNames
	flags   map[string]*flagValue
	rest    []string // the arguments
	line    string   // the whole command line, as a shell reads it
}

// addFlags adds the flags of the names of a command, of which the last is its own.
func addFlags(cmd *cobra.Command, names ...string) *args {
	a := &args{command: names[len(names)-1], flags: map[string]*flagValue{}}
	for i := range flagTable() {
		if slices.ContainsFunc(names, func(name string) bool { return hasWord(flagTable()[i].on, name) }) {
			a.add(cmd, &flagTable()[i])
		}
	}
	return a
}

func (a *args) add(cmd *cobra.Command, row *flagRow) {
	v := &flagValue{row: row, text: row.text}
	if row.text != "" {
		value, _ := row.kind.read(row.text) // TestFlagTable reads all defaults
		v.values = []any{value}
	}
	a.flags[row.name] = v
	f := cmd.Flags().VarPF(v, row.name, row.short, row.usage())
	if row.shown != "" {
		f.DefValue = row.shown
	}
	if row.kind.value == "" {
		f.NoOptDefVal, f.DefValue = "true", "false"
	}
	f.Annotations = map[string][]string{groupKey: {string(row.group)}}
	switch {
	case row.kind.complete != nil:
		row.kind.complete(cmd, row.name)
	case row.kind.choices != nil:
		// It fails only for a flag that does not exist.
		offered := cobra.FixedCompletions(row.kind.choices, cobra.ShellCompDirectiveNoFileComp)
		_ = cmd.RegisterFlagCompletionFunc(row.name, offered)
	}
}

func (row *flagRow) usage() string {
	if row.kind.choices == nil {
		return row.help
	}
	return row.help + ": " + strings.Join(row.kind.choices, "|")
}

// value returns the last value of a flag, or its default, or the zero value if there is none.
func value[T any](a *args, name string) (v T) {
	if f := a.flag(name); f != nil && len(f.values) > 0 {
		v = f.values[len(f.values)-1].(T)
	}
	return v
}

func values[T any](a *args, name string) (list []T) {
	if f := a.flag(name); f != nil {
		for _, v := range f.values {
			list = append(list, v.(T))
		}
	}
	return list
}

func (a *args) text(name string) string    { return value[string](a, name) }
func (a *args) texts(name string) []string { return values[string](a, name) }
func (a *args) is(name string) bool        { return value[bool](a, name) }
func (a *args) number(name string) int     { return value[int](a, name) }

// flag returns a flag of the command by name, or nil if it doesn't exist.
func (a *args) flag(name string) *flagValue {
	f := a.flags[name]
	if f == nil && !slices.ContainsFunc(flagTable(), func(row flagRow) bool { return row.name == name }) {
		panic("no command has a flag --" + name)
	}
	return f
}

// set reports whether a flag is on the command line, with any value.
func (a *args) set(name string) bool {
	f := a.flag(name)
	return f != nil && len(f.texts) > 0
}

// given returns the first flag in a rule's list that is given, and its value.
func (a *args) given(list string) (name, text string, ok bool) {
	for ref := range strings.FieldsSeq(list) {
		name, want, wants := strings.Cut(ref, "=")
		texts := a.rest
		f := a.flags[name]
		switch {
		case name == argument:
		case f == nil:
			continue
		default:
			texts = f.texts
		}
		for _, text := range texts {
			is := func(part string) bool { return strings.EqualFold(part, want) }
			isZero := name != argument && slices.Contains([]string{"", "0", "false"}, text)
			if !wants && !isZero || wants && slices.ContainsFunc(strings.Split(text, ","), is) {
				return name, text, true
			}
		}
	}
	return "", "", false
}

// check applies the rules of the command and its flags to the command line.
func (a *args) check() error {
	for i := range flagTable() {
		row := &flagTable()[i]
		if f := a.flags[row.name]; f == nil || f.row != row {
			continue
		}
		if _, text, ok := a.given(row.name); ok {
			if err := a.follow(row.rules, text); err != nil {
				return err
			}
		}
	}
	return a.follow(commandRules, "")
}

// follow applies rules to the command line. text is the value of the flag that has the rules.
func (a *args) follow(rules []rule, text string) error {
	for _, r := range rules {
		if r.on != "" && !hasWord(r.on, a.command) {
			continue
		}
		if _, _, ok := a.given(r.with); r.with != "" && !ok {
			continue
		}
		if _, _, ok := a.given(r.unless); ok {
			continue
		}
		if name, other, ok := a.given(r.not); ok {
			return usageError("%s", strings.NewReplacer("FLAG", "--"+name, "VALUE", other).Replace(r.why))
		}
		if _, _, ok := a.given(r.needs); r.needs != "" && !ok {
			return usageError("%s", strings.ReplaceAll(r.why, "VALUE", text))
		}
	}
	return nil
}

// hasWord reports whether a list separated by blanks contains a word.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
