(async () => {
  const $ = id => document.getElementById(id);
  // octetsOf returns what a script that is no code has in it, or null.
  const octetsOf = id => $(id) && Uint8Array.from(atob($(id).textContent.trim()), c => c.charCodeAt(0));
  const make = (name, parent, text = "", type = "") => {
    const element = document.createElement(name);
    element.append(text);
    if (type) element.className = type;
    parent.append(element);
    return element;
  };
  const section = (s, parent) => {
    const box = make("section", parent);
    box.id = s.id;
    make("h2", box, s.heading);
    if (s.intro) make("p", box, s.intro);
    if (s.groups.length) {
      const table = make("table", make("div", box, "", "wide"));
      make("caption", table, s.heading);
      const head = make("tr", make("thead", table));
      for (const c of s.columns) make("th", head, c.heading).scope = "col";
      for (const g of s.groups) {
        const body = make("tbody", table);
        if (g.title) {
          const title = make("th", make("tr", body, "", "title" + (g.tint ? " t" + g.tint : "")), g.title);
          title.colSpan = 20;
          title.scope = "rowgroup";
        }
        for (const cells of g.rows) {
          const row = make("tr", body);
          cells.forEach((text, i) => make(s.columns[i].code ? "code" : "span", make("td", row), text));
        }
      }
    }
    if (s.lines.length) {
      const table = make("table", box, "", "listing");
      make("caption", table, s.heading);
      const body = make("tbody", table);
      for (const {number, text, tint, notes} of s.lines) {
        const row = make("tr", body, "", tint ? "t" + tint : "");
        row.id = "L" + number;
        make("th", row, number).scope = "row";
        const cell = make("div", make("td", row));
        make("code", cell, text);
        const list = notes.length && make("ul", cell);
        for (const {severity, text} of notes) {
          const item = make("li", list, "", severity);
          make("b", item, severity);
          item.append(" " + text);
        }
      }
    }
    if (s.more) make("p", box, s.more);
  };
  const show = page => {
    const head = $("head");
    head.replaceChildren();
    for (const text of page.headline) make("p", head, text, "headline");
    const totals = make("dl", head, "", "totals");
    for (const t of page.totals) {
      const box = make("div", totals);
      make("dt", box, t.name);
      make("dd", box, t.count);
    }
    const parts = make("nav", head);
    parts.setAttribute("aria-label", "Parts of the page");
    for (const s of page.sections) {
      make("a", parts, s.heading).href = "#" + s.id;
      parts.append(" ");
    }
    $("parts").replaceChildren();
    for (const s of page.sections) section(s, $("parts"));
  };

  const text = $("text"), older = $("older"), most = 512000;
  const given = new Map([[text, octetsOf("text-octets")], [older, octetsOf("older-octets")]]);
  for (const [area, octets] of given) if (octets) area.value = new TextDecoder().decode(octets);
  // octets are those that the page was made of, until the file is edited.
  const octets = area => given.get(area) || new TextEncoder().encode(area.value);
  const describe = () => {
    const old = older.value.trim() ? [older.dataset.name, octets(older)] : [];
    robotsieve.read(text.dataset.name, octets(text));
    $("problem").textContent = octets(text).length > most ? "Only the first 512,000 bytes of the file are read." : "";
    if (text.value.trim()) return show(robotsieve.describe(...old));
    $("head").replaceChildren();
    $("parts").replaceChildren();
  };
  const ask = () => {
    const output = $("verdict");
    document.querySelectorAll(".lit").forEach(row => row.classList.remove("lit", "allowed", "disallowed"));
    output.replaceChildren();
    output.className = "";
    if (!$("url").value.trim()) return;
    const answer = robotsieve.ask($("agent").value, $("url").value);
    if (answer.error) return output.append(answer.error);
    output.className = answer.verdict;
    make("strong", output, answer.verdict);
    output.append(" for " + answer.agent);
    if (answer.line) {
      output.append(", by ");
      make("a", output, "line " + answer.line).href = "#L" + answer.line;
      $("L" + answer.line)?.classList.add("lit", answer.verdict);
    }
    const list = make("ul", output);
    answer.why.forEach((why, i) => make(i || !answer.line ? "span" : "code", make("li", list), why));
  };
  let timer = 0, pause = 250;
  const edit = event => {
    given.set(event.target, null);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const start = performance.now();
      describe();
      ask();
      pause = Math.max(250, 2 * (performance.now() - start)); // a long file shall not stop who types
    }, pause);
  };

  const program = new Blob([octetsOf("program")]).stream().pipeThrough(new DecompressionStream("gzip"));
  const go = new Go();
  const {instance} = await WebAssembly.instantiate(await new Response(program).arrayBuffer(), go.importObject);
  go.run(instance);
  for (const name of robotsieve.agents) make("option", $("agents")).value = name;
  robotsieve.read(text.dataset.name, octets(text));
  text.addEventListener("input", edit);
  older.addEventListener("input", edit);
  $("url").addEventListener("input", ask);
  $("agent").addEventListener("input", ask);
  $("try").hidden = false;
  document.documentElement.dataset.ready = "yes";
})();
