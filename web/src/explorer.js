// The explorer: one program, one moment, and what its views show.
import { ask } from "./client.js";
import { $, base, el } from "./dom.js";
import { makeEditor } from "./editor.js";
import { makeLessons } from "./lessons.js";
import { cyclesFor, drawFigures, drawGPU, drawOccupancy, drawSchedulers } from "./run_views.js";
import { download, offPage, pictureOf } from "./picture.js";
import { columnsFor, drawTimeline, markNames } from "./timeline.js";
import { drawAccessPicture, drawBlock, drawMemory, drawSM, drawWarp, drawWarpPicture } from "./views.js";
import "../../internal/report/html/sort.js";

const app = {
	opened: null, file: { name: "" },
	launch: 0, warp: 0, index: 0, step: 0,
	registers: [], lines: [],
	lesson: null, opens: 0, usage: {},
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
		edited();
	},
});
const draws = { warp: drawWarp, block: drawBlock, memory: drawMemory, sm: drawSM, gpu: drawGPU, schedulers: drawSchedulers, figures: (node, f, app) => drawFigures(node, f, app, (line) => editor.reveal(line)),
	occupancy: (node, o, app) => drawOccupancy(node, o, app, change) };
let lessons = null;
let timeline = { at() {} };

/** edited forgets what the address says of the program, unless that is a lesson. */
function edited() {
	if (!app.lesson) app.home.part = "";
}

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
	Object.assign(app, { opens, usage: {} });
	runs.clear();
	$("run").classList.remove("changed");
	if (app.lesson) lessons.show(app.lesson, o.goals ?? []);
	if (app.file.name !== o.files[0].name || (app.lesson && !own)) showFile(0, !own);
	else app.file = o.files[0];
	$("file").replaceChildren(...o.files.map((f, i) => el("option", { value: i }, base(f.name))));
	$("what").textContent = `${base(o.files[0].name)}, divergence ${o.model}${o.timed ? `, GPU ${o.gpu}: steps are cycles` : ""}`;
	document.title = `${base(o.files[0].name)} – simtrun view`;
	for (const v of document.querySelectorAll("[data-timed]")) v.hidden = !o.timed;
	drawForm(o.settings);
	drawFindings();
	app.lines = [];
	if (o.launches.length === 0) {
		mark(false);
		$("moment").replaceChildren();
		$("timeline").replaceChildren(el("p", { class: "note" }, "Nothing was executed."));
		$("told").replaceChildren();
		for (const v of document.querySelectorAll(".view > div")) v.replaceChildren();
		return say("the program has errors", true);
	}
	app.launch = Math.min(app.launch, o.launches.length - 1);
	if (fresh && !app.lesson) fromLink();
	app.warp = Math.min(app.warp, o.launches[app.launch].warps - 1);
	drawBar();
	await drawTime();
	await go(fresh && app.lesson?.find ? { index: 0, find: app.lesson.find } : { index: app.index });
	say(o.limited || o.failure || "", true);
}

/** learn begins a lesson; null leaves them. solved is for a solution. */
async function learn(lesson, solved) {
	if (lesson === null) return leave();
	if (!app.lesson) app.before = app.home;
	app.lesson = lesson;
	app.home = { opening: () => ({ lesson: lesson.name }), part: `lesson=${lesson.name}&` };
	Object.assign(app, { launch: 0, warp: lesson.warp ?? 0, index: 0, registers: [] });
	delete document.body.dataset.shown;
	lessons.show(lesson, []);
	if (!solved) for (const v of document.querySelectorAll(".view")) v.open = lesson.views.includes(v.dataset.view);
	if (!solved) return open(false);
	const opening = app.home.opening;
	app.home.opening = () => ({ ...opening(), solved: true });
	await open(false);
	app.home.opening = opening;
}

/** leave goes back to the program that was there before the lessons. */
export function leave(home = app.before) {
	if (!app.lesson) return;
	app.lesson = null;
	lessons.show(null);
	app.home = home;
	Object.assign(app, { launch: 0, warp: 0, index: 0 });
	return open(false);
}

