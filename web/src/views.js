// The views of a moment: the warp, its block, and the access that comes next.
import { count, el, has, hex, lanes, ranges, strip, svg, where } from "./dom.js";

const letters = {
	G: "guard is false: the lane does not execute this instruction",
	A: "active",
	M: "masked: on another path",
	R: "waits to reconverge",
	W: "waits at a barrier or for others",
	X: "has exited",
	"–": "no thread",
};

/** letterOf returns the state of a lane, as a letter. */
function letterOf(w, lane) {
	if (!has(w.threads, lane)) return "–";
	if (!has(w.live, lane)) return "X";
	if (has(w.waiting, lane)) return "W";
	if (has(w.active, lane)) return has(w.guarded, lane) ? "A" : "G";
	return w.splits.some((s) => has(s.mask, lane) && s.state === "reconverging") ? "R" : "M";
}

/** absent says that a warp or block is not there. */
const absent = (what) => el("p", { class: "note" }, `${what} has ended, or has not started.`);

/** instruction shows a place and its text. */
const instruction = (place, main) => el("span", {}, el("b", {}, where(place, main)), " ", el("code", {}, place.text));

/** drawWarp draws the state of a warp. show is called with the registers that the user has chosen. */
export function drawWarp(node, w, app) {
	const main = app.file.name;
	if (w.absent) return node.replaceChildren(absent("The warp"));
	const text = (lane) => w.lanes.find((l) => has(l.mask, lane))?.state ?? "";
	const cells = Array.from({ length: 32 }, (_, lane) => {
		const letter = letterOf(w, lane);
		return el("span", { class: `lane s${letter === "–" ? "N" : letter}`, title: `lane ${lane}: ${text(lane)}${letter === "G" ? ", but its guard is false" : ""}` }, el("small", {}, lane), el("b", {}, letter));
	});
	const used = Object.keys(letters).filter((l) => cells.some((c) => c.lastChild.textContent === l));
	node.replaceChildren(
		el("p", { id: "next" }, w.next ? ["next: ", instruction(w.next, main)] : "No lane of the warp can run now."),
		el("p", { class: "masks" }, el("span", { id: "active" }, "active ", el("code", {}, hex(w.active))), ` ${count(w.active)} of ${count(w.live)} live lanes`,
			w.guarded !== w.active ? [", guard holds in ", el("code", {}, hex(w.guarded))] : "", w.waiting ? [", waiting ", el("code", {}, hex(w.waiting))] : ""),
		el("div", { class: "lanes", role: "img", "aria-label": w.lanes.map((l) => `${lanes(l.mask)}: ${l.state}`).join("; ") }, cells),
		el("p", { class: "note" }, used.map((l) => `${l} ${letters[l]}`).join(" · ")),
		drawSplits(w, main), drawMeetings(w, main), drawRegisters(w, app));
}

/** drawWarpPicture draws the lanes of a warp, and where its splits are, for a file. */
export function drawWarpPicture(node, w, app) {
	if (w.absent) return node.replaceChildren();
	const size = 56, tall = 36, wide = 16 * size;
	const cells = Array.from({ length: 32 }, (_, lane) => {
		const letter = letterOf(w, lane), x = (lane % 16) * size, y = (lane >> 4) * (tall + 4);
		return svg("g", { class: `cell s${letter === "–" ? "N" : letter}` }, svg("rect", { x: x + 1, y: y + 1, width: size - 4, height: tall - 2 }),
			svg("text", { x: x + size / 2 - 1, y: y + 13, "text-anchor": "middle", class: "number" }, lane), svg("text", { x: x + size / 2 - 1, y: y + 29, "text-anchor": "middle", class: "letter" }, letter));
	});
	const used = Object.keys(letters).filter((l) => Array.from({ length: 32 }, (_, lane) => letterOf(w, lane)).includes(l));
	let y = 2 * (tall + 4) + 16;
	const line = (x, ...words) => svg("text", { x, y, class: "words" }, words.join(""));
	const rows = [line(0, used.map((l) => `${l} ${letters[l]}`).join(" · "))];
	for (const s of w.splits) {
		y += 22;
		rows.push(svg("g", { class: "strip", transform: `translate(0 ${y - 9})` }, [...strip(s.mask).childNodes]), line(140, `${s.state} at ${where(s.at, app.file.name)}  ${s.at.text}`), line(560, s.stop ? `reconverge at ${where(s.stop, app.file.name)}` : ""));
	}
	node.replaceChildren(svg("svg", { class: "warp-picture", viewBox: `0 0 ${wide} ${y + 8}` }, cells, rows));
}

