// What is wrong with how a page looks, as a list of sentences: text that is cut, wider than its place or on top of other
// text, text with a contrast below 4.5 (3 if large), controls below 24 pixels or without a name, and a page that
// scrolls sideways. The value of the expression is a function.
(() => {
	const shown = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
	const name = (e) => {
		const part = (n) => n.tagName.toLowerCase() + (n.id ? `#${n.id}` : n.getAttribute("class") ? `.${n.getAttribute("class").trim().split(/\s+/).join(".")}` : "");
		return [e.parentElement, e].filter(Boolean).map(part).join(" > ");
	};
	const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const colours = new Map();
	/** rgba reads a colour: red, green and blue of 255, and opacity. */
	const rgba = (text) => {
		if (!colours.has(text)) {
			const m = text.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/);
			if (m) colours.set(text, [+m[1], +m[2], +m[3], m[4] === undefined ? 1 : +m[4]]);
			else {
				probe.clearRect(0, 0, 1, 1);
				probe.fillStyle = text;
				probe.fillRect(0, 0, 1, 1);
				const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
				colours.set(text, [r, g, b, a / 255]);
			}
		}
		return colours.get(text);
	};
	const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
	const luminance = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => {
		const v = c[i] / 255;
		return sum + part * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	}, 0);
	const contrast = (a, b) => {
		const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
		return (high + 0.05) / (low + 0.05);
	};
	/** backgroundsOf returns the colours that may be behind an element: several if it has a pattern or a gradient. */
	const backgroundsOf = (e) => {
		if (!e) return [rgba(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)")];
		const style = getComputedStyle(e), own = rgba(style.backgroundColor);
		const layers = style.backgroundImage === "none" ? [] : (style.backgroundImage.match(/rgba?\([^)]*\)/g) ?? []).map(rgba);
		const below = own[3] === 1 ? [own] : backgroundsOf(e.parentElement).map((c) => over(own, c));
		return layers.length ? below.flatMap((c) => [c, ...layers.map((l) => over(l, c))]) : below;
	};
	/** behindText returns the colour of the shapes on which a text of a picture is drawn. */
	const behindText = (text, box, below) => {
		const root = text.ownerSVGElement, out = [];
		for (const shape of root.querySelectorAll("rect, path, circle")) {
			if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) || shape.closest("defs")) continue;
			const style = getComputedStyle(shape);
			if (style.fill === "none" || style.fill.startsWith("url(")) continue;
			const at = new DOMPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2).matrixTransform(shape.getScreenCTM().inverse());
			if (shape.isPointInFill(at)) out.push([...rgba(style.fill).slice(0, 3), rgba(style.fill)[3] * style.fillOpacity * style.opacity]);
		}
		return out.reduce((c, shape) => over(shape, c), below);
	};
	const opacityOf = (e) => (e ? getComputedStyle(e).opacity * opacityOf(e.parentElement) : 1);

	/** textsOf returns the visible texts of the page, each with its element and its boxes. */
	const textsOf = () => {
		const all = [], range = document.createRange();
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let node = walker.nextNode(); node; node = walker.nextNode()) {
			const e = node.parentElement;
			if (!node.data.trim() || /^(SCRIPT|STYLE|OPTION|TITLE|TEXTAREA|DATALIST)$/i.test(e.tagName) || !shown(e)) continue;
			range.selectNodeContents(node);
			const boxes = [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
			if (boxes.length) all.push({ e, text: node.data.trim().slice(0, 60), boxes });
		}
		return all;
	};
	/** visible cuts a box by the scrolling and clipping ancestors of an element; null if nothing is left. */
	const visible = (e, box) => {
		let { left, right, top, bottom } = box;
		for (let p = e; p; p = p.parentElement) {
			const style = getComputedStyle(p), b = p.getBoundingClientRect();
			if (style.overflowX !== "visible") [left, right] = [Math.max(left, b.left), Math.min(right, b.right)];
			if (style.overflowY !== "visible") [top, bottom] = [Math.max(top, b.top), Math.min(bottom, b.bottom)];
			if (style.position === "sticky" && (style.top !== "auto" || style.left !== "auto")) return null; // is above others by intention
		}
		return right - left > 1 && bottom - top > 1 ? { left, right, top, bottom } : null;
	};
	const cut = ({ e, text, boxes }) => {
		for (let p = e; p && p !== document.documentElement; p = p.parentElement) {
			const style = getComputedStyle(p);
			if (/auto|scroll/.test(style.overflowX)) return "";
			if (style.overflowX === "visible" || style.textOverflow === "ellipsis") continue;
			const b = p.getBoundingClientRect();
			if (p instanceof SVGElement && !(p instanceof SVGSVGElement)) continue;
			if (boxes.some((r) => r.right > b.right + 1.5 || r.left < b.left - 1.5)) return `“${text}” of ${name(e)} is cut by ${name(p)}`;
		}
		if (boxes.some((r) => r.right > innerWidth + 1 || r.left < -1)) return `“${text}” of ${name(e)} is outside the page`;
		return "";
	};
	/** spills reports text that is wider than the box which is to hold it. */
	const spills = ({ e, text, boxes }) => {
		let p = e;
		while (p && /^(inline|contents)$/.test(getComputedStyle(p).display)) p = p.parentElement;
		if (!p || e instanceof SVGElement) return "";
		for (let s = p; s; s = s.parentElement) if (getComputedStyle(s).overflowX !== "visible") return "";
		const b = p.getBoundingClientRect();
		return boxes.some((r) => r.right > b.right + 1.5) ? `“${text}” is wider than ${name(p)}` : "";
	};
	const overlaps = (texts) => {
		const all = texts.flatMap((t) => t.boxes.map((r) => visible(t.e, r)).filter(Boolean).map((r) => ({ ...t, r }))).sort((a, b) => a.r.top - b.r.top), out = [];
		for (let i = 0; i < all.length; i++) {
			const a = all[i];
			for (let j = i + 1; j < all.length && all[j].r.top < a.r.bottom - 3; j++) {
				const b = all[j];
				if (a.e === b.e || Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left) < 2) continue;
				if (Math.min(a.r.bottom, b.r.bottom) - b.r.top < 0.35 * Math.min(a.r.bottom - a.r.top, b.r.bottom - b.r.top)) continue;
				out.push(`“${a.text}” of ${name(a.e)} and “${b.text}” of ${name(b.e)} overlap`);
			}
		}
		return out;
	};
	const pale = ({ e, text, boxes }) => {
		if (e.closest(":disabled, [aria-disabled=true]")) return "";
		const style = getComputedStyle(e), inPicture = e instanceof SVGElement;
		const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
		const own = rgba(inPicture ? style.fill : style.color);
		const from = inPicture ? e.ownerSVGElement : e;
		let least = Infinity;
		for (let below of backgroundsOf(from)) {
			if (inPicture) below = behindText(e, boxes[0], below);
			least = Math.min(least, contrast(over([...own.slice(0, 3), own[3] * opacityOf(e)], below), below));
		}
		return least < (large ? 3 : 4.5) - 0.005 ? `“${text}” of ${name(e)} has a contrast of ${least.toFixed(2)}` : "";
	};
	/** tiny reports text that is smaller on the screen than 9 pixels. */
	const tiny = ({ e, text }) => {
		const size = parseFloat(getComputedStyle(e).fontSize) * (e instanceof SVGElement ? Math.abs(e.getScreenCTM().d) : 1);
		return size < 8.95 ? `“${text}” of ${name(e)} is ${size.toFixed(1)} pixels high` : "";
	};
	/** broken reports text that was made of something that is no text. */
	const broken = ({ e, text }) => (/\[object |\bundefined\b|\bNaN\b/.test(text) && !e.closest(".cm-line, code, pre") ? `“${text}” is in ${name(e)}` : "");
	const hints = () => [...document.querySelectorAll("input[placeholder], textarea[placeholder]")].filter((e) => shown(e) && !e.value).map((e) => {
		const own = rgba(getComputedStyle(e, "::placeholder").color);
		const least = Math.min(...backgroundsOf(e).map((c) => contrast(over(own, c), c)));
		return least < 4.495 ? `the placeholder of ${name(e)} has a contrast of ${least.toFixed(2)}` : "";
	});
	const target = 24;
	const controls = () => [...document.querySelectorAll("button, select, input, textarea, summary, [role=slider], nav a, td a")].filter(shown).flatMap((e) => {
		let { width, height } = e.getBoundingClientRect();
		const label = e.labels?.[0]?.getBoundingClientRect();
		if (label) [width, height] = [Math.max(width, label.width), Math.max(height, label.height)]; // a click on it is one on the control
		const said = e.getAttribute("aria-label") || e.labels?.[0]?.textContent.trim() || e.textContent.trim() || e.title;
		return [width < target - 0.5 || height < target - 0.5 ? `${name(e)} “${said?.slice(0, 20)}” is ${width.toFixed(0)} × ${height.toFixed(0)} pixels` : "", said ? "" : `${name(e)} has no name`];
	});
	const pictures = () => [...document.querySelectorAll("[role=img]")].filter((e) => shown(e) && !e.getAttribute("aria-label")).map((e) => `${name(e)} has no text in place of it`);
	return () => {
		const texts = textsOf(), wide = document.documentElement.scrollWidth;
		const all = [wide > innerWidth ? `the page is ${wide} pixels wide` : "", ...texts.map(cut), ...texts.map(spills), ...overlaps(texts), ...texts.map(pale), ...texts.map(tiny), ...texts.map(broken), ...hints(), ...controls(), ...pictures()].filter(Boolean);
		return [...new Set(all)];
	};
})()
