// The explorer: one program, one moment, and what its views show.
import { ask } from "./client.js";
import { $, base, el } from "./dom.js";
import { makeEditor } from "./editor.js";
import { columnsFor, drawTimeline, markNames } from "./timeline.js";
import { drawBlock, drawMemory, drawSM, drawWarp } from "./views.js";

const app = {
	opened: null, file: { name: "" },
	launch: 0, warp: 0, index: 0, step: 0,
	registers: [], lines: [],
	/** home is where the page is: what it opens first, and what its address says of the program. */
	home: { opening: () => ({}), part: "" },
	/** focus moves to a warp, at the same step. */
	focus: (warp) => go({ warp, step: app.step }),
	/** choose shows registers. */
	choose(names) {
		app.registers = names;
		refresh();
	},
};

const editor = makeEditor($("editor"), {
	run: () => open(true),
	changed() {
		$("run").classList.add("changed");
		app.home.part = "";
	},
});
const draws = { warp: drawWarp, block: drawBlock, memory: drawMemory, sm: drawSM };
let timeline = { at() {} };

/** say shows a text in the head of the page. */
export function say(text, bad) {
	$("status").textContent = text;
	$("status").className = bad ? "bad" : "";
}

let opens = 0; // programs that were asked for

/** open opens the program: with the text and the settings of the page, or the one that the session has. */
async function open(own) {
	say("running …");
	const fresh = !own || !app.opened, number = ++opens;
	const request = own ? { ...app.home.opening(), text: editor.text(), settings: settings() } : app.home.opening();
	if (own && app.opened && app.file !== app.opened.files[0]) request.text = app.home.opening().text;
	try {
		const opened = await ask({ open: request }, "opened");
		if (number !== opens) return; // another one follows
		app.opened = opened;
	} catch (err) {
		return number === opens && say(err.message, true);
	}
	const o = app.opened;
	$("run").classList.remove("changed");
	if (app.file.name !== o.files[0].name) showFile(0, !own);
	else app.file = o.files[0];
	$("file").replaceChildren(...o.files.map((f, i) => el("option", { value: i }, base(f.name))));
	$("what").textContent = `${base(o.files[0].name)}, divergence ${o.model}${o.timed ? `, GPU ${o.gpu}: steps are cycles` : ""}`;
	document.title = `${base(o.files[0].name)} – simtrun view`;
	$("sm").hidden = !o.timed;
	drawForm(o.settings);
	drawFindings();
	app.lines = [];
	if (o.launches.length === 0) {
		mark(false);
		$("moment").replaceChildren();
		$("timeline").replaceChildren(el("p", { class: "note" }, "Nothing was executed."));
		for (const v of document.querySelectorAll(".view > div")) v.replaceChildren();
		return say("the program has errors", true);
	}
	app.launch = Math.min(app.launch, o.launches.length - 1);
	if (fresh) fromLink();
	app.warp = Math.min(app.warp, o.launches[app.launch].warps - 1);
	drawBar();
	await drawTime();
	await go({ index: app.index });
	say(o.limited || o.failure || "", true);
}

/** fill shows the program of a home in the editor, without execution. */
export function fill(home) {
	const { name, text, settings } = home.opening();
	opens++;
	app.home = home;
	app.opened = null;
	app.file = { name, text, lang: "ptx" };
	editor.show(text, "ptx", true);
	editor.mark([], [], false);
	$("file").replaceChildren(el("option", {}, name));
	$("what").textContent = name;
	$("run").classList.add("changed");
	for (const part of ["moment", "timeline", "findings"]) $(part).replaceChildren();
	for (const v of document.querySelectorAll(".view > div")) v.replaceChildren();
	drawForm(settings);
}

/** fromLink takes launch, warp and instruction from the fragment of the address. */
function fromLink() {
	const at = new URLSearchParams(location.hash.slice(1));
	const number = (name) => Math.max(0, Math.floor(Number(at.get(name))) || 0);
	app.launch = Math.min(number("launch"), app.opened.launches.length - 1);
	app.warp = number("warp");
	app.index = number("at");
}

function showFile(i, fresh) {
	app.file = app.opened.files[i];
	if (fresh || i > 0 || editor.text() !== app.file.text) editor.show(app.file.text, app.file.lang, i === 0);
	mark(false);
}

/** mark marks the lines of the file that is shown. */
function mark(scroll) {
	const of = (all) => all.filter((x) => x.file === app.file.name);
	editor.mark(of(app.lines), of(app.opened.findings), scroll);
}

const fields = [
	["kernel", "kernel", "the first"], ["grid", "grid", "of the header"], ["block", "block", "of the header"], ["shared", "dynamic shared memory, bytes", "of the header"],
	["args", "arguments, one a line", "NAME=iota:32:u32"], ["gpu", "GPU", "h100"], ["divergence", "divergence: its, stack, minpc", "of the GPU"], ["path_order", "first side: taken, fallthrough, majority", "taken"],
];

