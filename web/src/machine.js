// The machine in a worker: lines of JSON go there, answers come back, one after the other.

/** mostTime is how long an answer may take, in ms. The worker is ended then, and another one begins. */
const mostTime = 10_000;

/** makeMachine returns a function that sends a line and promises the answer. Its start starts the machine; the first line
 * does so, too. */
export function makeMachine() {
	let worker = null, ready = false, number = 0;
	const waiting = new Map();
	const end = (why) => {
		worker?.terminate();
		worker = null;
		for (const one of waiting.values()) {
			clearTimeout(one.timer);
			one.fail(new Error(why));
		}
		waiting.clear();
	};
	/** watch limits the time of an answer, from the start of the machine on. */
	const watch = (one) => {
		one.timer = setTimeout(() => end(`stopped after ${mostTime / 1000} s; a smaller launch takes less`), mostTime);
	};
	const start = () => {
		ready = false;
		worker = new Worker("worker.js");
		worker.onmessage = ({ data }) => {
			if (data.failed) return end(`the machine has stopped: ${data.failed}`);
			if (data.ready) {
				ready = true;
				return waiting.forEach(watch);
			}
			const one = waiting.get(data.number);
			waiting.delete(data.number);
			clearTimeout(one.timer);
			one.done(data.line);
		};
		worker.onerror = (e) => end(`the machine does not start: ${e.message}`);
	};
	const send = (line) => new Promise((done, fail) => {
		send.start();
		const one = { done, fail };
		waiting.set(++number, one);
		if (ready) watch(one);
		worker.postMessage({ number, line });
	});
	send.start = () => worker || start();
	return send;
}
