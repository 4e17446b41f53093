#!/bin/sh
# Makes math.LEVEL.ptx of math.cu. It is run by hand, with clang 19 as Debian has it and no
# CUDA toolkit; what it makes is committed.
set -eu
cd "$(dirname "$0")"
for level in O0 O2; do
	clang-19 -x cuda -std=c++17 -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_90 --cuda-feature=+ptx80 -$level -S -o math.$level.ptx math.cu
done
sha256sum *.ptx >SHA256SUMS
gzip -9nf *.ptx