/** drawAccessPicture draws the accesses of the next instruction for a file. */
export function drawAccessPicture(node, m) {
	node.replaceChildren(...m.accesses.flatMap((a) => [
		el("h3", {}, `${m.next.text}: ${a.kind} of ${a.size} bytes a lane, ${a.space}${a.region ? ` ${a.region}` : ""}; ${a.banks ? `${a.banks.degree > 1 ? `${a.banks.degree}-way bank conflict, ` : ""}${a.banks.wavefronts} wavefront${a.banks.wavefronts === 1 ? "" : "s"}, ${a.banks.ideal} without conflicts` : a.sectors ? `${a.sectors.sectors} sector${a.sectors.sectors === 1 ? "" : "s"} in ${a.sectors.lines} line${a.sectors.lines === 1 ? "" : "s"}, ${a.sectors.ideal} if contiguous` : ""}`),
		a.banks ? banksPicture(a.banks) : a.sectors?.list.length ? linesPicture(a.sectors) : svg("svg", { viewBox: "0 0 1 1" })]));
}

/** linesPicture draws lines of memory: a row for each, with its four sectors and the lanes that access them. */
function linesPicture(s) {
	const tall = 24, left = 150, wide = 110;
	return svg("svg", { class: "lines-picture", viewBox: `0 0 ${left + 4 * wide + 240} ${s.list.length * tall}` }, s.list.map((l, i) => svg("g", {},
		svg("text", { x: 0, y: i * tall + 16, class: "words" }, l.address),
		l.sectors.map((n, k) => [svg("rect", { x: left + k * wide + 1, y: i * tall + 1, width: wide - 4, height: tall - 4, class: n ? "word" : "bank" }), svg("text", { x: left + k * wide + wide / 2, y: i * tall + 16, "text-anchor": "middle", class: "words" }, n ? `${n} lane${n === 1 ? "" : "s"}` : "–")]),
		svg("text", { x: left + 4 * wide + 10, y: i * tall + 16, class: "words" }, lanes(l.lanes)))));
}

const sideText = { taken: "took the branch", "fall-through": "did not take the branch", target: "went one way of the branch" };

/** drawSplits draws which lanes are where, and which side of which branch brought them there. */
function drawSplits(w, main) {
	const rows = w.splits.map((s) => el("tr", { class: s.state },
		el("td", {}, strip(s.mask), el("br"), el("code", {}, hex(s.mask))),
		el("td", {}, s.state === "running" ? "▶ " : "", s.state, s.frame ? ` in ${s.frame}` : ""),
		el("td", {}, instruction(s.at, main)),
		el("td", {}, s.side ? [sideText[s.side.side], " at ", instruction(s.side.branch, main)] : w.splits.length > 1 ? "–" : "together"),
		el("td", {}, s.stop ? where(s.stop, main) : "–")));
	return el("div", { class: "scroll" }, el("table", { id: "splits" },
		el("thead", {}, el("tr", {}, ["lanes", "state", "at", "side", "reconverge at"].map((t) => el("th", { scope: "col" }, t)))),
		el("tbody", {}, rows)));
}

const modelText = { stack: "Reconvergence stack, the outermost entry first", its: "Convergence barriers, the outermost first", minpc: "Lowest PC first: this model has no reconvergence PCs" };

