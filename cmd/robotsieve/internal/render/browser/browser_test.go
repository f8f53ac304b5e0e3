package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/report"
)

// chromium runs in one process for all tests, a tab for each.
var chromium context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		fmt.Println("skipped: no Chromium is found")
		return 0
	}
	dir, err := os.MkdirTemp("", "robotsieve-browser-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.UserDataDir(dir)}
	for _, flag := range []string{"headless", "disable-gpu", "disable-quic", "no-first-run",
		"disable-background-networking", "disable-component-update",
		"disable-sync", "hide-scrollbars"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(options...))
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Println("starting Chromium:", err)
		return 1
	}
	chromium = ctx
	return m.Run()
}

// tab is a page in the browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu    sync.Mutex
	noise []string // all that a quiet page does not do
}

// view is how a page is looked at. The zero value is a window of 1,280 px on a light screen.
type view struct {
	width     int64
	dark      bool
	print     bool
	noScripts bool
}

// open opens the page of a report. When the test ends the page must have been quiet: it has
// loaded nothing, run no script of others, and written nothing to the console.
func open(t *testing.T, r *report.Report, v view) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	f := must.Get(os.Create(file))(t)
	must.Do(t, render.WriteHTML(f, r))
	must.Do(t, f.Close())
	return openFile(t, file, v)
}

// openFile is open for a page that is a file.
func openFile(t *testing.T, file string, v view) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(chromium)
	t.Cleanup(closeTab)
	p := &tab{t: t, ctx: ctx}
	p.do(chromedp.Do(ctx))
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	p.ctx = ctx
	address := (&url.URL{Scheme: "file", Path: file}).String()
	p.do(chromedp.Listen(ctx, func(event any) { p.listen(event, address) }))

	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: scheme}}}
	if v.print {
		media.Media = "print"
	}
	call(p, emulation.SetEmulatedMedia, media)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.noScripts})
	if v.width == 0 {
		v.width = 1280
	}
	p.do(chromedp.Do(ctx, chromedp.EmulateViewport(v.width, 900), chromedp.Navigate(address)))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, noise := range p.noise {
			t.Error(noise)
		}
	})
	return p
}

// listen notes what a quiet page does not do.
func (p *tab) listen(event any, address string) {
	noise := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Request.URL != address {
			noise = "request for " + e.Request.URL
		}
	case *log.EventEntryAdded:
		noise = "log: " + e.Entry.Text
	case *runtime.EventConsoleAPICalled:
		noise = fmt.Sprint("console: ", e.Type)
	case *runtime.EventExceptionThrown:
		noise = "exception: " + e.ExceptionDetails.Text
	case *page.EventJavascriptDialogOpening:
		noise = "a text of the log ran as a script: " + e.Message
	}
	if noise != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.noise = append(p.noise, noise)
	}
}

func (p *tab) do(err error) {
	p.t.Helper()
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.t.Fatalf("%v; before it: %s", err, strings.Join(p.noise, "; "))
	}
}

// call sends a command to the tab, and returns its result.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	result, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (R, error) {
		return cdp.Call(ctx, t, command, params)
	})
	p.do(err)
	return result
}

// ask returns the value of an expression in the page.
func ask[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	p.do(err)
	return value
}

// keys presses keys, one after the other.
func (p *tab) keys(keys string) {
	p.t.Helper()
	p.do(chromedp.Do(p.ctx, chromedp.KeyEvent(keys)))
}

// click clicks on the first element of a selector.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS(selector))))
}

// shotHeight is the height of a picture, and maxShots limits the pictures per page.
const (
	shotHeight = 1400
	maxShots   = 10
)

// shoot writes pictures of the page from above to below to the folder that ROBOTSIEVE_SHOTS names,
// if it names one, for people to look at.
func (p *tab) shoot(name string) {
	p.t.Helper()
	dir := os.Getenv("ROBOTSIEVE_SHOTS")
	if dir == "" {
		return
	}
	size := ask[[]float64](p, "[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
	for i := 0; i < maxShots && float64(i*shotHeight) < size[1]; i++ {
		params := page.CaptureScreenshotParams{Clip: &page.Viewport{Y: float64(i * shotHeight), Width: size[0],
			Height: shotHeight, Scale: 1}, CaptureBeyondViewport: new(true)}
		picture := call(p, page.CaptureScreenshot, params)
		p.do(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.png", name, i+1)), picture.Data, 0o666))
	}
}
