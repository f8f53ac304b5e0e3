package cli

import (
	"errors"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/scan/job"
)

// eachRow calls a function for each flag of each command.
func eachRow(do func(command string, row *flagRow)) {
	for i := range flagTable() {
		for command := range strings.FieldsSeq(flagTable()[i].on) {
			do(command, &flagTable()[i])
		}
	}
}

// TestFlagTable checks that the table has no duplicate flags, only existing commands and flags, and
// valid defaults.
func TestFlagTable(t *testing.T) {
	seen := map[string]bool{}
	eachRow(func(command string, row *flagRow) { seen[command+" "+row.name] = true })
	n := 0
	eachRow(func(command string, row *flagRow) {
		n++
		if !slices.Contains(commandNames, command) || !slices.Contains(groups, row.group) {
			t.Errorf("--%s: the command %q, the group %q", row.name, command, row.group)
		}
		if n := len(strings.Fields(row.help)); n > maxHelpWords {
			t.Errorf("%s --%s: its help has %d words, %d at most", command, row.name, n, maxHelpWords)
		}
		if row.help == "" || row.kind.read == nil {
			t.Errorf("%s --%s has no help or no kind", command, row.name)
		}
		if _, err := row.kind.read(row.text); row.text != "" && err != nil {
			t.Errorf("%s --%s: its default is refused:%v", command, row.name, err)
		}
		for _, r := range row.rules {
			for ref := range strings.FieldsSeq(r.with + " " + r.unless + " " + r.needs + " " + r.not) {
				name, _, _ := strings.Cut(ref, "=")
				if name != argument && !seen[command+" "+name] && (r.on == "" || hasWord(r.on, command)) {
					t.Errorf("%s --%s: a rule names --%s, which %s has not", command, row.name, name, command)
				}
			}
		}
	})
	if len(seen) != n {
		t.Errorf("%d flags of %d are there twice", n-len(seen), n)
	}
}

// TestFlagRules violates each rule of each flag.
func TestFlagRules(t *testing.T) {
	check := func(command string, row *flagRow, r rule) {
		a := &args{command: command, flags: map[string]*flagValue{}}
		eachRow(func(of string, row *flagRow) {
			if of == command {
				a.flags[row.name] = &flagValue{row: row}
			}
		})
		give := func(list string) {
			ref, _, _ := strings.Cut(list, " ")
			name, text, _ := strings.Cut(ref, "=")
			if text == "" {
				text = "x"
			}
			if name == argument {
				a.rest = append(a.rest, text)
			} else if f := a.flags[name]; f != nil && f.texts == nil {
				f.texts = []string{text}
			}
		}
		for _, list := range []string{r.with, r.not, row.name} {
			if list != "" {
				give(list)
			}
		}
		var refused *job.Error
		if err := a.follow([]rule{r}, "x"); !errors.As(err, &refused) || refused.Kind != job.Usage {
			t.Errorf("%s --%s with %v: %v", command, row.name, r, err)
		}
	}
	eachRow(func(command string, row *flagRow) {
		for _, r := range row.rules {
			if r.on == "" || hasWord(r.on, command) {
				check(command, row, r)
			}
		}
	})
}

// eachCommand calls a function for each command of ours that there is.
func eachCommand(do func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" || cmd.Name() == "help" { // their words are cobra's
			return
		}
		do(cmd)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(Root())
}

// maxHelpWords are the words that a flag's help may have; what needs more is for docs/reference/flags.md.
const maxHelpWords = 12

// TestTopics checks that help lists the how-to pages, and prints each one without markup.
func TestTopics(t *testing.T) {
	for _, topic := range topics() {
		if text := done(t, "", "help", topic).out; !strings.HasPrefix(text, strings.ToUpper(text[:1])) ||
			strings.Contains(text, "```") || strings.Contains(text, "](") || strings.Contains(text, "|---") {
			t.Errorf("help %s prints\n%s", topic, text)
		}
	}
	if r := command(t, "", "help", "nothing"); r.code != exitUsage || !strings.Contains(r.err, "own-format") {
		t.Errorf("%d, %s", r.code, r.err)
	}
	if text := done(t, "", "help", "merge").out; !strings.HasPrefix(text, "Merge adds up") {
		t.Error(text)
	}
}

