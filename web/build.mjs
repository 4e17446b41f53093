// Builds the page into the archive that the command embeds: a txtar that gzip has compressed, as internal/packed reads
// it. With a file name, it is written there instead.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const built = await build({
	absWorkingDir: here,
	entryPoints: ["src/explorer.js", "src/explorer.css"],
	outdir: "out",
	bundle: true,
	minify: true,
	write: false,
	format: "esm",
	target: ["chrome110", "firefox110", "safari16"],
	charset: "utf8",
	legalComments: "none",
	banner: { js: "/*! simtrun; CodeMirror 6: Copyright (C) 2018-2021 by Marijn Haverbeke and others, MIT license */" },
});
const files = [
	["index.html", readFileSync(join(here, "src/index.html"), "utf8")],
	...built.outputFiles.map((f) => [f.path.split("/").pop(), f.text]).sort(),
];
let text = "";
for (const [name, data] of files) {
	if (/^-- .* --$/m.test(data)) throw new Error(`${name} has a line that separates files`);
	text += `-- ${name} --\n${data.endsWith("\n") ? data : data + "\n"}`;
}
writeFileSync(process.argv[2] ?? join(here, "../internal/view/page/page.txtar.gz"), gzipSync(text, { level: 9 }));
