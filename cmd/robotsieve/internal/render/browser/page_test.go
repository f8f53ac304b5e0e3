package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

// twoYears is the report of an audit of two years by versions of robots.txt, with outages.
func twoYears(crawlers int) *report.Report {
	return reporttest.Report(reporttest.Options{Crawlers: crawlers, Days: 730, Versions: 8, Lines: 40})
}

// TestPageFits checks at any width, light and dark, with few crawlers and many, that nothing
// overflows the page, and that all texts contrast with their background.
func TestPageFits(t *testing.T) {
	for _, crawlers := range []int{1, 20, 300} {
		r := twoYears(crawlers)
		for _, width := range []int64{320, 390, 768, 1280} {
			for _, dark := range []bool{false, true} {
				name := fmt.Sprintf("crawlers=%d,width=%d,dark=%v", crawlers, width, dark)
				t.Run(name, func(t *testing.T) {
					p := open(t, r, view{width: width, dark: dark})
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
}

// widest names the elements that stick out of the page.
const widest = `[...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > innerWidth && ` +
	`!e.closest(".wide, pre"))
	.slice(0, 5).map(e => e.tagName + "." + e.getAttribute("class") + "#" + e.id + " " + e.textContent.slice(0, 40)).join("; ")`

// faintTexts are the first texts whose contrast is below 4.5 to 1 (WCAG 2.2, 1.4.3). Canvas
// gives the bytes of a colour in whatever form the style has it.
const faintTexts = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true}), memo = new Map();
	const octets = colour => {
		if (!memo.has(colour)) {
			canvas.clearRect(0, 0, 1, 1);
			canvas.fillStyle = colour;
			canvas.fillRect(0, 0, 1, 1);
			memo.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
		}
		return memo.get(colour);
	};
	const light = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = e => {
		for (; e; e = e.parentElement) {
			const colour = octets(getComputedStyle(e).backgroundColor);
			if (colour[3] > 0) return colour;
		}
		return [255, 255, 255];
	};
	const faint = new Set();
	for (const e of document.body.querySelectorAll("*")) {
		if (e.closest("svg") || !e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const [x, y] = [light(octets(getComputedStyle(e).color)), light(behind(e))];
		const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
		if (ratio < 4.5) faint.add(e.tagName + "." + e.className + ": " + ratio.toFixed(1));
		if (faint.size > 5) break;
	}
	return [...faint];
})()`

// column is the texts of a column of the first table of crawlers, of the rows that are shown and
// that are not sums.
const column = `((n) => [...document.querySelectorAll("#crawlers table tbody:not(.sum) tr:not(.title)")].filter(r => ` +
	`!r.hidden).map(r => r.cells[n].textContent))`

// TestSortByMouse checks that clicking a heading sorts by it, clicking again reverses the order,
// and no row is lost or leaves its part of the table.
func TestSortByMouse(t *testing.T) {
	p := open(t, twoYears(20), view{})
	before := ask[[]string](p, column+"(0)")
	p.click("#crawlers th:nth-child(1) button")
	p.isSorted(1, "ascending")
	names := ask[[]string](p, column+"(0)")
	if slices.Equal(names, before) || !slices.Equal(slices.Sorted(slices.Values(names)),
		slices.Sorted(slices.Values(before))) {
		t.Errorf("sorted %q into %q", before, names)
	}
	p.click("#crawlers th:nth-child(1) button")
	p.isSorted(1, "descending")
	p.click("#crawlers th:nth-child(2) button")
	p.isSorted(2, "descending")
	p.click("#crawlers th:nth-child(2) button")
	p.isSorted(2, "ascending")
}

// TestSortByKeyboard checks that Tab reaches the headings, Enter and Space press them, and the
// focus is visible.
func TestSortByKeyboard(t *testing.T) {
	p := open(t, twoYears(20), view{})
	const focus = `document.activeElement.closest("#crawlers th:nth-child(2)") !== null`
	for presses := 0; !ask[bool](p, focus); presses++ {
		if presses > 50 {
			t.Fatal("Tab does not reach the heading")
		}
		p.keys("\t")
	}
	if ask[string](p, `getComputedStyle(document.activeElement).outlineStyle`) == "none" {
		t.Error("the focus is not visible")
	}
	p.keys("\r")
	p.isSorted(2, "descending")
	p.keys(" ")
	p.isSorted(2, "ascending")
	if !ask[bool](p, focus) {
		t.Error("the focus is lost")
	}
}

// isSorted checks that each part of the table of crawlers is in the order of a column, counted from
// 1, and that it alone says so.
func (p *tab) isSorted(column int, direction string) {
	p.t.Helper()
	said := ask[[]string](p, `[...document.querySelectorAll("#crawlers th")].map(h => h.getAttribute("aria-sort") || "")`)
	for i, got := range said {
		want := ""
		if i == column-1 {
			want = direction
		}
		if got != want {
			p.t.Errorf("aria-sort of heading %d is %q, want %q", i+1, got, want)
		}
	}
	for i, part := range ask[[][]string](p, fmt.Sprintf(`[...document.querySelectorAll("#crawlers table tbody:not(.sum)")]
		.map(b => [...b.querySelectorAll("tr:not(.title)")].map(r => r.cells[%d].textContent))`, column-1)) {
		inOrder := slices.IsSortedFunc(part, func(x, y string) int {
			var a, b int
			_, err := fmt.Sscan(strings.ReplaceAll(x, ",", ""), &a)
			_, err2 := fmt.Sscan(strings.ReplaceAll(y, ",", ""), &b)
			order := a - b
			if err != nil && err2 != nil {
				order = strings.Compare(strings.ToLower(x), strings.ToLower(y))
			}
			if direction == "descending" {
				return -order
			}
			return order
		})
		if !inOrder {
			p.t.Errorf("part %d is not in %s order: %q", i+1, direction, part)
		}
	}
}

// TestFilter checks that typing part of a name shows only matching crawlers, in the table and over
// time, and that Escape or an empty text shows all.
func TestFilter(t *testing.T) {
	p := open(t, twoYears(20), view{})
	all := len(ask[[]string](p, column+"(0)"))
	p.click("#filter")
	p.keys("GPT")
	if got := ask[[]string](p, column+"(0)"); !slices.Equal(got, []string{"GPTBot"}) {
		t.Errorf("the table has %q", got)
	}
	const strips = `[...document.querySelectorAll(".strip[data-crawler]")].filter(s => s.dataset.crawler && ` +
		`s.checkVisibility()).map(s => s.dataset.crawler)`
	if got := ask[[]string](p, strips); !slices.Equal(got, []string{"GPTBot"}) {
		t.Errorf("the strips show %q", got)
	}
	if n := ask[int](p, `document.querySelectorAll("#crawlers .sum tr").length`); n != 1 {
		t.Errorf("%d rows of sums", n)
	}
	p.keys("\b\b\b")
	if got := len(ask[[]string](p, column+"(0)")); got != all {
		t.Errorf("%d crawlers, want %d", got, all)
	}
	if name := ask[string](p, `document.querySelector("#filter").labels[0].textContent.trim()`); name == "" {
		t.Error("the field has no name")
	}
}

// TestCategories checks that the buttons show the crawlers of the chosen categories with their
// number and requests, and that pressing them again shows all.
func TestCategories(t *testing.T) {
	p := open(t, twoYears(40), view{width: 390})
	all := ask[[]string](p, column+"(0)")
	const category = `((n) => [...document.querySelectorAll(".filter button")].find(b => b.textContent.startsWith(n)).click())`
	for _, name := range []string{"ai", "seo"} {
		ask[any](p, category+`("`+name+` ")`)
	}
	p.shoot("categories")
	shown, want := ask[[]string](p, column+"(0)"), 0
	for _, row := range ask[[]string](p, `[...document.querySelectorAll("#crawlers tbody:not(.sum) tr:not(.title)")].map(r => `+
		`r.lastElementChild.textContent)`) {
		if strings.HasPrefix(row, "ai-") || row == "seo" {
			want++
		}
	}
	said := ask[string](p, `document.querySelector(".filter output").textContent`)
	if len(shown) != want || want == 0 || want == len(all) ||
		!strings.HasPrefix(said, fmt.Sprintf("%d of %d, ", want, len(all))) || !strings.Contains(said, " forbidden, ") {
		t.Errorf("%d of %d rows, want %d; it says %q", len(shown), len(all), want, said)
	}
	strips := ask[[]string](p, `[...document.querySelectorAll(".strip[data-crawler]")].filter(s => s.dataset.crawler && `+
		`s.checkVisibility()).map(s => s.dataset.crawler)`)
	if slices.Sort(strips); !slices.Equal(strips, slices.Sorted(slices.Values(shown))) {
		t.Errorf("strips of %q, rows of %q", strips, shown)
	}
	for _, name := range []string{"ai", "seo"} {
		ask[any](p, category+`("`+name+` ")`)
	}
	if got := ask[[]string](p, column+"(0)"); !slices.Equal(got, all) {
		t.Errorf("%d rows, want %d", len(got), len(all))
	}
}

// TestHostile checks that hostile logs, names and files run no script, load nothing (see open), and
// add no element or attribute to the page, even after moving over it and focusing.
func TestHostile(t *testing.T) {
	for shift := range 3 {
		texts := append(slices.Clone(reporttest.Attacks[shift*7%len(reporttest.Attacks):]), reporttest.Attacks...)
		p := open(t, reporttest.Report(reporttest.Options{Crawlers: 12, Days: 30, Versions: 4, Lines: 60, Texts: texts}),
			view{})
		p.shoot(fmt.Sprint("hostile-", shift))
		for what, expression := range map[string]string{
			"scripts but ours": `document.scripts.length - 1`,
			"styles but ours":  `document.querySelectorAll("style, link").length - 1`,
			"elements that load": `document.querySelectorAll("img, iframe, object, embed, base, form, video, audio, ` +
				`image, foreignObject, use:not([href='#marks'])").length`,
			"links": `document.querySelectorAll("a:not([href^='#'])").length`,
			"attributes that run or load": `[...document.querySelectorAll("*")].flatMap(e => [...e.attributes]).filter(a => ` +
				`a.name.startsWith("on") || a.name === "style" || /^(href|src|xlink:href|action)$/.test(a.name) && ` +
				`!a.value.startsWith("#")).length`,
			"metas but ours": `document.querySelectorAll("meta").length - 4`,
			"characters that turn text": `[...document.documentElement.outerHTML].filter(c => ` +
				`/[\u0000\u001b\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u.test(c)).length`,
		} {
			if n := ask[int](p, expression); n != 0 {
				t.Errorf("%d %s", n, what)
			}
		}
		ask[bool](p, `(() => { for (const e of document.querySelectorAll("*")) { e.dispatchEvent(new `+
			`MouseEvent("mouseover", {bubbles: true})); if (e.focus) e.focus(); } return true })()`)
	}
}

