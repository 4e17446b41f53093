#!/bin/sh
# Runs Halide pipelines on libcuda.so.1 (target host-cuda) and on the CPU, and compares: a line for each, and an exit status that is
# not 0 if one differs. Halide is Debian's python3-halide (apt-get install python3-halide), whose compiler has PTX in it.
#
#	cuda/test/halide.sh [folder of libcuda.so.1]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lib=${1:-$here/../lib}
[ -e "$lib/libcuda.so.1" ] || { echo "$lib/libcuda.so.1 is not there: make -C cuda" >&2; exit 2; }
for python in ${PYTHON:-} /usr/bin/python3 python3; do
	if "$python" -c 'import halide' 2>/dev/null; then
		LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$python" "$here/halide_pipelines.py"
	fi
done
echo "no Python with halide here: apt-get install python3-halide" >&2
exit 2
