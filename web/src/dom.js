// Elements from data. Text is always a text node: nothing from a program is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** el makes an element: el("td", {class: "num"}, "text", child, ...). A property that is undefined or false is left out. */
export function el(name, props, ...children) {
	return fill(document.createElement(name), props, children);
}

/** svg is el for SVG. */
export function svg(name, props, ...children) {
	return fill(document.createElementNS(SVG, name), props, children);
}

function fill(node, props, children) {
	for (const [key, value] of Object.entries(props ?? {})) {
		if (value === undefined || value === false || value === null) continue;
		if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
		else node.setAttribute(key, value === true ? "" : String(value));
	}
	node.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false));
	return node;
}

/** $ finds an element by its ID. */
export const $ = (id) => document.getElementById(id);

/** has reports whether a lane is in a mask. */
export const has = (mask, lane) => ((mask >>> lane) & 1) === 1;

/** count counts the lanes of a mask. */
export function count(mask) {
	let n = 0;
	for (let m = mask >>> 0; m; m &= m - 1) n++;
	return n;
}

/** hex writes a mask with eight digits. */
export const hex = (mask) => (mask >>> 0).toString(16).padStart(8, "0");

/** ranges writes the lanes of a mask, as in "0-3,8". */
export function ranges(mask) {
	const parts = [];
	for (let lane = 0; lane < 32; lane++) {
		if (!has(mask, lane)) continue;
		const first = lane;
		while (lane < 31 && has(mask, lane + 1)) lane++;
		parts.push(first === lane ? `${first}` : `${first}-${lane}`);
	}
	return parts.join(",") || "none";
}

/** lanes writes the lanes of a mask with the word. */
export const lanes = (mask) => (count(mask) === 32 ? "all 32 lanes" : `lane${count(mask) === 1 ? "" : "s"} ${ranges(mask)}`);

/** strip draws a mask as 32 small cells. */
export function strip(mask, kind = "on") {
	return svg("svg", { class: "strip", viewBox: "0 0 128 10", width: 128, height: 10, role: "img", "aria-label": lanes(mask) },
		Array.from({ length: 32 }, (_, lane) => svg("rect", {
			x: lane * 4 + (lane >> 3) * 0.2, y: has(mask, lane) ? 0 : 4, width: 3, height: has(mask, lane) ? 10 : 2, class: has(mask, lane) ? kind : "off",
		})));
}

/** base is the last part of a file's name. */
export const base = (name) => name.split("/").pop();

/** where writes a place, as in "L12". */
export const where = (place, main) => (place.file === main || !place.file ? `L${place.line}` : `${base(place.file)}:${place.line}`);
