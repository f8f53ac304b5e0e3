"use strict";
(() => {
  // Numbers of a table: 1,234, "190 (67 %)", "about 8"; a dash or a question mark is less than any.
  const value = (row, column) => {
    const text = (row.cells[column] ? row.cells[column].textContent : "").trim();
    const number = /^(?:about |< )?(-?[\d,]+(?:\.\d+)?)/.exec(text);
    return text === "-" || text === "?" ? -1 : number ? Number(number[1].replaceAll(",", "")) : text.toLowerCase();
  };
  const compare = (x, y) => typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : typeof x === "number" ? -1 : 1;
  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const up = heading.getAttribute("aria-sort") === "descending" ||
          !heading.hasAttribute("aria-sort") && !heading.classList.contains("right");
        headings.forEach(h => h.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", up ? "ascending" : "descending");
        for (const body of table.tBodies) {
          const rows = [...body.rows].filter(row => !row.classList.contains("title"));
          rows.sort((x, y) => (up ? 1 : -1) * compare(value(x, column), value(y, column)));
          body.append(...rows);
        }
      });
    });
  }
  const make = (name, text, parent) => {
    const element = document.createElement(name);
    element.append(text);
    parent.append(element);
    return element;
  };
  // filter puts before a table a field for a part of a name and, where there are several categories, a
  // button for each. It calls then with the names that are shown, or null if all are.
  const filter = (table, text, id, then) => {
    const bodies = [...table.tBodies].filter(body => !body.classList.contains("sum"));
    const rows = bodies.flatMap(body => [...body.rows]).filter(row => !row.classList.contains("title"));
    if (rows.length < 2) return;
    const headings = [...table.tHead.rows[0].cells].map(h => h.textContent);
    const column = headings.indexOf("category"), chosen = new Set(), counts = new Map();
    const category = row => column < 0 ? "" : row.cells[column].textContent.replace(/^ai-.*/, "ai");
    const box = document.createElement("div");
    box.className = "filter";
    const input = make("input", "", make("label", text, box)), buttons = make("div", "", box);
    input.type = "search";
    input.id = id;
    const output = make("output", "", box);
    const show = () => {
      const word = input.value.trim().toLowerCase(), names = new Set(), all = !word && !chosen.size;
      const sums = headings.map(() => 0);
      for (const row of rows) {
        row.hidden = !row.cells[0].textContent.toLowerCase().includes(word) ||
          chosen.size > 0 && !chosen.has(category(row));
        if (row.hidden) continue;
        names.add(row.cells[0].textContent);
        headings.forEach((h, i) => sums[i] += Math.max(Number(value(row, i)) || 0, 0));
      }
      for (const body of bodies) body.hidden = rows.every(row => row.hidden || row.parentNode !== body);
      output.textContent = all ? "" : [names.size + " of " + rows.length].concat(["forbidden", "requests"].flatMap(h =>
        headings.includes(h) ? sums[headings.indexOf(h)].toLocaleString("en") + " " + h : [])).join(", ");
      then(all ? null : names);
    };
    for (const name of rows.map(category)) counts.set(name, (counts.get(name) || 0) + 1);
    counts.delete("-");
    for (const [name, n] of counts.size > 1 ? [...counts].sort((x, y) => y[1] - x[1]) : []) {
      const button = make("button", name + " " + n, buttons);
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        if (!chosen.delete(name)) chosen.add(name);
        button.setAttribute("aria-pressed", chosen.has(name));
        show();
      });
    }
    input.addEventListener("input", show);
    table.parentNode.before(box);
  };
  const crawlers = document.querySelector("#crawlers table"), sites = document.querySelector("#sites table");
  if (crawlers) filter(crawlers, "Show only crawlers whose name contains ", "filter", names => {
    const more = document.querySelector(".strips details");
    if (more) more.open = names !== null;
    for (const strip of document.querySelectorAll(".strip[data-crawler]")) {
      strip.hidden = names !== null && strip.dataset.crawler !== "" && !names.has(strip.dataset.crawler);
    }
  });
  if (sites) filter(sites, "Show only sites whose name contains ", "site", () => {});
})();
