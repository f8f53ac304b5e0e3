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
  const table = document.querySelector("#crawlers table");
  if (!table) return;
  const label = document.createElement("label"), input = document.createElement("input");
  label.className = "filter";
  input.type = "search";
  input.id = "filter";
  label.append("Show only crawlers whose name contains ", input);
  table.parentNode.before(label);
  input.addEventListener("input", () => {
    const word = input.value.trim().toLowerCase();
    for (const row of table.querySelectorAll("tbody:not(.sum) tr:not(.title)")) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(word);
    }
    for (const strip of document.querySelectorAll(".strip")) {
      strip.hidden = !strip.dataset.crawler.toLowerCase().includes(word);
    }
  });
})();
