// The lessons: a list, and the panel of the one that is open.
import { $, el } from "./dom.js";

/** prose makes a paragraph; code is between backquotes. */
const prose = (text) => el("p", {}, text.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part)));

/** makeLessons fills the menu. begin is called with a lesson, or null for none, and solve for its solution. */
export function makeLessons(all, { begin, solve }) {
	const menu = $("lessons");
	menu.hidden = all.length === 0;
	menu.replaceChildren(el("option", { value: "" }, "lessons …"), ...all.map((l, i) => el("option", { value: l.name }, `${i + 1} ${l.title}`)));
	menu.addEventListener("change", () => begin(all.find((l) => l.name === menu.value) ?? null));
	return {
		find: (name) => all.find((l) => l.name === name),
		/** show draws the panel of a lesson and how its goals stand; null hides it. */
		show(lesson, goals) {
			const panel = $("lesson");
			menu.value = lesson?.name ?? "";
			menu.options[0].textContent = lesson ? "leave the lessons" : "lessons …";
			panel.hidden = !lesson;
			if (!lesson) return panel.replaceChildren();
			const i = all.indexOf(lesson), other = (by, text, key) => el("button", { id: key, disabled: !all[i + by], onclick: () => begin(all[i + by]) }, text);
			const solved = goals.length > 0 && goals.every((g) => g.met);
			const top = panel.dataset.lesson === lesson.name ? panel.scrollTop : 0;
			panel.dataset.lesson = lesson.name;
			panel.dataset.solved = solved;
			panel.replaceChildren(
				el("div", { class: "bar" }, el("h2", {}, `${i + 1}. ${lesson.title}`), other(-1, "◀ previous", "lesson-before"), other(1, "next ▶", "lesson-next"), el("button", { id: "solve", onclick: () => solve(lesson) }, "show a solution")),
				...lesson.text.map(prose),
				el("ul", { id: "goals", "aria-live": "polite" }, (goals.length ? goals : lesson.goals.map((text) => ({ text }))).map((g) => el("li", { class: g.met ? "met" : "open" }, g.met ? "✓ " : "○ ", el("code", {}, g.text), g.got === undefined ? "" : ` – ${g.got}`))),
				el("p", { id: "solved" }, solved ? el("b", {}, "Solved. ", all[i + 1] ? "On to the next one." : "That was the last one.") : "Change the kernel, and press Ctrl+Enter."));
			panel.scrollTop = top;
		},
	};
}
