// How modules become files of a page.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const here = dirname(fileURLToPath(import.meta.url));

/** bundle returns [name, text] of files, by name, that are made from modules and style sheets: [path below src, name without its end]. */
export async function bundle(entries, format = "esm") {
	const built = await build({
		absWorkingDir: here,
		entryPoints: entries.map(([path, out]) => ({ in: `src/${path}`, out })),
		outdir: "out",
		bundle: true,
		minify: true,
		write: false,
		format,
		target: ["chrome110", "firefox114", "safari16.4"],
		charset: "utf8",
		legalComments: "none",
		banner: { js: "/*! simtrun; CodeMirror 6: Copyright (C) 2018-2021 by Marijn Haverbeke and others, MIT license */" },
	});
	return built.outputFiles.map((f) => [f.path.split("/").pop(), f.text]).sort();
}