/** drawMeetings draws the stack or the convergence barriers as a tree. */
function drawMeetings(w, main) {
	const children = (parent) => {
		const items = w.meetings.map((m, i) => [m, i]).filter(([m]) => m.parent === parent);
		return items.length ? el("ul", { class: "meetings" }, items.map(([m, i]) => el("li", {},
			strip(m.lanes), " ", el("span", {}, `${lanes(m.lanes)} reconverge at `), instruction(m.at, main),
			m.arrived ? el("span", { class: "note" }, ` – arrived: ${ranges(m.arrived)}`) : "", children(i)))) : "";
	};
	return el("div", { id: "meetings" }, el("h3", {}, modelText[w.model] ?? w.model),
		w.meetings.length ? children(-1) : el("p", { class: "note" }, "No lanes wait for each other to reconverge."));
}

/** heatOf returns for each lane how large its value is among those of all, 0 to 6. */
function heatOf(values) {
	const numbers = values.map((v) => Number(v));
	const known = numbers.filter(Number.isFinite);
	const low = Math.min(...known), high = Math.max(...known);
	return numbers.map((n) => (Number.isFinite(n) && high > low ? Math.round((6 * (n - low)) / (high - low)) : 0));
}

/** drawRegisters draws registers across the lanes. */
function drawRegisters(w, app) {
	const rows = w.registers.map((r) => {
		const heat = heatOf(r.values);
		const same = r.values.every((v) => v === r.values[0]);
		return el("tr", {}, el("th", { scope: "row" }, el("code", {}, r.name), " ", el("small", {}, r.type)),
			same ? el("td", { colspan: 32, class: "same" }, r.values[0], el("small", {}, " in all lanes"))
				: r.values.map((v, lane) => el("td", { class: `num h${heat[lane]}${has(w.active, lane) ? "" : " idle"}` }, v)));
	});
	const box = el("input", { id: "registers", list: "names", placeholder: "those of the next instruction", value: app.registers.join(" "), size: 30, autocomplete: "off",
		onchange: (e) => app.choose(e.target.value.split(/[\s,]+/).filter(Boolean).slice(0, 16)) });
	return el("div", {}, el("h3", {}, "Registers"), el("p", {}, el("label", {}, "show ", box), el("datalist", { id: "names" }, w.names.map((n) => el("option", { value: n })))),
		rows.length ? el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "registers across lanes" }, el("table", { class: "registers" },
			!w.registers.every((r) => r.values.every((v) => v === r.values[0])) && el("thead", {}, el("tr", {}, el("th", {}, "lane"), Array.from({ length: 32 }, (_, lane) => el("th", { scope: "col", class: "num" }, lane)))), el("tbody", {}, rows)))
			: el("p", { class: "note" }, "The next instruction has no registers."));
}

/** drawBlock draws the warps of a block, and who waits for whom. */
export function drawBlock(node, b, app) {
	const main = app.file.name;
	if (b.absent) return node.replaceChildren(absent("The block"));
	const waits = (w) => w.waits.map((x) => el("div", {}, `${lanes(x.lanes)} at `, instruction(x.at, main),
		x.barrier >= 0 ? ` (barrier ${x.barrier})` : x.for ? ` for ${x.for}` : "",
		x.others ? ` for ${lanes(x.others)}` : "",
		x.missing.length ? [" for ", x.missing.map((m, i) => [i ? ", " : "", `warp ${m.id}`, count(m.lanes) < 32 ? ` (${lanes(m.lanes)})` : ""])].flat(3) : ""));
	const signs = { running: "▶", diverged: "≠", waiting: "‖", ended: "■" };
	const rows = b.warps.map((w) => el("tr", { class: w.warp === app.warp ? "focus" : "" },
		el("td", {}, el("button", { onclick: () => app.focus(w.warp), "aria-pressed": w.warp === app.warp ? "true" : "false" }, `warp ${w.id}`)),
		el("td", {}, `${signs[w.state]} ${w.state}`),
		el("td", {}, strip(w.active || w.live, w.active ? "on" : "wait"), el("br"), el("code", {}, hex(w.active))),
		el("td", {}, w.next ? instruction(w.next, main) : waits(w))));
	const others = b.resident.filter((n) => n !== b.block);
	node.replaceChildren(
		el("p", {}, `Block ${b.block} at (${b.at.join(",")}); `, others.length ? `resident too: ${others.slice(0, 24).join(", ")}${others.length > 24 || b.more ? ` and ${others.length - Math.min(24, others.length) + b.more} more` : ""}.` : "no other block is resident."),
		el("div", { class: "scroll" }, el("table", { id: "warps" }, el("thead", {}, el("tr", {}, ["warp", "state", "active lanes", "next, or waits"].map((t) => el("th", { scope: "col" }, t)))), el("tbody", {}, rows))),
		...b.notes.map((n) => el("p", { class: "note" }, n)));
}

