// Package snapshot finds in a WARC file the newest captures of pages, and the robots.txt that was in force when each
// was captured.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/internal/lists"
	"github.com/robotsieve/robotsieve/scan/internal/page"
	"github.com/robotsieve/robotsieve/scan/internal/warc"
	"github.com/robotsieve/robotsieve/scan/source"
)

// File is a WARC file, plain or compressed.
type File struct {
	Name      string
	Windows   *source.Windows
	MaxRobots int                              // bytes to be read of a robots.txt
	Warn      func(format string, args ...any) // of records that cannot be read
	pages     map[answer.Target]*Page
}

// Page is the newest capture of a URL.
type Page struct {
	page.Page
	Target      answer.Target
	Captures    int   // 0 if there is none
	Record      int64 // its number in the file
	Status      int
	ContentType string
	Date        time.Time // zero if it is missing or invalid
	Unread      error     // why the body could not be read to its end
	Robots      Robots    // set by ReadRobots
}

// Want returns the page of a URL, for which ReadPages will look; nil for what is no URL.
func (f *File) Want(url string) *Page {
	target, ok := answer.Resolve(answer.Target{}, url)
	if !ok {
		return nil
	}
	if f.pages == nil {
		f.pages = map[answer.Target]*Page{}
	}
	if f.pages[target] == nil {
		f.pages[target] = &Page{Target: target}
	}
	return f.pages[target]
}

// Check returns an error if the file is not a WARC file that can be read repeatedly.
func (f *File) Check() error {
	in, err := source.NewFile(f.Name)
	if err != nil {
		return err
	}
	if !in.Regular() {
		return fmt.Errorf("%s: not a regular file, and it is read more than once", f.Name)
	}
	in.Windows = f.Windows
	head, err := in.Head(lists.HeadBytes)
	if err != nil {
		return err
	}
	kind, err := list.Detect(head, f.Name, list.Options{})
	if err == nil && kind != list.WARC {
		err = errors.New("it is not a WARC file")
	}
	return source.Named(f.Name, err)
}

// ReadPages finds the newest capture of each page. An error is about the part of the file that could not be read.
func (f *File) ReadPages(ctx context.Context) error {
	wants := func(t answer.Target) bool { return f.pages[t] != nil }
	return f.eachResponse(ctx, wants, page.MaxHead+1, func(r *response) {
		p := f.pages[r.target]
		p.Captures++
		if p.Captures > 1 && r.date.Before(p.Date) {
			return
		}
		p.Record, p.Date, p.Status, p.ContentType, p.Unread = r.record, r.date, r.Status, r.ContentType, r.unread
		p.Reset()
		for _, value := range r.RobotsTags {
			p.Header([]byte(value))
		}
		p.HTML([]byte(r.ContentType), r.body)
	})
}

// response is a server's answer in a record of the file.
type response struct {
	*warc.Response
	target answer.Target
	record int64 // its number in the file
	date   time.Time
	body   []byte // its beginning
	unread error  // why the rest of the body could not be read
}

// eachResponse reads the file and calls each for the responses from wanted targets, with at most
// that many bytes of their bodies. The responses before an error have been delivered.
func (f *File) eachResponse(ctx context.Context, wanted func(answer.Target) bool, limit int,
	each func(*response)) error {
	in, err := source.NewFile(f.Name)
	if err != nil {
		return err
	}
	in.Windows = f.Windows
	opened, err := interrupt.Open(ctx, in)
	if err != nil {
		return err
	}
	defer opened.Close()
	records := warc.NewReader(interrupt.Stream{Ctx: ctx, R: opened})
	for {
		rec, err := records.Next()
		switch {
		case err == io.EOF: //nolint:errorlint // an error that wraps io.EOF is damage
			return nil
		case err != nil:
			return source.Named(f.Name, err)
		case rec.Kind != "response":
			continue
		}
		r := response{record: rec.Number}
		var ok bool
		if r.target, ok = answer.Resolve(answer.Target{}, rec.Target); !ok || !wanted(r.target) {
			continue
		}
		if r.Response, err = warc.ReadResponse(records); err != nil {
			f.Warn("%s: record %d: %v", f.Name, rec.Number, err)
			continue
		}
		r.date, _ = rec.Time() // zero where there is none
		r.body, r.unread = r.Body(limit, rec.Truncated)
		each(&r)
	}
}
