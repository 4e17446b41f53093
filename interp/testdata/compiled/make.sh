#!/bin/sh
# Makes the .ptx and the .json of this directory from its sources. It is run by
# hand, with clang 19 as Debian has it and no CUDA toolkit, on an x86-64 that
# has fused multiply-add; what it makes is committed.
#
# SOURCE.LEVEL.TARGET.ptx.gz has a source's kernels, and SOURCE.json what the same
# source, compiled for the host, leaves in memory. The target is sm_90; clang
# emits nearly the same code for sm_70, except where warp.cu uses redux.sync,
# which sm_70 lacks: warp.O2.sm_70.ptx has butterflies of shfl.sync instead.
# Of float.cu there are also variants whose multiplications and additions may
# be contracted: float.fused.LEVEL.TARGET.ptx, and float.fused.LEVEL.json with
# those kernels that then give other results.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

ptx() { # source, level, target, PTX version, contraction, output
	clang-19 -x cuda -std=c++17 -nocudainc -nocudalib --cuda-device-only \
		--cuda-gpu-arch="$3" --cuda-feature=+"$4" -"$2" -ffp-contract="$5" -S -o "$6" "$1.cu"
}

# Vector code would contract other pairs than scalar code does, and so would
# the selector that x86 alone has at -O0.
native() { # source, level, contraction
	clang++-19 -x c++ -std=c++17 -mfma -Xclang -ffloat16-excess-precision=none -fno-vectorize -fno-slp-vectorize \
		-mllvm -fast-isel=false -Wno-unused-variable -"$2" -ffp-contract="$3" -DUNIT="\"$1.cu\"" -o "$build/host" host.cpp
	"$build/host"
}

for source in integer text data control warp float rounding stack; do
	native $source O0 off >$source.json
	native $source O2 off | cmp - $source.json
	for level in O0 O2; do
		ptx $source $level sm_90 ptx80 off $source.$level.sm_90.ptx
	done
done
ptx warp O2 sm_70 ptx63 off warp.O2.sm_70.ptx

for level in O0 O2; do
	ptx float $level sm_90 ptx80 fast float.fused.$level.sm_90.ptx
	native float $level fast | grep -vxFf float.json >float.fused.$level.json
done
sha256sum *.ptx >SHA256SUMS
gzip -9nf *.ptx
