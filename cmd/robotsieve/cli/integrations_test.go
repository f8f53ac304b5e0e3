package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// sandbox is a folder in which shell scripts of other people's systems are run, with the command of this
// test as robotsieve. Programs that would use the network are replaced.
type sandbox struct {
	*testing.T
	dir string
	env []string
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	for _, tool := range []string{"bash", "git", "tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
		}
	}
	return &sandbox{T: t, dir: t.TempDir(), env: os.Environ()}
}

// run runs a script, and returns what it prints and its exit status.
func (s *sandbox) run(script string, env ...string) (out string, status int) {
	s.Helper()
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = s.dir, append(s.env, env...)
	b, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		s.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// mustRun runs a script that prepares a test.
func (s *sandbox) mustRun(script string, env ...string) string {
	s.Helper()
	out, status := s.run(script, env...)
	if status != 0 {
		s.Fatalf("%s\nexit status %d: %s", script, status, out)
	}
	return out
}

func unmarshalYAML(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../..", name))
	if err == nil {
		err = yaml.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(name, err)
	}
}

// releaseAndRepository makes a release that curl downloads, a gh that keeps the comment, and a repository whose last
// commit changes its robots.txt.
const releaseAndRepository = `
mkdir -p temp bin release/robotsieve-linux-amd64 repository
ln -s "$(command -v robotsieve)" release/robotsieve-linux-amd64/robotsieve
(cd release && tar -czf robotsieve-linux-amd64.tar.gz robotsieve-linux-amd64 && sha256sum *.tar.gz >SHA256SUMS)
printf '#!/bin/sh\nfor url; do :; done; cp "%s/release/${url##*/}" .\n' "$PWD" >bin/curl
printf '#!/bin/sh\nfor file; do :; done; cp "$file" "%s/comment"\n' "$PWD" >bin/gh
chmod +x bin/*
cd repository
git -c init.defaultBranch=main init -q
git config user.name test; git config user.email test@localhost
printf 'User-agent: *\nDisallow: /old/\n' >robots.txt; git add .; git commit -qm old
printf 'User-agent: *\nDisallow: /new/\n' >robots.txt; git commit -qam new
`

// TestAction runs the steps of action.yml like GitHub in a pull request.
func TestAction(t *testing.T) {
	var action struct {
		Runs struct {
			Steps []struct {
				Name, Run string
				Env       map[string]string
			}
		}
	}
	unmarshalYAML(t, "action.yml", &action)
	s := newSandbox(t)
	s.mustRun(releaseAndRepository)
	temp := filepath.Join(s.dir, "temp")
	s.env = append(s.env, "RUNNER_TEMP="+temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "GITHUB_PATH="+temp+"/path",
		"GITHUB_STEP_SUMMARY="+temp+"/summary", "GITHUB_OUTPUT="+temp+"/output",
		"PATH="+filepath.Join(s.dir, "bin")+":"+os.Getenv("PATH"))
	s.dir = filepath.Join(s.dir, "repository")
	base := strings.TrimSpace(s.mustRun("git rev-parse HEAD^"))
	for _, c := range []struct {
		failOn string
		want   int
	}{{"error", 0}, {"change", 1}, {"never", 0}} {
		status, ran := 0, 0
		for _, step := range action.Runs.Steps {
			env := []string{}
			for name, value := range step.Env {
				env = append(env, name+"="+map[string]string{
					"VERSION": "0.9.0", "ROBOTS": "robots.txt", "BASE": base, "FAIL_ON": c.failOn, "NUMBER": "7",
					"STATUS": strings.TrimSpace(s.mustRun(`touch "$GITHUB_OUTPUT"; sed -n 's/^status=//p' "$GITHUB_OUTPUT" | tail -1`)),
				}[name])
				if !strings.HasPrefix(value, "${{ ") {
					t.Errorf("step %s has a constant %s", step.Name, name)
				}
			}
			if step.Run == "" || status != 0 {
				continue
			}
			var out string
			out, status = s.run(step.Run, env...)
			if status != 0 && step.Name != "Result" {
				t.Fatalf("%s: exit status %d: %s", step.Name, status, out)
			}
			ran++
		}
		if status != c.want || ran != 4 {
			t.Errorf("fail-on %s: exit status %d after %d steps", c.failOn, status, ran)
		}
	}
	for file, want := range map[string]string{"comment": "/new/", "temp/summary": "/old/", "temp/robots.sarif": `"2.1.0"`} {
		if text, _ := os.ReadFile(filepath.Join(s.dir, "..", file)); !strings.Contains(string(text), want) {
			t.Errorf("%s has no %s: %s", file, want, text)
		}
	}
}

// TestPreCommitHook runs the hook on two files, like pre-commit.
func TestPreCommitHook(t *testing.T) {
	var hooks []struct{ Entry, Files string }
	unmarshalYAML(t, ".pre-commit-hooks.yaml", &hooks)
	s := newSandbox(t)
	s.mustRun(`printf 'User-agent: *\nDisallow: /a\n' >robots.txt; mkdir site; printf 'Disallow: /a\n' >site/robots.txt`)
	for files, want := range map[string]int{"robots.txt": 0, "site/robots.txt": 1, "site/robots.txt robots.txt": 1} {
		if out, status := s.run(hooks[0].Entry + " " + files); status != want {
			t.Errorf("%s: exit status %d: %s", files, status, out)
		}
	}
	for name, want := range map[string]bool{"robots.txt": true, "a/robots.txt": true, "norobots.txt": false} {
		if regexp.MustCompile(hooks[0].Files).MatchString(name) != want {
			t.Errorf("the hook takes %s: %t", name, !want)
		}
	}
}

// TestSkill runs each command of SKILL.md on the sample, and checks each JSON path that it
// mentions.
func TestSkill(t *testing.T) {
	text, err := os.ReadFile("../../../SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 120 {
		t.Errorf("SKILL.md has %d lines", n)
	}
	s := newSandbox(t)
	if s.dir, err = filepath.Abs(sample); err != nil {
		t.Fatal(err)
	}
	documents := map[string]any{}
	for _, m := range regexp.MustCompile(`(?m)^(.*robotsieve .*) # (\d+)$`).FindAllStringSubmatch(string(text), -1) {
		out, status := s.run("set +e; " + m[1] + " 2>/dev/null")
		if fmt.Sprint(status) != m[2] {
			t.Errorf("%s: exit status %d, want %s", m[1], status, m[2])
		}
		var document any
		if strings.Contains(m[1], "--output json") && json.Unmarshal([]byte(out), &document) == nil {
			documents[m[1]] = document
		}
	}
	paths := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (audit|check)(.*?) \\| (`.*`) \\|").FindAllStringSubmatch(string(text), -1) {
		for _, path := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[3], -1) {
			found := false
			for command, document := range documents {
				found = found || strings.HasPrefix(command, "robotsieve "+row[1]) && hasPath(document, strings.Split(path[1], "."))
			}
			if paths++; !found {
				t.Errorf("no command prints %s for %s%s", path[1], row[1], row[2])
			}
		}
	}
	if len(documents) < 5 || paths < 15 {
		t.Errorf("%d documents, %d paths", len(documents), paths)
	}
}

func hasPath(value any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	member, ok := membersOf(value)[path[0]]
	return ok && hasPath(member, path[1:])
}
