// The timeline: what the warp in focus executes, a column for one or more instructions.
import { count, el, lanes, strip, svg, where } from "./dom.js";

export const markNames = { D: "divergence", R: "reconvergence", B: "barrier", X: "exit", F: "finding" };
const lanesHigh = 64, top = 16, waits = 34;

/** columnsFor returns how many columns fit in a node. */
export const columnsFor = (node) => Math.max(40, Math.min(1200, Math.floor(node.clientWidth / 6)));

/** drawTimeline draws a timeline, and tells below it what it shows. seek is called with the number of an instruction,
 * while the pointer is dragged, too; main is the file that is shown. */
export function drawTimeline(node, told, t, at, seek, main) {
	const cols = t.columns;
	if (cols.length === 0) {
		node.replaceChildren(el("p", { class: "note" }, "This warp executed nothing."));
		told.replaceChildren();
		return { at() {} };
	}
	const waited = (c) => Object.values(c.waited ?? {}).reduce((a, b) => a + b, 0), longest = Math.max(0, ...cols.map(waited));
	const height = longest > 0 ? lanesHigh + waits : lanesHigh;
	const width = Math.max(1, node.clientWidth), step = width / (cols.length + 1); // one more for the moment after the last
	const x = (i) => i * step;
	const columnOf = (index) => {
		let low = 0, high = cols.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (cols[middle].index + cols[middle].count <= index) low = middle + 1;
			else high = middle;
		}
		return low;
	};
	const bar = (c, i, lanes, kind) => svg("rect", { x: x(i), y: top + (lanesHigh - top) * (1 - lanes / 32), width: Math.max(step - (step > 3 ? 1 : 0), 0.5), height: (lanesHigh - top) * (lanes / 32), class: kind });
	const bars = cols.map((c, i) => svg("g", {}, c.high > c.low && bar(c, i, c.high, "bar high"), bar(c, i, c.low, c.low === 32 ? "bar full" : "bar part")));
	const stalls = longest === 0 ? [] : cols.map((c, i) => {
		let y = lanesHigh + 4;
		const states = Object.entries(c.waited ?? {}).sort((a, b) => b[1] - a[1]);
		return svg("g", {}, svg("title", {}, `before instruction ${c.index}: ${states.map(([state, n]) => `${state} ${n}`).join(", ") || "no wait"}`), states.map(([state, n]) => {
			const tall = Math.max(0.5, ((waits - 4) * n) / longest), rect = svg("rect", { x: x(i), y, width: Math.max(step - (step > 3 ? 1 : 0), 0.5), height: tall, class: `st-${state}` });
			y += tall;
			return rect;
		}));
	});
	const sums = {};
	for (const c of cols) for (const [state, n] of Object.entries(c.waited ?? {})) sums[state] = (sums[state] ?? 0) + n;
	const labels = [];
	let free = -1;
	cols.forEach((c, i) => {
		if (!c.marks) return;
		const letters = c.marks.length > 1 && step < 12 ? c.marks[0] : c.marks;
		if (x(i) < free && !c.marks.includes("F")) {
			labels.push(svg("rect", { x: x(i), y: top - 3, width: 2, height: 3, class: `tick m${c.marks[0]}` }));
			return;
		}
		labels.push(svg("text", { x: x(i) + Math.min(step, 9) / 2, y: 11, class: `mark m${c.marks[0]}`, "text-anchor": "middle" }, letters));
		free = x(i) + 9 * letters.length;
	});
	const cursor = svg("g", { class: "cursor" }, svg("line", { y1: 0, y2: height }), svg("rect", { y: 0, width: Math.max(step, 2), height }));
	const found = Object.entries(markNames).map(([letter, name]) => [name, cols.filter((c) => c.marks?.includes(letter)).length]).filter(([, n]) => n);
	const picture = svg("svg", {
		class: "time", width, height, viewBox: `0 0 ${width} ${height}`, role: "slider", tabindex: 0, "aria-label": "timeline: instructions of the warp",
		"aria-valuemin": 0, "aria-valuemax": t.total, "aria-valuenow": at,
	}, svg("line", { x1: 0, x2: width, y1: top, y2: top, class: "grid" }), bars, stalls, labels, cursor);
	const indexAt = (event) => {
		const i = Math.floor((event.clientX - picture.getBoundingClientRect().left) / step);
		return i >= cols.length ? t.total : cols[Math.max(i, 0)].index;
	};
	picture.addEventListener("pointerdown", (e) => {
		picture.setPointerCapture(e.pointerId);
		seek(indexAt(e));
	});
	picture.addEventListener("pointermove", (e) => e.buttons & 1 && seek(indexAt(e)));
	const caption = el("p", { class: "note" },
		`Active lanes of each instruction, 0 to 32${cols.some((c) => c.count > 1) ? `; a column is up to ${Math.max(...cols.map((c) => c.count))} instructions, from the fewest to the most lanes` : ""}. `,
		found.length ? found.map(([name, n]) => `${name[0] === "e" ? "X" : name[0].toUpperCase()} ${name}${n > 1 ? ` (${n})` : ""}`).join(", ") + "." : "");
	const stalled = longest > 0 && el("p", { class: "note", id: "waited" }, `Below them the cycles that the warp waited before, up to ${longest}: `,
		Object.entries(sums).sort((a, b) => b[1] - a[1]).map(([state, n]) => [el("span", { class: `key st-${state}` }, state.split("_").map((word) => word[0].toUpperCase()).join("")), ` ${state} ${n} `]).flat());
	node.replaceChildren(picture);
	told.replaceChildren(...[caption, stalled, drawStory(t, seek, main)].filter(Boolean));
	const self = {
		/** at moves the cursor to an instruction. */
		at(index, text) {
			const i = columnOf(index);
			cursor.setAttribute("transform", `translate(${x(i)} 0)`);
			picture.setAttribute("aria-valuenow", index);
			picture.setAttribute("aria-valuetext", text ?? `instruction ${index} of ${t.total}`);
		},
	};
	self.at(at);
	return self;
}

