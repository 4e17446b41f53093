#!/bin/sh
# Runs PyCUDA's tests on libcuda.so.1: those of its driver, arrays and functions, which Debian has in contrib (python3-pycuda, python-pycuda-doc) and which
# apt-get download fetches. Where they cannot be had, or what they need is not there, it says so and ends well; else with the status of the tests.
# SIMTRUN_COMMAND names simtrun, unless it is in PATH. Arguments behind the folder are pytest's (-k take). It takes about ten minutes.
#
#	cuda/test/pycuda.sh [folder of libcuda.so.1 [argument of pytest ...]]
set -u
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "${1:-$here/../lib}" && pwd) || exit 2
[ $# -gt 0 ] && shift
[ -e "$lib/libcuda.so.1" ] || { echo "$lib/libcuda.so.1 is not there: make -C cuda" >&2; exit 2; }
simtrun=$(realpath "$(command -v "${SIMTRUN_COMMAND:-simtrun}")") || { echo "no simtrun: SIMTRUN_COMMAND names it" >&2; exit 2; }
work=$(mktemp -d) && cd "$work" || exit 2
trap 'rm -rf "$work"' EXIT

python=/usr/bin/python3
if ! "$python" -c 'import appdirs, decorator, mako, numpy, pytest, pytest_timeout, pytools'; then
	echo "left out: apt-get install python3-appdirs python3-decorator python3-mako python3-numpy python3-pytest python3-pytest-timeout python3-pytools libboost-python1.74.0 libboost-thread1.74.0"
	exit 0
fi
if ! apt-get -q download python3-pycuda python-pycuda-doc; then
	echo "left out: apt has no PyCUDA (Debian's contrib)"
	exit 0
fi
for package in *.deb; do
	dpkg-deb -x "$package" . || exit 2
done

PYTHONPATH=$work/usr/lib/python3/dist-packages SIMTRUN_COMMAND=$simtrun
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PATH=$work/toolkit/bin:$PATH
XDG_CACHE_HOME=$work/cache TMPDIR=$work # PyCUDA keeps what it has compiled, and leaves files
SIMTRUN_MEMORY=4294967296  # tests of arrays of more than 4 GiB, which would take hours, skip themselves
export PYTHONPATH SIMTRUN_COMMAND LD_LIBRARY_PATH PATH XDG_CACHE_HOME TMPDIR SIMTRUN_MEMORY
"$simtrun" cc --make-toolkit "$work/toolkit" || exit 2
if ! "$python" -c 'import pycuda.driver'; then
	echo "left out: this Python does not load PyCUDA's module"
	exit 0
fi

# Kernels that launch kernels are not supported.
set -- --deselect test_driver.py::TestDriver::test_recursive_launch --deselect test_driver.py::TestDriver::test_jit_link_module "$@"

# Direction numbers of Sobol's sequences are made of SciPy's, which are those of Joe and Kuo.
if "$python" - >numbers <<-'EOF'
	import os
	import numpy, scipy.stats
	file = numpy.load(os.path.join(os.path.dirname(scipy.stats.__file__), "_sobol_direction_numbers.npz"))
	print("d s a m_i")
	for i, (p, m) in enumerate(zip(file["poly"].tolist(), file["vinit"].tolist())):
	    s = p.bit_length() - 1
	    if s > 0:
	        print(i + 1, s, p >> 1 & (1 << s - 1) - 1, *m[:s])
	EOF
then
	export SIMTRUN_SOBOL="$work/numbers"
else
	echo "left out: Sobol's sequences (apt-get install python3-scipy)"
	set -- --deselect test_gpuarray.py::TestGPUArray::test_curand_wrappers "$@"
fi

# Three tests read textures of int16 as integers and do not ask for that (TRSF_READ_AS_INTEGER): they get numbers up to 1, and do not see it, as all of theirs
# are 0. That is an error here (image-format), so those textures are left out.
cd usr/share/doc/python-pycuda-doc/examples || exit 2
sed '/def test_2d_fp_textures/,/def test_3d_fp_surfaces/s/\[np.int16, /[/' test_driver.py >"$work/test_driver.py"
cp test_gpuarray.py test_cumath.py "$work"
cd "$work" || exit 2
"$python" -m pytest -p no:cacheprovider -q --timeout 300 test_driver.py test_cumath.py test_gpuarray.py "$@"
