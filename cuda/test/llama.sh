#!/bin/sh
# Runs llama.cpp as node-llama-cpp has it on npm, compiled by NVIDIA's nvcc, on libcuda.so.1: a model of random weights goes on with a text by its backend for
# processors and by the one for CUDA, with and without flash attention, and has to say the same. Needs node and npm, and fetches some 150 MB. What cannot be had is
# left out.
#
#	cuda/test/llama.sh [folder of libcuda.so.1]
set -u
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "${1:-$here/../lib}" && pwd) || exit 2
[ -e "$lib/libcuda.so.1" ] || { echo "$lib/libcuda.so.1 is not there: make -C cuda" >&2; exit 2; }
work=$(mktemp -d) && cd "$work" || exit 2
trap 'rm -rf "$work"' EXIT

echo '{"private": true}' >package.json
if ! npm install --ignore-scripts --no-audit --no-fund node-llama-cpp@3.22.1 >log 2>&1; then
	echo "node-llama-cpp cannot be had: left out"
	exit 0
fi
node "$here/llama_model.mjs" model.gguf || exit 2
want=$(node "$here/llama_generate.mjs" model.gguf cpu 2>log | grep '^text ') || { cat log; exit 1; }
echo "cpu: $want"
wrong=0
for with in plain flash; do
	got=$(LD_LIBRARY_PATH=$lib node "$here/llama_generate.mjs" model.gguf cuda $with 2>log | grep '^text ')
	if [ "$got" = "$want" ]; then
		echo "cuda, $with: ok"
	else
		echo "cuda, $with: WRONG: $got"
		tail -n 5 log
		wrong=1
	fi
done
exit $wrong
