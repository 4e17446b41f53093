// Links: a program and its settings, compressed, in the fragment of an address. What a link holds is not trusted: it
// is read within limits, and shown in the editor; nothing of it is executed before the user says so.

const version = "1";
const mostPacked = 200_000; // characters
const mostText = 256 << 10; // bytes, as the machine has it
const mostSetting = 1000, mostArgs = 64;
const texts = ["kernel", "grid", "block", "shared", "gpu", "divergence", "path_order"];

const through = (data, stream) => new Blob([data]).stream().pipeThrough(stream).getReader();

/** all reads a stream, which may have so many bytes. */
async function all(reader, most) {
	const parts = [];
	let n = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return new Blob(parts).arrayBuffer();
		if ((n += value.length) > most) {
			reader.cancel().catch(() => {});
			throw new Error(`it has more than ${most} bytes`);
		}
		parts.push(value);
	}
}

/** pack writes a program as a part of a fragment. */
export async function pack({ name, text, settings }) {
	const json = new TextEncoder().encode(JSON.stringify({ name, text, settings }));
	const bytes = new Uint8Array(await all(through(json, new CompressionStream("deflate-raw")), Infinity));
	let binary = "";
	for (const b of bytes) binary += String.fromCharCode(b);
	const packed = `${version}.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
	if (packed.length > mostPacked) throw new Error("the program is too long for a link");
	return packed;
}

/** unpack reads what pack has written. It throws what is wrong. */
export async function unpack(packed) {
	if (packed.length > mostPacked) throw new Error("it is too long");
	const [first, code, more] = packed.split(".");
	if (first !== version || more !== undefined) throw new Error(`version ${first.slice(0, 10)} is not supported`);
	if (!/^[\w-]+$/.test(code ?? "")) throw new Error("it is damaged");
	let json;
	try {
		const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
		json = new TextDecoder("utf-8", { fatal: true }).decode(await all(through(bytes, new DecompressionStream("deflate-raw")), 2 * mostText));
		json = JSON.parse(json);
	} catch (err) {
		throw new Error(err.message.startsWith("it has") ? err.message : "it is damaged");
	}
	return checked(json);
}

/** checked returns what a link may have, and nothing else of it. */
function checked(json) {
	const short = (s, most = mostSetting) => typeof s === "string" && s.length <= most;
	const { name, text, settings: given } = Object(json);
	if (!short(name, 64) || !/^[\w.-]+\.(s|ptx)$/.test(name)) throw new Error("it names no file of PTX");
	if (!short(text, mostText)) throw new Error("it has no text, or too much of it");
	const settings = {};
	for (const key of texts) {
		const value = Object(given)[key];
		if (value === undefined) continue;
		if (!short(value)) throw new Error(`${key} is no setting`);
		settings[key] = value;
	}
	const args = Object(given).args;
	if (args !== undefined) {
		if (!Array.isArray(args) || args.length > mostArgs || !args.every((a) => short(a))) throw new Error("args are no arguments");
		settings.args = args;
	}
	if (Object(given).timed === true) settings.timed = true;
	return { name, text, settings };
}
