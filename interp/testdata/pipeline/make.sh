#!/bin/sh
# Compiles the kernels of pipeline.cu with clang 19, at -O0 and at -O2, without a CUDA toolkit.
cd "$(dirname "$0")" || exit
for level in O0 O2; do
	clang-19 -x cuda -std=c++17 -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_90a --cuda-feature=+ptx83 \
		-$level -S -o pipeline.$level.ptx pipeline.cu || exit
done
sha256sum *.ptx >SHA256SUMS
gzip -9nf *.ptx
