package history

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

var git = Source{
	Name: "git", Args: "REPOSITORY", Short: "from the commits of a git repository", Times: policy.Deployed, Read: readGit,
	Long: `Git reads the versions of a robots.txt from the commits of a git repository, which may
be a bare one. Only the commits of the branch that is checked out count (its first
parents), so that a change on another branch has the time of its merge. A file that was
deleted is answered 404. The history is that of the path: renames are not followed.

The --path is that of the file, whose site --origin names, or of a folder of files that
are named by their hosts: HOST, HOST.txt or HOST/robots.txt. A template is refused: the
site never sent it.

The time of a commit is not that of its deployment, which comes later. Give audit a
--delay that is longer than from commit to deployment, such as --delay 24h.

The program git is run without the configuration, hooks and filters of the user and of
the repository.`,
	Example: `  robotsieve history git . --path public/robots.txt \
    --origin https://example.com -o versions
  robotsieve history git sites.git --path robots -o versions`,
	Flags: []Flag{
		{Name: "path", Needed: true, Help: "where robots.txt is, or the folder of files that are named by their hosts"},
		{Name: "origin", Help: "whose robots.txt it is, such as https://example.com; not for a folder"},
	},
}

// templates are the endings of files from which a robots.txt is made.
var templates = []string{".erb", ".njk", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".j2", ".jinja", ".jinja2", ".tmpl",
	".tpl", ".hbs", ".ejs", ".liquid", ".mustache", ".php", ".rb", ".go", ".haml", ".twig", ".vue", ".astro", ".html"}

func isTemplate(name string) bool { return slices.Contains(templates, strings.ToLower(path.Ext(name))) }

// maxToken bounds what git prints between two NULs.
const maxToken = 64 << 10

// repository is a git repository that is not trusted.
type repository struct {
	ctx  context.Context
	dir  string
	path string
}

func readGit(ctx context.Context, q *Query, to *Writer) (err error) {
	r := &repository{ctx: ctx, dir: q.Args[0], path: path.Clean(cmp.Or(strings.Trim(q.Values["path"], "/"), "."))}
	switch {
	case len(q.Args) > 1:
		return UsageError("history git reads one repository")
	case isTemplate(r.path):
		return UsageError(fmt.Sprintf("--path %s is a template, not the robots.txt that the site sends", r.path))
	}
	info, err := disk.Stat(r.dir)
	if err != nil && strings.Contains(r.dir, "://") {
		err = errors.New(r.dir + ": nothing is fetched: clone the repository first")
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is a file, not a repository: git clone a bundle first, and give the folder", r.dir)
	}
	entry, err := r.output("ls-tree", "-z", "HEAD", "--", r.path)
	if err != nil {
		return err
	}
	var of []origin.Origin
	isFolder := r.path == "." || strings.HasPrefix(entry, "040000")
	switch given := q.Values["origin"]; {
	case isFolder && given != "":
		return UsageError("--origin is for one file, and --path is a folder, whose files are named by their hosts")
	case !isFolder && given == "":
		return UsageError("--path is no folder: --origin says whose robots.txt it is")
	case !isFolder:
		if of, err = origin.Parse(given); err != nil {
			return UsageError("--origin " + err.Error())
		}
	}
	about, err := r.output("rev-parse", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		return err
	}
	shallow, prefix, _ := strings.Cut(strings.TrimSuffix(about, "\n"), "\n")
	if shallow == "true" {
		q.Warn(r.dir + ": a shallow clone has only the last versions; git fetch --unshallow gets the others")
	}
	c := &commits{q: q, to: to, of: of, name: path.Join(prefix, r.path), files: map[string]map[string]object{},
		changed: map[string]Row{}}
	if err = r.read(c); err == nil {
		q.Warn("the times are those of commits, and a file is deployed later: give audit a longer --delay")
	}
	return err
}