// TestHelp checks that help begins with one sentence and three examples, fits a terminal, and lists
// all flags in their groups, with the texts of the table.
func TestHelp(t *testing.T) {
	eachCommand(func(cmd *cobra.Command) {
		if cmd.HasExample() {
			sentence, _, _ := strings.Cut(cmd.Long, "\n\n")
			examples := len(regexp.MustCompile(`(?m)^  \w`).FindAllString(cmd.Example, -1))
			if strings.Contains(sentence, ". ") || strings.Contains(sentence, ".\n") || examples < 3 || examples > 4 {
				t.Errorf("%s begins with %q and has %d examples", cmd.CommandPath(), sentence, examples)
			}
		}
		line := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		text := done(t, "", line...).out
		for line := range strings.Lines(text) {
			if len(line) > helpWidth+len("\n") {
				t.Errorf("%s: wider than %d columns: %s", cmd.CommandPath(), helpWidth, line)
			}
		}
		plain := strings.Join(strings.Fields(text), "")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(plain, strings.Join(strings.Fields(f.Usage), "")) ||
				!strings.Contains(text, "--"+f.Name) {
				t.Errorf("%s: no help for --%s", cmd.CommandPath(), f.Name)
			}
			if g := groupOf(f); g != "" && !strings.Contains(text, "\n"+string(g)+":\n") {
				t.Errorf("%s: no heading %q", cmd.CommandPath(), g)
			}
		})
	})
}

// TestOptionFlags checks that the options in messages are fields of options, and that their flags
// exist.
func TestOptionFlags(t *testing.T) {
	fields := map[string]bool{}
	var walk func(prefix string, of reflect.Type)
	walk = func(prefix string, of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			fields[prefix+f.Name] = true
			switch f.Name {
			case "List", "Only":
				walk(f.Name+".", f.Type)
			case "Robots":
				walk(prefix, f.Type)
			default:
				if f.Anonymous {
					walk(prefix, f.Type)
				}
			}
		}
	}
	for _, options := range []any{job.AuditOptions{}, job.FilterOptions{}, job.CompileOptions{}} {
		walk("", reflect.TypeOf(options))
	}
	for option, flag := range optionFlags {
		is := func(row flagRow) bool { return row.name == flag }
		ofSource := func(row flagRow) bool { return is(row) && strings.HasPrefix(row.on, "history-") } // job.HistoryOptions.Values
		isFlag := slices.ContainsFunc(flagTable(), is)
		if !fields[option] && !slices.ContainsFunc(flagTable(), ofSource) || !isFlag {
			t.Errorf("%s is an option: %v; --%s is a flag: %v", option, fields[option], flag, isFlag)
		}
		if got := inFlags("x: 5 % (option " + option + ")."); got != "x: 5 % (--"+flag+")." {
			t.Error(got)
		}
	}
	const other = "an option: Pay or option Other; see job.Explains"
	if got := inFlags(other); got != other {
		t.Error(got)
	}
}

// TestPackagesNameNoFlags checks that messages of packages name options, because callers have no
// flags.
func TestPackagesNameNoFlags(t *testing.T) {
	const root = "../../../"
	named := regexp.MustCompile(`--([a-z][a-z-]+)`)
	for _, folder := range []string{"scan", "compile", "automaton"} {
		err := filepath.WalkDir(root+folder, func(name string, entry os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := goparser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				if !ok {
					return true
				}
				for _, m := range named.FindAllStringSubmatch(text.Value, -1) {
					if slices.ContainsFunc(flagTable(), func(row flagRow) bool { return row.name == m[1] }) {
						t.Errorf("%s: %s", name, text.Value)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
