// The first picture: answers that were computed when the site was built, for the program that it opens. They are there
// before the machine has started.

/** keyOf names a request, whatever its number. Columns are left out: the first program has fewer instructions. */
export function keyOf({ version, id, ...request }) {
	if (request.timeline) request.timeline = { ...request.timeline, columns: 0 };
	return JSON.stringify(request, (_, v) => (v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v));
}

/** requestsOf are the requests of a page that opens a program: it shows the first instruction of warp 0. */
export const requestsOf = (program) => [
	{ open: { name: program.name, text: program.text, settings: {} } },
	{ lessons: {} },
	{ timeline: { launch: 0, warp: 0, columns: 40 } },
	{ seek: { launch: 0, warp: 0, index: 0 } },
	...["source", "warp", "block"].map((view) => ({ state: { view, launch: 0, step: 0, warp: 0 } })),
	{ state: { view: "memory", launch: 0, step: 0, warp: 0, index: 0 } },
];

/** withFirst returns a transport that answers from known answers, by key, until a request is not among them. The
 * machine opens the program when the page has drawn that; what follows is its own. */
export function withFirst(known, machine) {
	let opening = null, live = false, superseded = false;
	const drawn = () => new Promise((done) => (globalThis.requestIdleCallback ?? setTimeout)(done, { timeout: 1000 }));
	return async (line) => {
		const request = JSON.parse(line), answer = live ? undefined : known[keyOf(request)];
		if (answer === undefined || (request.open && opening)) {
			live = true;
			if (request.open) {
				superseded = true; // by this program
				opening = null;
			}
			await opening;
			return machine(line);
		}
		if (request.open) {
			opening = drawn().then(() => superseded || machine(line));
			opening.catch(() => {}); // the next request says so
		}
		return JSON.stringify({ ...answer, id: request.id });
	};
}
