package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The width of help, and the column where the help of a flag begins.
const (
	helpWidth  = 80
	helpColumn = 30
)

// usage prints how a command is used: its examples, its commands and its flags in groups.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", title, text)
		}
	}
	line := "  " + cmd.UseLine() + "\n"
	if cmd.HasAvailableSubCommands() {
		line = "  " + cmd.CommandPath() + " [command]\n"
	}
	section("Usage", filled(line, "    ", helpWidth))
	if cmd.HasExample() {
		section("Examples", cmd.Example+"\n")
	}
	commands := ""
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			line := fmt.Sprintf("  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
			commands += filled(line, strings.Repeat(" ", c.NamePadding()+len("   ")), helpWidth)
		}
	}
	section("Available Commands", commands)
	for _, g := range append(slices.Clone(groups), "") {
		section(cmp.Or(string(g), "Flags"), flagsOf(cmd, g))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "Use \"%s [command] --help\" for more information about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// flagsOf is the help of the flags of a group; "" is for those that have none.
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
		if preset := presetOf(f); preset != "" {
			text += " (default " + preset + ")"
		}
		indent := strings.Repeat(" ", helpColumn)
		text = strings.TrimPrefix(filled(indent+text, indent, helpWidth), indent)
		if len(name) > helpColumn-2 {
			name += "\n" + indent
		}
		fmt.Fprintf(&b, "%-*s%s\n", helpColumn, name, text)
	})
	return b.String()
}

// groupOf is the group of a flag.
func groupOf(f *pflag.Flag) group {
	if list := f.Annotations[groupKey]; len(list) > 0 {
		return group(list[0])
	}
	return ""
}

// presetOf is the default of a flag as help shows it, "" if there is none to be shown.
func presetOf(f *pflag.Flag) string {
	if slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
		return ""
	}
	return f.DefValue
}

// filled breaks each line that is wider than a width between words, or after a |, and indents what
// follows.
func filled(text, indent string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for len(line) > width {
			at := max(strings.LastIndexByte(line[:width+1], ' '), strings.LastIndexByte(line[:width], '|'))
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
