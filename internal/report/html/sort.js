"use strict";
// A click on a heading sorts its table, the largest first; another one the other way round.
document.addEventListener("click", (e) => {
  const head = e.target.closest("table.sortable th:has(> button)");
  if (!head || !e.target.closest("button")) return;
  const table = head.closest("table"), heads = [...table.tHead.rows[0].cells], i = heads.indexOf(head);
  const value = (row) => {
    const cell = row.cells[i];
    const text = cell.dataset.v ?? cell.textContent.trim();
    const n = Number(text);
    return text === "" ? null : Number.isNaN(n) ? text : n;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null); // what there is not comes last
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a < b ? -1 : a > b ? 1 : 0;
  };
  const rows = [...table.tBodies[0].rows];
  const isText = rows.some((r) => typeof value(r) === "string");
  const was = head.getAttribute("aria-sort");
  const up = was === "descending" || (was === null && (isText || i === 0));
  heads.forEach((h) => h.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  rows.sort((r, s) => {
    const a = value(r), b = value(s);
    return a === null || b === null || up ? compare(a, b) : compare(b, a);
  });
  table.tBodies[0].append(...rows);
});
