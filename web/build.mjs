// Builds the page into the archive that the command embeds: a txtar that gzip has compressed, as internal/packed reads
// it. With a file name, it is written there instead.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundle, here } from "./bundle.mjs";

const files = [
	["index.html", readFileSync(join(here, "src/index.html"), "utf8")],
	...await bundle([["served.js", "explorer"], ["explorer.css", "explorer"]]),
];
let text = "";
for (const [name, data] of files) {
	if (/^-- .* --$/m.test(data)) throw new Error(`${name} has a line that separates files`);
	text += `-- ${name} --\n${data.endsWith("\n") ? data : data + "\n"}`;
}
writeFileSync(process.argv[2] ?? join(here, "../internal/view/page/page.txtar.gz"), gzipSync(text, { level: 9 }));
