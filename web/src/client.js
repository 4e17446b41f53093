// Messages to the session: one object there, one back. How they travel depends on where the page is.

export const version = 1;
let made = 0;
let send = post;

/** use makes messages travel by a function: from a line of JSON to a promise of the answer's line. */
export function use(transport) {
	send = transport;
}

/** post sends a line to the server of the page. */
async function post(line) {
	const response = await fetch("message", { method: "POST", headers: { "Content-Type": "application/json" }, body: line, cache: "no-store" });
	const text = await response.text();
	if (!response.ok) throw new Error(text.trim());
	return text;
}

/** ask sends a request, and returns the member of the answer with a name. It throws the answer's error. */
export async function ask(request, member) {
	const id = ++made;
	const answer = JSON.parse(await send(JSON.stringify({ version, id, ...request })));
	if (answer.error) throw new Error(answer.error);
	if (answer.id !== id || answer[member] === undefined) throw new Error(`no answer about ${member}`);
	return answer[member];
}
