// The source: an editor with marks by line.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { count, el, lanes } from "./dom.js";
import { language } from "./language.js";

const setMarks = StateEffect.define();

/** Sign is the mark of a line: what the warp's lanes do there. */
class Sign extends GutterMarker {
	constructor(text, kind, title) {
		super();
		Object.assign(this, { text, kind, title });
	}
	eq(other) {
		return other.text === this.text && other.kind === this.kind && other.title === this.title;
	}
	toDOM() {
		return el("span", { class: `sign ${this.kind}`, title: this.title, role: "img", "aria-label": this.title }, this.text);
	}
}

/** Heat is how much of the launch's instructions a line has. */
class Heat extends GutterMarker {
	constructor(line, least, most) {
		super();
		const share = most > least ? 1 + Math.round((7 * (line.passes - least)) / (most - least)) : 2;
		Object.assign(this, { passes: line.passes, share, average: line.lanes / line.passes });
	}
	eq(other) {
		return other.passes === this.passes && other.share === this.share && other.average === this.average;
	}
	toDOM() {
		const title = `executed ${this.passes} times by warps, with ${this.average.toFixed(1)} of 32 lanes active on average`;
		return el("span", { class: `heat h${this.share}`, title }, this.passes > 9999 ? this.passes.toExponential(0).replace("+", "") : this.passes);
	}
}

/** marksOf makes decorations and gutter marks of the state of lines and of findings. */
function marksOf(doc, { lines, findings }) {
	const signs = [], heat = [], classes = [];
	const passes = lines.map((l) => l.passes).filter(Boolean), least = Math.min(...passes), most = Math.max(...passes);
	const at = (n) => (n >= 1 && n <= doc.lines ? doc.line(n).from : -1);
	for (const l of lines) {
		const from = at(l.line);
		if (from < 0) continue;
		if (l.passes) heat.push(new Heat(l, least, most).range(from));
		if (l.next) {
			signs.push(new Sign("▶", "next", `next: ${lanes(l.at)}`).range(from));
			classes.push(Decoration.line({ class: "line-next" }).range(from));
		} else if (l.reconverging) {
			signs.push(new Sign("⋈", "meet", `waiting to reconverge: ${lanes(l.reconverging)}`).range(from));
			classes.push(Decoration.line({ class: "line-here" }).range(from));
		} else if (l.at) {
			signs.push(new Sign(`${count(l.at)}`, "here", `here: ${lanes(l.at)}`).range(from));
			classes.push(Decoration.line({ class: "line-here" }).range(from));
		}
	}
	for (const f of findings) {
		const from = at(f.line);
		if (from < 0) continue;
		signs.push(new Sign("✖", f.severity, `${f.severity}: ${f.message} [${f.rule}]`).range(from));
		classes.push(Decoration.line({ class: `line-${f.severity}` }).range(from));
	}
	return { signs: RangeSet.of(signs, true), heat: RangeSet.of(heat, true), classes: Decoration.set(classes, true) };
}

const none = { signs: RangeSet.empty, heat: RangeSet.empty, classes: Decoration.none };

const marks = StateField.define({
	create: () => none,
	update(value, tr) {
		for (const e of tr.effects) if (e.is(setMarks)) return marksOf(tr.state.doc, e.value);
		if (!tr.docChanged) return value;
		return { signs: value.signs.map(tr.changes), heat: value.heat.map(tr.changes), classes: value.classes.map(tr.changes) };
	},
	provide: (f) => EditorView.decorations.from(f, (v) => v.classes),
});

/** makeEditor makes an editor in a node. run is called by Ctrl+Enter, changed when the text does. */
export function makeEditor(parent, { run, changed }) {
	let editable = true;
	const state = (text, lang) => EditorState.create({
		doc: text,
		extensions: [
			gutter({ class: "signs", markers: (v) => v.state.field(marks).signs }),
			lineNumbers(),
			gutter({ class: "heats", markers: (v) => v.state.field(marks).heat }),
			marks, history(), drawSelection(), highlightActiveLine(), language(lang),
			EditorView.contentAttributes.of({ "aria-label": "source of the kernel; Escape, then Tab, leaves it" }),
			EditorView.editable.of(editable), EditorState.readOnly.of(!editable),
			keymap.of([
				{ key: "Ctrl-Enter", mac: "Cmd-Enter", run: () => (run(), true) },
				{ key: "Escape", run: (v) => (v.contentDOM.blur(), true) },
				...defaultKeymap, ...historyKeymap, indentWithTab,
			]),
			EditorView.updateListener.of((u) => u.docChanged && changed()),
		],
	});
	const view = new EditorView({ state: state("", "ptx"), parent });
	return {
		/** show replaces the text. */
		show(text, lang, canEdit) {
			editable = canEdit;
			view.setState(state(text, lang));
		},
		text: () => view.state.doc.toString(),
		/** mark shows the state of lines, and findings; with scroll it brings the next line into view. */
		mark(lines, findings, scroll) {
			const effects = [setMarks.of({ lines, findings })];
			const next = lines.find((l) => l.next);
			if (scroll && next && next.line <= view.state.doc.lines) {
				const pos = view.state.doc.line(next.line).from;
				const box = view.scrollDOM.getBoundingClientRect(), at = view.coordsAtPos(pos);
				if (!at || at.top < box.top + 20 || at.bottom > box.bottom - 20) effects.push(EditorView.scrollIntoView(pos, { y: "center" }));
			}
			view.dispatch({ effects });
		},
		/** reveal brings a line into view. */
		reveal(line) {
			if (line >= 1 && line <= view.state.doc.lines) view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(line).from, { y: "center" }) });
		},
		hasFocus: () => view.hasFocus,
	};
}
