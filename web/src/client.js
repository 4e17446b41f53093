// Messages to the session: one object there, one back.

export const version = 1;
let made = 0;

/** ask sends a request, and returns the member of the answer with a name. It throws the answer's error. */
export async function ask(request, member) {
	const id = ++made;
	const response = await fetch("message", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ version, id, ...request }),
		cache: "no-store",
	});
	if (!response.ok) throw new Error((await response.text()).trim());
	const answer = await response.json();
	if (answer.error) throw new Error(answer.error);
	if (answer.id !== id || answer[member] === undefined) throw new Error(`no answer about ${member}`);
	return answer[member];
}
