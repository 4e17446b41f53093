// The views of a whole run: the GPU over time, schedulers over cycles, occupancy, figures. What they draw are the
// machine's figures; nothing is computed here but positions.
import { el, svg } from "./dom.js";
import { markupOf } from "./markup.js";

/** initials names a state in a small space: "LS" for long_scoreboard. */
const initials = (state) => state.split("_").map((word) => word[0].toUpperCase()).join("");
const percent = (part, all) => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;

/** full writes a share, which is not 0 if it is small. */
const full = (share) => (share > 0 && share < 0.01 ? "less than 1 %" : `${Math.floor(100 * share)} %`);

const drawn = new WeakMap(); // what a node shows, and how wide it was then

/** isDrawn reports whether a node shows an answer already; it will, if not. */
function isDrawn(node, answer) {
	const was = drawn.get(node);
	if (was?.answer === answer && was.width === node.clientWidth && node.childElementCount) return true;
	drawn.set(node, { answer, width: node.clientWidth });
	return false;
}

const leftOfGPU = 46, widthOf = (node) => Math.max(280, node.clientWidth);

/** scale returns the function from cycles to places in the picture of the GPU. */
const scale = (node, g) => (cycle) => leftOfGPU + ((widthOf(node) - leftOfGPU - 4) * cycle) / Math.max(1, g.cycles);

/** drawGPU draws where blocks resided and what warps did, over the cycles of a launch, with the present one marked. */
export function drawGPU(node, g, app) {
	if (isDrawn(node, g)) {
		const now = scale(node, g)(Math.min(app.step, g.cycles));
		for (const line of node.querySelectorAll(".now")) line.setAttribute("x1", now), line.setAttribute("x2", now);
		return;
	}
	const width = widthOf(node), left = leftOfGPU, x = scale(node, g);
	const rows = g.sms.reduce((n, sm) => n + sm.rows, 0), tall = Math.max(0.25, Math.min(12, 320 / Math.max(1, rows)));
	let y = 2;
	const blocks = g.sms.map((sm, i) => {
		const top = y;
		y += sm.rows * tall + (tall > 3 ? 2 : 0.3);
		return svg("g", {}, (i === 0 || i === g.sms.length - 1 || i % Math.ceil((g.sms.length * 14) / 320) === 0) && (i === g.sms.length - 1 || top < 306) && svg("text", { x: left - 4, y: top + Math.max(8, tall), "text-anchor": "end", class: "tick" }, `SM ${sm.sm}`),
			sm.stays.map((s) => svg("rect", { x: x(s.start), y: top + s.row * tall, width: Math.max(0.6, x(s.end) - x(s.start) - 0.4), height: tall * 0.86, class: s.block >= g.waves.blocks ? "stay later" : "stay" },
				svg("title", {}, `block ${s.block} on SM ${sm.sm}: cycles ${s.start} to ${s.end}`))));
	});
	const axis = y + 2, now = x(Math.min(app.step, g.cycles));
	const cursor = (height) => svg("line", { class: "now", x1: now, x2: now, y1: 0, y2: height });
	const more = Math.max(0, g.waves.count - 1);
	node.replaceChildren(
		el("p", { id: "waves" }, `${g.cycles} cycles; blocks on ${g.sms.length} of ${g.sms.length + g.idle} SMs. `, el("b", {}, `${g.waves.count} wave${g.waves.count === 1 ? "" : "s"}`),
			` of ${g.waves.blocks} blocks, the last ${full(g.waves.last)} full`, more ? "; blocks of later waves are hatched: what they add at the end is the tail" : "", "."),
		svg("svg", { class: "gpu", viewBox: `0 0 ${width} ${axis + 14}`, role: "img", "aria-label": g.sms.slice(0, 40).map((sm) => `SM ${sm.sm}: ${sm.stays.length} blocks, cycles ${sm.stays[0]?.start} to ${Math.max(...sm.stays.map((s) => s.end))}`).join("; ") },
			hatch(), blocks, cursor(axis), ticks(x, g.cycles, axis)),
		g.more ? el("p", { class: "note" }, `${g.more} more blocks are not drawn.`) : "",
		drawStates(g, width, x, cursor));
}

