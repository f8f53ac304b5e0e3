package snapshot

import (
	"context"
	"fmt"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
)

// Robots is the capture of the robots.txt that was in force when a page was captured, as far
// as the file shows.
type Robots struct {
	At     answer.Target // the URL that was looked for last
	Found  bool
	Status int
	Body   []byte
	Hops   []Hop // the redirects that led to paths other than /robots.txt

	instant   time.Time // of the page
	date      time.Time
	location  string // of a redirect
	redirects int    // those that led to At
	ofHop     bool   // it is the robots.txt of a hop
}

// Hop is a URL other than a robots.txt to which a redirect leads, and the robots.txt of its origin.
type Hop struct {
	URL    string
	Robots *Robots
}

// ReadRobots finds the robots.txt of each page that was found. It reads the file once, and again
// for each further redirect.
func (f *File) ReadRobots(ctx context.Context) error {
	wanted := map[answer.Target][]*Robots{}
	for _, p := range f.pages {
		if p.Captures > 0 {
			p.Robots = Robots{At: answer.Target{Origin: p.Target.Origin, Path: answer.RobotsPath}, instant: p.Date}
			wanted[p.Robots.At] = append(wanted[p.Robots.At], &p.Robots)
		}
	}
	for len(wanted) > 0 {
		wants := func(t answer.Target) bool { return wanted[t] != nil }
		if err := f.eachResponse(ctx, wants, f.MaxRobots, func(r *response) {
			for _, robots := range wanted[r.target] {
				robots.add(r)
			}
		}); err != nil {
			return err
		}
		redirected := map[answer.Target][]*Robots{}
		for _, list := range wanted {
			for _, robots := range list {
				for _, next := range robots.follow() {
					redirected[next.At] = append(redirected[next.At], next)
				}
			}
		}
		wanted = redirected
	}
	return nil
}

// add takes a capture if it is better evidence of the robots.txt at the instant than the one found: the
// newest until then is best, or else the oldest. A failed one is worse than any other until then,
// or else the worst of all. Answers that don't show the robots.txt, such as 304, and unreadable
// bodies don't count.
func (r *Robots) add(c *response) {
	meaning := answer.Of(c.Status, answer.Archive)
	if meaning == answer.Nothing || meaning == answer.File && c.unread != nil {
		return
	}
	inForce := func(date time.Time) bool { return r.instant.IsZero() || !date.After(r.instant) }
	failed := answer.Of(r.Status, answer.Archive) == answer.Failed
	switch old, this := inForce(r.date), inForce(c.date); {
	case !r.Found:
	case old != this:
		if old {
			return
		}
	case failed != (meaning == answer.Failed):
		if !failed {
			return
		}
	case this == c.date.Before(r.date): // not the newest of those until then, or not the oldest of the others
		return
	}
	r.Found, r.date, r.Status, r.Body, r.location = true, c.date, c.Status, c.body, c.Location
}

// follow prepares r to look for the target of a redirect. It returns the captures to look for:
// none if there is no redirect to follow. They include the robots.txt by which the
// redirect may be off limits for the crawler.
func (r *Robots) follow() []*Robots {
	if r.Meaning(answer.Archive) != answer.Redirect || r.redirects == answer.MaxRedirects {
		return nil
	}
	to, ok := answer.Resolve(r.At, r.location)
	if !ok || r.ofHop && to.Path != answer.RobotsPath {
		return nil
	}
	*r = Robots{At: to, instant: r.instant, redirects: r.redirects + 1, Hops: r.Hops, ofHop: r.ofHop}
	if to.Path == answer.RobotsPath {
		return []*Robots{r}
	}
	own := &Robots{At: answer.Target{Origin: to.Origin, Path: answer.RobotsPath}, instant: r.instant, ofHop: true}
	r.Hops = append(r.Hops, Hop{to.Origin.String() + to.Path, own})
	return []*Robots{r, own}
}

// Meaning is what the answer means to a class of crawlers; answer.Nothing or answer.Redirect if
// robots.txt is unknown.
func (r *Robots) Meaning(by answer.Class) answer.Meaning {
	if !r.Found {
		return answer.Nothing
	}
	return answer.Of(r.Status, by)
}

// String names the robots.txt; "" if none was found.
func (r *Robots) String() string {
	if !r.Found {
		return ""
	}
	text := fmt.Sprintf("%s%s, status %d", r.At.Origin, r.At.Path, r.Status)
	if !r.date.IsZero() {
		text += ", captured " + r.date.UTC().Format(time.RFC3339)
	}
	return text
}