/** drawSM draws the schedulers of an SM before a cycle: who can issue, and what the others wait for. */
export function drawSM(node, sm, app) {
	if (sm.absent) return node.replaceChildren(absent("The warp"));
	const main = app.file.name;
	const row = (w) => el("tr", { class: w.warp === app.warp ? "focus" : "" },
		el("td", { class: "num" }, w.slot),
		el("td", {}, el("button", { onclick: () => app.focus(w.warp), "aria-pressed": w.warp === app.warp ? "true" : "false" }, `block ${w.block} warp ${w.id}`)),
		el("td", { class: w.eligible ? "eligible" : "stalled" }, w.eligible ? "▶ can issue" : `‖ ${w.text}`),
		el("td", {}, w.next ? instruction(w.next, main) : ""));
	const eligible = (c) => c.warps.filter((w) => w.eligible).length;
	const idle = sm.schedulers.map((c, i) => (c.warps.length ? -1 : i)).filter((i) => i >= 0);
	node.replaceChildren(
		el("p", {}, `SM ${sm.sm}, before cycle ${app.step}; ${sm.blocks} block${sm.blocks === 1 ? "" : "s"} resident.`),
		...sm.schedulers.map((c, i) => c.warps.length > 0 && el("section", {},
			el("h3", {}, `Scheduler ${i}`), el("p", { class: "note" }, `${c.warps.length} of ${c.slots} slots have a warp, ${eligible(c)} can issue; ${c.issued} instructions issued so far${c.queued ? `; ${c.queued} wait for the memory pipe` : ""}${c.busy ? `; ${c.busy}` : ""}`),
			el("div", { class: "scroll" }, el("table", { class: "slots" },
				el("thead", {}, el("tr", {}, ["slot", "warp", "state in this cycle", "next"].map((t) => el("th", { scope: "col" }, t)))),
				el("tbody", {}, c.warps.map(row)))))).filter(Boolean),
		idle.length ? el("p", { class: "note" }, `No warp is in the slots of scheduler${idle.length === 1 ? "" : "s"} ${idle.join(", ")}.`) : "");
}

/** drawMemory draws the access of the next instruction. */
export function drawMemory(node, m, app) {
	if (!m.next) return node.replaceChildren(el("p", { class: "note" }, "The warp executes nothing more."));
	node.replaceChildren(
		el("p", {}, m.step !== app.step ? `at step ${m.step}: ` : "", instruction(m.next, app.file.name)),
		...(m.accesses.length ? m.accesses.map(drawAccess) : [el("p", { class: "note" }, "This instruction accesses no memory.")]),
		m.more ? el("p", { class: "note" }, `and ${m.more} more accesses`) : "");
}

function drawAccess(a) {
	return el("section", { class: "access" },
		el("p", {}, el("b", {}, `${a.kind} of ${a.size} bytes a lane, ${a.space}`), a.region ? ` ${a.region}` : "", `, ${lanes(a.lanes)}`),
		a.banks && drawBanks(a.banks), a.sectors && drawLines(a.sectors),
		el("details", {}, el("summary", {}, "addresses"), el("div", { class: "scroll" }, el("table", { class: "addresses" },
			el("tbody", {}, [0, 8, 16, 24].map((first) => el("tr", {}, Array.from({ length: 8 }, (_, i) => el("td", { class: "num" }, el("small", {}, first + i, " "), a.places[first + i] || "–")))))))));
}