/** hatch is the pattern of later waves. */
const hatch = () => svg("defs", {}, svg("pattern", { id: "hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
	svg("rect", { width: 5, height: 5, class: "hatch-back" }), svg("rect", { width: 2, height: 5, class: "hatch-line" })));

const ticks = (x, cycles, y) => [svg("text", { x: x(0), y: y + 11, class: "tick" }, "cycle 0"), svg("text", { x: x(cycles), y: y + 11, "text-anchor": "end", class: "tick" }, cycles)];

/** drawStates draws how many warps were in which state, stacked over time, and the sums as a table. */
function drawStates(g, width, x, cursor) {
	const high = 90, bins = g.states[0]?.bins.length ?? 0, sums = Array(bins).fill(0);
	for (const s of g.states) s.bins.forEach((n, i) => sums[i] += n);
	const most = Math.max(1, ...sums), at = Array(bins).fill(0), all = g.states.reduce((n, s) => n + s.cycles, 0);
	const areas = g.states.map((s) => {
		const upper = s.bins.map((n, i) => (at[i] += n)), y = (n) => (high - ((high - 4) * n) / most).toFixed(1);
		const line = (values) => values.map((v, i) => [`${x(i * g.bin).toFixed(1)} ${y(v)}`, `${x(Math.min(g.cycles, (i + 1) * g.bin)).toFixed(1)} ${y(v)}`]);
		return svg("path", { class: `st-${s.state}`, d: `M${line(upper).flat().join("L")}L${line(upper.map((v, i) => v - s.bins[i])).flat().reverse().join("L")}z` }, svg("title", {}, `${s.state}: ${s.doc}`));
	});
	return el("div", {}, el("h3", {}, "What the resident warps do"),
		svg("svg", { class: "states", viewBox: `0 0 ${width} ${high + 14}`, role: "img", "aria-label": g.states.map((s) => `${s.state} ${percent(s.cycles, all)}`).join(", ") },
			areas, svg("text", { x: 40, y: 12, "text-anchor": "end", class: "tick" }, `${(most / g.bin).toFixed(1)}`), svg("text", { x: 40, y: 24, "text-anchor": "end", class: "tick" }, "warps"), cursor(high), ticks(x, g.cycles, high)),
		el("div", { class: "scroll" }, el("table", { id: "states" }, el("thead", {}, el("tr", {}, ["state", "cycles of warps", "share", "meaning"].map((t) => el("th", { scope: "col" }, t)))),
			el("tbody", {}, g.states.map((s) => el("tr", {}, el("td", {}, el("span", { class: `key st-${s.state}` }, initials(s.state)), " ", s.state), el("td", { class: "num" }, s.cycles), el("td", { class: "num" }, percent(s.cycles, all)), el("td", {}, s.doc)))))),
		g.cut ? el("p", { class: "note" }, "Later cycles are left out of the picture and the table.") : "");
}

/** cyclesFor returns how many cycles a strip of schedulers has room for. */
export const cyclesFor = (node) => Math.max(32, Math.min(512, Math.floor((node.clientWidth - 60) / 9)));

/** drawSchedulers draws what the schedulers of an SM did, cycle by cycle. */
export function drawSchedulers(node, v, app) {
	if (v.sm < 0) return node.replaceChildren(el("p", { class: "note" }, "The block of this warp has not started."));
	const size = 9, left = 56, width = left + v.count * size, names = Object.fromEntries(v.states.map((s) => [s.letter, s]));
	const per = app.opened.launches[app.launch].warps_per_block;
	let y = 14;
	const runs = (text, top, tall, words) => {
		const out = [];
		for (let i = 0; i < text.length;) {
			let end = i + 1;
			while (end < text.length && text[end] === text[i] && text[i] !== "S") end++;
			const state = names[text[i]];
			if (state) {
				out.push(svg("g", {}, svg("title", {}, words(i, end, state)), svg("rect", { x: left + i * size, y: top, width: (end - i) * size - 1, height: tall, class: `st-${state.name}` }),
					svg("text", { x: left + ((i + end) * size) / 2, y: top + tall - 1.5, "text-anchor": "middle", class: "letter" }, state.letter === "S" ? "▪" : state.letter)));
			}
			i = end;
		}
		return out;
	};
	const warpAt = (slot, i) => slot.warps.filter((w) => w.at <= i).pop()?.warp;
	const span = (i, end) => (end - i > 1 ? `cycles ${v.from + i} to ${v.from + end - 1}` : `cycle ${v.from + i}`);
	const parts = v.schedulers.map((s, n) => {
		const rows = [svg("text", { x: 0, y: y + 9, class: "label" }, `sched. ${n}`),
			runs(s.why, y, 10, (i, end, state) => `${span(i, end)}: ${state.letter === "S" ? `issues an instruction of warp ${s.issued[i]}, of ${s.eligible[i]} that could` : `nothing is issued; most warps: ${state.name}. ${state.doc}`}`)];
		y += 12;
		for (const slot of s.slots) {
			rows.push(svg("text", { x: 8, y: y + 8, class: "tick" }, `b${Math.floor(slot.warps[0].warp / per)} w${slot.warps[0].warp % per}${slot.warps[0].warp === app.warp ? " ◂" : ""}`), runs(slot.states, y, 9, (i, end, state) => `warp ${warpAt(slot, i)}, ${span(i, end)}: ${state.name}. ${state.doc}`));
			y += 11;
		}
		y += 6;
		return svg("g", {}, rows.flat());
	});
	const used = v.states.filter((s) => v.schedulers.some((one) => one.slots.some((slot) => slot.states.includes(s.letter))));
	const issued = v.schedulers.map((s) => s.issued.filter((w) => w >= 0).length);
	node.replaceChildren(
		el("p", { id: "strip" }, `SM ${v.sm}, cycles ${v.from} to ${v.from + v.count - 1}. Issued: `, issued.map((n, i) => `${i ? ", " : ""}scheduler ${i} ${n}`), ` of ${v.count} cycles.`),
		el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "schedulers by cycle" }, svg("svg", { class: "sched", width, height: y, viewBox: `0 0 ${width} ${y}`, role: "img", "aria-label": v.schedulers.map((s, n) => `scheduler ${n}: ${s.why}`).join("; ") },
			Array.from({ length: Math.ceil((v.count - 5) / 16) }, (_, i) => svg("text", { x: left + i * 16 * size, y: 9, class: "tick" }, v.from + i * 16)), parts,
			app.step >= v.from && app.step < v.from + v.count && svg("rect", { class: "now", x: left + (app.step - v.from) * size - 0.5, y: 11, width: size, height: y - 12 }))),
		el("p", { class: "note" }, "The first row of a scheduler is what it did, the others are the warps in its slots. ", used.map((s) => [el("span", { class: `key st-${s.name}`, title: s.doc }, s.letter === "S" ? "▪" : s.letter), ` ${s.name} `]).flat()),
		v.cut ? el("p", { class: "note" }, "Later cycles are left out.") : "");
}

