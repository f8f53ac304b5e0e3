package browser

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
)

const (
	newer = "# Ours\nUser-agent: *\nDisallow: /private/\nAllow: /private/press/\nDisalow: /typo\n\n" +
		"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nSitemap: https://a.example/sitemap.xml\n"
	older = "User-agent: *\nDisallow: /old/\n"
)

// openCheck opens the page of a robots.txt, compared with an older one unless that is empty, with verdicts on URLs.
func openCheck(t *testing.T, body, older string, urls []string, v view) *tab {
	t.Helper()
	known := must.Get(crawler.New(crawler.Builtin()))(t)
	o := explain.Options{Robots: &explain.File{Name: "new/robots.txt", Body: []byte(body)},
		Lint: lint.Options{Crawlers: known}}
	if older != "" {
		o.Against = &explain.File{Name: "old/robots.txt", Body: []byte(older)}
	}
	asked := o.Robots.Ask(explain.AgentOf(crawler.Claim{Profile: known.ByName("GPTBot")}, nil))
	var answers []explain.Answer
	for _, url := range urls {
		answers = append(answers, asked.Answer(url))
	}
	d := explain.Describe(o)
	return openWritten(t, v, func(w *bytes.Buffer) error {
		return render.WriteCheckHTML(w, checkpage.Of(d, o.Robots, answers), o.Robots, o.Against)
	})
}

// openWritten opens a page that is written, and waits for its program.
func openWritten(t *testing.T, v view, write func(*bytes.Buffer) error) *tab {
	t.Helper()
	var html bytes.Buffer
	file := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, write(&html))
	must.Do(t, os.WriteFile(file, html.Bytes(), 0o600))
	p := openFile(t, file, v)
	if !v.noScripts && strings.Contains(html.String(), `id="program"`) {
		_, err := chromedp.Run(p.ctx, chromedp.Poll[bool](`document.documentElement.dataset.ready === "yes"`))
		p.do(err)
	}
	return p
}

// enter sets the text of a field as its reader does.
func (p *tab) enter(id, text string) {
	p.t.Helper()
	ask[bool](p, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input")); return true; })(`+
		`document.getElementById(%q))`, text, id))
}

// verdict is what the page says of the URL, and the numbers of the lines that are lit.
func (p *tab) verdict() (said string, lit []string) {
	p.t.Helper()
	return ask[string](p, `document.getElementById("verdict").innerText`),
		ask[[]string](p, `[...document.querySelectorAll(".lit")].map(e => e.id)`)
}

// parts is the text of the sections.
const parts = `[...document.querySelectorAll("#head, #parts")].map(e => e.innerText.replaceAll(/\s+/g, " ")).join("\n")`

// edited waits until the sections have a text.
func (p *tab) edited(text string) {
	p.t.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Poll[bool](fmt.Sprintf("(%s).includes(%q)", parts, text)))
	p.do(err)
}

// TestCheckFits checks at any width, light and dark, that nothing overflows the page of a
// robots.txt, and that all texts contrast with their background.
func TestCheckFits(t *testing.T) {
	long := newer + "Disallow: /" + strings.Repeat("very-long-name-", 60) + "\nDisallow: /*?" + strings.Repeat("a", 300)
	for _, width := range []int64{320, 390, 1280} {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("check,width=%d,dark=%v", width, dark)
			t.Run(name, func(t *testing.T) {
				p := openCheck(t, long, older, []string{"/private/x", "https://a.example/" + strings.Repeat("b", 400)},
					view{width: width, dark: dark})
				p.enter("url", "/private/x")
				p.shoot(name)
				if wide := ask[int64](p, "document.documentElement.scrollWidth"); wide > width {
					t.Errorf("the page is %d px wide: %s", wide, ask[string](p, widest))
				}
				if faint := ask[[]string](p, faintTexts); len(faint) > 0 {
					t.Errorf("hard to read: %q", faint)
				}
			})
		}
	}
}

