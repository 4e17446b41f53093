// Goes on with a text by a model: llama_generate.mjs MODEL cpu|cuda [flash]
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , modelPath, backend, attention] = process.argv;
const resolve = createRequire(pathToFileURL(process.cwd() + "/")).resolve;
const { getLlama, LlamaCompletion } = await import(pathToFileURL(resolve("node-llama-cpp")).href);

const gpu = backend === "cuda" ? "cuda" : false;
const llama = await getLlama({ gpu, build: "never", skipDownload: true, vramPadding: 0, progressLogs: false });
if (llama.gpu !== gpu) throw new Error(`runs on ${llama.gpu}`);
const model = await llama.loadModel({ modelPath, gpuLayers: gpu ? 99 : 0 });
const context = await model.createContext({ contextSize: 128, batchSize: 64, flashAttention: attention === "flash" });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });
console.log("text " + JSON.stringify(await completion.generateCompletion("the quick brown fox", { maxTokens: 24, temperature: 0 })));
process.exit(0);