const properties = { registers: ["registers of a thread", (n) => n], threads: ["threads of a block", (n) => n], shared: ["shared memory of a block", (n) => (n >= 1024 ? `${(n / 1024).toFixed(n % 1024 ? 1 : 0)} KiB` : `${n} bytes`)] };

/** drawOccupancy draws how full SMs are, with a slider for each property; change is called with those that were moved. */
export function drawOccupancy(node, o, app, change) {
	if (!node.querySelector("#occupied") || node.dataset.of !== `${app.opens}.${app.launch}`) {
		node.dataset.of = `${app.opens}.${app.launch}`;
		node.replaceChildren(el("p", { id: "occupied", "aria-live": "polite" }), el("div", { class: "curves" }, o.curves.map((c) => {
			const most = c.first + c.step * (c.warps.length - 1);
			const slider = el("input", { type: "range", id: `slide-${c.name}`, min: c.first, max: most, step: c.step, value: c.at, oninput: (e) => change({ [c.name]: Number(e.target.value) }) });
			return el("div", { class: "curve", "data-name": c.name }, el("label", { for: `slide-${c.name}` }, properties[c.name][0], ": ", el("output", {})), el("div", {}), slider);
		})), el("button", { id: "own", onclick: () => change(null) }, "those of the launch"), el("div", { id: "limits" }));
	}
	node.querySelector("#occupied").replaceChildren(...(o.refusal ? [el("b", { class: "bad" }, o.refusal)] : [el("b", {}, `${(100 * o.occupancy).toFixed(0)} % of ${o.gpu}`), `: ${o.blocks_per_sm} block${o.blocks_per_sm === 1 ? "" : "s"} of ${o.threads} threads, ${o.active_warps} of ${o.max_warps} warps on an SM; limiter: `, el("b", {}, o.limiters.join(", ")),
		o.waves ? `; the grid is ${Number(o.waves.toPrecision(3))} waves` : ""]));
	for (const c of o.curves) {
		const box = node.querySelector(`[data-name=${c.name}]`);
		box.querySelector("output").textContent = properties[c.name][1](c.at);
		box.querySelector("input").value = c.at;
		const most = c.first + c.step * (c.warps.length - 1), w = 230, h = 62, x = (n) => (w * (n - c.first)) / (most - c.first), y = (n) => h - ((h - 14) * n) / o.max_warps;
		box.children[1].replaceChildren(svg("svg", { class: "occ", viewBox: `0 0 ${w} ${h + 14}`, role: "img", "aria-label": `warps on an SM by ${properties[c.name][0]}: ${o.active_warps} of ${o.max_warps} at ${c.at}` },
			svg("path", { class: "area", d: `M0 ${h}${c.warps.map((n, i) => `L${x(c.first + i * c.step).toFixed(1)} ${y(n).toFixed(1)}`).join("")}L${w} ${h}z` }),
			svg("line", { class: "now", x1: x(c.at), x2: x(c.at), y1: 12, y2: h }), svg("line", { class: "grid", x1: 0, x2: w, y1: y(o.max_warps), y2: y(o.max_warps) }),
			svg("text", { x: 2, y: 10, class: "tick" }, `${o.max_warps} warps on an SM`), svg("text", { x: 0, y: h + 11, class: "tick" }, c.first), svg("text", { x: w, y: h + 11, "text-anchor": "end", class: "tick" }, properties[c.name][1](most))));
	}
	node.querySelector("#limits").replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ["resource", "blocks that it allows on an SM"].map((t) => el("th", { scope: "col" }, t)))),
		el("tbody", {}, o.limits.map((l) => el("tr", { class: o.limiters.includes(l.resource) ? "running" : "" }, el("td", {}, l.resource, o.limiters.includes(l.resource) ? " ◂ limiter" : ""), el("td", { class: "num" }, l.blocks))))));
}

/** drawFigures draws the figures of a launch, as the page of a profile has them. Places in the source are links to the
 * editor: show is called with a line. */
export function drawFigures(node, f, app, show) {
	if (isDrawn(node, f)) return;
	const page = markupOf(f.page);
	page.addEventListener("click", (e) => {
		const link = e.target.closest("a");
		if (!link) return;
		e.preventDefault(); // the address has the moment
		const row = document.getElementById(link.getAttribute("href").slice(1));
		if (!row) return;
		page.querySelector(".sought")?.classList.remove("sought");
		row.classList.add("sought");
		row.scrollIntoView({ block: "nearest" });
		show(Number(row.cells[0].textContent));
	});
	node.replaceChildren(page, el("p", { class: "note" }, "Of the whole launch, as simtrun profile --html shows them and simtrun run --json prints them; simtrun metrics defines them."));
}