/** drawStory says what share of a warp's lanes was active and, if lanes diverged, where, what that cost, and where they
 * met again. */
function drawStory(t, seek, main) {
	const percent = (part, all) => `${Math.round((100 * part) / all)} %`, slots = 32 * t.total;
	const place = (p, index) => [el("button", { title: `go to instruction ${index}`, onclick: () => seek(index) }, where(p, main)), " ", el("code", {}, p.text)];
	const side = (mask) => [strip(mask), ` ${lanes(mask).replace(/^lanes .{24,}/, `${count(mask)} lanes`)}`];
	const told = (b) => el("li", {}, "Lanes diverge at ", place(b.at, b.index), b.times > 1 ? ` ${b.times} times; the first time ` : ": ", side(b.first), " and ", side(b.other), " execute one after the other. ",
		b.until === t.total ? "They do not reconverge. " : b.meets ? ["They reconverge at ", place(b.meets, b.until), ". "] : "",
		b.apart ? el("b", {}, `Throughput in between: ${percent(b.active, 32 * b.apart)}`) : "", b.apart ? ` (${b.apart} instruction${b.apart === 1 ? "" : "s"} with ${(b.active / b.apart).toFixed(1).replace(".0", "")} of 32 lanes active).` : "");
	return el("div", { id: "story" }, el("p", {}, el("b", {}, `Throughput of the warp: ${percent(t.lanes, slots)}`), `, ${t.lanes} of ${slots} lane slots are active.`, t.branches.length ? "" : " Its lanes never diverge."),
		t.branches.length > 0 && el("ul", {}, t.branches.map(told)), t.more_branches ? el("p", { class: "note" }, `and ${t.more_branches} more branches`) : "");
}
