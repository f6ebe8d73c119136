"use strict";
(() => {
  const one = (selector, where = document) => where.querySelector(selector);
  const all = (selector, where = document) => [...where.querySelectorAll(selector)];
  const later = (work, wait) => { let timer = 0; return (...given) => { clearTimeout(timer); timer = setTimeout(() => work(...given), wait); }; };

  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && one("#search") && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
      event.preventDefault();
      one("#search").focus();
    }
  });

  // The name of who is here

  const name = /(?:^|; )possilog_who=([^;]*)/.exec(document.cookie);
  if (one("#who") && name) one("#who").value = decodeURIComponent(name[1]);

  // Forms whose answer appears in the page

  async function refresh(form, submitter) {
    const fields = new URLSearchParams(new FormData(form, submitter));
    fields.delete("token");
    for (const [field, value] of [...fields]) if (!value) fields.delete(field, value);
    const number = form.asked = (form.asked || 0) + 1;
    const address = `${form.getAttribute("action")}?${fields}`;
    const long = address.length > 3000;
    const answer = await fetch(long ? form.getAttribute("action") : address,
      long ? { method: "POST", body: new URLSearchParams(new FormData(form, submitter)) } : {});
    const text = await answer.text();
    if (number !== form.asked) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const focused = document.activeElement;
    const problem = one(".problem[role=alert]", page);
    for (const target of [form.dataset.live, form.dataset.liveToo].filter(Boolean)) {
      const fresh = one(target, page);
      if (fresh) one(target).replaceWith(document.adoptNode(fresh));
      else if (problem && target === form.dataset.live) one(target).replaceChildren(document.adoptNode(problem));
    }
    if (!problem) history.replaceState(null, "", new URL(answer.url).pathname + new URL(answer.url).search);
    if (!document.contains(focused)) {
      const again = all("input, select, button").find((node) => node.name === focused.name && node.value === focused.value && node.type === focused.type);
      if (again) again.focus();
      if (again && again.setSelectionRange && /search|text/.test(again.type)) again.setSelectionRange(again.value.length, again.value.length);
    }
  }

  for (const form of all("form[data-live]")) {
    const soon = later(() => refresh(form), 150);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      refresh(form, event.submitter).then(() => { for (const node of all("input[data-complete]", form)) node.value = ""; });
    });
    form.addEventListener("input", (event) => { if (!event.target.dataset.complete) soon(); });
  }

  // Names that complete themselves

  const WORD = /"?[\p{L}\p{N}_]+$/u;
  const list = document.createElement("ul");
  list.className = "completions";
  list.id = "completions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "completions");
  list.hidden = true;
  document.body.append(list);
  let field = null, chosen = -1;

  function hide() {
    list.hidden = true;
    chosen = -1;
    if (field) { field.setAttribute("aria-expanded", "false"); field.removeAttribute("aria-activedescendant"); }
  }

  function choose(place) {
    const items = all("li", list);
    chosen = (place + items.length) % items.length;
    items.forEach((item, number) => item.setAttribute("aria-selected", String(number === chosen)));
    items[chosen].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", items[chosen].id);
  }

  function take(text) {
    const before = field.value.slice(0, field.selectionStart).replace(WORD, "");
    const after = field.value.slice(field.selectionStart);
    field.value = before + text + after;
    field.setSelectionRange(before.length + text.length, before.length + text.length);
    hide();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    hide();
  }

  const complete = later(async (node) => {
    const found = WORD.exec(node.value.slice(0, node.selectionStart));
    if (!found || document.activeElement !== node) { hide(); return; }
    const answer = await fetch(`/api/complete?${new URLSearchParams({ prefix: found[0] })}`);
    if (!answer.ok || document.activeElement !== node) return;
    const names = (await answer.json()).completions.filter((one) => one.text !== found[0]);
    field = node;
    if (!names.length) { hide(); return; }
    list.replaceChildren(...names.map((one, number) => {
      const item = document.createElement("li");
      item.id = `completion-${number}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.textContent = one.text;
      item.title = one.about;
      item.addEventListener("mousedown", (event) => { event.preventDefault(); take(one.text); });
      return item;
    }));
    node.insertAdjacentElement("afterend", list);
    list.hidden = false;
    chosen = -1;
    node.setAttribute("aria-expanded", "true");
  }, 120);

  for (const node of all("[data-complete]")) {
    if (node.tagName === "INPUT") {
      node.setAttribute("role", "combobox");
      node.setAttribute("aria-expanded", "false");
      node.setAttribute("aria-controls", "completions");
    }
    node.setAttribute("aria-autocomplete", "list");
    node.addEventListener("input", (event) => { if (event.isTrusted) complete(node); });
    node.addEventListener("blur", hide);
    node.addEventListener("keydown", (event) => {
      if (list.hidden || field !== node) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        choose(chosen + (event.key === "ArrowDown" ? 1 : chosen < 0 ? 0 : -1));
      } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
        event.preventDefault();
        take(all("li", list)[chosen].textContent);
      } else if (event.key === "Escape") {
        event.preventDefault();
        hide();
      }
    });
  }

  // Mistakes, shown where they are

  function underlined(text, line, column) {
    const shown = text.split("\n")[line - 1] || "";
    const start = Math.max(0, column - 60);
    return `${shown.slice(start, start + 100)}\n${" ".repeat(Math.max(0, column - 1 - start))}^`;
  }

  for (const node of all("[data-check], #evidence")) {
    const place = one(`#${node.id}-error`), said = one(`#${node.id}-said`);
    const check = later(async () => {
      if (!node.value.trim()) { place.textContent = ""; if (said) said.textContent = ""; return; }
      const answer = await fetch("/api/check", {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text: node.value.slice(0, 20000), facts: node.id === "evidence" }),
      });
      if (!answer.ok) return;
      const found = await answer.json();
      node.setAttribute("aria-invalid", String(!found.ok));
      const where = found.column ? `${underlined(node.value, found.line, found.column)}\n` : "";
      place.textContent = found.ok ? "" : where + (found.expected ? `found ${found.found}, expected ${found.expected}` : found.error);
      if (said) {
        const numbers = found.ok && found.numbers;
        said.textContent = !found.ok ? "" : found.sentence + (numbers ? `: right in ${numbers.support} of ${numbers.cases} cases in the data` : "");
      }
    }, 200);
    node.addEventListener("input", check);
    if (node.value.trim()) check();
  }

  // How far learning is

  async function watch() {
    const page = new DOMParser().parseFromString(await (await fetch("/learn")).text(), "text/html");
    const fresh = one("#learning", page);
    if (fresh.dataset.state !== "learning") { location.reload(); return; }
    for (const [selector, part] of [["#bar", "value"], ["label[for=bar]", "textContent"], ["#learning .found", "textContent"]]) {
      if (one(selector) && one(selector, page)) one(selector)[part] = one(selector, page)[part];
    }
    setTimeout(watch, 700);
  }
  if (one("#learning[data-state=learning]")) setTimeout(watch, 700);
})();