// TestCheckTry checks that a URL gets the command's verdict with the deciding line highlighted, and
// that edits show at once.
func TestCheckTry(t *testing.T) {
	p := openCheck(t, newer, older, nil, view{})
	for _, c := range []struct{ agent, url, verdict, line string }{
		{"Googlebot", "https://a.example/private/x", "disallowed", "L3"},
		{"Googlebot", "/private/press/x", "allowed", "L4"},
		{"GPTBot", "/", "disallowed", "L9"},
		{"*", "/a", "allowed", ""},
		{"GPTBot", "nothing", "give a URL", ""},
		{"", "/a", "give an agent", ""},
	} {
		p.enter("agent", c.agent)
		p.enter("url", c.url)
		said, lit := p.verdict()
		if !strings.Contains(said, c.verdict) || strings.Join(lit, " ") != c.line {
			t.Errorf("%s, %s: %q, lit are %q", c.agent, c.url, said, lit)
		}
	}
	p.enter("agent", "GPTBot")
	p.enter("url", "/x")
	p.enter("text", "User-agent: GPTBot\nDisallow: /y\nnonsense\n")
	p.edited("lines 3 ")
	if said, _ := p.verdict(); !strings.HasPrefix(said, "allowed") {
		t.Errorf("after the edit it says %q", said)
	}
}

// TestCheckScriptWritesTheSame checks that the script's layout equals the command's.
func TestCheckScriptWritesTheSame(t *testing.T) {
	p := openCheck(t, newer, older, nil, view{})
	want := ask[string](p, parts)
	p.enter("text", "User-agent: *\n")
	p.edited("line 1 ")
	p.enter("text", newer)
	p.edited("lines 11 ")
	if got := ask[string](p, parts); got != want || len(got) < 500 {
		t.Errorf("the script writes\n%s\nthe command\n%s", got, want)
	}
}

// TestTester checks that the page without a file describes a pasted one.
func TestTester(t *testing.T) {
	for _, v := range []view{{}, {width: 390, dark: true}} {
		p := openWritten(t, v, func(w *bytes.Buffer) error { return render.WriteTester(w) })
		p.enter("text", newer)
		p.enter("older", older)
		p.enter("url", "/private/x")
		p.edited("What changed")
		p.shoot(fmt.Sprint("tester-", v.width))
		if said, lit := p.verdict(); !strings.HasPrefix(said, "disallowed") || !slices.Equal(lit, []string{"L3"}) {
			t.Errorf("it says %q, lit are %q", said, lit)
		}
		if wide := ask[int64](p, "document.documentElement.scrollWidth"); wide > cmp.Or(v.width, 1280) {
			t.Errorf("the page is %d px wide: %s", wide, ask[string](p, widest))
		}
		if policy := ask[string](p, `document.querySelector("meta[http-equiv]").content`); !strings.HasPrefix(policy,
			"default-src 'none'; ") || strings.Contains(policy, "connect-src") {
			t.Errorf("the page may connect: %s", policy)
		}
	}
}

// TestCheckHostile checks that hostile files, URLs and fields run no script and add no element or
// attribute to the page.
func TestCheckHostile(t *testing.T) {
	body := "User-agent: *\n"
	for _, text := range reporttest.Attacks {
		body += "Disallow: " + text + "\nUser-agent: " + text + "\n" + text + "\nAllow: /" + text + "\n"
	}
	p := openCheck(t, body, "User-agent: *\nAllow: /\nDisallow: /a"+strings.Join(reporttest.Attacks, "\nDisallow: /"),
		reporttest.Attacks[1:], view{})
	check := func() {
		t.Helper()
		for what, expression := range map[string]string{
			"elements that load": `document.querySelectorAll("img, iframe, object, embed, base, form, video, audio, svg, ` +
				`link").length`,
			"links":            `document.querySelectorAll("a:not([href^='#'])").length`,
			"scripts but ours": `[...document.scripts].filter(s => s.type !== "application/octet-stream").length - 1`,
			"attributes that run or load": `[...document.querySelectorAll("*")].flatMap(e => [...e.attributes]).filter(a => ` +
				`a.name.startsWith("on") || a.name === "style" || /^(href|src|xlink:href|action)$/.test(a.name) && ` +
				`!a.value.startsWith("#")).length`,
			"characters that turn text": `[...document.documentElement.outerHTML].filter(c => ` +
				`/[\u0000\u001b\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u.test(c)).length`,
		} {
			if n := ask[int](p, expression); n != 0 {
				t.Errorf("%d %s", n, what)
			}
		}
	}
	check()
	for _, text := range reporttest.Attacks {
		p.enter("agent", text)
		p.enter("url", "/"+text)
	}
	p.enter("agent", "*")
	p.enter("text", strings.ToUpper(body)+"# edited\nSitemap: edited\n")
	p.edited("Sitemap: edited")
	p.shoot("check-hostile")
	check()
}

