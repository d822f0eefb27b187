// Search over all pages. index.js holds a row for each heading: target, heading, title of
// the page, and the words below the heading. Nothing is sent or stored.
"use strict";
(() => {
  const up = document.body.dataset.up;
  const input = document.getElementById("query");
  const list = document.getElementById("found");
  const most = 12;
  let chosen = -1;

  const pages = document.getElementById("pages");
  const narrow = matchMedia("(max-width: 899px)");
  const fold = () => { pages.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
  const here = pages.querySelector("[aria-current]");
  const nav = pages.parentElement;
  if (here && !narrow.matches) nav.scrollTop = here.offsetTop - nav.clientHeight / 2;

  // score is lower for better rows, and Infinity for rows that lack a word. Each word must
  // begin a word of the heading, of the page's title or of the text.
  function score([, heading, page, text], words) {
    const texts = [heading, page].map((t) => t.toLowerCase().split(/[^\p{L}\p{N}_-]+/u).flatMap((w) => [w, ...w.split("-")]));
    let sum = heading.length / 1000;
    for (const word of words) {
      if (texts[0].includes(word)) continue;
      if (texts[0].some((w) => w.startsWith(word))) sum += 1;
      else if (texts[0].some((w) => w.includes(word))) sum += 2;
      else if (texts[1].some((w) => w.startsWith(word))) sum += 3;
      else if ((" " + text).includes(" " + word)) sum += 10;
      else return Infinity;
    }
    return sum;
  }

  function choose(n) {
    const rows = list.querySelectorAll("[role=option]");
    chosen = rows.length ? (n + rows.length) % rows.length : -1;
    rows.forEach((row, i) => row.setAttribute("aria-selected", i === chosen));
    if (chosen < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", rows[chosen].id);
    rows[chosen].scrollIntoView({ block: "nearest" });
  }

  function show() {
    const words = input.value.toLowerCase().split(/[^\p{L}\p{N}_-]+/u).filter(Boolean).map((w) => w.replace(/^-+/, "") || w);
    list.replaceChildren();
    list.hidden = words.length === 0;
    input.setAttribute("aria-expanded", !list.hidden);
    if (list.hidden) return choose(-1);
    const found = satchelIndex.map((row) => [score(row, words), row]).filter(([s]) => s < Infinity).sort((a, b) => a[0] - b[0]);
    found.slice(0, most).forEach(([, [target, heading, page]], i) => {
      const row = document.createElement("li");
      row.id = `found-${i}`;
      row.role = "option";
      const a = document.createElement("a");
      a.href = up + target;
      a.tabIndex = -1;
      a.textContent = heading;
      const of = document.createElement("span");
      of.textContent = page;
      a.append(of);
      row.append(a);
      list.append(row);
    });
    if (found.length === 0) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "No page has these words.";
      list.append(none);
    }
    choose(found.length ? 0 : -1);
  }

  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", false); };
  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  input.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown") choose(chosen + 1);
    else if (e.key === "ArrowUp") choose(chosen - 1);
    else if (e.key === "Enter" && chosen >= 0) list.querySelectorAll("[role=option] a")[chosen].click();
    else if (e.key === "Escape") { input.value = ""; close(); input.blur(); }
    else return;
    e.preventDefault();
  });
  list.addEventListener("click", close);
  document.addEventListener("click", (e) => { if (!e.target.closest(".search")) close(); });
  // "/" goes to the search. The key down is kept from the browser's own search, and the
  // key up moves, so that the character stands nowhere.
  const slash = (e) => e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && document.activeElement !== input;
  document.addEventListener("keydown", (e) => { if (slash(e)) e.preventDefault(); });
  document.addEventListener("keyup", (e) => { if (slash(e)) input.focus(); });
  document.querySelector(".search").hidden = false;
})();
