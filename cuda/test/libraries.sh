#!/bin/bash
# Builds public CUDA libraries at fixed versions with simtrun cc, runs their own tests or examples under simtrun host, and
# prints a line for each: the name, "ok" or "WRONG", and the seconds of building and running. The exit status is 1 if one
# is wrong. Needs git, cmake, make, clang, and the libraries of make -C cuda; about half an hour for all.
#
#	cuda/test/libraries.sh [NAME...]
#
# SOURCES is the folder for clones (build/libraries; what is there already is taken), SIMTRUN_COMMAND the command.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
sources=${SOURCES:-$here/build/libraries}
mkdir -p "$sources" && sources=$(cd "$sources" && pwd) || exit 2
simtrun=${SIMTRUN_COMMAND:-$here/simtrun}
[ -e "$here/cuda/lib/libcuda.so.1" ] || { echo "$here/cuda/lib/libcuda.so.1 is not there: make -C cuda" >&2; exit 2; }
[ -x "$simtrun" ] || (cd "$here" && go build -o simtrun ./cmd/simtrun) || exit 2
work=$(mktemp -d) && cd "$work" || exit 2
trap 'rm -rf "$work"' EXIT
"$simtrun" cc --make-toolkit "$work/toolkit" || exit 2

# source_of OWNER/NAME COMMIT: clones a repository of GitHub at a commit.
source_of() {
	local to=$sources/${1##*/}
	[ -d "$to" ] && return
	git init -q "$to" && git -C "$to" fetch -q --depth 1 "https://github.com/$1" "$2" && git -C "$to" checkout -q FETCH_HEAD
}

run() { "$simtrun" host --timeout 600s "$@"; }

# passes TEXT PROGRAM ARG...: the program exits with 0, prints the text, and simtrun finds nothing.
passes() {
	local text=$1
	shift
	run "$@" >out 2>&1 && grep -q "$text" out && grep -q "nothing was found" out || { tail -n 5 out; return 1; }
}

# ---- CUTLASS 4: examples that compare with a reference

cutlass_source() { source_of NVIDIA/cutlass 7107b05535f8977f5ecb9d01ee203205b1fd9bc4; }
# example NUMBER_NAME PROGRAM ARG...: compiles an example for Hopper and runs it.
example() {
	local in=$sources/cutlass
	"$simtrun" cc -arch=sm_90a -std=c++17 -I"$in/include" -I"$in/tools/util/include" -I"$in/examples/common" \
		"$in/examples/$1/$2.cu" -o "$2" -lcuda >out 2>&1 || { tail -n 5 out; return 1; }
	passes Passed "./$2" "${@:3}"
}
cutlass_00() { example 00_basic_gemm basic_gemm; }
cutlass_14() { example 14_ampere_tf32_tensorop_gemm ampere_tf32_tensorop_gemm --m=256 --n=128 --k=64; }
cutlass_15() { example 15_ampere_sparse_tensorop_gemm ampere_sparse_tensorop_gemm; }
cutlass_16() { example 16_ampere_tensorop_conv2dfprop ampere_tensorop_conv2dfprop --n=1 --h=16 --w=16 --c=32 --k=32 --r=3 --s=3 --ref-check; }
cutlass_48() { example 48_hopper_warp_specialized_gemm 48_hopper_warp_specialized_gemm --m=512 --n=256 --k=128 --iterations=1; }
cutlass_54() { example 54_hopper_fp8_warp_specialized_gemm 54_hopper_fp8_warp_specialized_gemm --m=512 --n=256 --k=128 --iterations=1; }

# ---- CCCL 3: tests of CUB's interfaces, which Catch2 3 runs

cccl_source() { source_of NVIDIA/cccl 571f2fc3bc53cd710e306ad43d58995c1fe4219f && source_of catchorg/Catch2 a6ee7e20cd4011129816df7992c1a9db2ef4b58f; }
cccl_cub() {
	local in=$sources/cccl test file
	cmake -S "$sources/Catch2" -B catch2 -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF >out 2>&1 && make -C catch2 Catch2 >out 2>&1 || { tail -n 5 out; return 1; }
	# clang has no conversions between 128-bit integers and floating point in device code.
	local options=(-arch=sm_80 -std=c++17 -I"$in/cub" -I"$in/thrust" -I"$in/libcudacxx/include" -I"$in/c2h/include" -I"$in/c2h" -I"$in/cub/test"
		-I"$sources/Catch2/src" -Icatch2/generated-includes -DCATCH_CONFIG_PREFIX_ALL -DC2H_HAS_CURAND=0 -DCCCL_DISABLE_INT128_SUPPORT)
	for file in generators generators_gen_values generators_uniform_offsets generators_vector; do
		"$simtrun" cc "${options[@]}" -c "$in/c2h/$file.cu" -o "$file.o" >out 2>&1 || { tail -n 5 out; return 1; }
	done
	for test in block_scan_api warp_scan_api device_{scan,segmented_reduce,select,topk,transform}_api; do
		"$simtrun" cc "${options[@]}" -DC2H_CONFIG_MAIN "$in/cub/test/catch2_test_$test.cu" generators*.o catch2/src/libCatch2.a -o "$test" >out 2>&1 &&
			passes "All tests passed" "./$test" || { echo "$test"; tail -n 5 out; return 1; }
	done
}

# ---- BabelStream: its five kernels, which check their results

babelstream_source() { source_of UoB-HPC/BabelStream 57637d572532fc028b6c0964944f1afc27ff5436; }
babelstream() {
	{ cmake -S "$sources/BabelStream" -B babelstream -DMODEL=cuda -DCMAKE_CUDA_COMPILER="$work/toolkit/bin/nvcc" -DCUDA_ARCH=sm_80 &&
		make -C babelstream; } >out 2>&1 || { tail -n 5 out; return 1; }
	passes Triad babelstream/cuda-stream -s 65536 -n 3 && ! grep -q "Validation failed" out
}

# ---- stdgpu: its 702 tests

stdgpu_source() { source_of stotko/stdgpu 22599cfdcc185c2ed721d78c792e3193cf84cc01 && source_of google/googletest v1.12.1; }
stdgpu() {
	{ cmake -S "$sources/stdgpu" -B stdgpu -DSTDGPU_BACKEND=STDGPU_BACKEND_CUDA -DCMAKE_CUDA_COMPILER="$work/toolkit/bin/nvcc" \
		-DCUDAToolkit_ROOT="$work/toolkit" -DCMAKE_CUDA_ARCHITECTURES=80 -DCMAKE_BUILD_TYPE=Release -DSTDGPU_BUILD_BENCHMARKS=OFF \
		-DSTDGPU_BUILD_EXAMPLES=OFF -DFETCHCONTENT_SOURCE_DIR_GOOGLETEST="$sources/googletest" && make -C stdgpu; } >out 2>&1 ||
		{ tail -n 5 out; return 1; }
	passes "PASSED  . 702 tests" stdgpu/bin/teststdgpu
}

# ---- ThunderKittens: levels of its course on products of matrices, with matrices of 256 rows, not 4096

thunderkittens_source() { source_of HazyResearch/ThunderKittens 0b55588d2769dde0c7a9a606ffc015b0ca7a9551; }
thunderkittens() {
	local level
	cp -r "$sources/ThunderKittens" kittens && sed -i 's/N = 4096;/N = 256;/' kittens/kernels/gemm/educational_h100/*.cu || return 1
	# A template that is not instantiated names an operand that its assembly does not have; nvcc does not read it.
	sed -i '719s/%8;/%7;/' kittens/include/ops/thread/memory/tile/tma.cuh
	for level in 01 04 08; do
		PATH=$work/toolkit/bin:$PATH make -C kittens/kernels/gemm/educational_h100 LEVEL=$level level_$level.out >out 2>&1 &&
			passes "Error count: 0" kittens/kernels/gemm/educational_h100/level_$level.out || { echo "level $level"; tail -n 5 out; return 1; }
	done
}

all=(babelstream stdgpu thunderkittens cutlass_00 cutlass_14 cutlass_15 cutlass_16 cutlass_48 cutlass_54 cccl_cub)
status=0
for name in "${@:-${all[@]}}"; do
	[[ " ${all[*]} " == *" $name "* ]] || { echo "no $name; there are ${all[*]}" >&2; exit 2; }
	"${name%%_*}_source" || { echo "$name  left out: its source cannot be had"; continue; }
	from=$SECONDS
	if text=$("$name"); then result=ok; else result=WRONG status=1; fi
	printf '%-16s %-6s %4d s\n' "$name" $result $((SECONDS - from))
	[ $result = ok ] || echo "$text"
done
exit $status
