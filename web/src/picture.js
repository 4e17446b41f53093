// Pictures as files: the drawings of a view as one SVG, which other programs show as the page does. A picture has the
// same width whatever the page has, and its styles are attributes, so that it is the same each time.
import { svg } from "./dom.js";

export const pictureWidth = 960;
const margin = 16, gap = 14, titleHigh = 26, nameHigh = 20;

const ofShapes = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity"];
const ofTexts = ["fill", "font-family", "font-size", "font-style", "font-weight", "opacity"];
const initial = { "fill-opacity": "1", "stroke": "none", "stroke-dasharray": "none", "opacity": "1", "font-style": "normal", "font-weight": "400" };
const kept = new Set(["x", "y", "x1", "y1", "x2", "y2", "width", "height", "cx", "cy", "r", "d", "transform", "text-anchor", "id", "patternUnits", "patternTransform"]);

/** styled copies an element of a picture, with its computed style as attributes. */
function styled(node) {
	if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
	const name = node.localName, copy = svg(name === "svg" ? "g" : name), style = getComputedStyle(node);
	if (name !== "svg") for (const { name: key, value } of node.attributes) if (kept.has(key)) copy.setAttribute(key, value);
	const properties = name === "text" ? ofTexts : /^(rect|line|path|circle)$/.test(name) ? ofShapes : [];
	for (const key of properties) {
		const value = style.getPropertyValue(key).replaceAll('"', "");
		if (value !== initial[key] && !(key === "stroke-width" && style.stroke === "none")) copy.setAttribute(key, value);
	}
	copy.append(...[...node.childNodes].map(styled));
	return copy;
}

/** nameOf is what the page writes above a drawing. */
function nameOf(drawing) {
	const figure = drawing.closest("figure, .curve");
	if (figure) return figure.querySelector("svg") === drawing ? figure.querySelector("h3, label").textContent.trim() : "";
	const before = drawing.previousElementSibling;
	return before?.matches("h3") ? before.textContent.trim() : "";
}

/** legend draws what colours and letters stand for, each once, from y on. */
function legend(node, text, y) {
	const parts = [], drawn = new Set();
	let x = margin;
	for (const key of node.querySelectorAll(".key")) {
		let after = key.nextSibling;
		while (after && !after.textContent.trim()) after = after.nextSibling;
		const name = (after?.textContent ?? "").trim().replace(/ \d+$/, ""), style = getComputedStyle(key);
		if (!name || drawn.has(name)) continue;
		drawn.add(name);
		const wide = 34 + 7 * name.length;
		if (x + wide > pictureWidth - margin) [x, y] = [margin, y + 20];
		parts.push(svg("rect", { x, y, width: 22, height: 14, fill: style.backgroundColor }), svg("text", { x: x + 11, y: y + 11, "text-anchor": "middle", "font-family": "ui-monospace, monospace", "font-size": 10, fill: style.color }, key.textContent));
		const words = text(y + 11, 12, 400, name);
		words.setAttribute("x", x + 28);
		parts.push(words);
		x += wide;
	}
	return { parts, y: drawn.size ? y + 14 + gap : y };
}

/** pictureOf makes one SVG of the drawings in a node that is laid out, below each other, with a title. */
export function pictureOf(node, title) {
	const text = (y, size, weight, words) => svg("text", { x: margin, y, "font-family": "system-ui, sans-serif", "font-size": size, "font-weight": weight, fill: getComputedStyle(document.body).color }, words);
	const drawings = [...node.querySelectorAll("svg:not(.strip, .lanebar)")], parts = [text(margin + 12, 14, 600, title)];
	let y = margin + titleHigh, right = 0;
	for (const drawing of drawings) {
		const name = nameOf(drawing), box = drawing.viewBox.baseVal;
		if (name) parts.push(text(y + 12, 13, 600, name));
		if (name) y += nameHigh;
		const group = styled(drawing);
		group.setAttribute("transform", `translate(${margin} ${y})`);
		parts.push(group);
		y += box.height + gap;
		right = Math.max(right, box.width);
	}
	if (drawings.length === 0) return null;
	const keys = legend(node, text, y);
	parts.push(...keys.parts);
	y = keys.y;
	const width = Math.max(pictureWidth, Math.ceil(right) + 2 * margin), height = Math.ceil(y - gap + margin);
	return `${new XMLSerializer().serializeToString(svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` },
		svg("title", {}, title), svg("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }), parts))}\n`;
}

/** offPage runs a function with a node that is as wide as a picture and not seen. */
export async function offPage(run) {
	const node = document.createElement("div");
	node.className = "off-page";
	node.style.width = `${pictureWidth - 2 * margin}px`;
	node.setAttribute("aria-hidden", "true");
	document.body.append(node);
	try {
		return await run(node);
	} finally {
		node.remove();
	}
}

/** download gives a file to the browser. */
export function download(name, text) {
	const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), link = document.createElement("a");
	Object.assign(link, { href: url, download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
