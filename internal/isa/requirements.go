package isa

import (
	"fmt"
	"strings"
)

// needRules are the "PTX ISA Notes" and "Target ISA Notes" of PTX ISA 9.0, and public notes on 9.1 and 9.2. A line has
// words of a mnemonic, the version that introduced it, and the targets that have it. All lines that match a mnemonic
// apply. Slashes separate alternatives of a word, a * at the end of a word matches any rest, and * alone any opcode. A
// word with ! must be absent. A word with > is the first type of the mnemonic, that of the result; with < it is the
// second. A target stands for all that have its features: sm_80 for all later ones, sm_100f for the later ones of its
// family with the suffix a or f, and sm_90a for itself. Forms of PTX 1 are left out.
const needRules = `
* shared::cta                              7.8 sm_30
* shared::cluster                          7.8 sm_90

set u8x4/s8x4/u16x2/s16x2                  9.4 sm_107f sm_120f
add/min/max u16x2/s16x2                    8.0 sm_90
add/sub/min/max/neg u8x4/s8x4              9.2 sm_100
add sat u16x2/s16x2                        9.2 sm_100
min/max relu s32                           8.0 sm_90
popc/clz/bfind/brev/bfe/bfi/prmt           2.0 sm_20
testp/copysign                             2.0 sm_20
fns                                        6.0 sm_30
szext/bmsk                                 7.6 sm_70
dp4a/dp2a                                  5.0 sm_61
mad cc                                     3.0 sm_20
madc                                       3.0 sm_20
add/sub/mad cc u64/s64                     4.3 sm_20
addc/subc/madc u64/s64                     4.3 sm_20
lop3                                       4.3 sm_50
lop3 and/or/xor                            8.2 sm_70
shf                                        3.1 sm_32

add/sub/mul/fma f16/f16x2                  4.2 sm_53
add/sub/mul bf16/bf16x2                    7.8 sm_90
fma bf16/bf16x2                            7.0 sm_80
fma relu                                   7.0 sm_80
fma oob                                    8.1 sm_90
add/sub/mul/fma f32x2                      8.6 sm_100
add/sub >f32x2 <f16x2/bf16x2               9.4 sm_107f
add/sub/fma >f32 <f16/bf16                 8.6 sm_100
neg f16/f16x2                              6.0 sm_53
neg bf16/bf16x2                            7.0 sm_80
abs f16/f16x2                              6.5 sm_53
abs bf16/bf16x2                            7.0 sm_80
min/max f16/f16x2/bf16/bf16x2              7.0 sm_80
min/max NaN                                7.0 sm_80
min/max xorsign                            7.2 sm_86
tanh                                       7.0 sm_75
tanh bf16/bf16x2                           7.8 sm_90
ex2 f16/f16x2                              7.0 sm_75
ex2 bf16/bf16x2                            7.8 sm_90
rcp approx f64                             2.1 sm_20
rsqrt ftz f64                              4.0 sm_20
set/setp f16/f16x2                         4.2 sm_53
set/setp bf16/bf16x2                       7.8 sm_90

mov b128                                   8.3 sm_70
ld/st/ldu b128                             8.3 sm_70
ld/st relaxed/acquire/release/weak         6.0 sm_70
ld/st cta/cluster/gpu/sys                  6.0 sm_70
ld/st cluster                              7.8 sm_90
ld/st volatile local                       9.1
ld/st mmio                                 8.2 sm_70
ld proxy::readonly                         9.4 sm_90
ld nc                                      3.1 sm_32
ld/st L1::*                                7.4 sm_70
ld L2::64B/L2::128B/L2::256B               7.4 sm_75
ld L2::256B                                7.4 sm_80
ld/st/atom/red/cp L2::cache_hint           7.4 sm_80
ld/st L2::evict_*                          8.8 sm_100
ld/st v8                                   8.8 sm_100
ld/st v4 b64/u64/s64/f64                   8.8 sm_100
ld/st param::entry/param::func             8.3
st/red async                               8.1 sm_90
st/red async mmio/release/global/gpu/sys   8.7 sm_100
st bulk                                    8.6 sm_100
multimem                                   8.1 sm_90
multimem cp                                9.1
multimem cp_mask                           9.1 sm_100
multimem acc::f32                          8.2
multimem e4m3*/e5m2*/acc::f16              8.6 sm_100f sm_110f sm_120a sm_121a
prefetch/prefetchu                         2.0 sm_20
prefetch valid_addr                        9.4 sm_90
prefetch tensormap                         8.0 sm_90
prefetch L2::evict_*                       7.4 sm_80
applypriority/discard/createpolicy         7.4 sm_80
isspacep/cvta                              2.0 sm_20
isspacep/cvta param/param::entry           7.7 sm_70
mapa/getctarank                            7.8 sm_90

cvt relu                                   7.0 sm_80
cvt >f16x2/bf16x2/bf16/tf32                7.0 sm_80
cvt >f32 <bf16                             7.1 sm_80
cvt >f32 <bf16 ftz                         7.8 sm_90
cvt >bf16 <u8/s8/u16/s16/u32/s32/u64/s64/f16/f64/bf16 7.8 sm_90
cvt >u8/s8/u16/s16/u32/s32/u64/s64/f16/f64 <bf16 7.8 sm_90
cvt >tf32 rn/rz                            7.8 sm_90
cvt >tf32 rn/rz satfinite                  8.6 sm_100
cvt satfinite >f16/bf16/f16x2/bf16x2/tf32 <f32 8.1 sm_80
cvt e4m3x2/e5m2x2                          7.8 sm_89
cvt e2m1x2/e2m3x2/e3m2x2/ue8m0x2           8.6 sm_100f sm_110f sm_120f
cvt >e2m1x2/e2m3x2/e3m2x2 <f16x2/bf16x2    9.1
cvt >e4m3x2/e5m2x2 <bf16x2                 9.1 sm_100f sm_110f sm_120f
cvt >bf16x2 <e4m3x2/e5m2x2/e2m1x2/e2m3x2/e3m2x2 9.1 sm_100f sm_110f sm_120f
cvt s2f6x2                                 9.1 sm_100a sm_103a sm_110a sm_120a sm_121a
cvt rs                                     8.7 sm_100a sm_103a
cvt pack                                   6.5 sm_72

cp async                                   7.0 sm_80
cp async L2::64B/L2::128B/L2::256B         7.4
cp async bulk                              8.0 sm_90
cp reduce                                  8.0 sm_90
cp mbarrier::complete_tx::bytes shared::cta !shared::cluster 8.6 sm_90
cp cp_mask                                 8.6 sm_100
cp ignore_oob                              9.2 sm_90
cp tile::gather4                           8.6 sm_100
cp tile::gather4 shared::cluster           8.6 sm_100f sm_110f
cp tile::scatter4                          8.6 sm_100f sm_110f
cp im2col::w*                              8.6 sm_100
cp cta_group::*                            8.6 sm_100f sm_110f
tensormap                                  8.3 sm_90
tensormap replace                          8.3 sm_90a sm_100f sm_110f sm_120f
tensormap replace swizzle_atomicity        8.6 sm_100f sm_110f sm_120f

tld4                                       2.2 sm_20
istypep                                    4.0 sm_30
brx                                        6.0 sm_30
barrier                                    6.0 sm_30
bar warp                                   6.0 sm_30
bar/barrier cta                            7.8
barrier cluster                            7.8 sm_90
barrier cluster acquire/relaxed/release    8.0
membar sys                                 2.0 sm_20
membar proxy                               7.5 sm_60
fence                                      6.0 sm_70
fence cluster                              7.8 sm_90
fence proxy                                7.5 sm_70
fence alias acquire/release                9.4 sm_90
fence proxy async*                         8.0 sm_90
fence mbarrier_init                        8.0 sm_90
fence tensormap::generic                   8.3 sm_90
fence acquire/release !proxy !mbarrier_init !sc !acq_rel 8.6 sm_90
fence sync_restrict*                       8.6 sm_90
atom/red cta/gpu/sys/cluster               5.0 sm_60
atom/red cluster                           7.8 sm_90
atom/red relaxed/acquire/release/acq_rel   6.0 sm_70
atom/red and/or/xor/min/max u64/s64/b64    3.1 sm_32
atom/red add f64                           5.0 sm_60
atom/red noftz f16x2                       6.2 sm_60
atom/red noftz f16                         6.3 sm_70
atom/red noftz bf16/bf16x2                 7.8 sm_90
atom cas b16                               6.3 sm_70
atom/red v2/v4/v8                          8.1 sm_90
atom b128                                  8.3 sm_90
shfl                                       3.0 sm_30
shfl/vote sync                             6.0 sm_30
match                                      6.0 sm_70
activemask                                 6.2 sm_30
elect                                      8.0 sm_90
redux                                      7.0 sm_80
redux f32/abs/NaN                          8.6 sm_100f
griddepcontrol                             7.8 sm_90
mbarrier                                   7.0 sm_80
mbarrier parity                            7.1
mbarrier try_wait                          7.8 sm_90
mbarrier expect_tx/complete_tx             8.0 sm_90
mbarrier shared::cluster                   8.0 sm_90
mbarrier acquire/release/relaxed/cta/cluster 8.0
mbarrier cluster                           8.0 sm_90
mbarrier arrive/arrive_drop/test_wait/try_wait relaxed 8.6
clusterlaunchcontrol                       8.6 sm_100
clusterlaunchcontrol multicast::cluster::all 8.6 sm_100f sm_110f sm_120f

wmma                                       6.0 sm_70
wmma m8n32k16/m32n8k16                     6.1
wmma s8/u8/s32                             6.3 sm_72
wmma s4/u4/b1                              6.3 sm_75
wmma f64/bf16/tf32/m16n16k8/m8n8k4         7.0 sm_80
wmma and                                   7.1 sm_80
mma                                        6.4 sm_70
mma m16n8k8                                6.5 sm_75
mma m8n8k16/m8n8k32                        6.5 sm_75
mma m8n8k128                               7.0 sm_75
mma f64/bf16/tf32                          7.0 sm_80
mma m16n8k4/m16n8k16/m16n8k32/m16n8k64/m16n8k128/m16n8k256 7.0 sm_80
mma and                                    7.1 sm_80
mma f64 m16n8k4/m16n8k8/m16n8k16           7.8 sm_90
mma sp*                                    7.1 sm_80
mma sp::ordered_metadata                   8.5 sm_80
mma e4m3/e5m2                              8.4 sm_89
mma e4m3/e5m2 m16n8k16                     8.7
mma e4m3/e5m2 f16                          8.7
mma e3m2/e2m3/e2m1/kind::*/block_scale     8.7 sm_120f
mma sp* kind::mxf4*                        8.7 sm_120a sm_121a
ldmatrix                                   6.5 sm_75
ldmatrix m16n16/m8n16/b8                   8.6 sm_100f sm_110f sm_120f
stmatrix                                   7.8 sm_90
stmatrix m16n8/b8                          8.6 sm_100f sm_110f sm_120f
movmatrix                                  7.8 sm_75
wgmma                                      8.0 sm_90a
wgmma sp                                   8.2
wgmma u8 s8                                8.4
tcgen05                                    8.6 sm_100f sm_110f
tcgen05 shift*                             8.6 sm_100a sm_103a sm_110a
tcgen05 ld red                             8.8 sm_103f sm_110f
tcgen05 kind::i8                           8.6 sm_100a sm_110a
tcgen05 kind::mxf4nvf4                     8.7
tcgen05 scale_vec::1X/scale_vec::2X/scale_vec::4X 8.6 sm_100a sm_103a sm_110a
tcgen05 block16/block32                    8.8

vadd/vsub/vabsdiff/vmin/vmax/vshl/vshr/vmad/vset 2.0 sm_20
vadd2/vsub2/vavrg2/vabsdiff2/vmin2/vmax2/vset2 3.0 sm_30
vadd4/vsub4/vavrg4/vabsdiff4/vmin4/vmax4/vset4 3.0 sm_30
stacksave/stackrestore/alloca              7.3 sm_52
nanosleep                                  6.3 sm_70
setmaxnreg                                 8.0 sm_90a sm_100f sm_110f sm_120f
`