// TestWithoutScripts checks that the page has the same content without scripts, and offers nothing
// that would not work.
func TestWithoutScripts(t *testing.T) {
	r := twoYears(20)
	const text = `document.querySelector("label.filter, .filter")?.remove(), document.body.innerText`
	want, p := ask[string](open(t, r, view{}), text), open(t, r, view{noScripts: true})
	p.shoot("without-scripts")
	if got := ask[string](p, text); got != want || len(got) < 1000 {
		t.Errorf("without scripts the page has %d characters, with them %d", len(got), len(want))
	}
	if n := ask[int](p, `[...document.querySelectorAll("button, input, select")].filter(e => `+
		`e.checkVisibility()).length`); n != 0 {
		t.Errorf("%d controls do nothing", n)
	}
}

// TestPrint checks that on paper nothing is folded or cut off.
func TestPrint(t *testing.T) {
	p := open(t, twoYears(20), view{print: true, width: 720})
	p.shoot("print")
	for what, expression := range map[string]string{
		"folded parts": `[...document.querySelectorAll("details > *")].filter(e => e.tagName !== "SUMMARY" && ` +
			`!e.checkVisibility({contentVisibilityAuto: true})).length`,
		"scrolled parts": `[...document.querySelectorAll("*")].filter(e => e.scrollWidth > e.clientWidth + 1 && ["auto", ` +
			`"scroll", "hidden"].includes(getComputedStyle(e).overflowX) && e.tagName !== "CAPTION").length`,
		"cut off parts": `[...document.querySelectorAll("table, pre, svg")].filter(e => e.getBoundingClientRect().right > ` +
			`innerWidth).length`,
		"controls": `[...document.querySelectorAll("input")].filter(e => e.checkVisibility()).length`,
	} {
		if n := ask[int](p, expression); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	paper, err := chromedp.Run(p.ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4),
		chromedp.PDFPrintBackground()))
	p.do(err)
	if !bytes.HasPrefix(paper, []byte("%PDF-")) || bytes.Count(paper, []byte("/Type /Page\n")) < 3 {
		t.Errorf("%d bytes, %d pages", len(paper), bytes.Count(paper, []byte("/Type /Page\n")))
	}
	if dir := os.Getenv("ROBOTSIEVE_SHOTS"); dir != "" {
		p.do(os.WriteFile(filepath.Join(dir, "page.pdf"), paper, 0o666))
	}
}