/** change moves sliders of occupancy; null puts them back. */
async function change(usage) {
	app.usage = usage ? { ...app.usage, ...usage } : {};
	const node = document.querySelector("[data-view=occupancy] > div");
	await only("occupancy", async () => draws.occupancy(node, await asks.occupancy(), app)).catch((err) => say(err.message, true));
}

const busy = new Map(); // by name: whether it is being done, and once more

/** only does something now, or once more after it has been done: the latest of many calls. */
async function only(name, run) {
	if (busy.has(name)) return busy.set(name, true);
	try {
		do {
			busy.set(name, false);
			await run();
		} while (busy.get(name));
	} finally {
		busy.delete(name);
	}
}

/** fill shows the program of a home in the editor, without execution. */
export function fill(home) {
	const { name, text, settings } = home.opening();
	opens++;
	app.lesson = null;
	lessons?.show(null);
	app.home = home;
	app.opened = null;
	app.file = { name, text, lang: "ptx" };
	editor.show(text, "ptx", true);
	editor.mark([], [], false);
	$("file").replaceChildren(el("option", {}, name));
	$("what").textContent = name;
	$("run").classList.add("changed");
	for (const part of ["moment", "timeline", "told", "findings"]) $(part).replaceChildren();
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
			button("D", "next divergence (d)", () => find("divergence")), button("B", "next barrier (b)", () => find("barrier")), button("M", "next access to memory (m)", () => find("access")), button("F", "next finding (f)", () => find("finding")), button("SVG", "save the timeline as an SVG file (s)", () => saveOr("time"))),
		el("span", { id: "where", "aria-live": "polite" }));
}

const timelineFor = (node) => ask({ timeline: { launch: app.launch, warp: app.warp, columns: columnsFor(node) } }, "timeline");