// run runs a command of git, and has read talk to it. It runs nothing that the repository or the
// user has configured, and opens no connection.
func (r *repository) run(read func(in io.Writer, out *bufio.Reader) error, args ...string) error {
	options := []string{"--no-pager", "-C", r.dir}
	for _, value := range []string{"safe.directory=*", "core.fsmonitor=false", "core.hooksPath=/dev/null",
		"core.attributesFile=/dev/null", "core.bigFileThreshold=16m", "log.showSignature=false", "log.mailmap=false",
		"log.showRoot=true", "log.diffMerges=first-parent", "log.follow=false", "diff.external=",
		"diff.orderFile=/dev/null", "diff.relative=false"} {
		options = append(options, "-c", value)
	}
	cmd := exec.CommandContext(r.ctx, "git", append(options, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_LITERAL_PATHSPECS=1"}
	var said complaint
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	var out io.ReadCloser
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("the program git is needed: %w", err)
	}
	b := bufio.NewReaderSize(out, maxToken)
	err = read(in, b)
	_ = in.Close() // which ends cat-file
	if err == nil {
		_, err = io.Copy(io.Discard, b)
	} else {
		_ = cmd.Process.Kill()
	}
	if err = cmp.Or(err, cmd.Wait()); err != nil && len(said) > 0 {
		err = fmt.Errorf("%s: %w; git says: %s", r.dir, err, bytes.TrimSpace(said))
	}
	return err
}

// complaint keeps the beginning of what git says on stderr.
type complaint []byte

func (c *complaint) Write(p []byte) (int, error) {
	*c = append(*c, p[:min(len(p), 400-len(*c))]...)
	return len(p), nil
}

// output returns what a command prints, up to maxToken bytes.
func (r *repository) output(args ...string) (text string, err error) {
	err = r.run(func(_ io.Writer, out *bufio.Reader) error {
		b, err := io.ReadAll(io.LimitReader(out, maxToken))
		text = string(b)
		return err
	}, args...)
	return text, err
}

// read gives the rows of the commits, from the oldest to the newest.
func (r *repository) read(c *commits) error {
	log := func(read func(*bufio.Scanner) error, args ...string) error {
		args = append([]string{"log", "--first-parent", "--no-renames", "-z"}, append(args, "HEAD", "--", r.path)...)
		return r.run(func(_ io.Writer, out *bufio.Reader) error {
			tokens := bufio.NewScanner(out)
			tokens.Buffer(nil, maxToken)
			tokens.Split(cutToken)
			return cmp.Or(read(tokens), tokens.Err())
		}, args...)
	}
	err := log(c.readTimes, "--format=%ct")
	slices.Reverse(c.times)
	if err == nil {
		err = r.run(func(in io.Writer, bodies *bufio.Reader) error {
			c.ids, c.bodies = in, bodies
			return log(c.read, "--reverse", "--raw", "--no-abbrev", "--format=%H")
		}, "cat-file", "--batch")
	}
	if c.back {
		c.q.Warn("some commits are dated later than now or than those after them: around these the file is not known")
	}
	if err == nil && c.n == 0 {
		err = fmt.Errorf("%s: no commit has %s", r.dir, r.path)
	}
	return err
}

// object is what a commit has at a path: its mode and its id, which is "" if it is not known.
type object struct{ mode, id string }

const (
	noFile   = "000000" // the mode of an object that is gone
	maxHosts = 1 << 19  // of a folder
)

// commits are the changes of a file, or of a folder of files.
type commits struct {
	q      *Query
	to     *Writer
	of     []origin.Origin // of one file; nil for a folder, whose files name theirs
	name   string          // of the one file, in the repository
	ids    io.Writer       // to git cat-file
	bodies *bufio.Reader
	times  []madeAt // of the commits that are to come
	back   bool     // a clock was wrong
	commit string
	madeAt
	n int
	// Of a folder: the files of each host that are there, by name, and the hosts of which the commit has
	// changed one, with their origins and the place.
	files   map[string]map[string]object
	changed map[string]Row
}

// madeAt is when a commit was made, in seconds: not before from, and by the time of its own.
type madeAt struct{ from, time int64 }

// readTimes reads the times of the commits. One that is later than now, or than that of a commit
// after it, says little: either may be wrong. Clocks that differ by less than an hour count as one.
func (c *commits) readTimes(tokens *bufio.Scanner) error {
	now := time.Now().Unix()
	earliest, latest := now, int64(math.MinInt64)
	for tokens.Scan() {
		at, err := strconv.ParseInt(tokens.Text(), 10, 64)
		if err != nil {
			return fmt.Errorf("git printed %.80q", tokens.Text())
		}
		earliest = min(earliest, at)
		c.times = append(c.times, madeAt{from: earliest, time: at})
	}
	for i, t := range slices.Backward(c.times) {
		before, date := c.times[min(i+1, len(c.times)-1)].from, t.time
		if t.time = t.from; date <= now {
			latest = max(latest, date)
		}
		if latest-t.time > 3600 {
			t.time = latest
		}
		if date-t.from > 3600 {
			t.from = before
		}
		c.times[i], c.back = t, c.back || t.from < t.time
	}
	return nil
}

// read reads what git log prints: a line for each commit, and for each change in it the modes,
// objects and kind, and a path; each ends with NUL.
func (c *commits) read(tokens *bufio.Scanner) error {
	for tokens.Scan() {
		text := tokens.Text()
		if !strings.HasPrefix(text, ":") {
			if len(c.times) == 0 {
				return errors.New("the repository was changed while it was read")
			}
			if err := c.endOfCommit(); err != nil {
				return err
			}
			c.commit, c.madeAt, c.times = text, c.times[0], c.times[1:]
			continue
		}
		change := strings.Fields(text)
		if !tokens.Scan() || len(change) != 5 {
			continue
		}
		name := tokens.Text()
		if c.of != nil && name != c.name { // the path was that of a folder once
			continue
		}
		c.n++
		now := object{change[1], change[3]}
		row := Row{Origins: c.of, Order: c.n, Place: fmt.Sprintf("%.12s:%s", c.commit, name)}
		var err error
		if c.of != nil {
			err = c.answer(row, now)
		} else {
			err = c.changeOfHost(row, now, name)
		}
		if err != nil {
			return err
		}
	}
	return c.endOfCommit()
}

// cutToken is a bufio.SplitFunc for what ends with NUL.
func cutToken(data []byte, _ bool) (advance int, token []byte, err error) {
	if n := bytes.IndexByte(data, 0); n >= 0 {
		return n + 1, bytes.TrimPrefix(data[:n], []byte("\n")), nil
	}
	return 0, nil, nil
}

// changeOfHost notes that a commit has changed a file of a folder.
func (c *commits) changeOfHost(row Row, now object, name string) error {
	host, err := capture.HostOf(name)
	if err == nil && isTemplate(name) {
		err = errors.New("a template, not what a site sends")
	} else if err == nil && !strings.ContainsAny(host, ".:") {
		err = errors.New("it is not named by a host")
	}
	if err == nil {
		row.Origins, err = origin.Parse(host)
	}
	if err != nil {
		c.q.fault("%s: %v", row.Place, err)
		return nil
	}
	host = row.Origins[0].String()
	if c.files[host] == nil {
		if len(c.files) == maxHosts {
			return fmt.Errorf("the folder has more than %d hosts", maxHosts)
		}
		c.files[host] = map[string]object{}
	}
	if delete(c.files[host], name); now.mode != noFile {
		c.files[host][name] = now
	}
	c.changed[host] = row
	return nil
}

// endOfCommit gives the rows of the hosts of which the commit has changed a file. A host may have
// several, such as EXAMPLE.com and example.com.txt: unless they are the same, it is not known which was sent.
func (c *commits) endOfCommit() error {
	for _, host := range slices.Sorted(maps.Keys(c.changed)) {
		row, now := c.changed[host], object{mode: noFile}
		for _, file := range c.files[host] {
			if now.mode != noFile && file.id != now.id {
				names := strings.Join(slices.Sorted(maps.Keys(c.files[host])), ", ")
				c.q.fault("%s: it is not known which file was sent: %.500s", row.Place, names)
				now.id = ""
				break
			}
			now = file
		}
		if err := c.answer(row, now); err != nil {
			return err
		}
	}
	clear(c.changed)
	return nil
}

// answer gives the row of a file as a commit has it.
func (c *commits) answer(row Row, now object) error {
	row.Time, row.Status = time.Unix(c.time, 0), 200
	if now.mode == noFile {
		row.Status = 404
	} else if now.id != "" {
		var err error
		if row.Body, err = c.body(now.id); err != nil {
			return err
		}
		if now.mode[:2] != "10" || row.Body == nil || bytes.HasPrefix(row.Body, []byte("version https://git-lfs")) {
			c.q.fault("%s: not known: a link, a file elsewhere, or longer than %d MiB", row.Place, MaxBody>>20)
			row.Body = nil
		}
	}
	if c.from < c.time {
		unknown := row
		unknown.Time, unknown.Status, unknown.Body = time.Unix(c.from, 0), 200, nil
		if err := c.to.Add(&unknown); err != nil {
			return err
		}
	}
	return c.to.Add(&row)
}

// body asks git cat-file for a blob; nil if it is too long or is none.
func (c *commits) body(id string) ([]byte, error) {
	if _, err := fmt.Fprintln(c.ids, id); err != nil {
		return nil, err
	}
	head, err := c.bodies.ReadString('\n')
	of := strings.Fields(head)
	if err != nil || len(of) < 3 {
		return nil, err // such as "missing"
	}
	size, err := strconv.ParseInt(of[2], 10, 64)
	if err != nil || size > MaxBody || of[1] != "blob" {
		_, err = io.CopyN(io.Discard, c.bodies, size+1)
		return nil, err
	}
	body := make([]byte, size+1) // and a newline
	_, err = io.ReadFull(c.bodies, body)
	return body[:size], err
}