function drawForm(s) {
	$("form").replaceChildren(...fields.map(([name, label, hint]) => el("label", {}, label, " ", name === "args"
		? el("textarea", { name, rows: 2, placeholder: hint }, (s.args ?? []).join("\n"))
		: el("input", { name, value: s[name] ?? "", placeholder: hint, autocomplete: "off" }))),
	el("label", {}, el("input", { name: "timed", type: "checkbox", checked: s.timed }), " with a clock: steps are cycles"),
	el("button", { type: "submit" }, "Run"));
}

/** settings reads the form. */
function settings() {
	const form = $("form"), s = {};
	for (const [name] of fields) {
		const text = form.elements[name]?.value.trim();
		if (text) s[name] = name === "args" ? text.split("\n").map((l) => l.trim()).filter(Boolean) : text;
	}
	if (form.elements.timed?.checked) s.timed = true;
	return s;
}

function drawFindings() {
	const o = app.opened;
	const item = (f) => el("li", {}, el("b", { class: f.severity === "error" ? "bad" : "" }, `✖ ${f.severity}`), ` ${f.message} [${f.rule}] `,
		f.line ? el("button", { onclick: () => visit(f) }, `${base(f.file)}:${f.line}${f.warp >= 0 ? `, warp ${f.warp}` : ""}`) : "",
		f.other ? ` and ${base(f.other)}` : "", f.fix ? el("div", { class: "note" }, `fix: ${f.fix}`) : "");
	$("findings").replaceChildren(
		o.findings.length ? el("ul", {}, o.findings.map(item)) : el("p", { class: "note" }, o.limited?.includes("checks") ? "" : "The checks for races, unwritten values and missing waits have found nothing."),
		o.output ? el("details", { open: true }, el("summary", {}, "output"), el("pre", { tabindex: 0 }, o.output)) : "");
}

/** visit goes to a finding. */
function visit(f) {
	if (f.file === app.opened.files[0].name && app.file !== app.opened.files[0]) $("file").value = 0, showFile(0, true);
	editor.reveal(f.line);
	if (f.step >= 0) go({ launch: f.launch, warp: f.warp, step: f.step });
}

function drawBar() {
	const o = app.opened, l = o.launches[app.launch];
	const button = (text, title, run) => el("button", { title, "aria-label": title, onclick: run }, text);
	$("moment").replaceChildren(
		o.launches.length > 1 ? el("label", {}, "launch ", el("select", { onchange: (e) => go({ launch: Number(e.target.value), warp: 0, index: 0 }) },
			o.launches.map((one, i) => el("option", { value: i, selected: i === app.launch }, `${i}: ${one.kernel}`)))) : el("span", {}, l.kernel),
		el("label", {}, "warp ", el("input", { id: "warp", type: "number", min: 0, max: l.warps - 1, value: app.warp, onchange: (e) => app.focus(Math.max(0, Math.min(l.warps - 1, Number(e.target.value) || 0))) }), ` of ${l.warps}`),
		el("span", { class: "keys" },
			button("|◀", "first instruction (Home)", () => go({ index: 0 })), button("◀", "previous instruction (,)", () => move(-1)),
			button("▶", "next instruction (.)", () => move(1)), button("▶|", "after the last instruction (End)", () => go({ index: Number.MAX_SAFE_INTEGER })),
			button("D", "next divergence (d)", () => find("divergence")), button("B", "next barrier (b)", () => find("barrier")), button("M", "next access to memory (m)", () => find("access")), button("F", "next finding (f)", () => find("finding"))),
		el("span", { id: "where", "aria-live": "polite" }));
}

async function drawTime() {
	const t = await ask({ timeline: { launch: app.launch, warp: app.warp, columns: columnsFor($("timeline")) } }, "timeline");
	timeline = drawTimeline($("timeline"), t, app.index, (index) => go({ index }));
}

const move = (by) => go({ index: app.index + by });
const find = (what, back) => go({ index: app.index, find: what, back: back || undefined });

let wanted = null, going = false;

/** go goes to a moment. While one is on its way, the latest that is asked for follows it, and others are dropped. */
async function go(to) {
	wanted = to;
	if (going) return;
	going = true;
	try {
		while (wanted) {
			const to = wanted;
			wanted = null;
			await goNow(to);
		}
	} catch (err) {
		say(err.message, true);
	} finally {
		going = false;
	}
}

