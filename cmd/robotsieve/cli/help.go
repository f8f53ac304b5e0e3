package cli

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/docs/howto"
	"github.com/robotsieve/robotsieve/internal/lazy"
)

// The width of help, and the column where the help of a flag begins.
const (
	helpWidth  = 80
	helpColumn = 30
)

// showHelp prints the purpose of a command in a sentence, its examples, its flags in groups, and the details.
func showHelp(cmd *cobra.Command, _ []string) {
	sentence, details, _ := strings.Cut(cmp.Or(cmd.Long, cmd.Short), "\n\n")
	if details != "" {
		details = "\n" + details + "\n"
	}
	if slices.Contains(topics(), cmd.Name()) {
		details += "\nHow to use it: robotsieve help " + cmd.Name() + "\n"
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s\n\n", sentence) // out keeps the first error
	_ = usage(cmd)
	fmt.Fprint(out, details)
}

// usage prints the usage of a command: its examples, its subcommands and its flags in groups.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", title, text)
		}
	}
	if cmd.HasExample() {
		section("Examples", cmd.Example+"\n")
	}
	line := "  " + cmd.UseLine() + "\n"
	if cmd.HasAvailableSubCommands() {
		line = "  " + cmd.CommandPath() + " [command]\n"
	}
	section("Usage", filled(line, "    "))
	commands := ""
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			line := fmt.Sprintf("  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
			commands += filled(line, strings.Repeat(" ", c.NamePadding()+len("   ")))
		}
	}
	section("Available Commands", commands)
	for _, g := range append(slices.Clone(groups), "") {
		section(cmp.Or(string(g), "Flags"), flagsOf(cmd, g))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "Use \"%s [command] --help\" for more information about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStdout(), strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// flagsOf returns the help of the flags in a group. The group "" has the flags without one.
func flagsOf(cmd *cobra.Command, g group) string {
	var b strings.Builder
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || groupOf(f) != g {
			return
		}
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		value, text := pflag.UnquoteUsage(f)
		if value != "" {
			name += " " + value
		}
		if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		indent := strings.Repeat(" ", helpColumn)
		text = strings.TrimPrefix(filled(indent+text, indent), indent)
		if len(name) > helpColumn-2 {
			name += "\n" + indent
		}
		fmt.Fprintf(&b, "%-*s%s\n", helpColumn, name, text)
	})
	return b.String()
}

func groupOf(f *pflag.Flag) group {
	if list := f.Annotations[groupKey]; len(list) > 0 {
		return group(list[0])
	}
	return ""
}

// refilled wraps paragraphs that have a line too wide for help.
func refilled(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if slices.ContainsFunc(strings.Split(p, "\n"), func(line string) bool { return len(line) > helpWidth }) {
			paragraphs[i] = filled(strings.Join(strings.Fields(p), " "), "")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// filled breaks lines that are wider than help between words, or after a |, and indents the rest.
func filled(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for len(line) > helpWidth {
			at := max(strings.LastIndexByte(line[:helpWidth+1], ' '), strings.LastIndexByte(line[:helpWidth], '|'))
			if at <= len(indent) { // a word that is too long
				break
			}
			b.WriteString(strings.TrimRight(line[:at+1], " ") + "\n")
			line = indent + strings.TrimLeft(line[at+1:], " ")
		}
		b.WriteString(line)
	}
	return b.String()
}

func topics() (names []string) {
	pages, _ := fs.Glob(howto.Pages, "*.md") // the pattern is valid
	for _, name := range pages {
		names = append(names, strings.TrimSuffix(name, ".md"))
	}
	return names
}

func newHelp(s streams) *cobra.Command {
	return &cobra.Command{
		Use:       "help [TOPIC | COMMAND]",
		Short:     "Print a how-to page, or help about a command",
		Long:      "Help prints a how-to page, or help about a command.\n\nTopics: " + strings.Join(topics(), ", ") + ".",
		Example:   "  robotsieve help audit\n  robotsieve help own-format\n  robotsieve audit --help",
		ValidArgs: topics(),
		RunE: func(cmd *cobra.Command, args []string) error {
			page, err := howto.Pages.ReadFile(strings.Join(args, " ") + ".md")
			if err == nil {
				_, err = fmt.Fprint(s.out, plainPage(string(page)))
				return err
			}
			about, rest, err := cmd.Root().Find(args)
			if about == nil || err != nil || len(rest) > 0 {
				return usageError("no topic or command %q; topics are %s", strings.Join(args, " "),
					strings.Join(topics(), ", "))
			}
			return about.Help()
		},
	}
}

var (
	pageLink = lazy.Regexp(`\[([^\]]*)\]\(([^)\s]+)\)`)
	pageRule = lazy.Regexp(`^\|[-|: ]+\|$`) // below the heading of a table
)

// plainPage formats a page for a terminal, without markup, and table rows as lines of their cells.
func plainPage(text string) string {
	var b strings.Builder
	inBlock := false
	for line := range strings.Lines(pageLink().ReplaceAllStringFunc(text, plainLink)) {
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = !inBlock
		case inBlock:
			b.WriteString("    " + line)
		case pageRule().MatchString(strings.TrimSpace(line)):
		case strings.HasPrefix(line, "| "):
			row := strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "| "), " | ", " -- ")
			b.WriteString(filled("  "+strings.ReplaceAll(row, `\|`, "|")+"\n", "      "))
		case strings.HasPrefix(line, "#"):
			b.WriteString(strings.ToUpper(strings.TrimLeft(line, "# ")))
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// plainLink returns the text of a link, followed by its address if it leads to another site.
func plainLink(link string) string {
	parts := pageLink().FindStringSubmatch(link)
	if strings.Contains(parts[2], "://") {
		return parts[1] + " (" + parts[2] + ")"
	}
	return parts[1]
}
