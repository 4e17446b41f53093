#!/bin/sh
# Compiles the kernels of matrix.cu with clang 19, each at -O0 and at -O2.
cd "$(dirname "$0")" || exit
for kernel in wmma_f16 wmma_s8 mma_f16; do
	for level in O0 O2; do
		clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -Xclang -target-feature -Xclang +ptx78 \
			-nocudainc -nocudalib -D$kernel -$level -S -o $kernel.$level.ptx matrix.cu || exit
	done
done
sha256sum *.ptx >SHA256SUMS
gzip -9nf *.ptx
