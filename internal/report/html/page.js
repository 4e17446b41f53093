"use strict";
// A click on a heading sorts its table, the largest first; another one the other way round.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, i) => {
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
  heads.forEach((head, i) => {
    head.querySelector("button").addEventListener("click", () => {
      const rows = [...table.tBodies[0].rows];
      const isText = rows.some((r) => typeof value(r, i) === "string");
      const was = head.getAttribute("aria-sort");
      const up = was === "descending" || (was === null && (isText || i === 0));
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      rows.sort((r, s) => {
        const a = value(r, i), b = value(s, i);
        return a === null || b === null || up ? compare(a, b) : compare(b, a);
      });
      table.tBodies[0].append(...rows);
    });
  });
}
