package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are the programs of the sessions, as which the test binary runs itself.
var scriptCommands = map[string]func(){
	"robotsieve": func() { os.Exit(Main()) },
	"pick":       func() { os.Exit(pickMembers(os.Args[1:])) },
	"capture":    func() { os.Exit(printCapture(os.Args[1:])) },
}

// environment is the key of the environment of a session's shell.
const environment = "environment"

// TestScripts replays the sessions in testdata/script, as described in its README.md.
func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to replay the sessions in")
	}
	sampleFolder, err := filepath.Abs(sample)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, ContinueOnError: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"replay": replay},
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "LC_ALL=C")
			env.Values[environment] = env.Vars
			return os.Symlink(sampleFolder, filepath.Join(env.WorkDir, "sample"))
		},
	})
}

// replay runs the commands of a session, the lines after "$ ", in a shell, and writes the session as it is now
// to the file "replayed".
func replay(ts *testscript.TestScript, _ bool, args []string) {
	var b strings.Builder
	shown := false // the line before was a command or what it printed
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		call, isCall := strings.CutPrefix(line, "$ ")
		switch {
		case isCall:
			b.WriteString(line + runShell(ts, call))
			shown = true
		case strings.HasPrefix(line, "## "):
			if shown {
				b.WriteString("\n")
			}
			b.WriteString(line)
			shown = false
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs("replayed"), []byte(b.String()), 0o666))
}

// runShell returns what a command prints: to stdout; to stderr, after "! "; and its exit status unless it is 0.
func runShell(ts *testscript.TestScript, call string) string {
	var out, diagnosis, b strings.Builder
	sh := exec.Command("sh", "-c", call)
	sh.Dir, sh.Env, sh.Stdout, sh.Stderr = ts.MkAbs("."), ts.Value(environment).([]string), &out, &diagnosis
	err := sh.Run()
	b.WriteString(out.String())
	if out.Len() > 0 && !strings.HasSuffix(out.String(), "\n") {
		b.WriteString("[no newline]\n")
	}
	for line := range strings.Lines(diagnosis.String()) {
		b.WriteString("! " + line)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		fmt.Fprintf(&b, "[exit %d]\n", exit.ExitCode())
	} else {
		ts.Check(err)
	}
	return strings.ReplaceAll(b.String(), ts.Getenv("WORK"), "$WORK")
}

// printCapture is the program capture: it prints the records of a WARC file for one response, of which the
// arguments are the URL, the time, the status and headers, and stdin is the body.
func printCapture(args []string) int {
	body, err := io.ReadAll(os.Stdin)
	if err != nil || len(args) < 3 {
		return exitUsage
	}
	block := strings.Join(append([]string{"HTTP/1.1 " + args[2] + " X"}, args[3:]...), "\r\n") + "\r\n\r\n" + string(body)
	for _, record := range [][2]string{{"request", "GET / HTTP/1.1\r\n\r\n"}, {"response", block}} {
		kind, block := record[0], record[1]
		fmt.Printf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%s>\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\n"+
			"Content-Length: %d\r\n\r\n%s\r\n\r\n", kind, kind, args[1], args[0], len(block), block)
	}
	return exitDone
}

// pickMembers is the program pick: it prints members of each JSON object on stdin, by paths such as
// crawlers.0.verdicts, in which * stands
// for each member. It leaves out what is 0, false or empty inside of them.
func pickMembers(paths []string) int {
	for in := json.NewDecoder(os.Stdin); ; {
		var object any
		if err := in.Decode(&object); err != nil {
			return 0
		}
		for _, path := range paths {
			pickMember(object, "", strings.Split(path, "."))
		}
	}
}

func pickMember(value any, name string, path []string) {
	if len(path) == 0 {
		text, _ := json.Marshal(withoutZeros(value))
		fmt.Printf("%s: %s\n", strings.TrimPrefix(name, "."), text)
		return
	}
	members := membersOf(value)
	for _, key := range slices.SortedFunc(maps.Keys(members), compareKeys) {
		if path[0] == "*" || path[0] == key {
			pickMember(members[key], name+"."+key, path[1:])
		}
	}
}

// compareKeys compares names of members, numbers by their size.
func compareKeys(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) }

// membersOf returns the members of an object or a list by name or number.
func membersOf(value any) map[string]any {
	members, _ := value.(map[string]any)
	if list, ok := value.([]any); ok {
		members = map[string]any{}
		for i, v := range list {
			members[fmt.Sprint(i)] = v
		}
	}
	return members
}

// withoutZeros returns a value without members that are 0, false or empty.
func withoutZeros(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if v[key] = withoutZeros(member); isZero(v[key]) {
				delete(v, key)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutZeros(v[i])
		}
	}
	return value
}

func isZero(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return value == nil || value == 0.0 || value == false || value == ""
}