// needRule is a line of needRules.
type needRule struct {
	words   []needWord
	version Version
	targets []Arch
}

// needWord is a word that a mnemonic must have or must not have.
type needWord struct {
	any    []string // alternatives
	absent bool
	place  byte // '>' or '<' for a type; 0 for a word anywhere
}

// rulesByOpcode maps each opcode to its rules, and "*" to the rules for all opcodes.
var rulesByOpcode = func() map[string][]needRule {
	m := make(map[string][]needRule)
	for line := range strings.Lines(needRules) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		r, opcodes := parseNeedRule(fields)
		for _, opcode := range opcodes {
			m[opcode] = append(m[opcode], r)
		}
	}
	return m
}()

func parseNeedRule(fields []string) (r needRule, opcodes []string) {
	last := len(fields)
	for {
		t, ok := ParseArch(fields[last-1])
		if !ok {
			break
		}
		r.targets = append([]Arch{t}, r.targets...)
		last--
	}
	v, ok := ParseVersion(fields[last-1])
	if !ok {
		panic(fmt.Sprintf("simtrun bug: rule %q has no version", strings.Join(fields, " ")))
	}
	r.version = v
	for _, word := range fields[1 : last-1] {
		w := needWord{}
		switch word[0] {
		case '!':
			w.absent, word = true, word[1:]
		case '>', '<':
			w.place, word = word[0], word[1:]
		}
		w.any = strings.Split(word, "/")
		r.words = append(r.words, w)
	}
	return r, strings.Split(fields[0], "/")
}

