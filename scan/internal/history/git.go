package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

var git = Source{Name: "git", Times: policy.Deployed, Read: readGit}

// templates are extensions of files from which a robots.txt is generated.
var templates = []string{".erb", ".njk", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".j2", ".jinja", ".jinja2", ".tmpl",
	".tpl", ".hbs", ".ejs", ".liquid", ".mustache", ".php", ".rb", ".go", ".haml", ".twig", ".vue", ".astro", ".html"}

func isTemplate(name string) bool { return slices.Contains(templates, strings.ToLower(path.Ext(name))) }

func readGit(ctx context.Context, q *Query, to *Writer) (err error) {
	name := path.Clean(cmp.Or(strings.Trim(q.Values["path"], "/"), "."))
	switch {
	case len(q.Args) > 1:
		return UsageError("history git reads one repository")
	case q.Values["path"] == "":
		return UsageError("option Path is needed: where robots.txt is, or a folder of files named by hosts")
	case isTemplate(name):
		return UsageError(fmt.Sprintf("option Path %s is a template, not the robots.txt that the site sends", name))
	}
	dir := q.Args[0]
	info, err := disk.Stat(dir)
	if err != nil && strings.Contains(dir, "://") {
		err = errors.New(dir + ": nothing is fetched: clone the repository first")
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is a file, not a repository: git clone a bundle first, and give the folder", dir)
	}
	r, err := openRepository(ctx, dir)
	defer func() { err = errors.Join(err, r.Close()) }()
	if err != nil {
		return err
	}
	c := &commits{q: q, to: to, repository: r, name: path.Join(r.prefix, name), files: map[string]*hostFiles{},
		changed: map[string]Row{}, known: map[string]blob{}}
	if err := c.walk(); err != nil {
		return err
	}
	isFolder := c.isFolder()
	switch given := q.Values["origin"]; {
	case isFolder && given != "":
		return UsageError("option Origin is for one file, and option Path is a folder, whose files are named by their hosts")
	case !isFolder && given == "":
		return UsageError("option Path is no folder: option Origin says whose robots.txt it is")
	case !isFolder:
		if c.of, err = origin.Parse(given); err != nil {
			return UsageError("option Origin " + err.Error())
		}
	}
	if _, none := disk.Stat(filepath.Join(r.common, "shallow")); none == nil {
		q.Warn(dir + ": a shallow clone has only the last versions; git fetch --unshallow gets the others")
	}
	if err = c.read(); err == nil {
		q.Warn("the times are commit times, and a file is deployed later: give audit a longer option Delay")
	}
	return err
}

// The limits of a folder.
const (
	maxDepth   = 8       // nested folders
	maxChanges = 1 << 20 // per commit; sixteen times as many in all
	nameBytes  = 200     // approximate memory of a name besides its text
)

// change is a commit that changed the file or folder at a path.
type change struct {
	commit string
	date   int64
	now    entry
}

// unknown stands for the content of a commit whose objects can't be read.
var unknown = entry{mode: "unknown"}

// hostFiles are the existing files of a host, by name.
type hostFiles struct {
	of    []origin.Origin
	names map[string]entry
}

// seenTree is a tree with its entry for one step of the path.
type seenTree struct {
	tree  string
	found entry
}

// commits lists the changes of a file, or of a folder of files.
type commits struct {
	*repository
	q      *Query
	to     *Writer
	of     []origin.Origin // of a single file; nil for a folder, whose files name their origins
	name   string          // path of the file or folder in the repository
	list   []change        // newest first
	last   []seenTree      // per folder of the path
	known  map[string]blob
	back   bool // some clock was wrong
	commit string
	madeAt
	n int
	// For a folder: the existing files of each host, by name; the hosts with a file changed in the
	// current commit, with origins and place; and the memory used by names and changes.
	files          map[string]*hostFiles
	changed        map[string]Row
	names, changes int
}

// madeAt is the time of a commit in seconds: not before from, and not after by unless its own date
// is.
type madeAt struct{ from, time int64 }

// walk lists the commits that changed the path, following only first parents.
func (c *commits) walk() error {
	for id := c.head; id != ""; {
		made, err := c.repository.commit(id)
		if isUnreadable(err) {
			c.q.fault("%s: commit %.12s: %v: nothing is known of the time before the commit after it", c.dir, id, err)
			return nil
		}
		now := unknown
		if err == nil {
			now, err = c.at(made.tree)
		}
		if isUnreadable(err) {
			c.q.fault("%.12s:%s: not known: %v", id, c.name, err)
			now, err = unknown, nil
		}
		if err != nil {
			return err
		}
		if n := len(c.list); n > 0 && c.list[n-1].now == now {
			c.list = c.list[:n-1] // the commit after this one has not changed it
		}
		c.list = append(c.list, change{id, made.date, now})
		id = made.parent
	}
	return nil
}

