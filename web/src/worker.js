// The worker of the playground: it starts the machine, and passes messages on to it.
importScripts("wasm_exec.js");

async function start() {
	const packed = await fetch("machine.wasm.gz");
	if (!packed.ok) throw new Error(`machine.wasm.gz: ${packed.status}`);
	const body = packed.body.pipeThrough(new DecompressionStream("gzip"));
	const go = new Go();
	const { instance } = await WebAssembly.instantiateStreaming(new Response(body, { headers: { "Content-Type": "application/wasm" } }), go.importObject);
	go.run(instance).then(() => postMessage({ failed: "it has ended" }), failed);
}

const failed = (err) => postMessage({ failed: String(err?.message ?? err) });
const ready = start();
ready.then(() => postMessage({ ready: true }), failed);
onmessage = async ({ data: { number, line } }) => {
	try {
		await ready;
		const answer = simtrunMessage(line);
		if (typeof answer !== "string") throw new Error("it gives no answer");
		postMessage({ number, line: answer });
	} catch (err) {
		failed(err);
	}
};
