#!/bin/sh
# Runs programs of Debian on libcuda.so.1 and checks what they find: hashcat (apt-get install hashcat), which compiles its kernels by NVRTC, and the
# filters of ffmpeg (apt-get install ffmpeg), which are compared with those of the processor. A line for each, and an exit status that is not 0
# if one is wrong. What is not installed is left out. SIMTRUN_COMMAND names simtrun, unless it is in PATH.
#
#	cuda/test/clients.sh [folder of libcuda.so.1]
set -u
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "${1:-$here/../lib}" && pwd) || exit 2
[ -e "$lib/libcuda.so.1" ] || { echo "$lib/libcuda.so.1 is not there: make -C cuda" >&2; exit 2; }
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
work=$(mktemp -d) && cd "$work" || exit 2
trap 'rm -rf "$work"' EXIT
wrong=0

# check NAME COMMAND...: the command succeeds.
check() {
	name=$1
	shift
	if "$@" >log 2>&1; then
		echo "$name: ok"
	else
		echo "$name: WRONG"
		tail -n 5 log
		wrong=1
	fi
}

# cracks MODE PROGRAM: hashcat finds the word of which a program makes the hash.
cracks() {
	word=cab
	printf %s "$word" | "$2" | cut -d' ' -f1 >hash
	hashcat -m "$1" -a 3 -d 1 --potfile-disable --force --quiet hash '?l?l?l' >found 2>&1
	grep -q "$(cat hash):$word" found || { cat found; return 1; }
}

# same GPU CPU: a filter of the GPU's gives the frames of one of the processor's, of two inputs.
same() {
	video="-f lavfi -i testsrc=size=64x48:rate=5:duration=1 -f lavfi -i testsrc2=size=16x16:rate=5:duration=1"
	# shellcheck disable=SC2086
	ffmpeg -hide_banner -loglevel error -init_hw_device cuda=c -filter_hw_device c $video -filter_complex "$1" -f framemd5 -y gpu &&
		ffmpeg -hide_banner -loglevel error $video -filter_complex "$2" -f framemd5 -y cpu && cmp gpu cpu
}

if command -v hashcat >/dev/null; then
	check "hashcat MD5" cracks 0 md5sum
	check "hashcat SHA1" cracks 100 sha1sum
	check "hashcat SHA2-256" cracks 1400 sha256sum
fi
if command -v ffmpeg >/dev/null; then
	up=format=yuv420p,hwupload_cuda down=hwdownload,format=yuv420p
	check "ffmpeg hwupload_cuda" same "[0]$up,$down" "[0]format=yuv420p"
	check "ffmpeg scale_cuda" same "[0]$up,scale_cuda=32:24:interp_algo=nearest,$down" "[0]format=yuv420p,scale=32:24:flags=neighbor"
	check "ffmpeg overlay_cuda" same "[0]${up}[a];[1]${up}[b];[a][b]overlay_cuda=x=8:y=8,$down" "[0]format=yuv420p[a];[1]format=yuv420p[b];[a][b]overlay=x=8:y=8,format=yuv420p"
fi
exit $wrong