async function drawTime() {
	const t = await timelineFor($("timeline"));
	timeline = drawTimeline($("timeline"), $("told"), t, app.index, (index) => go({ index }), app.opened.files[0].name);
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

const runs = new Map(); // answers about whole launches

/** once asks for something about the launch that no moment changes. */
async function once(name, request) {
	const key = JSON.stringify([name, app.launch, request]);
	if (!runs.has(key)) runs.set(key, await ask({ [name]: { launch: app.launch, ...request } }, name));
	return runs.get(key);
}

/** asks has the requests of views that show no state of the machine. */
const asks = {
	gpu: () => once("gpu", { bins: 240 }),
	figures: () => once("figures", {}),
	occupancy: () => once("occupancy", app.usage),
	schedulers(node) {
		const count = cyclesFor(node), half = Math.floor(count / 2);
		return once("schedulers", { warp: app.warp, from: Math.max(0, Math.floor(app.step / half) * half - Math.floor(half / 2)), count });
	},
};

/** answerFor asks for what a view shows in a node. */
function answerFor(name, node) {
	if (asks[name]) return asks[name](node);
	const more = name === "memory" ? { index: app.index } : name === "warp" && app.registers.length ? { registers: app.registers } : {};
	return ask({ state: { view: name, launch: app.launch, step: app.step, warp: app.warp, ...more } }, name);
}

/** refresh asks for the views that are open. */
async function refresh() {
	const source = await answerFor("source");
	app.lines = source.lines;
	mark(true);
	// To see what an access does, the machine executes it: views of the same moment come before.
	const views = [...document.querySelectorAll(".view")].filter((v) => v.open && !v.hidden);
	for (const v of [...views.filter((v) => v.dataset.view !== "memory"), ...views.filter((v) => v.dataset.view === "memory")]) {
		const name = v.dataset.view, answer = await answerFor(name, v.lastElementChild);
		const focused = document.activeElement?.id;
		draws[name](v.lastElementChild, answer, app);
		if (focused && document.activeElement === document.body) $(focused)?.focus();
	}
	document.body.dataset.shown = `${app.launch}.${app.warp}.${app.index}`;
}

/** pictures draw what a file has of a view that is more than drawings on the page. */
const pictures = { warp: drawWarpPicture, memory: drawAccessPicture };

/** save makes a file of the drawings of a view, or of the timeline. */
async function save(name) {
	const l = app.opened.launches[app.launch];
	const moment = `${app.opened.timed ? "cycle" : "step"} ${app.step}`, title = `${base(app.opened.files[0].name)}, ${l.kernel}: ${{ time: `warp ${app.warp}`, gpu: "SMs over cycles", occupancy: "occupancy", figures: "figures" }[name] ?? `${name}, warp ${app.warp}, ${moment}`}`;
	const text = await offPage(async (node) => {
		if (name === "time") {
			const told = el("div"), line = el("div");
			node.append(line, told);
			drawTimeline(line, told, await timelineFor(node), app.index, () => {}, "");
			told.querySelector("#story")?.remove();
		} else (pictures[name] ?? draws[name])(node, await answerFor(name, node), app);
		return pictureOf(node, title);
	});
	if (text === null) return say("there is nothing to draw at this moment", true);
	const file = `${base(app.opened.files[0].name).replace(/[^\w.-]+/g, "_").replace(/\.\w+$/, "")}-${name}.svg`;
	download(file, text);
	say(`saved ${file}`);
}

const saveOr = (name) => save(name).catch((err) => say(err.message, true));
for (const v of document.querySelectorAll(".view")) {
	const name = v.dataset.view;
	if (!/^(block|sm)$/.test(name)) v.lastElementChild.before(el("button", { class: "save", title: `save the pictures of this view as an SVG file (s)`, "aria-label": `save ${v.firstElementChild.textContent} as SVG`, onclick: () => app.opened?.launches.length && saveOr(name) }, "SVG"));
}

const keys = [
	[".", "next instruction of the warp", () => move(1)], [",", "previous instruction", () => move(-1)],
	["j", "next warp", () => app.focus(Math.min(app.warp + 1, app.opened.launches[app.launch].warps - 1))], ["k", "previous warp", () => app.focus(Math.max(app.warp - 1, 0))],
	["d", "next divergence", () => find("divergence")], ["D", "previous divergence", () => find("divergence", true)],
	["r", "next reconvergence", () => find("reconvergence")], ["R", "previous reconvergence", () => find("reconvergence", true)],
	["b", "next barrier", () => find("barrier")], ["B", "previous barrier", () => find("barrier", true)],
	["m", "next access to memory", () => find("access")], ["M", "previous access to memory", () => find("access", true)],
	["f", "next finding", () => find("finding")], ["F", "previous finding", () => find("finding", true)],
	["s", "save the pictures of the view that has the focus, or the timeline, as SVG", () => saveOr(document.activeElement?.closest(".view:has(.save)")?.dataset.view ?? "time")],
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
$("form").addEventListener("input", edited);
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
	resized = setTimeout(() => app.opened?.launches.length && drawTime().then(refresh).catch((err) => say(err.message, true)), 100);
}).observe($("timeline"));

/** begin opens the program of the session, or what a home wants instead; or the lesson of the address. */
export async function begin(home) {
	if (home) app.home = home;
	try {
		const lesson = await lessonOf(true);
		await (lesson ? learn(lesson) : open(false));
		await lessonOf();
	} catch (err) {
		say(err.message, true);
	}
}

/** lessonOf returns the lesson that the address names; with link, it does not ask for the list if there is none. */
async function lessonOf(link) {
	const name = new URLSearchParams(location.hash.slice(1)).get("lesson");
	if (link && !name) return null;
	lessons ??= makeLessons((await ask({ lessons: {} }, "lessons")).lessons, { begin: (l) => learn(l).catch((err) => say(err.message, true)), solve: (l) => learn(l, true) });
	return lessons.find(name);
}
addEventListener("hashchange", async () => {
	const name = new URLSearchParams(location.hash.slice(1)).get("lesson");
	if (!name || name === app.lesson?.name) return;
	const lesson = await lessonOf();
	if (lesson) learn(lesson);
});

/** given is the program as the page has it. */
export const given = () => ({ name: app.file.name, text: editor.text(), settings: settings() });