// TestCheckWithoutScripts checks that without scripts the page has the same content, and offers
// nothing that would not work.
func TestCheckWithoutScripts(t *testing.T) {
	want := ask[string](openCheck(t, newer, older, []string{"/x"}, view{}), parts)
	p := openCheck(t, newer, older, []string{"/x"}, view{noScripts: true})
	if got := ask[string](p, parts); got != want || len(got) < 500 {
		t.Errorf("without scripts\n%s\nwith them\n%s", got, want)
	}
	if n := ask[int](p, `[...document.querySelectorAll("button, input, textarea, details")].filter(e => `+
		`e.checkVisibility()).length`); n > 0 {
		t.Errorf("%d controls do nothing", n)
	}
}

// TestCheckOnPhones checks that the tables of barred crawlers and verdicts fit a phone without scrolling sideways.
func TestCheckOnPhones(t *testing.T) {
	p := openCheck(t, newer, older, []string{"/private/x", "/b"}, view{width: 390})
	for _, id := range []string{"barred", "verdicts"} {
		sizes := ask[[]int](p, fmt.Sprintf(`(e => [e.scrollWidth, e.clientWidth])(document.querySelector("#%s .wide"))`, id))
		if sizes[0] > sizes[1] {
			t.Errorf("%s: %d px in %d", id, sizes[0], sizes[1])
		}
	}
}

// TestCheckPrint checks that on paper nothing is cut off, and that there are no controls.
func TestCheckPrint(t *testing.T) {
	urls := []string{"https://a.example/" + strings.Repeat("b", 400)}
	p := openCheck(t, newer, older, urls, view{print: true, width: 720})
	for what, expression := range map[string]string{
		"cut off parts": `[...document.querySelectorAll("table")].filter(e => e.getBoundingClientRect().right > ` +
			`innerWidth).length`,
		"controls": `[...document.querySelectorAll("input, textarea")].filter(e => e.checkVisibility()).length`,
		"sizes of type in tables besides one": `new Set([...document.querySelectorAll("td, td code, td li")].map(e => ` +
			`getComputedStyle(e).fontSize)).size - 1`,
	} {
		if n := ask[int](p, expression); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	paper := call(p, page.PrintToPDF, page.PrintToPDFParams{PrintBackground: new(true)})
	if dir := os.Getenv("ROBOTSIEVE_SHOTS"); dir != "" {
		p.do(os.WriteFile(filepath.Join(dir, "check.pdf"), paper.Data, 0o666))
	}
}

// TestCheckOfLargeFileOpens checks that the page works for the largest file that crawlers read
// completely.
func TestCheckOfLargeFileOpens(t *testing.T) {
	body := "User-agent: *\n"
	for i := 0; len(body) < 511_900; i++ {
		body += fmt.Sprintf("Disallow: /%d\n", i)
	}
	p := openCheck(t, body, "", nil, view{})
	p.enter("url", "/4000/x")
	if said, lit := p.verdict(); !strings.HasPrefix(said, "disallowed") || len(lit) != 1 {
		t.Errorf("it says %q, lit are %q", said, lit)
	}
}