// matches reports whether a mnemonic fits the rule; words are those after its opcode.
func (r *needRule) matches(words, types []string) bool {
	for _, w := range r.words {
		among := words
		switch w.place {
		case '>':
			among = types[:min(1, len(types))]
		case '<':
			among = types[min(1, len(types)):min(2, len(types))]
		}
		if w.among(among) == w.absent {
			return false
		}
	}
	return true
}

// among reports whether one of the alternatives is among words.
func (w *needWord) among(words []string) bool {
	for _, have := range words {
		for _, want := range w.any {
			prefix, open := strings.CutSuffix(want, "*")
			if have == want || open && strings.HasPrefix(have, prefix) {
				return true
			}
		}
	}
	return false
}

// NeedOf returns the need of a mnemonic with all its modifiers. It is zero for forms that PTX had from the start.
func NeedOf(mnemonic string) Need {
	var n Need
	opcode, rest, _ := strings.Cut(mnemonic, ".")
	words := strings.Split(rest, ".")
	var types []string
	for _, word := range words {
		if TypeByName(word) != NoType {
			types = append(types, word)
		}
	}
	for _, rules := range [][]needRule{rulesByOpcode["*"], rulesByOpcode[opcode]} {
		for i := range rules {
			if r := &rules[i]; r.matches(words, types) {
				n.and(r.version, r.targets)
			}
		}
	}
	return n
}

// specialNeeds are the versions and targets of special registers (PTX ISA 10), for ranges from first to last.
var specialNeeds = []struct {
	first, last Special
	version     Version
	sm          int
}{
	{NWarpID, NWarpID, 20, 20}, {LaneMaskEq, LaneMaskGt, 20, 20}, {NSMID, NSMID, 20, 20}, {Clock64, Clock64, 20, 20},
	{ClusterIDX, IsExplicitCluster, 78, 90}, {DynamicSharedSize, TotalSharedSize, 41, 20}, {AggregateSharedSize, AggregateSharedSize, 81, 90},
	{ReservedSharedBegin, ReservedShared1, 76, 80}, {GlobalTimer, GlobalTimerHi, 31, 30}, {CurrentGraphExec, CurrentGraphExec, 80, 50},
}

// Need returns the version of PTX and the targets that the special register needs.
func (s Special) Need() Need {
	for _, r := range specialNeeds {
		if s >= r.first && s <= r.last {
			return Need{r.version, [][]Arch{{{SM: r.sm}}}}
		}
	}
	return Need{}
}
