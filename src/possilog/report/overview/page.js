"use strict";
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];

  function searchable(selector) {
    return all(selector).map((node) => ({ node, text: node.textContent.toLowerCase() }));
  }

  const AT_ONCE = 100; // a browser, and what reads a page aloud, has no more to do than people look at
  const most = { rules: AT_ONCE, suspects: AT_ONCE };
  const put_by = new Map(); // what is in a card that is not shown

  function fill(node) {
    if (!put_by.has(node)) return;
    node.append(...put_by.get(node));
    put_by.delete(node);
  }

  function empty(node) {
    if (put_by.has(node)) return;
    put_by.set(node, [...node.childNodes]);
    node.replaceChildren();
  }

  // Hide what does not fit, and keep for later what is too much; the number of those that fit.
  function list(some, fits, kind) {
    let shown = 0;
    for (const { node, text } of some) {
      node.hidden = !fits(node, text);
      shown += !node.hidden;
      const later = !node.hidden && shown > most[kind];
      node.classList.toggle("later", later);
      (node.hidden || later ? empty : fill)(node);
    }
    const left = shown - most[kind], button = one(`#more-${kind}`);
    button.hidden = left <= 0;
    button.textContent = `Show ${Math.min(left, AT_ONCE).toLocaleString("en")} more`;
    return shown;
  }

  function told(shown, kind, all) {
    const first = shown > most[kind] ? `; the first ${most[kind].toLocaleString("en")} are shown` : "";
    return `${shown.toLocaleString("en")} of ${all}${first}`;
  }

  function filterRules() {
    const words = one("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = one("#kind").value, head = one("#head").value, least = Number(one("#least").value);
    const broken = one("#broken").checked;
    const shown = list(rules, (node, text) => (!kind || node.dataset.k === kind)
      && (!head || node.closest(".group").dataset.head === head)
      && (!least || Number(node.dataset.c) >= least) && (!broken || Number(node.dataset.x) > 0)
      && words.every((word) => text.includes(word)), "rules");
    for (const group of groups) {
      group.hidden = !group.querySelector(".rule:not([hidden])");
      group.classList.toggle("later", !group.hidden && !group.querySelector(".rule:not([hidden], .later)"));
    }
    for (const fold of all(".fold")) fold.open = shown < rules.length;
    one("#found").textContent = told(shown, "rules", `${rules.length.toLocaleString("en")} rules`);
  }

  function filterSuspects() {
    const words = one("#suspect-search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = list(suspects, (node, text) => words.every((word) => text.includes(word)), "suspects");
    one("#suspects-found").textContent = told(shown, "suspects", `${suspects.length.toLocaleString("en")} listed`);
  }

  let rules = [], groups = [], suspects = [], wait = 0;
  const soon = (work) => () => { clearTimeout(wait); wait = setTimeout(work, 60); };
  const again = (work, kind) => soon(() => { most[kind] = AT_ONCE; work(); });

  function onMore(kind, work) {
    one(`#more-${kind}`).addEventListener("click", () => {
      const next = one(kind === "rules" ? ".rule.later" : ".suspect.later");
      most[kind] += AT_ONCE;
      work();
      if (next) { next.tabIndex = -1; next.focus(); } // so that the keyboard goes on where the list does
    });
  }

  if (one("#search")) {
    rules = searchable(".rule");
    groups = all(".group");
    for (const id of ["#search", "#kind", "#head", "#least", "#broken"]) one(id).addEventListener("input", again(filterRules, "rules"));
    onMore("rules", filterRules);
    one("#clear").addEventListener("click", () => {
      for (const id of ["#search", "#kind", "#head"]) one(id).value = "";
      one("#least").value = "0";
      one("#broken").checked = false;
      most.rules = AT_ONCE;
      filterRules();
      one("#search").focus();
    });
    one("#open").addEventListener("click", (event) => {
      const open = event.target.getAttribute("aria-pressed") !== "true";
      event.target.setAttribute("aria-pressed", String(open));
      for (const node of all(".rule:not([hidden], .later) details")) node.open = open;
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
        event.preventDefault();
        one("#search").focus();
      }
    });
    for (const tools of all(".tools")) tools.hidden = false;
    filterRules();
  }
  if (one("#suspect-search")) {
    suspects = searchable(".suspect");
    one("#suspect-search").addEventListener("input", again(filterSuspects, "suspects"));
    onMore("suspects", filterSuspects);
    filterSuspects();
  }
  function reveal() {
    const node = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!node) return;
    if (node.hidden) one("#clear").click();
    const place = rules.findIndex((rule) => rule.node === node);
    if (place >= most.rules && node.classList.contains("later")) {
      most.rules = place + AT_ONCE;
      filterRules();
    }
    const fold = node.closest("details");
    if (fold) fold.open = true;
    node.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => {
    for (const node of all(".later")) fill(node);
    if (rules.length <= 300) for (const node of all("details")) node.open = true;
  });
})();
