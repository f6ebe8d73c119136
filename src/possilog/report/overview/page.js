"use strict";
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];

  function searchable(selector) {
    return all(selector).map((node) => ({ node, text: node.textContent.toLowerCase() }));
  }

  function filterRules() {
    const words = one("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = one("#kind").value, head = one("#head").value, least = Number(one("#least").value);
    const broken = one("#broken").checked;
    let shown = 0;
    for (const { node, text } of rules) {
      const fits = (!kind || node.dataset.k === kind) && (!head || node.closest(".group").dataset.head === head)
        && (!least || Number(node.dataset.c) >= least) && (!broken || Number(node.dataset.x) > 0)
        && words.every((word) => text.includes(word));
      node.hidden = !fits;
      shown += fits;
    }
    for (const group of groups) group.hidden = !group.querySelector(".rule:not([hidden])");
    for (const fold of all(".fold")) fold.open = shown < rules.length;
    one("#found").textContent = `${shown.toLocaleString("en")} of ${rules.length.toLocaleString("en")} rules`;
  }

  function filterSuspects() {
    const words = one("#suspect-search").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { node, text } of suspects) {
      node.hidden = !words.every((word) => text.includes(word));
      shown += !node.hidden;
    }
    one("#suspects-found").textContent = `${shown.toLocaleString("en")} of ${suspects.length.toLocaleString("en")} listed`;
  }

  let rules = [], groups = [], suspects = [], wait = 0;
  const soon = (work) => () => { clearTimeout(wait); wait = setTimeout(work, 60); };

  if (one("#search")) {
    rules = searchable(".rule");
    groups = all(".group");
    for (const id of ["#search", "#kind", "#head", "#least", "#broken"]) one(id).addEventListener("input", soon(filterRules));
    one("#clear").addEventListener("click", () => {
      for (const id of ["#search", "#kind", "#head"]) one(id).value = "";
      one("#least").value = "0";
      one("#broken").checked = false;
      filterRules();
      one("#search").focus();
    });
    one("#open").addEventListener("click", (event) => {
      const open = event.target.getAttribute("aria-pressed") !== "true";
      event.target.setAttribute("aria-pressed", String(open));
      for (const node of all(".rule:not([hidden]) details")) node.open = open;
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
    one("#suspect-search").addEventListener("input", soon(filterSuspects));
    filterSuspects();
  }
  function reveal() {
    const node = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!node) return;
    if (node.hidden) one("#clear").click();
    const fold = node.closest("details");
    if (fold) fold.open = true;
    node.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => { if (rules.length <= 300) for (const node of all("details")) node.open = true; });
})();
