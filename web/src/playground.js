// The page as a static site: the machine is in a worker, and programs come from a list, or from a link.
import { use } from "./client.js";
import { $, el } from "./dom.js";
import { begin, fill, given, say } from "./explorer.js";
import { withFirst } from "./first.js";
import { pack, unpack } from "./link.js";
import { makeMachine } from "./machine.js";

const machine = makeMachine();
use(machine);

/** home opens the program that was chosen. part is what the address says of it, with "&" at its end. */
const home = { program: null, part: "", opening: () => ({ name: home.program.name, text: home.program.text, settings: home.program.settings }) };
let all = [];

const first = () => all.find((p) => p.name === "if_else.s") ?? all[0];

/** linkOf returns the part of the address that holds a program. */
const linkOf = () => new URLSearchParams(location.hash.slice(1)).get("code");

async function start() {
	const packed = linkOf();
	if (packed !== null) return show(packed);
	await choose(first(), /[#&]lesson=/.test(location.hash) ? location.hash : "#");
}

/** choose opens a program of the list, at a moment or with a lesson that the hash names. */
async function choose(program, hash = "#") {
	home.program = { ...program, settings: {} };
	home.part = "";
	history.replaceState(null, "", hash);
	$("programs").value = program.name;
	fill(home);
	await begin(home);
}

/** show fills the editor. What a link has is executed by Run or Ctrl+Enter, never by itself. */
async function show(packed) {
	$("programs").value = "";
	try {
		home.program = await unpack(packed);
		home.part = `code=${packed}&`;
		fill(home);
		machine.start();
		say("from a link: read it, then Run");
	} catch (err) {
		home.program = { ...first(), settings: {} };
		home.part = "";
		fill(home);
		say(`the link cannot be read: ${err.message}`, true);
	}
}

async function copyLink() {
	try {
		home.part = `code=${await pack(given())}&`;
		const at = new URLSearchParams(location.hash.slice(1));
		at.delete("code");
		history.replaceState(null, "", `#${home.part}${at}`);
		await navigator.clipboard.writeText(location.href);
		say("the link is in the clipboard");
	} catch (err) {
		say(home.part ? "the link is in the address of this page" : err.message, !home.part);
	}
}

$("programs").hidden = $("link").hidden = false;
$("link").addEventListener("click", copyLink);
$("programs").addEventListener("change", (e) => choose(all.find((p) => p.name === e.target.value)));
addEventListener("hashchange", () => {
	const packed = linkOf();
	if (packed !== null && `code=${packed}&` !== home.part) show(packed);
});
/** read reads a file of the site. */
async function read(name) {
	const response = await fetch(name);
	if (!response.ok) throw new Error(`${name}: ${response.status}`);
	return response.json();
}

try {
	const [list, known] = await Promise.all([read("programs.json"), read("first.json")]);
	all = list;
	use(withFirst(known, machine));
	$("programs").append(...all.map((p) => el("option", {}, p.name)));
	await start();
} catch (err) {
	say(err.message, true);
}