async function goNow(to) {
	const m = await ask({ seek: { launch: app.launch, warp: app.warp, ...to } }, "moment");
	const other = m.launch !== app.launch || m.warp !== app.warp;
	Object.assign(app, { launch: m.launch, warp: m.warp, index: m.index, step: m.step, total: m.total });
	if (other) {
		drawBar();
		await drawTime();
	}
	if (to.find) say(m.found ? "" : `no ${to.find} ${to.back ? "before" : "after"} this in warp ${m.warp}`);
	const text = `${m.index === m.total ? "after the last of" : `instruction ${m.index} of`} ${m.total}, ${app.opened.timed ? "cycle" : "step"} ${m.step}${m.marks ? `: ${[...m.marks].map((l) => markNames[l]).join(", ")}` : ""}`;
	timeline.at(m.index, text);
	$("where").textContent = text;
	history.replaceState(null, "", `#${app.home.part}launch=${app.launch}&warp=${app.warp}&at=${app.index}`);
	await refresh();
}

/** refresh asks for the views that are open. */
async function refresh() {
	const at = { launch: app.launch, step: app.step, warp: app.warp };
	const state = (view, more) => ask({ state: { view, ...at, ...more } }, view);
	const source = await state("source");
	app.lines = source.lines;
	mark(true);
	for (const v of document.querySelectorAll(".view")) {
		if (!v.open || v.hidden) continue;
		const name = v.dataset.view;
		const answer = await state(name, name === "memory" ? { index: app.index } : name === "warp" && app.registers.length ? { registers: app.registers } : {});
		const focused = document.activeElement?.id;
		draws[name](v.lastElementChild, answer, app);
		if (focused && document.activeElement === document.body) $(focused)?.focus();
	}
	document.body.dataset.shown = `${app.launch}.${app.warp}.${app.index}`;
}

const keys = [
	[".", "next instruction of the warp", () => move(1)], [",", "previous instruction", () => move(-1)],
	["j", "next warp", () => app.focus(Math.min(app.warp + 1, app.opened.launches[app.launch].warps - 1))], ["k", "previous warp", () => app.focus(Math.max(app.warp - 1, 0))],
	["d", "next divergence", () => find("divergence")], ["D", "previous divergence", () => find("divergence", true)],
	["r", "next reconvergence", () => find("reconvergence")], ["R", "previous reconvergence", () => find("reconvergence", true)],
	["b", "next barrier", () => find("barrier")], ["B", "previous barrier", () => find("barrier", true)],
	["m", "next access to memory", () => find("access")], ["M", "previous access to memory", () => find("access", true)],
	["f", "next finding", () => find("finding")], ["F", "previous finding", () => find("finding", true)],
	["Home", "first instruction", () => go({ index: 0 })], ["End", "after the last instruction", () => go({ index: Number.MAX_SAFE_INTEGER })],
];
$("keys").lastElementChild.append(el("dl", {}, keys.map(([key, what]) => [el("dt", {}, el("kbd", {}, key.length === 1 && key >= "A" && key <= "Z" ? `Shift+${key.toLowerCase()}` : key)), el("dd", {}, what)]).flat(),
	el("dt", {}, el("kbd", {}, "Ctrl+Enter")), el("dd", {}, "run the text of the editor")));

document.addEventListener("keydown", (e) => {
	const t = e.target;
	if (e.ctrlKey || e.metaKey || e.altKey || !app.opened?.launches.length || editor.hasFocus() || /^(INPUT|TEXTAREA|SELECT)$/.test(t.tagName)) return;
	const arrows = t.getAttribute?.("role") === "slider" ? { ArrowRight: ".", ArrowLeft: "," } : {};
	const key = keys.find(([k]) => k === (arrows[e.key] ?? e.key));
	if (!key) return;
	e.preventDefault();
	key[2]();
});
$("run").addEventListener("click", () => open(true));
$("form").addEventListener("input", () => app.home.part = "");
$("form").addEventListener("submit", (e) => {
	e.preventDefault();
	open(true);
});
$("file").addEventListener("change", (e) => showFile(Number(e.target.value), true));
for (const v of document.querySelectorAll(".view")) v.addEventListener("toggle", () => v.open && app.opened?.launches.length && refresh().catch((err) => say(err.message, true)));
let resized = 0, width = 0;
new ResizeObserver(() => {
	if ($("timeline").clientWidth === width) return;
	width = $("timeline").clientWidth;
	clearTimeout(resized);
	resized = setTimeout(() => app.opened?.launches.length && drawTime().catch((err) => say(err.message, true)), 100);
}).observe($("timeline"));

/** begin opens the program of the session, or what a home wants instead. */
export function begin(home) {
	if (home) app.home = home;
	return open(false).catch((err) => say(err.message, true));
}

/** given is the program as the page has it. */
export const given = () => ({ name: app.file.name, text: editor.text(), settings: settings() });
