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
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/report"
)

// classesOf lists the classes of agents in an archive.
func classesOf(t *testing.T, file string, memory int64, agents ...string) (list []report.SiteClass) {
	t.Helper()
	o := ClassOptions{Archive: file, Memory: memory}
	for _, name := range agents {
		o.Agents = append(o.Agents, Agent{Name: name})
	}
	err := Classes(t.Context(), o, func(c *report.SiteClass) error {
		list = append(list, *c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestClassesAreOfTheRulesOfFilter checks that a class describes the rules that a filter would use at the time,
// whatever the earlier answers were.
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
	rules := map[string]*archived.Rules{}
	for _, name := range agents {
		rules[name] = rulesFor(t, true, name, lines.String())
	}
	c := archived.NewClasses(rules[agents[0]], true, 0)
	c.Agents = append(c.Agents, rules[agents[1]].Agents[0])
	list, n := []report.SiteClass{}, 0
	c.Each = func(class *report.SiteClass) error {
		list = append(list, *class)
		return nil
	}
	if err := c.List(); err != nil {
		t.Fatal(err)
	}
	c.Agents = c.Agents[:1]
	for _, class := range list {
		if strings.HasPrefix(class.Origin, "https") {
			continue
		}
		var bound [1]filter.Rules
		host := strings.TrimSuffix(strings.TrimPrefix(class.Origin, "http://"), ":80")
		q := filter.Query{Origin: origin.Origin{Scheme: "http", Host: host, Port: 80}, At: class.From}
		_, found, err := rules[class.Agent].Find(q, bound[:])
		if err != nil {
			t.Fatal(err)
		}
		switch is := bound[0]; {
		case !found && class.Class == "unknown", found && is.Unreachable && class.Class == "unreachable",
			found && !is.Unreachable && (class.AllSomeNone == "some") == is.Machine.Forbids():
			n++
		default:
			t.Errorf("%+v, and a filter has %v %+v", class, found, is)
		}
	}
	if n < 400 {
		t.Errorf("only %d classes", n)
	}
}

// TestRememberedClasses checks that caching the classes of equal rulesets does not change the list.
func TestRememberedClasses(t *testing.T) {
	var lines strings.Builder
	for i := range 90 {
		lines.WriteString(answered(fmt.Sprintf("h%d.example", i), "", 200, "body",
			fmt.Sprintf("# %d\nUser-agent: *\nDisallow: /%d\n\nUser-agent: GPTBot\nDisallow: /\n", i%9, i%3)))
	}
	file := filepath.Join(t.TempDir(), "a.rsv")
	_, err := Compile(t.Context(), CompileOptions{Sources: []string{"-"}, Output: file,
		Stdin: strings.NewReader(lines.String())})
	if err != nil {
		t.Fatal(err)
	}
	agents := []string{"GPTBot", "CCBot", "Googlebot"}
	much, little := classesOf(t, file, 0, agents...), classesOf(t, file, 1, agents...)
	if len(much) != 3*180 || !slices.Equal(much, little) {
		t.Error("in little memory the classes are others")
	}
}

// TestClassesThatCannotBeListed checks that an archive without a crawler's dialect and an error of the caller end
// the list.
func TestClassesThatCannotBeListed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.rsv")
	_, err := Compile(t.Context(), CompileOptions{Sources: []string{"-"}, Output: file,
		Stdin: strings.NewReader(sites(1, 1)), Dialects: []automaton.Dialect{automaton.RFC9309}})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]ClassOptions{
		"by the dialect google": {Archive: file, Agents: []Agent{{Name: "Googlebot"}}},
		"mine":                  {Archive: file, Agents: []Agent{{Name: "GPTBot"}}},
	} {
		err := Classes(t.Context(), o, func(*report.SiteClass) error { return errors.New("mine") })
		var failed *Error
		if !errors.As(err, &failed) || failed.Kind != Input || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not say %q", err, name)
		}
	}
}
