package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRecipes runs each recipe of docs/recipes.md with the files of the sample.
func TestRecipes(t *testing.T) {
	if underRace {
		t.Skip("the recipes run processes of their own")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	page, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^## ([^\n]+)$|^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	title, ran := "", 0
	for _, b := range blocks {
		if b[1] != "" {
			title = b[1]
			continue
		}
		kind, text := b[2], b[3]
		t.Run(title, func(t *testing.T) {
			script := ""
			switch kind {
			case "sh":
				script = text
			case "crontab": // five fields of a time, and a command whose % are escaped
				fields := regexp.MustCompile(`^(?:\S+ ){5}(.+\n)$`).FindStringSubmatch(text)
				if fields == nil || strings.Contains(strings.ReplaceAll(fields[1], `\%`, ""), "%") {
					t.Fatalf("not a line of a crontab: %s", text)
				}
				script = strings.ReplaceAll(fields[1], `\%`, "%")
			case "yaml":
				for _, run := range regexp.MustCompile(`(?m)^ +run: (.+)$`).FindAllStringSubmatch(text, -1) {
					script += run[1] + "\n"
				}
			case "prometheus":
				checkRules(t, text)
			}
			if kind != "prometheus" {
				checkRecipe(t, script)
			}
		})
		ran++
	}
	if ran < 9 {
		t.Errorf("%d recipes were found", ran)
	}
}

// recipeFiles makes a folder with what the recipes name, and returns a script with the paths
// in it.
func recipeFiles(t *testing.T, script string) (dir, moved string) {
	dir = t.TempDir()
	sample, err := filepath.Abs("../../testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"srv", "log", "prometheus"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	link := func(from, to string) {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	link(sample, "srv")
	link(sample, "here")
	if err := os.Mkdir(filepath.Join(dir, "srv", "states"), 0o777); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(sample, "access.log.gz"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "log", "access.log-20261119.gz"), log, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, strings.NewReplacer("/srv/site", filepath.Join(dir, "srv"), "/var/log/nginx", filepath.Join(dir, "log"),
		"/var/lib/prometheus/node-exporter", filepath.Join(dir, "prometheus"),
		"--since 7d", "--since 3660d").Replace(script) // the sample does not get younger
}

// checkRecipe runs a script of a recipe, in which robotsieve is this program.
func checkRecipe(t *testing.T, script string) {
	if !strings.Contains(script, "robotsieve") && !strings.Contains(script, "policy.csv") {
		t.Fatalf("nothing to run in %s", script)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, script := recipeFiles(t, script)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "robotsieve"), []byte("#!/bin/sh\n"+asCommand+"=1 exec '"+self+"' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-eu")
	c.Dir, c.Stdin = filepath.Join(dir, "here"), strings.NewReader(script)
	c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out.String())
	}
	for _, made := range []struct{ name, in, begins string }{
		{"robotsieve.prom", "prometheus/robotsieve.prom", "# HELP robotsieve_info"},
		{"month.json", "srv/month.json", "{\n  \"schema\": \"robotsieve.audit/2\""},
		{"report.html", "here/report.html", "<!doctype html>"},
		{"rows.parquet", "here/rows.parquet", "PAR1"},
		{"--evidence", "here/evidence/manifest.json", "{"},
		{">> " + dir, "srv/policy.csv", "from,origin,status,file\n"},
	} {
		if !strings.Contains(script, made.name) {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, made.in)); err != nil || !strings.HasPrefix(string(text), made.begins) {
			t.Errorf("%s: %v, %.200q", made.in, err, text)
		}
	}
}

// checkRules wants each metric and label of rules for Prometheus in the figures of the sample,
// and has promtool check the rules where there is one.
func checkRules(t *testing.T, rules string) {
	dir, prom := t.TempDir(), filepath.Join(t.TempDir(), "a.prom")
	sample := "../../testdata/sample/"
	r := command(t, "", "audit", "--quiet", "--policy", sample+"policy.csv", "--host", "https://lantern.example", "--crawlers", sample+"crawlers.json", "--ip-ranges", sample+"ranges", "--prometheus", prom, sample+"access.log.gz")
	figures, err := os.ReadFile(prom)
	if r.code != exitDone || err != nil {
		t.Fatal(r.err, err)
	}
	for _, m := range regexp.MustCompile(`(robotsieve_[a-z_]+)(?:\{([^}]*)\})?`).FindAllStringSubmatch(rules, -1) {
		found := false
		for line := range strings.SplitSeq(string(figures), "\n") {
			matches := strings.HasPrefix(line, m[1]+"{") || strings.HasPrefix(line, m[1]+" ")
			for label := range strings.SplitSeq(m[2], ",") {
				matches = matches && strings.Contains(line, label)
			}
			found = found || matches
		}
		if !found {
			t.Errorf("no sample of %s in\n%s", m[0], figures)
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("promtool is not there: the rules' syntax was not checked")
		return
	}
	name := filepath.Join(dir, "rules.yml")
	if err := os.WriteFile(name, []byte(rules), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(promtool, "check", "rules", name).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
