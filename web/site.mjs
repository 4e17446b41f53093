// Writes the playground, a static site, into a folder: node site.mjs MACHINE.wasm WASM_EXEC.js PROGRAMS FOLDER.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { bundle, here } from "./bundle.mjs";
import { keyOf, requestsOf } from "./src/first.js";

const [machine, support, programs, folder] = process.argv.slice(2);
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** replaced replaces a text that is there once. */
function replaced(text, from, to) {
	if (text.split(from).length !== 2) throw new Error(`${from} is not there once`);
	return text.replace(from, () => to);
}

let index = readFileSync(join(here, "src/index.html"), "utf8");
index = replaced(index, `<meta charset="utf-8">`, `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
index = replaced(index, "explorer.js", "playground.js");
index = replaced(index, "<title>simtrun view</title>", "<title>simtrun playground</title>");

// Programs that read files are left out: a browser has none.
const list = readdirSync(programs).filter((name) => name.endsWith(".s"))
	.map((name) => ({ name, text: readFileSync(join(programs, name), "utf8") }))
	.filter(({ text }) => !/^\/\/sim:.*(\bfile:|\.bin\b|\.npy\b)/m.test(text));

/** firstAnswers runs the machine, and returns its answers to the first requests of the page, by key. */
async function firstAnswers(program) {
	runInThisContext(readFileSync(support, "utf8"));
	const go = new globalThis.Go();
	const { instance } = await WebAssembly.instantiate(readFileSync(machine), go.importObject);
	go.run(instance);
	const answers = {};
	for (const request of requestsOf(program)) {
		const answer = JSON.parse(globalThis.simtrunMessage(JSON.stringify({ version: 1, id: 1, ...request })));
		if (answer.error) throw new Error(answer.error);
		answers[keyOf(request)] = answer;
	}
	return answers;
}

mkdirSync(folder, { recursive: true });
for (const [name, text] of [
	["index.html", index],
	["programs.json", JSON.stringify(list)],
	["first.json", JSON.stringify(await firstAnswers(list.find(({ name }) => name === "if_else.s")))],
	...await bundle([["playground.js", "playground"], ["explorer.css", "explorer"]]),
	...await bundle([["worker.js", "worker"]], "iife"),
]) writeFileSync(join(folder, name), text);
copyFileSync(support, join(folder, "wasm_exec.js"));
writeFileSync(join(folder, "machine.wasm.gz"), gzipSync(readFileSync(machine), { level: 9 }));
process.exit(0); // the machine would wait for messages