// at returns what a tree has at the path.
func (c *commits) at(tree string) (entry, error) {
	now := entry{folder, tree}
	if c.name == "." {
		return now, nil
	}
	for i, part := range strings.Split(c.name, "/") {
		if now.mode != folder {
			return entry{}, nil
		}
		if i == len(c.last) {
			c.last = append(c.last, seenTree{})
		}
		if seen := &c.last[i]; seen.tree != now.id {
			found := entry{}
			err := c.eachEntry(now.id, func(name string, e entry) bool {
				if name == part {
					found = e
				}
				return name != part
			})
			if err != nil {
				return entry{}, err
			}
			*seen = seenTree{now.id, found}
		}
		now = c.last[i].found
	}
	return now, nil
}

// isFolder reports whether the path is a folder in the newest commit. It sets the list for a folder
// or a file accordingly.
func (c *commits) isFolder() bool {
	i := slices.IndexFunc(c.list, func(x change) bool { return x.now != unknown })
	isFolder := c.name == "." || i >= 0 && c.list[i].now.mode == folder
	list := c.list[:0]
	for _, x := range c.list {
		if x.now != unknown && (x.now.mode == folder) != isFolder {
			x.now = entry{}
		}
		if n := len(list); n > 0 && list[n-1].now == x.now {
			list = list[:n-1]
		}
		list = append(list, x)
	}
	if n := len(list); n > 0 && list[n-1].now.mode == noFile {
		list = list[:n-1]
	}
	c.list = list
	return isFolder
}

// times returns when the listed commits were made. A date later than now, or than a later commit's date, is unreliable,
// since either may be wrong. Clock differences of less than an hour are ignored.
func (c *commits) times() []madeAt {
	now := time.Now().Unix()
	earliest, latest := now, int64(math.MinInt64)
	times := make([]madeAt, len(c.list))
	for i, x := range c.list {
		earliest = min(earliest, x.date)
		times[i] = madeAt{from: earliest, time: x.date}
	}
	for i, t := range slices.Backward(times) {
		before, date := times[min(i+1, len(times)-1)].from, t.time
		t.time = t.from
		if date <= now {
			latest = max(latest, date)
		}
		if latest-t.time > 3600 {
			t.time = latest
		}
		if date-t.from > 3600 {
			t.from = before
		}
		times[i], c.back = t, c.back || t.from < t.time
	}
	return times
}

// read yields the rows of the commits, oldest first.
func (c *commits) read() error {
	if len(c.list) == 0 {
		return fmt.Errorf("%s: no commit has %s", c.dir, c.name)
	}
	times, tree, isLost := c.times(), "", false
	for i, x := range slices.Backward(c.list) {
		c.commit, c.madeAt = x.commit, times[i]
		var err error
		if c.of != nil {
			c.n++
			err = c.answer(c.row(c.of, c.name), x.now)
		} else {
			tree, isLost, err = c.readFolder(tree, x.now, isLost)
		}
		if err != nil {
			return err
		}
	}
	if c.back {
		c.q.Warn("some commits are dated later than now or than those after them: around these the file is not known")
	}
	return nil
}

// readFolder yields the rows of a commit that changed a folder. tree is the last readable tree, and
// isLost means that an unreadable one came after it. It returns both for the next commit.
func (c *commits) readFolder(tree string, now entry, isLost bool) (string, bool, error) {
	var list []fileChange
	err := error(unreadableError(""))
	if now != unknown {
		list, err = c.compare(tree, now.id)
		if isUnreadable(err) {
			c.q.fault("%.12s:%s: not known: %v", c.commit, c.name, err)
		}
	}
	isUnknown := isUnreadable(err)
	if err != nil && !isUnknown {
		return tree, isLost, err
	}
	if isUnknown && isLost {
		return tree, true, nil
	}
	if isUnknown || isLost {
		c.n++
		c.changes += len(c.files)
		for host, files := range c.files {
			if len(files.names) > 0 {
				c.changed[host] = c.row(files.of, slices.Min(slices.Collect(maps.Keys(files.names))))
			}
		}
	}
	if isUnknown {
		for _, host := range slices.Sorted(maps.Keys(c.changed)) {
			if err := c.answer(c.changed[host], unknown); err != nil {
				return tree, true, err
			}
		}
		clear(c.changed)
		return tree, true, nil
	}
	for _, x := range list {
		c.n++
		if err := c.changeOfHost(x.name, x.now); err != nil {
			return tree, false, err
		}
	}
	return now.id, false, c.endOfCommit()
}

// fileChange is a file of a folder, with its current entry.
type fileChange struct {
	name string
	now  entry
}

