package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestFlagsPage compares docs/reference/flags.md with the table of flags; -update rewrites it.
func TestFlagsPage(t *testing.T) {
	const name, begin, end = "../../../docs/reference/flags.md", "\n<!-- made by TestFlagsPage: ", "\n<!-- end -->\n"
	page := string(raw(t, name))
	before, rest, _ := strings.Cut(page, begin)
	by, _, ok := strings.Cut(rest, "\n")
	if !ok {
		t.Fatal(name + " has no place for the flags")
	}
	want := before + begin + by + "\n" + flagTables() + end
	if *update {
		write(t, name, want)
	} else if page != want {
		t.Errorf("%s is not as the table of flags makes it: go test ./cmd/robotsieve/cli -run TestFlagsPage -update", name)
	}
}

// flagTables returns the flags of all commands for docs/reference/flags.md, as a list per group.
func flagTables() string {
	rows := slices.Clone(flagTable())
	byName := func(x, y flagRow) int { return strings.Compare(x.name, y.name) }
	slices.SortStableFunc(rows, byName)
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "\n### %s\n\n", g)
		for _, row := range rows {
			if row.group == g {
				fmt.Fprintln(&b, row.markdown())
			}
		}
	}
	return b.String()
}

// markdown returns a flag as a list item.
func (row *flagRow) markdown() string {
	code := func(text string) string { return "`" + text + "`" }
	names := []string{code(strings.TrimRight("--"+row.name+" "+row.kind.value, " "))}
	if row.short != "" {
		names = append(names, code("-"+row.short))
	}
	preset := cmp.Or(row.shown, row.text)
	if preset == row.text && preset != "" {
		preset = code(preset)
	}
	meaning := strings.NewReplacer("<", "&lt;", "*", `\*`).Replace(row.help)
	if row.kind.choices != nil {
		meaning += ": " + code(strings.Join(row.kind.choices, "`, `"))
	}
	if preset != "" {
		meaning += " (default " + preset + ")"
	}
	on := strings.ReplaceAll(strings.ReplaceAll(row.on, " ", ", "), "-", " ")
	return "- " + strings.Join(names, ", ") + " (" + on + "): " + meaning
}
