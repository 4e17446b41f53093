// The machine in a worker: lines of JSON go there, answers come back, one after the other.

/** mostTime is how long an answer may take, in ms. The worker is ended then, and another one begins. */
export const mostTime = 30_000;

/** makeMachine starts the machine. It returns a function that sends a line and promises the answer, within a time in ms. */
export function makeMachine(limit = mostTime) {
	let worker = null, number = 0;
	const waiting = new Map();
	const end = (why) => {
		worker?.terminate();
		worker = null;
		for (const one of waiting.values()) one.fail(new Error(why));
		waiting.clear();
	};
	const start = () => {
		worker = new Worker("worker.js");
		worker.onmessage = ({ data }) => {
			if (data.failed) return end(`the machine has stopped: ${data.failed}`);
			waiting.get(data.number)?.done(data.line);
			waiting.delete(data.number);
		};
		worker.onerror = (e) => end(`the machine does not start: ${e.message}`);
	};
	start();
	return (line) => new Promise((resolve, reject) => {
		if (!worker) start();
		const timer = setTimeout(() => end(`stopped after ${limit / 1000} s; Run begins anew`), limit);
		const settle = (f) => (x) => (clearTimeout(timer), f(x));
		waiting.set(++number, { done: settle(resolve), fail: settle(reject) });
		worker.postMessage({ number, line });
	});
}
