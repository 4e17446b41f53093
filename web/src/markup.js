// Elements from what the machine has drawn: the part of a profile's page that is about a launch. Only these elements
// and attributes are made, and text is always a text node.
import { el, svg } from "./dom.js";

const shapes = new Set(["svg", "g", "title", "rect", "line", "path", "circle", "text"]);
const parts = new Set(["div", "h3", "small", "dl", "dt", "dd", "p", "pre", "code", "span", "strong", "a", "figure", "figcaption", "details", "summary",
	"table", "thead", "tbody", "tr", "th", "td", "button"]);
const properties = /^(viewBox|preserveAspectRatio|role|aria-(label|hidden)|class|id|title|scope|tabindex|data-v|x|y|x1|y1|x2|y2|width|height|cx|cy|r|d|text-anchor|fill-opacity)$/;
const allowed = ([, key, value]) => properties.test(key) || (key === "href" && /^#[\w-]+$/.test(value)) || (key === "style" && /^(--heat:\d+%|max-width:[\d.]+px)$/.test(value));
const unescaped = (text) => text.replace(/&(?:#(\d+)|(lt|gt|amp|quot));/g, (_, code, name) => (code ? String.fromCodePoint(code) : { lt: "<", gt: ">", amp: "&", quot: '"' }[name]));

/** markupOf makes elements of markup that the machine has written. */
export function markupOf(text) {
	const root = el("div"), open = [root];
	for (const [all, end, name, props, words] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s+[\w-]+="[^"]*")*)\s*\/?>|([^<]+)/gi)) {
		if (words !== undefined) open.at(-1).append(unescaped(words));
		else if (end) open.pop();
		else {
			const make = shapes.has(name) && (name === "svg" || open.at(-1) instanceof SVGElement) ? svg : parts.has(name) ? el : null;
			if (!make) throw new Error(`the figures have <${name}>`);
			const found = [...props.matchAll(/([\w-]+)="([^"]*)"/g)].filter(allowed).map(([, key, value]) => [key, unescaped(value)]);
			const node = make(name, Object.fromEntries(found));
			open.at(-1).append(node);
			if (!all.endsWith("/>")) open.push(node);
		}
	}
	return root.firstChild;
}