const mostRows = 32; // of a picture of banks

/** banksPicture draws the banks of shared memory: a word is a cell, and words of one bank are above each other. */
function banksPicture(b) {
	const depth = Array(32).fill(0);
	const cells = b.words.map((w) => {
		const row = depth[w.bank]++;
		return [w, row];
	});
	const high = Math.max(1, ...depth), shown = Math.min(high, mostRows), size = 20, tall = high > 8 ? 12 : size, drop = 14;
	const y = (row) => (shown - 1 - row) * tall;
	return svg("svg", { class: "banks", viewBox: `0 0 ${32 * size} ${shown * tall + drop}`, role: "img", "aria-label":
		b.words.map((w) => `bank ${w.bank}, word ${w.address}: ${lanes(w.lanes)}`).slice(0, 64).join("; ") },
		Array.from({ length: 32 }, (_, bank) => svg("g", {},
			svg("rect", { x: bank * size + 1, y: y(0), width: size - 2, height: tall - 2, class: "bank" }),
			svg("text", { x: bank * size + size / 2, y: shown * tall + 11, "text-anchor": "middle", class: "tick" }, bank))),
		cells.filter(([, row]) => row < shown).map(([w, row]) => svg("g", {},
			svg("title", {}, `bank ${w.bank}, word at ${w.address}: ${lanes(w.lanes)}`),
			svg("rect", { x: w.bank * size + 1, y: y(row), width: size - 2, height: tall - 2, class: row ? "word conflict" : "word" }),
			svg("text", { x: w.bank * size + size / 2, y: y(row) + tall / 2 + 3, "text-anchor": "middle" }, count(w.lanes) === 1 ? ranges(w.lanes) : `×${count(w.lanes)}`))));
}

function drawBanks(b) {
	const high = b.words.reduce((most, w, i, all) => Math.max(most, all.filter((x) => x.bank === w.bank).length), 1);
	return el("div", {}, el("p", { id: "banks" }, b.degree > 1 ? el("b", { class: "bad" }, `${b.degree}-way bank conflict`) : "no bank conflict",
		`: ${b.wavefronts} wavefront${b.wavefronts === 1 ? "" : "s"}, ${b.ideal} without conflicts`),
		el("div", { class: "scroll" }, banksPicture(b)),
		el("p", { class: "note" }, `Columns are the 32 banks; a cell is a 32-bit word, with its lane, or ×n for n lanes. ${high > 1 ? "Words above the first are conflicts." : ""}${high > mostRows ? ` ${high - mostRows} rows are left out.` : ""}`));
}

/** drawLines draws the lines and sectors of global memory that an access touches. */
function drawLines(s) {
	return el("div", {}, el("p", { id: "sectors" }, s.sectors > s.ideal ? el("b", { class: "bad" }, `${s.sectors} sectors`) : `${s.sectors} sector${s.sectors === 1 ? "" : "s"}`,
		` in ${s.lines} line${s.lines === 1 ? "" : "s"}; contiguous lanes would need ${s.ideal}`),
		s.list.length > 0 && el("div", { class: "scroll" }, el("table", { class: "memory-lines" },
			el("thead", {}, el("tr", {}, ["line", "sector 0", "1", "2", "3", "lanes"].map((t) => el("th", { scope: "col" }, t)))),
			el("tbody", {}, s.list.map((l) => el("tr", {}, el("td", {}, el("code", {}, l.address)),
				l.sectors.map((n) => el("td", { class: n ? "sector touched" : "sector" }, n ? `${n} lane${n === 1 ? "" : "s"}` : "–")), el("td", {}, ranges(l.lanes))))))),
		s.lines > s.list.length && s.list.length > 0 && el("p", { class: "note" }, `and ${s.lines - s.list.length} more lines`));
}