// TestScreenReader checks that each picture, table and control has a name, that headings skip no
// level, and that cells have headings.
func TestScreenReader(t *testing.T) {
	p := open(t, twoYears(20), view{})
	for what, expression := range map[string]string{
		"pictures without a name": `[...document.querySelectorAll("svg:not([aria-hidden])")].filter(s => ` +
			`s.getAttribute("role") !== "img" || !(s.getAttribute("aria-label") || ` +
			`s.querySelector("title")?.textContent)).length`,
		"tables without a caption": `[...document.querySelectorAll("table")].filter(t => ` +
			`!t.caption?.textContent.trim()).length`,
		"headings without a scope": `[...document.querySelectorAll("th")].filter(h => !h.scope).length`,
		"controls without a name": `[...document.querySelectorAll("button, input")].filter(c => !(c.textContent.trim() ` +
			`|| c.labels?.length)).length`,
		"headings that leave a gap": `[...document.querySelectorAll("h1, h2, h3, h4")].map(h => ` +
			`Number(h.tagName[1])).filter((level, i, all) => level > (i ? all[i - 1] : 0) + 1).length`,
		"names given twice": `(ids => ids.length - new Set(ids).size)([...document.querySelectorAll("[id]")].map(e ` +
			`=> e.id))`,
		"pages without a language": `document.documentElement.lang ? 0 : 1`,
	} {
		if n := ask[int](p, expression); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
}

// TestMarksAreSeen checks that the lines where robots.txt changed and failed, which all strips
// share, are drawn in their style.
func TestMarksAreSeen(t *testing.T) {
	p := open(t, twoYears(1), view{})
	for _, class := range []string{"changed", "failed"} {
		drawn := ask[[]string](p, fmt.Sprintf(`(() => {
			const mark = document.querySelector("#marks .%[1]s"), key = document.querySelector(".key .%[1]s");
			const box = document.querySelector(".strip use").getBoundingClientRect();
			return [getComputedStyle(mark).stroke, getComputedStyle(key).stroke, box.height > 20 && box.width > 20 ? "drawn" : "not drawn"];
		})()`, class))
		if drawn[0] == "none" || drawn[0] != drawn[1] || drawn[2] != "drawn" {
			t.Errorf("%s: %q", class, drawn)
		}
	}
	// The rules of a style match in the tree of a use element as if nothing were around it.
	if rules := ask[[]string](p, `[...document.styleSheets[0].cssRules].flatMap(r => (r.selectorText || "").split(","))
		.map(s => s.trim()).filter(s => /\s.*\.(changed|failed)/.test(s))`); len(rules) > 0 {
		t.Errorf("these do not match what is used: %q", rules)
	}
}
