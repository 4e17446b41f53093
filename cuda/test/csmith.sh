#!/bin/bash
# Compares random programs of Csmith (apt-get install csmith libcsmith-dev) on 64 threads with the same programs on the
# host: at each level of compiled lanes and without, with each model of divergence or a clock, and with all checks, which
# must find nothing. The seed chooses the level of optimisation, the compiler of CLANGS, and the model. It prints a line
# for each program, and keeps the folders of those that differ; its exit status is 1 if one does. A program takes 2 s of
# CPU time. SIMTRUN_COMMAND names simtrun, unless it is in PATH; SIMTRUN_CUDA_LIB, the folder of the driver.
#
#	cuda/test/csmith.sh [first seed [number of programs]]
set -u
here=$(cd "$(dirname "$0")" && pwd)
simtrun=$(realpath "$(command -v "${SIMTRUN_COMMAND:-simtrun}")") || { echo "no simtrun: SIMTRUN_COMMAND names it" >&2; exit 2; }
first=${1:-1} count=${2:-100}
read -ra clangs <<<"${CLANGS:-clang-19}"
levels=(-O0 -O1 -O2 -O3 -Os)
models=("--divergence stack" "--divergence minpc" "--clock" "--divergence its")
if ! command -v csmith >/dev/null || [ ! -e /usr/include/csmith/safe_math.h ]; then
	echo "left out: apt-get install csmith libcsmith-dev"
	exit 0
fi
work=$(mktemp -d) wrong=0

# run NAME [FLAG...]: runs the program under simtrun host; the output is in NAME.
run() {
	local name=$1
	shift
	"$simtrun" host --launch-timeout 300s "$@" ./program >"$name" 2>&1
}

for ((seed = first; seed < first + count; seed++)); do
	mkdir "$work/$seed" && cd "$work/$seed" || exit 2
	options=()
	((seed % 3)) || options=(--no-volatiles)
	python3 "$here/csmith_program.py" "$seed" "${options[@]}" >program.cu || exit 2
	level=${levels[seed % 5]} clang=${clangs[seed / 5 % ${#clangs[@]}]}
	differs=
	if ! SIMTRUN_CLANG=$clang "$simtrun" cc program.cu "$level" -fno-strict-aliasing -ffp-contract=off -w -I/usr/include/csmith -o program >cc 2>&1; then
		differs=cc
	else
		run plain
		status=$?
		if [ $status = 77 ]; then
			echo "$seed is endless"
			cd / && rm -r "${work:?}/$seed"
			continue
		fi
		[ $status = 0 ] || differs+=" plain"
		for lanes in go avx2 verify; do
			SIMTRUN_LANES=$lanes run "$lanes" || differs+=" $lanes"
		done
		run model ${models[seed % 4]} || differs+=" ${models[seed % 4]}"
		run all --check all && grep -q 'no fault was found' all || differs+=" --check all"
	fi
	if [ -n "$differs" ]; then
		echo "$seed $level $clang DIFFERS: $differs; see $work/$seed"
		wrong=1
	else
		echo "$seed $level $clang equal"
		cd / && rm -r "${work:?}/$seed"
	fi
done
[ $wrong = 1 ] || rm -r "$work"
exit $wrong