// compare lists the files that differ between a tree and its predecessor. Either may be "".
func (c *commits) compare(before, now string) (list []fileChange, err error) {
	type pair struct{ dir, before, now string }
	names, entries := 0, 0
	count := func(name string) error {
		entries, c.changes, names = entries+1, c.changes+1, names+len(name)+nameBytes
		switch {
		case c.changes > 16*maxChanges:
			return fmt.Errorf("%s: more than %d files were changed", c.dir, 16*maxChanges)
		case entries > maxChanges || names > maxNames:
			return unreadableError("too many files were changed")
		}
		return nil
	}
	for trees := []pair{{c.name, before, now}}; len(trees) > 0 && err == nil; {
		at := trees[len(trees)-1]
		trees = trees[:len(trees)-1]
		give := func(name string, was, is entry) error {
			name = path.Join(at.dir, name)
			isTree := [2]bool{was.mode == folder, is.mode == folder}
			if (isTree[0] || isTree[1]) && strings.Count(name, "/")-strings.Count(c.name, "/") > maxDepth {
				return unreadableError(fmt.Sprintf("it has folders in more than %d others", maxDepth))
			}
			if isTree[0] || isTree[1] {
				trees = append(trees, pair{name, idOf(was, isTree[0]), idOf(is, isTree[1])})
			}
			switch {
			case !isTree[1] && is.mode != noFile:
				list = append(list, fileChange{name, is})
			case !isTree[0] && was.mode != noFile:
				list = append(list, fileChange{name, entry{}})
			}
			return count(name)
		}
		err = c.compareTrees(at.before, at.now, give)
	}
	slices.SortFunc(list, func(a, b fileChange) int { return strings.Compare(a.name, b.name) })
	return list, err
}

func idOf(e entry, isTree bool) string {
	if isTree {
		return e.id
	}
	return ""
}

// compareTrees calls give for the entries that differ between two trees. Either may be nil.
func (c *commits) compareTrees(before, now string, give func(name string, was, is entry) error) error {
	was := map[string]entry{}
	var err, failed error
	if before != "" {
		err = c.eachEntry(before, func(name string, e entry) bool {
			was[name] = e
			return true
		})
	}
	if err == nil && now != "" {
		err = c.eachEntry(now, func(name string, e entry) bool {
			if was[name] != e {
				failed = give(name, was[name], e)
			}
			delete(was, name)
			return failed == nil
		})
	}
	for name, e := range was {
		if err = cmp.Or(err, failed); err != nil {
			break
		}
		failed = give(name, e, entry{})
	}
	return cmp.Or(err, failed)
}

// row returns a row without an answer.
func (c *commits) row(of []origin.Origin, name string) Row {
	return Row{Origins: of, Order: c.n, Place: fmt.Sprintf("%.12s:%s", c.commit, name)}
}

// changeOfHost records that a commit changed a file of a folder.
func (c *commits) changeOfHost(name string, now entry) error {
	row := c.row(nil, name)
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
	files := c.files[host]
	if files == nil {
		files = &hostFiles{row.Origins, map[string]entry{}}
		c.files[host] = files
		c.names += len(host) + 2*nameBytes
	}
	if _, there := files.names[name]; there {
		c.names -= len(name) + nameBytes
	}
	delete(files.names, name)
	if now.mode != noFile {
		files.names[name] = now
		c.names += len(name) + nameBytes
	}
	if c.names > maxNames {
		return fmt.Errorf("%s: the folder has too many hosts or files", c.dir)
	}
	c.changed[host] = row
	return nil
}

// endOfCommit yields the rows of the hosts with a file changed in the commit. A host may have
// several files, such as EXAMPLE.com and example.com.txt. Unless they are equal, it isn't known
// which one was sent.
func (c *commits) endOfCommit() error {
	for _, host := range slices.Sorted(maps.Keys(c.changed)) {
		row, now, files := c.changed[host], entry{}, c.files[host].names
		for _, file := range files {
			if now.mode != noFile && file.id != now.id {
				names := strings.Join(slices.Sorted(maps.Keys(files)), ", ")
				c.q.fault("%s: it is not known which file was sent: %.500s", row.Place, names)
				now = unknown
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

// answer yields the row of a file in a commit.
func (c *commits) answer(row Row, now entry) (err error) {
	row.Time, row.Status = time.Unix(c.time, 0), 200
	switch {
	case now.mode == noFile:
		row.Status = 404
	case now != unknown:
		err = c.addBody(&row, now)
	}
	if err == nil && c.from < c.time {
		unknown := row
		unknown.Time, unknown.Status, unknown.Body, unknown.Digest = time.Unix(c.from, 0), 200, nil, ""
		err = c.to.Add(&unknown)
	}
	return cmp.Or(err, c.to.Add(&row))
}

// blob holds a blob's digest, as in Row, or the reason why it is unavailable.
type blob struct{ digest, why string }

// addBody adds the body of a file to a row, or its digest if the body was already given.
func (c *commits) addBody(row *Row, now entry) error {
	known, seen := c.known[now.id]
	if !strings.HasPrefix(now.mode, "10") {
		known, seen = blob{why: "a link, or a file elsewhere"}, true
	}
	if !seen {
		body, err := c.object(now.id, "blob", MaxBody)
		if err == nil && bytes.HasPrefix(body, []byte("version https://git-lfs")) {
			err = unreadableError("it is in Git LFS")
		}
		switch {
		case err == nil:
			row.Body, known.digest = body, SHA1(body)
		case isUnreadable(err):
			known.why = err.Error()
		default:
			return err
		}
		c.known[now.id] = known
	}
	row.Digest = known.digest
	if known.why != "" {
		c.q.fault("%s: not known: %s", row.Place, known.why)
	}
	return nil
}
