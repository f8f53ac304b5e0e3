package job

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// classesOf lists the classes of agents in an archive.
func classesOf(t *testing.T, file string, memory int64, agents ...string) (list []ArchiveVersion) {
	t.Helper()
	o := ListOptions{Archive: file, Memory: memory}
	for _, name := range agents {
		o.Agents = append(o.Agents, Agent{Name: name})
	}
	_, err := ListArchive(t.Context(), o, func(v ArchiveVersion) error {
		list = append(list, v)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A class is of the rules that a filter would use at that time, whatever the answers before it were.
func TestClassesAreOfTheRulesOfFilter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var lines strings.Builder
	for host := range 40 {
		for month := range 8 {
			date, name := fmt.Sprintf("2026-%02d-01", month+1), fmt.Sprintf("h%d.example", host)
			if status := []int{200, 404, 429, 503, 301, 444}[r.IntN(6)]; status == 200 {
				body := fmt.Sprintf("User-agent: *\nDisallow: /%d\n", r.IntN(3))
				lines.WriteString(answered(name, date, status, "body", body))
			} else {
				lines.WriteString(answered(name, date, status, "location", ""))
			}
		}
	}
	agents := []string{"GPTBot", "Googlebot"}
	rules := []*archived{rulesFor(t, true, agents[0], lines.String()), rulesFor(t, true, agents[1], lines.String())}
	l := lister{archived: &archived{ctx: t.Context(), mapped: rules[0].mapped, agents: []subject{rules[0].agents[0],
		rules[1].agents[0]}}, in: filter.Always, classes: classes{room: 100}}
	n := 0
	l.each = func(v ArchiveVersion) error {
		var bound [2]filter.Rules
		host := strings.TrimSuffix(strings.TrimPrefix(v.Origin, "http://"), ":80")
		if strings.HasPrefix(v.Origin, "https") {
			return nil
		}
		for i := range agents {
			q := filter.Query{Origin: origin.Origin{Scheme: "http", Host: host, Port: 80}, At: v.In.First}
			_, found, err := rules[i].Find(q, bound[i:i+1])
			if err != nil {
				return err
			}
			c := v.Classes[i]
			switch is := bound[i]; {
			case !found && c.Class == "unknown", found && is.Unreachable && c.Class == "unreachable",
				found && !is.Unreachable && (c.AllSomeNone == "some") == is.Machine.Forbids() && c.Agent == agents[i]:
				n++
			default:
				t.Errorf("%s from %s, %s: %+v, and a filter has %v %+v", v.Origin, v.From, agents[i], c, found, is)
			}
		}
		return nil
	}
	if _, err := l.run("a.rsv"); err != nil || n < 200 {
		t.Error(err, n)
	}
}

// Of equal rulesets one is judged, and what is remembered does not change the list.
func TestRulesetsAreClassedOnce(t *testing.T) {
	var lines strings.Builder
	for i := range 90 {
		lines.WriteString(answered(fmt.Sprintf("h%d.example", i), "", 200, "body",
			fmt.Sprintf("# %d\nUser-agent: *\nDisallow: /%d\n\nUser-agent: GPTBot\nDisallow: /\n", i%9, i%3)))
	}
	rules := rulesFor(t, false, "GPTBot", lines.String())
	l := lister{archived: rules, in: filter.Always, classes: classes{room: 100}}
	l.each = func(ArchiveVersion) error { return nil }
	if _, err := l.run("a.rsv"); err != nil || l.n != 3 {
		t.Errorf("%d classes of 3 rulesets (%v)", l.n, err)
	}
	file := filepath.Join(t.TempDir(), "a.rsv")
	_, err := Compile(t.Context(), CompileOptions{Sources: []string{"-"}, Output: file,
		Stdin: strings.NewReader(lines.String())})
	if err != nil {
		t.Fatal(err)
	}
	agents := []string{"GPTBot", "CCBot", "Googlebot"}
	much, little := classesOf(t, file, 0, agents...), classesOf(t, file, 1, agents...)
	same := func(a, b ArchiveVersion) bool { return a.Origin == b.Origin && slices.Equal(a.Classes, b.Classes) }
	if len(much) != 180 || !slices.EqualFunc(much, little, same) {
		t.Error("in little memory the classes are others")
	}
}

// An archive without the dialect of a crawler, and an error of the caller, end the list.
func TestClassesThatCannotBeListed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.rsv")
	_, err := Compile(t.Context(), CompileOptions{Sources: []string{"-"}, Output: file,
		Stdin: strings.NewReader(sites(1, 1)), Dialects: []automaton.Dialect{automaton.RFC9309}})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]ListOptions{
		"by the dialect google": {Archive: file, Agents: []Agent{{Name: "Googlebot"}}},
		"mine":                  {Archive: file, Agents: []Agent{{Name: "GPTBot"}}},
	} {
		_, err := ListArchive(t.Context(), o, func(ArchiveVersion) error { return errors.New("mine") })
		var failed *Error
		if !errors.As(err, &failed) || failed.Kind != Input || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not say %q", err, name)
		}
	}
}
