// Writes a small model of llama's architecture with random weights, in the format GGUF: llama_model.mjs FILE
import { writeFileSync } from "node:fs";

const width = 256, hidden = 512, layers = 2, heads = 4, keyHeads = 2, words = 384, length = 256;
const align = 32;

const u32 = (x) => { const b = Buffer.alloc(4); b.writeUInt32LE(x); return b; };
const i32 = (x) => { const b = Buffer.alloc(4); b.writeInt32LE(x); return b; };
const f32 = (x) => { const b = Buffer.alloc(4); b.writeFloatLE(x); return b; };
const u64 = (x) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(x)); return b; };
const text = (s) => { const b = Buffer.from(s); return Buffer.concat([u64(b.length), b]); };
const padded = (b) => Buffer.concat([b, Buffer.alloc((align - (b.length % align)) % align)]);

// Types of values in the header.
const U32 = 4, I32 = 5, F32 = 6, TEXT = 8, ARRAY = 9;
const header = [];
const put = (key, type, value) => header.push(Buffer.concat([text(key), u32(type), value]));
const array = (type, items) => Buffer.concat([u32(type), u64(items.length), ...items]);

// The vocabulary: three words with a meaning of their own, all bytes, letters with and without a space before them.
const letters = [..."abcdefghijklmnopqrstuvwxyz"];
const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`);
const vocabulary = ["<unk>", "<s>", "</s>", ...bytes, ...letters, ...letters.map((l) => "\u2581" + l), "\u2581"];
while (vocabulary.length < words) vocabulary.push("t" + vocabulary.length);
const NORMAL = 1, UNKNOWN = 2, CONTROL = 3, BYTE = 6;
const kinds = vocabulary.map((_, i) => (i === 0 ? UNKNOWN : i < 3 ? CONTROL : i < 259 ? BYTE : NORMAL));

put("general.architecture", TEXT, text("llama"));
put("general.alignment", U32, u32(align));
put("llama.context_length", U32, u32(length));
put("llama.embedding_length", U32, u32(width));
put("llama.block_count", U32, u32(layers));
put("llama.feed_forward_length", U32, u32(hidden));
put("llama.attention.head_count", U32, u32(heads));
put("llama.attention.head_count_kv", U32, u32(keyHeads));
put("llama.attention.layer_norm_rms_epsilon", F32, f32(1e-5));
put("llama.rope.dimension_count", U32, u32(width / heads));
put("llama.vocab_size", U32, u32(words));
put("tokenizer.ggml.model", TEXT, text("llama"));
put("tokenizer.ggml.tokens", ARRAY, array(TEXT, vocabulary.map(text)));
put("tokenizer.ggml.scores", ARRAY, array(F32, vocabulary.map((_, i) => f32(-Math.max(0, i - 259)))));
put("tokenizer.ggml.token_type", ARRAY, array(I32, kinds.map(i32)));
put("tokenizer.ggml.bos_token_id", U32, u32(1));
put("tokenizer.ggml.eos_token_id", U32, u32(2));
put("tokenizer.ggml.unknown_token_id", U32, u32(0));

// Weights between -scale and scale, of a generator that is the same everywhere; or all of them scale.
let seed = 3;
const random = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 2 ** 31 - 1; };
const tensors = [];
function tensor(name, dims, scale, same) {
	const data = new Float32Array(dims.reduce((a, b) => a * b));
	for (let i = 0; i < data.length; i++) data[i] = same ? scale : scale * random();
	tensors.push({ name, dims, data: Buffer.from(data.buffer) });
}
tensor("token_embd.weight", [width, words], 1.7);
tensor("output_norm.weight", [width], 1, true);
tensor("output.weight", [width, words], 0.5);
for (let i = 0; i < layers; i++) {
	const at = `blk.${i}.`, keys = (width / heads) * keyHeads;
	tensor(at + "attn_norm.weight", [width], 1, true);
	tensor(at + "attn_q.weight", [width, width], 0.14);
	tensor(at + "attn_k.weight", [width, keys], 0.14);
	tensor(at + "attn_v.weight", [width, keys], 0.14);
	tensor(at + "attn_output.weight", [width, width], 0.14);
	tensor(at + "ffn_norm.weight", [width], 1, true);
	tensor(at + "ffn_gate.weight", [width, hidden], 0.14);
	tensor(at + "ffn_up.weight", [width, hidden], 0.14);
	tensor(at + "ffn_down.weight", [hidden, width], 0.14);
}

const float = 0; // the type of weights
const places = [];
let at = 0;
for (const t of tensors) {
	places.push(Buffer.concat([text(t.name), u32(t.dims.length), ...t.dims.map(u64), u32(float), u64(at)]));
	at += padded(t.data).length;
}
const head = Buffer.concat([Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(header.length), ...header, ...places]);
writeFileSync(process.argv[2], Buffer.concat([padded(head), ...tensors.map((t) => padded(t.data))]));
