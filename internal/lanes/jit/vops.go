package jit

// vOp is a vector instruction.
type vOp uint16

// The vector instructions, by their Intel names.
const (
	// Addition, subtraction, multiplication of integers.
	vpaddb vOp = iota
	vpaddw
	vpaddd
	vpaddq
	vpsubb
	vpsubw
	vpsubd
	vpsubq
	vpmullw
	vpmulhw
	vpmulhuw
	vpmulld
	vpmullq
	vpmuludq
	vpmuldq
	vpmaddwd

	// Bits.
	vpand
	vpandn
	vpor
	vpxor
	vpandq
	vpandnq
	vporq
	vpxorq
	vpternlogd
	vpternlogq
	vptest
	vtestps
	vtestpd
	vplzcntd
	vplzcntq
	vpopcntd
	vpopcntq
	vpconflictd
	vpconflictq

	// Minimum, maximum, absolute value of integers.
	vpminsb
	vpminub
	vpminsw
	vpminuw
	vpminsd
	vpminud
	vpmaxsb
	vpmaxub
	vpmaxsw
	vpmaxuw
	vpmaxsd
	vpmaxud
	vpminsq
	vpminuq
	vpmaxsq
	vpmaxuq
	vpabsb
	vpabsw
	vpabsd
	vpabsq

	// Comparison of integers: to vectors under VEX, to mask registers under EVEX.
	vpcmpeqb
	vpcmpeqw
	vpcmpeqd
	vpcmpeqq
	vpcmpgtb
	vpcmpgtw
	vpcmpgtd
	vpcmpgtq
	vpcmpb
	vpcmpub
	vpcmpw
	vpcmpuw
	vpcmpd
	vpcmpud
	vpcmpq
	vpcmpuq
	vptestmb
	vptestmw
	vptestmd
	vptestmq
	vptestnmb
	vptestnmw
	vptestnmd
	vptestnmq

	// Shifts: by the low element of a vector or by an immediate, then element by element.
	vpsllw
	vpslld
	vpsllq
	vpsrlw
	vpsrld
	vpsrlq
	vpsraw
	vpsrad
	vpsraq
	vpslldq
	vpsrldq
	vprold
	vprolq
	vprord
	vprorq
	vpsllvw
	vpsllvd
	vpsllvq
	vpsrlvw
	vpsrlvd
	vpsrlvq
	vpsravw
	vpsravd
	vpsravq
	vprolvd
	vprolvq
	vprorvd
	vprorvq

	// Permutations.
	vpshufb
	vpshufd
	vpshuflw
	vpshufhw
	vshufps
	vshufpd
	vpermd
	vpermps
	vpermq
	vpermpd
	vperm2I128
	vpermi2D
	vpermi2Q
	vpermt2D
	vpermt2Q
	vshufi32X4
	vshufi64X2
	vpalignr
	valignd
	valignq
	vpunpcklbw
	vpunpcklwd
	vpunpckldq
	vpunpckhbw
	vpunpckhwd
	vpunpckhdq
	vpunpcklqdq
	vpunpckhqdq
	vunpcklps
	vunpckhps
	vunpcklpd
	vunpckhpd
	vpacksswb
	vpackssdw
	vpackuswb
	vpackusdw
	vpcompressd
	vpcompressq
	vpexpandd
	vpexpandq

	// Parts of vectors.
	vinserti128
	vinserti32X4
	vinserti64X4
	vextracti128
	vextracti32X4
	vextracti64X4
	vpinsrb
	vpinsrw
	vpinsrd
	vpinsrq
	vpextrb
	vpextrw
	vpextrd
	vpextrq
	vmovmskps
	vmovmskpd
	vpmovmskb

	// Wider and narrower integers.
	vpmovsxbw
	vpmovsxbd
	vpmovsxbq
	vpmovsxwd
	vpmovsxwq
	vpmovsxdq
	vpmovzxbw
	vpmovzxbd
	vpmovzxbq
	vpmovzxwd
	vpmovzxwq
	vpmovzxdq
	vpmovwb
	vpmovdb
	vpmovqb
	vpmovdw
	vpmovqw
	vpmovqd
	vpmovswb
	vpmovsdb
	vpmovsqb
	vpmovsdw
	vpmovsqw
	vpmovsqd
	vpmovuswb
	vpmovusdb
	vpmovusqb
	vpmovusdw
	vpmovusqw
	vpmovusqd

	// One value in all elements.
	vpbroadcastb
	vpbroadcastw
	vpbroadcastd
	vpbroadcastq
	vbroadcastss
	vbroadcastsd
	vbroadcasti128
	vbroadcasti32X4
	vbroadcasti64X4

	// Moves.
	vmovdqu
	vmovdqa
	vmovups
	vmovupd
	vmovaps
	vmovapd
	vmovdqu8
	vmovdqu16
	vmovdqu32
	vmovdqu64
	vmovdqa32
	vmovdqa64
	vmovd
	vmovq
	vmovss
	vmovsd
	vmovsldup
	vmovshdup

	// Gathers and scatters.
	vpgatherdd
	vpgatherdq
	vpgatherqd
	vpgatherqq
	vpscatterdd
	vpscatterdq
	vpscatterqd
	vpscatterqq

	// Choices between elements.
	vblendvps
	vblendvpd
	vpblendvb
	vpblendw
	vpblendd
	vblendps
	vblendpd
	vpblendmb
	vpblendmw
	vpblendmd
	vpblendmq
	vblendmps
	vblendmpd
	vpmovm2B
	vpmovm2W
	vpmovm2D
	vpmovm2Q
	vpmovb2M
	vpmovw2M
	vpmovd2M
	vpmovq2M

	// Arithmetic of floating-point numbers.
	vaddps
	vaddpd
	vmulps
	vmulpd
	vsubps
	vsubpd
	vminps
	vminpd
	vdivps
	vdivpd
	vmaxps
	vmaxpd
	vsqrtps
	vsqrtpd
	vfmadd132PS
	vfmadd132PD
	vfmadd213PS
	vfmadd213PD
	vfmadd231PS
	vfmadd231PD
	vfmsub132PS
	vfmsub132PD
	vfmsub213PS
	vfmsub213PD
	vfmsub231PS
	vfmsub231PD
	vfnmadd132PS
	vfnmadd132PD
	vfnmadd213PS
	vfnmadd213PD
	vfnmadd231PS
	vfnmadd231PD
	vfnmsub132PS
	vfnmsub132PD
	vfnmsub213PS
	vfnmsub213PD
	vfnmsub231PS
	vfnmsub231PD
	vandps
	vandpd
	vandnps
	vandnpd
	vorps
	vorpd
	vxorps
	vxorpd
	vcmpps
	vcmppd
	vrcpps
	vrsqrtps
	vrcp14PS
	vrcp14PD
	vrsqrt14PS
	vrsqrt14PD
	vroundps
	vroundpd
	vrndscaleps
	vrndscalepd
	vfixupimmps
	vfixupimmpd
	vrangeps
	vrangepd
	vscalefps
	vscalefpd

	// Conversions.
	vcvtdq2PS
	vcvtps2DQ
	vcvttps2DQ
	vcvtdq2PD
	vcvtpd2DQ
	vcvttpd2DQ
	vcvtps2PD
	vcvtpd2PS
	vcvtph2PS
	vcvtps2PH
	vcvtudq2PS
	vcvtudq2PD
	vcvtqq2PD
	vcvtuqq2PD
	vcvtqq2PS
	vcvtuqq2PS
	vcvtps2UDQ
	vcvttps2UDQ
	vcvtpd2UDQ
	vcvttpd2UDQ
	vcvtpd2QQ
	vcvttpd2QQ
	vcvtpd2UQQ
	vcvttpd2UQQ
	vcvtps2QQ
	vcvttps2QQ
	vcvtps2UQQ
	vcvttps2UQQ

	// Bytes: sums of four products, and differences that do not become negative.
	vpdpbusd
	vpsubusb

	numVOps
)

type forms = [numForms]code

// vops has the encoding of each instruction from Intel's manual, volume 2, one a row. Under EVEX some have a name for
// 32-bit elements: VPAND is VPANDD, VMOVDQU is VMOVDQU32, VEXTRACTI128 is VEXTRACTI32X4. The CPU features that an
// instruction needs are not in the table.
var vops = [numVOps]vop{
	// Addition, subtraction, multiplication of integers.
	vpaddb:   {"VPADDB", forms{formRVM: p66 | m0F | 0xFC | all}},
	vpaddw:   {"VPADDW", forms{formRVM: p66 | m0F | 0xFD | all}},
	vpaddd:   {"VPADDD", forms{formRVM: p66 | m0F | 0xFE | all}},
	vpaddq:   {"VPADDQ", forms{formRVM: p66 | m0F | 0xD4 | all | w1e}},
	vpsubb:   {"VPSUBB", forms{formRVM: p66 | m0F | 0xF8 | all}},
	vpsubw:   {"VPSUBW", forms{formRVM: p66 | m0F | 0xF9 | all}},
	vpsubd:   {"VPSUBD", forms{formRVM: p66 | m0F | 0xFA | all}},
	vpsubq:   {"VPSUBQ", forms{formRVM: p66 | m0F | 0xFB | all | w1e}},
	vpmullw:  {"VPMULLW", forms{formRVM: p66 | m0F | 0xD5 | all}},
	vpmulhw:  {"VPMULHW", forms{formRVM: p66 | m0F | 0xE5 | all}},
	vpmulhuw: {"VPMULHUW", forms{formRVM: p66 | m0F | 0xE4 | all}},
	vpmulld:  {"VPMULLD", forms{formRVM: p66 | m38 | 0x40 | all}},
	vpmullq:  {"VPMULLQ", forms{formRVM: p66 | m38 | 0x40 | exyz | w1e}},
	vpmuludq: {"VPMULUDQ", forms{formRVM: p66 | m0F | 0xF4 | all | w1e}},
	vpmuldq:  {"VPMULDQ", forms{formRVM: p66 | m38 | 0x28 | all | w1e}},
	vpmaddwd: {"VPMADDWD", forms{formRVM: p66 | m0F | 0xF5 | all}},

	// Bits.
	vpand:       {"VPAND", forms{formRVM: p66 | m0F | 0xDB | all}},
	vpandn:      {"VPANDN", forms{formRVM: p66 | m0F | 0xDF | all}},
	vpor:        {"VPOR", forms{formRVM: p66 | m0F | 0xEB | all}},
	vpxor:       {"VPXOR", forms{formRVM: p66 | m0F | 0xEF | all}},
	vpandq:      {"VPANDQ", forms{formRVM: p66 | m0F | 0xDB | exyz | w1e}},
	vpandnq:     {"VPANDNQ", forms{formRVM: p66 | m0F | 0xDF | exyz | w1e}},
	vporq:       {"VPORQ", forms{formRVM: p66 | m0F | 0xEB | exyz | w1e}},
	vpxorq:      {"VPXORQ", forms{formRVM: p66 | m0F | 0xEF | exyz | w1e}},
	vpternlogd:  {"VPTERNLOGD", forms{formRVM: p66 | m3A | 0x25 | exyz | imm8}},
	vpternlogq:  {"VPTERNLOGQ", forms{formRVM: p66 | m3A | 0x25 | exyz | imm8 | w1e}},
	vptest:      {"VPTEST", forms{formRM: p66 | m38 | 0x17 | vxy}},
	vtestps:     {"VTESTPS", forms{formRM: p66 | m38 | 0x0E | vxy}},
	vtestpd:     {"VTESTPD", forms{formRM: p66 | m38 | 0x0F | vxy}},
	vplzcntd:    {"VPLZCNTD", forms{formRM: p66 | m38 | 0x44 | exyz}},
	vplzcntq:    {"VPLZCNTQ", forms{formRM: p66 | m38 | 0x44 | exyz | w1e}},
	vpopcntd:    {"VPOPCNTD", forms{formRM: p66 | m38 | 0x55 | exyz}},
	vpopcntq:    {"VPOPCNTQ", forms{formRM: p66 | m38 | 0x55 | exyz | w1e}},
	vpconflictd: {"VPCONFLICTD", forms{formRM: p66 | m38 | 0xC4 | exyz}},
	vpconflictq: {"VPCONFLICTQ", forms{formRM: p66 | m38 | 0xC4 | exyz | w1e}},

	// Minimum, maximum, absolute value of integers.
	vpminsb: {"VPMINSB", forms{formRVM: p66 | m38 | 0x38 | all}},
	vpminub: {"VPMINUB", forms{formRVM: p66 | m0F | 0xDA | all}},
	vpminsw: {"VPMINSW", forms{formRVM: p66 | m0F | 0xEA | all}},
	vpminuw: {"VPMINUW", forms{formRVM: p66 | m38 | 0x3A | all}},
	vpminsd: {"VPMINSD", forms{formRVM: p66 | m38 | 0x39 | all}},
	vpminud: {"VPMINUD", forms{formRVM: p66 | m38 | 0x3B | all}},
	vpmaxsb: {"VPMAXSB", forms{formRVM: p66 | m38 | 0x3C | all}},
	vpmaxub: {"VPMAXUB", forms{formRVM: p66 | m0F | 0xDE | all}},
	vpmaxsw: {"VPMAXSW", forms{formRVM: p66 | m0F | 0xEE | all}},
	vpmaxuw: {"VPMAXUW", forms{formRVM: p66 | m38 | 0x3E | all}},
	vpmaxsd: {"VPMAXSD", forms{formRVM: p66 | m38 | 0x3D | all}},
	vpmaxud: {"VPMAXUD", forms{formRVM: p66 | m38 | 0x3F | all}},
	vpminsq: {"VPMINSQ", forms{formRVM: p66 | m38 | 0x39 | exyz | w1e}},
	vpminuq: {"VPMINUQ", forms{formRVM: p66 | m38 | 0x3B | exyz | w1e}},
	vpmaxsq: {"VPMAXSQ", forms{formRVM: p66 | m38 | 0x3D | exyz | w1e}},
	vpmaxuq: {"VPMAXUQ", forms{formRVM: p66 | m38 | 0x3F | exyz | w1e}},
	vpabsb:  {"VPABSB", forms{formRM: p66 | m38 | 0x1C | all}},
	vpabsw:  {"VPABSW", forms{formRM: p66 | m38 | 0x1D | all}},
	vpabsd:  {"VPABSD", forms{formRM: p66 | m38 | 0x1E | all}},
	vpabsq:  {"VPABSQ", forms{formRM: p66 | m38 | 0x1F | exyz | w1e}},

	// Comparison of integers: to vectors under VEX, to mask registers under EVEX.
	vpcmpeqb:  {"VPCMPEQB", forms{formRVM: p66 | m0F | 0x74 | vxy, formToMask: p66 | m0F | 0x74 | exyz}},
	vpcmpeqw:  {"VPCMPEQW", forms{formRVM: p66 | m0F | 0x75 | vxy, formToMask: p66 | m0F | 0x75 | exyz}},
	vpcmpeqd:  {"VPCMPEQD", forms{formRVM: p66 | m0F | 0x76 | vxy, formToMask: p66 | m0F | 0x76 | exyz}},
	vpcmpeqq:  {"VPCMPEQQ", forms{formRVM: p66 | m38 | 0x29 | vxy, formToMask: p66 | m38 | 0x29 | exyz | w1e}},
	vpcmpgtb:  {"VPCMPGTB", forms{formRVM: p66 | m0F | 0x64 | vxy, formToMask: p66 | m0F | 0x64 | exyz}},
	vpcmpgtw:  {"VPCMPGTW", forms{formRVM: p66 | m0F | 0x65 | vxy, formToMask: p66 | m0F | 0x65 | exyz}},
	vpcmpgtd:  {"VPCMPGTD", forms{formRVM: p66 | m0F | 0x66 | vxy, formToMask: p66 | m0F | 0x66 | exyz}},
	vpcmpgtq:  {"VPCMPGTQ", forms{formRVM: p66 | m38 | 0x37 | vxy, formToMask: p66 | m38 | 0x37 | exyz | w1e}},
	vpcmpb:    {"VPCMPB", forms{formToMask: p66 | m3A | 0x3F | exyz | imm8}},
	vpcmpub:   {"VPCMPUB", forms{formToMask: p66 | m3A | 0x3E | exyz | imm8}},
	vpcmpw:    {"VPCMPW", forms{formToMask: p66 | m3A | 0x3F | exyz | imm8 | w1e}},
	vpcmpuw:   {"VPCMPUW", forms{formToMask: p66 | m3A | 0x3E | exyz | imm8 | w1e}},
	vpcmpd:    {"VPCMPD", forms{formToMask: p66 | m3A | 0x1F | exyz | imm8}},
	vpcmpud:   {"VPCMPUD", forms{formToMask: p66 | m3A | 0x1E | exyz | imm8}},
	vpcmpq:    {"VPCMPQ", forms{formToMask: p66 | m3A | 0x1F | exyz | imm8 | w1e}},
	vpcmpuq:   {"VPCMPUQ", forms{formToMask: p66 | m3A | 0x1E | exyz | imm8 | w1e}},
	vptestmb:  {"VPTESTMB", forms{formToMask: p66 | m38 | 0x26 | exyz}},
	vptestmw:  {"VPTESTMW", forms{formToMask: p66 | m38 | 0x26 | exyz | w1e}},
	vptestmd:  {"VPTESTMD", forms{formToMask: p66 | m38 | 0x27 | exyz}},
	vptestmq:  {"VPTESTMQ", forms{formToMask: p66 | m38 | 0x27 | exyz | w1e}},
	vptestnmb: {"VPTESTNMB", forms{formToMask: pF3 | m38 | 0x26 | exyz}},
	vptestnmw: {"VPTESTNMW", forms{formToMask: pF3 | m38 | 0x26 | exyz | w1e}},
	vptestnmd: {"VPTESTNMD", forms{formToMask: pF3 | m38 | 0x27 | exyz}},
	vptestnmq: {"VPTESTNMQ", forms{formToMask: pF3 | m38 | 0x27 | exyz | w1e}},

	// Shifts: by the low element of a vector or by an immediate, then element by element.
	vpsllw:  {"VPSLLW", forms{formRVM: p66 | m0F | 0xF1 | all | n16, formShift: p66 | m0F | 0x71 | all | imm8 | 6<<digitShift}},
	vpslld:  {"VPSLLD", forms{formRVM: p66 | m0F | 0xF2 | all | n16, formShift: p66 | m0F | 0x72 | all | imm8 | 6<<digitShift}},
	vpsllq:  {"VPSLLQ", forms{formRVM: p66 | m0F | 0xF3 | all | n16 | w1e, formShift: p66 | m0F | 0x73 | all | imm8 | 6<<digitShift | w1e}},
	vpsrlw:  {"VPSRLW", forms{formRVM: p66 | m0F | 0xD1 | all | n16, formShift: p66 | m0F | 0x71 | all | imm8 | 2<<digitShift}},
	vpsrld:  {"VPSRLD", forms{formRVM: p66 | m0F | 0xD2 | all | n16, formShift: p66 | m0F | 0x72 | all | imm8 | 2<<digitShift}},
	vpsrlq:  {"VPSRLQ", forms{formRVM: p66 | m0F | 0xD3 | all | n16 | w1e, formShift: p66 | m0F | 0x73 | all | imm8 | 2<<digitShift | w1e}},
	vpsraw:  {"VPSRAW", forms{formRVM: p66 | m0F | 0xE1 | all | n16, formShift: p66 | m0F | 0x71 | all | imm8 | 4<<digitShift}},
	vpsrad:  {"VPSRAD", forms{formRVM: p66 | m0F | 0xE2 | all | n16, formShift: p66 | m0F | 0x72 | all | imm8 | 4<<digitShift}},
	vpsraq:  {"VPSRAQ", forms{formRVM: p66 | m0F | 0xE2 | exyz | n16 | w1e, formShift: p66 | m0F | 0x72 | exyz | imm8 | 4<<digitShift | w1e}},
	vpslldq: {"VPSLLDQ", forms{formShift: p66 | m0F | 0x73 | all | imm8 | 7<<digitShift}},
	vpsrldq: {"VPSRLDQ", forms{formShift: p66 | m0F | 0x73 | all | imm8 | 3<<digitShift}},
	vprold:  {"VPROLD", forms{formShift: p66 | m0F | 0x72 | exyz | imm8 | 1<<digitShift}},
	vprolq:  {"VPROLQ", forms{formShift: p66 | m0F | 0x72 | exyz | imm8 | 1<<digitShift | w1e}},
	vprord:  {"VPRORD", forms{formShift: p66 | m0F | 0x72 | exyz | imm8}},
	vprorq:  {"VPRORQ", forms{formShift: p66 | m0F | 0x72 | exyz | imm8 | w1e}},
	vpsllvw: {"VPSLLVW", forms{formRVM: p66 | m38 | 0x12 | exyz | w1e}},
	vpsllvd: {"VPSLLVD", forms{formRVM: p66 | m38 | 0x47 | all}},
	vpsllvq: {"VPSLLVQ", forms{formRVM: p66 | m38 | 0x47 | all | w1}},
	vpsrlvw: {"VPSRLVW", forms{formRVM: p66 | m38 | 0x10 | exyz | w1e}},
	vpsrlvd: {"VPSRLVD", forms{formRVM: p66 | m38 | 0x45 | all}},
	vpsrlvq: {"VPSRLVQ", forms{formRVM: p66 | m38 | 0x45 | all | w1}},
	vpsravw: {"VPSRAVW", forms{formRVM: p66 | m38 | 0x11 | exyz | w1e}},
	vpsravd: {"VPSRAVD", forms{formRVM: p66 | m38 | 0x46 | all}},
	vpsravq: {"VPSRAVQ", forms{formRVM: p66 | m38 | 0x46 | exyz | w1e}},
	vprolvd: {"VPROLVD", forms{formRVM: p66 | m38 | 0x15 | exyz}},
	vprolvq: {"VPROLVQ", forms{formRVM: p66 | m38 | 0x15 | exyz | w1e}},
	vprorvd: {"VPRORVD", forms{formRVM: p66 | m38 | 0x14 | exyz}},
	vprorvq: {"VPRORVQ", forms{formRVM: p66 | m38 | 0x14 | exyz | w1e}},

	// Permutations.
	vpshufb:     {"VPSHUFB", forms{formRVM: p66 | m38 | all}}, // opcode 0
	vpshufd:     {"VPSHUFD", forms{formRM: p66 | m0F | 0x70 | all | imm8}},
	vpshuflw:    {"VPSHUFLW", forms{formRM: pF2 | m0F | 0x70 | all | imm8}},
	vpshufhw:    {"VPSHUFHW", forms{formRM: pF3 | m0F | 0x70 | all | imm8}},
	vshufps:     {"VSHUFPS", forms{formRVM: m0F | 0xC6 | all | imm8}},
	vshufpd:     {"VSHUFPD", forms{formRVM: p66 | m0F | 0xC6 | all | imm8 | w1e}},
	vpermd:      {"VPERMD", forms{formRVM: p66 | m38 | 0x36 | vy | ey | ez}},
	vpermps:     {"VPERMPS", forms{formRVM: p66 | m38 | 0x16 | vy | ey | ez}},
	vpermq:      {"VPERMQ", forms{formRVM: p66 | m38 | 0x36 | ey | ez | w1e, formRM: p66 | m3A | vy | ey | ez | imm8 | w1}}, // opcode 0 by an immediate
	vpermpd:     {"VPERMPD", forms{formRVM: p66 | m38 | 0x16 | ey | ez | w1e, formRM: p66 | m3A | 0x01 | vy | ey | ez | imm8 | w1}},
	vperm2I128:  {"VPERM2I128", forms{formRVM: p66 | m3A | 0x46 | vy | imm8}},
	vpermi2D:    {"VPERMI2D", forms{formRVM: p66 | m38 | 0x76 | exyz}},
	vpermi2Q:    {"VPERMI2Q", forms{formRVM: p66 | m38 | 0x76 | exyz | w1e}},
	vpermt2D:    {"VPERMT2D", forms{formRVM: p66 | m38 | 0x7E | exyz}},
	vpermt2Q:    {"VPERMT2Q", forms{formRVM: p66 | m38 | 0x7E | exyz | w1e}},
	vshufi32X4:  {"VSHUFI32X4", forms{formRVM: p66 | m3A | 0x43 | ey | ez | imm8}},
	vshufi64X2:  {"VSHUFI64X2", forms{formRVM: p66 | m3A | 0x43 | ey | ez | imm8 | w1e}},
	vpalignr:    {"VPALIGNR", forms{formRVM: p66 | m3A | 0x0F | all | imm8}},
	valignd:     {"VALIGND", forms{formRVM: p66 | m3A | 0x03 | exyz | imm8}},
	valignq:     {"VALIGNQ", forms{formRVM: p66 | m3A | 0x03 | exyz | imm8 | w1e}},
	vpunpcklbw:  {"VPUNPCKLBW", forms{formRVM: p66 | m0F | 0x60 | all}},
	vpunpcklwd:  {"VPUNPCKLWD", forms{formRVM: p66 | m0F | 0x61 | all}},
	vpunpckldq:  {"VPUNPCKLDQ", forms{formRVM: p66 | m0F | 0x62 | all}},
	vpunpckhbw:  {"VPUNPCKHBW", forms{formRVM: p66 | m0F | 0x68 | all}},
	vpunpckhwd:  {"VPUNPCKHWD", forms{formRVM: p66 | m0F | 0x69 | all}},
	vpunpckhdq:  {"VPUNPCKHDQ", forms{formRVM: p66 | m0F | 0x6A | all}},
	vpunpcklqdq: {"VPUNPCKLQDQ", forms{formRVM: p66 | m0F | 0x6C | all | w1e}},
	vpunpckhqdq: {"VPUNPCKHQDQ", forms{formRVM: p66 | m0F | 0x6D | all | w1e}},
	vunpcklps:   {"VUNPCKLPS", forms{formRVM: m0F | 0x14 | all}},
	vunpckhps:   {"VUNPCKHPS", forms{formRVM: m0F | 0x15 | all}},
	vunpcklpd:   {"VUNPCKLPD", forms{formRVM: p66 | m0F | 0x14 | all | w1e}},
	vunpckhpd:   {"VUNPCKHPD", forms{formRVM: p66 | m0F | 0x15 | all | w1e}},
	vpacksswb:   {"VPACKSSWB", forms{formRVM: p66 | m0F | 0x63 | all}},
	vpackssdw:   {"VPACKSSDW", forms{formRVM: p66 | m0F | 0x6B | all}},
	vpackuswb:   {"VPACKUSWB", forms{formRVM: p66 | m0F | 0x67 | all}},
	vpackusdw:   {"VPACKUSDW", forms{formRVM: p66 | m38 | 0x2B | all}},
	vpcompressd: {"VPCOMPRESSD", forms{formMR: p66 | m38 | 0x8B | exyz | n4}},
	vpcompressq: {"VPCOMPRESSQ", forms{formMR: p66 | m38 | 0x8B | exyz | n8 | w1e}},
	vpexpandd:   {"VPEXPANDD", forms{formRM: p66 | m38 | 0x89 | exyz | n4}},
	vpexpandq:   {"VPEXPANDQ", forms{formRM: p66 | m38 | 0x89 | exyz | n8 | w1e}},

	// Parts of vectors.
	vinserti128:   {"VINSERTI128", forms{formRVM: p66 | m3A | 0x38 | vy | ey | ez | imm8 | n16}},
	vinserti32X4:  {"VINSERTI32X4", forms{formRVM: p66 | m3A | 0x38 | ey | ez | imm8 | n16}},
	vinserti64X4:  {"VINSERTI64X4", forms{formRVM: p66 | m3A | 0x3A | ez | imm8 | n32 | w1e}},
	vextracti128:  {"VEXTRACTI128", forms{formMR: p66 | m3A | 0x39 | vy | ey | ez | imm8 | n16}},
	vextracti32X4: {"VEXTRACTI32X4", forms{formMR: p66 | m3A | 0x39 | ey | ez | imm8 | n16}},
	vextracti64X4: {"VEXTRACTI64X4", forms{formMR: p66 | m3A | 0x3B | ez | imm8 | n32 | w1e}},
	vpinsrb:       {"VPINSRB", forms{formRVM: p66 | m3A | 0x20 | vx | ex | imm8 | n1 | memOnly, formFromReg: p66 | m3A | 0x20 | vx | ex | imm8}},
	vpinsrw:       {"VPINSRW", forms{formRVM: p66 | m0F | 0xC4 | vx | ex | imm8 | n2 | memOnly, formFromReg: p66 | m0F | 0xC4 | vx | ex | imm8}},
	vpinsrd:       {"VPINSRD", forms{formRVM: p66 | m3A | 0x22 | vx | ex | imm8 | n4 | memOnly, formFromReg: p66 | m3A | 0x22 | vx | ex | imm8}},
	vpinsrq:       {"VPINSRQ", forms{formRVM: p66 | m3A | 0x22 | vx | ex | imm8 | n8 | memOnly | w1, formFromReg: p66 | m3A | 0x22 | vx | ex | imm8 | w1}},
	vpextrb:       {"VPEXTRB", forms{formMR: p66 | m3A | 0x14 | vx | ex | imm8 | n1 | memOnly, formToReg: p66 | m3A | 0x14 | vx | ex | imm8}},
	vpextrw:       {"VPEXTRW", forms{formMR: p66 | m3A | 0x15 | vx | ex | imm8 | n2 | memOnly, formToReg: p66 | m0F | 0xC5 | vx | ex | imm8 | gprReg}},
	vpextrd:       {"VPEXTRD", forms{formMR: p66 | m3A | 0x16 | vx | ex | imm8 | n4 | memOnly, formToReg: p66 | m3A | 0x16 | vx | ex | imm8}},
	vpextrq:       {"VPEXTRQ", forms{formMR: p66 | m3A | 0x16 | vx | ex | imm8 | n8 | memOnly | w1, formToReg: p66 | m3A | 0x16 | vx | ex | imm8 | w1}},
	vmovmskps:     {"VMOVMSKPS", forms{formToReg: m0F | 0x50 | vxy | gprReg}},
	vmovmskpd:     {"VMOVMSKPD", forms{formToReg: p66 | m0F | 0x50 | vxy | gprReg}},
	vpmovmskb:     {"VPMOVMSKB", forms{formToReg: p66 | m0F | 0xD7 | vxy | gprReg}},

	// Wider and narrower integers.
	vpmovsxbw: {"VPMOVSXBW", forms{formRM: p66 | m38 | 0x20 | all | half}},
	vpmovsxbd: {"VPMOVSXBD", forms{formRM: p66 | m38 | 0x21 | all | quarter}},
	vpmovsxbq: {"VPMOVSXBQ", forms{formRM: p66 | m38 | 0x22 | all | eighth}},
	vpmovsxwd: {"VPMOVSXWD", forms{formRM: p66 | m38 | 0x23 | all | half}},
	vpmovsxwq: {"VPMOVSXWQ", forms{formRM: p66 | m38 | 0x24 | all | quarter}},
	vpmovsxdq: {"VPMOVSXDQ", forms{formRM: p66 | m38 | 0x25 | all | half}},
	vpmovzxbw: {"VPMOVZXBW", forms{formRM: p66 | m38 | 0x30 | all | half}},
	vpmovzxbd: {"VPMOVZXBD", forms{formRM: p66 | m38 | 0x31 | all | quarter}},
	vpmovzxbq: {"VPMOVZXBQ", forms{formRM: p66 | m38 | 0x32 | all | eighth}},
	vpmovzxwd: {"VPMOVZXWD", forms{formRM: p66 | m38 | 0x33 | all | half}},
	vpmovzxwq: {"VPMOVZXWQ", forms{formRM: p66 | m38 | 0x34 | all | quarter}},
	vpmovzxdq: {"VPMOVZXDQ", forms{formRM: p66 | m38 | 0x35 | all | half}},
	vpmovwb:   {"VPMOVWB", forms{formMR: pF3 | m38 | 0x30 | exyz | half}},
	vpmovdb:   {"VPMOVDB", forms{formMR: pF3 | m38 | 0x31 | exyz | quarter}},
	vpmovqb:   {"VPMOVQB", forms{formMR: pF3 | m38 | 0x32 | exyz | eighth}},
	vpmovdw:   {"VPMOVDW", forms{formMR: pF3 | m38 | 0x33 | exyz | half}},
	vpmovqw:   {"VPMOVQW", forms{formMR: pF3 | m38 | 0x34 | exyz | quarter}},
	vpmovqd:   {"VPMOVQD", forms{formMR: pF3 | m38 | 0x35 | exyz | half}},
	vpmovswb:  {"VPMOVSWB", forms{formMR: pF3 | m38 | 0x20 | exyz | half}},
	vpmovsdb:  {"VPMOVSDB", forms{formMR: pF3 | m38 | 0x21 | exyz | quarter}},
	vpmovsqb:  {"VPMOVSQB", forms{formMR: pF3 | m38 | 0x22 | exyz | eighth}},
	vpmovsdw:  {"VPMOVSDW", forms{formMR: pF3 | m38 | 0x23 | exyz | half}},
	vpmovsqw:  {"VPMOVSQW", forms{formMR: pF3 | m38 | 0x24 | exyz | quarter}},
	vpmovsqd:  {"VPMOVSQD", forms{formMR: pF3 | m38 | 0x25 | exyz | half}},
	vpmovuswb: {"VPMOVUSWB", forms{formMR: pF3 | m38 | 0x10 | exyz | half}},
	vpmovusdb: {"VPMOVUSDB", forms{formMR: pF3 | m38 | 0x11 | exyz | quarter}},
	vpmovusqb: {"VPMOVUSQB", forms{formMR: pF3 | m38 | 0x12 | exyz | eighth}},
	vpmovusdw: {"VPMOVUSDW", forms{formMR: pF3 | m38 | 0x13 | exyz | half}},
	vpmovusqw: {"VPMOVUSQW", forms{formMR: pF3 | m38 | 0x14 | exyz | quarter}},
	vpmovusqd: {"VPMOVUSQD", forms{formMR: pF3 | m38 | 0x15 | exyz | half}},

	// One value in all elements.
	vpbroadcastb:    {"VPBROADCASTB", forms{formRM: p66 | m38 | 0x78 | all | n1, formFromReg: p66 | m38 | 0x7A | exyz}},
	vpbroadcastw:    {"VPBROADCASTW", forms{formRM: p66 | m38 | 0x79 | all | n2, formFromReg: p66 | m38 | 0x7B | exyz}},
	vpbroadcastd:    {"VPBROADCASTD", forms{formRM: p66 | m38 | 0x58 | all | n4, formFromReg: p66 | m38 | 0x7C | exyz}},
	vpbroadcastq:    {"VPBROADCASTQ", forms{formRM: p66 | m38 | 0x59 | all | n8 | w1e, formFromReg: p66 | m38 | 0x7C | exyz | w1e}},
	vbroadcastss:    {"VBROADCASTSS", forms{formRM: p66 | m38 | 0x18 | all | n4}},
	vbroadcastsd:    {"VBROADCASTSD", forms{formRM: p66 | m38 | 0x19 | vy | ey | ez | n8 | w1e}},
	vbroadcasti128:  {"VBROADCASTI128", forms{formRM: p66 | m38 | 0x5A | vy | ey | ez | n16 | memOnly}},
	vbroadcasti32X4: {"VBROADCASTI32X4", forms{formRM: p66 | m38 | 0x5A | ey | ez | n16 | memOnly}},
	vbroadcasti64X4: {"VBROADCASTI64X4", forms{formRM: p66 | m38 | 0x5B | ez | n32 | memOnly | w1e}},

	// Moves.
	vmovdqu:   {"VMOVDQU", forms{formRM: pF3 | m0F | 0x6F | all, formMR: pF3 | m0F | 0x7F | all}},
	vmovdqa:   {"VMOVDQA", forms{formRM: p66 | m0F | 0x6F | all, formMR: p66 | m0F | 0x7F | all}},
	vmovups:   {"VMOVUPS", forms{formRM: m0F | 0x10 | all, formMR: m0F | 0x11 | all}},
	vmovupd:   {"VMOVUPD", forms{formRM: p66 | m0F | 0x10 | all | w1e, formMR: p66 | m0F | 0x11 | all | w1e}},
	vmovaps:   {"VMOVAPS", forms{formRM: m0F | 0x28 | all, formMR: m0F | 0x29 | all}},
	vmovapd:   {"VMOVAPD", forms{formRM: p66 | m0F | 0x28 | all | w1e, formMR: p66 | m0F | 0x29 | all | w1e}},
	vmovdqu8:  {"VMOVDQU8", forms{formRM: pF2 | m0F | 0x6F | exyz, formMR: pF2 | m0F | 0x7F | exyz}},
	vmovdqu16: {"VMOVDQU16", forms{formRM: pF2 | m0F | 0x6F | exyz | w1e, formMR: pF2 | m0F | 0x7F | exyz | w1e}},
	vmovdqu32: {"VMOVDQU32", forms{formRM: pF3 | m0F | 0x6F | exyz, formMR: pF3 | m0F | 0x7F | exyz}},
	vmovdqu64: {"VMOVDQU64", forms{formRM: pF3 | m0F | 0x6F | exyz | w1e, formMR: pF3 | m0F | 0x7F | exyz | w1e}},
	vmovdqa32: {"VMOVDQA32", forms{formRM: p66 | m0F | 0x6F | exyz, formMR: p66 | m0F | 0x7F | exyz}},
	vmovdqa64: {"VMOVDQA64", forms{formRM: p66 | m0F | 0x6F | exyz | w1e, formMR: p66 | m0F | 0x7F | exyz | w1e}},
	vmovd:     {"VMOVD", forms{formRM: p66 | m0F | 0x6E | vx | ex | n4 | memOnly, formMR: p66 | m0F | 0x7E | vx | ex | n4 | memOnly, formToReg: p66 | m0F | 0x7E | vx | ex, formFromReg: p66 | m0F | 0x6E | vx | ex}},
	vmovq:     {"VMOVQ", forms{formRM: pF3 | m0F | 0x7E | vx | ex | n8 | w1e, formMR: p66 | m0F | 0xD6 | vx | ex | n8 | w1e | memOnly, formToReg: p66 | m0F | 0x7E | vx | ex | w1, formFromReg: p66 | m0F | 0x6E | vx | ex | w1}},
	vmovss:    {"VMOVSS", forms{formRVM: pF3 | m0F | 0x10 | vx | ex | n4 | regOnly, formRM: pF3 | m0F | 0x10 | vx | ex | n4 | memOnly, formMR: pF3 | m0F | 0x11 | vx | ex | n4 | memOnly}},
	vmovsd:    {"VMOVSD", forms{formRVM: pF2 | m0F | 0x10 | vx | ex | n8 | w1e | regOnly, formRM: pF2 | m0F | 0x10 | vx | ex | n8 | w1e | memOnly, formMR: pF2 | m0F | 0x11 | vx | ex | n8 | w1e | memOnly}},
	vmovsldup: {"VMOVSLDUP", forms{formRM: pF3 | m0F | 0x12 | all}},
	vmovshdup: {"VMOVSHDUP", forms{formRM: pF3 | m0F | 0x16 | all}},

	// Gathers and scatters.
	vpgatherdd:  {"VPGATHERDD", forms{formGather: p66 | m38 | 0x90 | all | n4}},
	vpgatherdq:  {"VPGATHERDQ", forms{formGather: p66 | m38 | 0x90 | all | n8 | w1}},
	vpgatherqd:  {"VPGATHERQD", forms{formGather: p66 | m38 | 0x91 | all | n4}},
	vpgatherqq:  {"VPGATHERQQ", forms{formGather: p66 | m38 | 0x91 | all | n8 | w1}},
	vpscatterdd: {"VPSCATTERDD", forms{formScatter: p66 | m38 | 0xA0 | exyz | n4}},
	vpscatterdq: {"VPSCATTERDQ", forms{formScatter: p66 | m38 | 0xA0 | exyz | n8 | w1e}},
	vpscatterqd: {"VPSCATTERQD", forms{formScatter: p66 | m38 | 0xA1 | exyz | n4}},
	vpscatterqq: {"VPSCATTERQQ", forms{formScatter: p66 | m38 | 0xA1 | exyz | n8 | w1e}},

	// Choices between elements.
	vblendvps: {"VBLENDVPS", forms{formBlend: p66 | m3A | 0x4A | vxy | imm8}},
	vblendvpd: {"VBLENDVPD", forms{formBlend: p66 | m3A | 0x4B | vxy | imm8}},
	vpblendvb: {"VPBLENDVB", forms{formBlend: p66 | m3A | 0x4C | vxy | imm8}},
	vpblendw:  {"VPBLENDW", forms{formRVM: p66 | m3A | 0x0E | vxy | imm8}},
	vpblendd:  {"VPBLENDD", forms{formRVM: p66 | m3A | 0x02 | vxy | imm8}},
	vblendps:  {"VBLENDPS", forms{formRVM: p66 | m3A | 0x0C | vxy | imm8}},
	vblendpd:  {"VBLENDPD", forms{formRVM: p66 | m3A | 0x0D | vxy | imm8}},
	vpblendmb: {"VPBLENDMB", forms{formRVM: p66 | m38 | 0x66 | exyz}},
	vpblendmw: {"VPBLENDMW", forms{formRVM: p66 | m38 | 0x66 | exyz | w1e}},
	vpblendmd: {"VPBLENDMD", forms{formRVM: p66 | m38 | 0x64 | exyz}},
	vpblendmq: {"VPBLENDMQ", forms{formRVM: p66 | m38 | 0x64 | exyz | w1e}},
	vblendmps: {"VBLENDMPS", forms{formRVM: p66 | m38 | 0x65 | exyz}},
	vblendmpd: {"VBLENDMPD", forms{formRVM: p66 | m38 | 0x65 | exyz | w1e}},
	vpmovm2B:  {"VPMOVM2B", forms{formFromMask: pF3 | m38 | 0x28 | exyz}},
	vpmovm2W:  {"VPMOVM2W", forms{formFromMask: pF3 | m38 | 0x28 | exyz | w1e}},
	vpmovm2D:  {"VPMOVM2D", forms{formFromMask: pF3 | m38 | 0x38 | exyz}},
	vpmovm2Q:  {"VPMOVM2Q", forms{formFromMask: pF3 | m38 | 0x38 | exyz | w1e}},
	vpmovb2M:  {"VPMOVB2M", forms{formSignsToMask: pF3 | m38 | 0x29 | exyz}},
	vpmovw2M:  {"VPMOVW2M", forms{formSignsToMask: pF3 | m38 | 0x29 | exyz | w1e}},
	vpmovd2M:  {"VPMOVD2M", forms{formSignsToMask: pF3 | m38 | 0x39 | exyz}},
	vpmovq2M:  {"VPMOVQ2M", forms{formSignsToMask: pF3 | m38 | 0x39 | exyz | w1e}},

	// Arithmetic of floating-point numbers.
	vaddps:       {"VADDPS", forms{formRVM: m0F | 0x58 | all}},
	vaddpd:       {"VADDPD", forms{formRVM: p66 | m0F | 0x58 | all | w1e}},
	vmulps:       {"VMULPS", forms{formRVM: m0F | 0x59 | all}},
	vmulpd:       {"VMULPD", forms{formRVM: p66 | m0F | 0x59 | all | w1e}},
	vsubps:       {"VSUBPS", forms{formRVM: m0F | 0x5C | all}},
	vsubpd:       {"VSUBPD", forms{formRVM: p66 | m0F | 0x5C | all | w1e}},
	vminps:       {"VMINPS", forms{formRVM: m0F | 0x5D | all}},
	vminpd:       {"VMINPD", forms{formRVM: p66 | m0F | 0x5D | all | w1e}},
	vdivps:       {"VDIVPS", forms{formRVM: m0F | 0x5E | all}},
	vdivpd:       {"VDIVPD", forms{formRVM: p66 | m0F | 0x5E | all | w1e}},
	vmaxps:       {"VMAXPS", forms{formRVM: m0F | 0x5F | all}},
	vmaxpd:       {"VMAXPD", forms{formRVM: p66 | m0F | 0x5F | all | w1e}},
	vsqrtps:      {"VSQRTPS", forms{formRM: m0F | 0x51 | all}},
	vsqrtpd:      {"VSQRTPD", forms{formRM: p66 | m0F | 0x51 | all | w1e}},
	vfmadd132PS:  {"VFMADD132PS", forms{formRVM: p66 | m38 | 0x98 | all}},
	vfmadd132PD:  {"VFMADD132PD", forms{formRVM: p66 | m38 | 0x98 | all | w1}},
	vfmadd213PS:  {"VFMADD213PS", forms{formRVM: p66 | m38 | 0xA8 | all}},
	vfmadd213PD:  {"VFMADD213PD", forms{formRVM: p66 | m38 | 0xA8 | all | w1}},
	vfmadd231PS:  {"VFMADD231PS", forms{formRVM: p66 | m38 | 0xB8 | all}},
	vfmadd231PD:  {"VFMADD231PD", forms{formRVM: p66 | m38 | 0xB8 | all | w1}},
	vfmsub132PS:  {"VFMSUB132PS", forms{formRVM: p66 | m38 | 0x9A | all}},
	vfmsub132PD:  {"VFMSUB132PD", forms{formRVM: p66 | m38 | 0x9A | all | w1}},
	vfmsub213PS:  {"VFMSUB213PS", forms{formRVM: p66 | m38 | 0xAA | all}},
	vfmsub213PD:  {"VFMSUB213PD", forms{formRVM: p66 | m38 | 0xAA | all | w1}},
	vfmsub231PS:  {"VFMSUB231PS", forms{formRVM: p66 | m38 | 0xBA | all}},
	vfmsub231PD:  {"VFMSUB231PD", forms{formRVM: p66 | m38 | 0xBA | all | w1}},
	vfnmadd132PS: {"VFNMADD132PS", forms{formRVM: p66 | m38 | 0x9C | all}},
	vfnmadd132PD: {"VFNMADD132PD", forms{formRVM: p66 | m38 | 0x9C | all | w1}},
	vfnmadd213PS: {"VFNMADD213PS", forms{formRVM: p66 | m38 | 0xAC | all}},
	vfnmadd213PD: {"VFNMADD213PD", forms{formRVM: p66 | m38 | 0xAC | all | w1}},
	vfnmadd231PS: {"VFNMADD231PS", forms{formRVM: p66 | m38 | 0xBC | all}},
	vfnmadd231PD: {"VFNMADD231PD", forms{formRVM: p66 | m38 | 0xBC | all | w1}},
	vfnmsub132PS: {"VFNMSUB132PS", forms{formRVM: p66 | m38 | 0x9E | all}},
	vfnmsub132PD: {"VFNMSUB132PD", forms{formRVM: p66 | m38 | 0x9E | all | w1}},
	vfnmsub213PS: {"VFNMSUB213PS", forms{formRVM: p66 | m38 | 0xAE | all}},
	vfnmsub213PD: {"VFNMSUB213PD", forms{formRVM: p66 | m38 | 0xAE | all | w1}},
	vfnmsub231PS: {"VFNMSUB231PS", forms{formRVM: p66 | m38 | 0xBE | all}},
	vfnmsub231PD: {"VFNMSUB231PD", forms{formRVM: p66 | m38 | 0xBE | all | w1}},
	vandps:       {"VANDPS", forms{formRVM: m0F | 0x54 | all}},
	vandpd:       {"VANDPD", forms{formRVM: p66 | m0F | 0x54 | all | w1e}},
	vandnps:      {"VANDNPS", forms{formRVM: m0F | 0x55 | all}},
	vandnpd:      {"VANDNPD", forms{formRVM: p66 | m0F | 0x55 | all | w1e}},
	vorps:        {"VORPS", forms{formRVM: m0F | 0x56 | all}},
	vorpd:        {"VORPD", forms{formRVM: p66 | m0F | 0x56 | all | w1e}},
	vxorps:       {"VXORPS", forms{formRVM: m0F | 0x57 | all}},
	vxorpd:       {"VXORPD", forms{formRVM: p66 | m0F | 0x57 | all | w1e}},
	vcmpps:       {"VCMPPS", forms{formRVM: m0F | 0xC2 | vxy | imm8, formToMask: m0F | 0xC2 | exyz | imm8}},
	vcmppd:       {"VCMPPD", forms{formRVM: p66 | m0F | 0xC2 | vxy | imm8, formToMask: p66 | m0F | 0xC2 | exyz | imm8 | w1e}},
	vrcpps:       {"VRCPPS", forms{formRM: m0F | 0x53 | vxy}},
	vrsqrtps:     {"VRSQRTPS", forms{formRM: m0F | 0x52 | vxy}},
	vrcp14PS:     {"VRCP14PS", forms{formRM: p66 | m38 | 0x4C | exyz}},
	vrcp14PD:     {"VRCP14PD", forms{formRM: p66 | m38 | 0x4C | exyz | w1e}},
	vrsqrt14PS:   {"VRSQRT14PS", forms{formRM: p66 | m38 | 0x4E | exyz}},
	vrsqrt14PD:   {"VRSQRT14PD", forms{formRM: p66 | m38 | 0x4E | exyz | w1e}},
	vroundps:     {"VROUNDPS", forms{formRM: p66 | m3A | 0x08 | vxy | imm8}},
	vroundpd:     {"VROUNDPD", forms{formRM: p66 | m3A | 0x09 | vxy | imm8}},
	vrndscaleps:  {"VRNDSCALEPS", forms{formRM: p66 | m3A | 0x08 | exyz | imm8}},
	vrndscalepd:  {"VRNDSCALEPD", forms{formRM: p66 | m3A | 0x09 | exyz | imm8 | w1e}},
	vfixupimmps:  {"VFIXUPIMMPS", forms{formRVM: p66 | m3A | 0x54 | exyz | imm8}},
	vfixupimmpd:  {"VFIXUPIMMPD", forms{formRVM: p66 | m3A | 0x54 | exyz | imm8 | w1e}},
	vrangeps:     {"VRANGEPS", forms{formRVM: p66 | m3A | 0x50 | exyz | imm8}},
	vrangepd:     {"VRANGEPD", forms{formRVM: p66 | m3A | 0x50 | exyz | imm8 | w1e}},
	vscalefps:    {"VSCALEFPS", forms{formRVM: p66 | m38 | 0x2C | exyz}},
	vscalefpd:    {"VSCALEFPD", forms{formRVM: p66 | m38 | 0x2C | exyz | w1e}},

	// Conversions.
	vcvtdq2PS:   {"VCVTDQ2PS", forms{formRM: m0F | 0x5B | all}},
	vcvtps2DQ:   {"VCVTPS2DQ", forms{formRM: p66 | m0F | 0x5B | all}},
	vcvttps2DQ:  {"VCVTTPS2DQ", forms{formRM: pF3 | m0F | 0x5B | all}},
	vcvtdq2PD:   {"VCVTDQ2PD", forms{formRM: pF3 | m0F | 0xE6 | all | half}},
	vcvtpd2DQ:   {"VCVTPD2DQ", forms{formRM: pF2 | m0F | 0xE6 | all | w1e}},
	vcvttpd2DQ:  {"VCVTTPD2DQ", forms{formRM: p66 | m0F | 0xE6 | all | w1e}},
	vcvtps2PD:   {"VCVTPS2PD", forms{formRM: m0F | 0x5A | all | half}},
	vcvtpd2PS:   {"VCVTPD2PS", forms{formRM: p66 | m0F | 0x5A | all | w1e}},
	vcvtph2PS:   {"VCVTPH2PS", forms{formRM: p66 | m38 | 0x13 | all | half}},
	vcvtps2PH:   {"VCVTPS2PH", forms{formMR: p66 | m3A | 0x1D | all | half | imm8}},
	vcvtudq2PS:  {"VCVTUDQ2PS", forms{formRM: pF2 | m0F | 0x7A | exyz}},
	vcvtudq2PD:  {"VCVTUDQ2PD", forms{formRM: pF3 | m0F | 0x7A | exyz | half}},
	vcvtqq2PD:   {"VCVTQQ2PD", forms{formRM: pF3 | m0F | 0xE6 | exyz | w1e}},
	vcvtuqq2PD:  {"VCVTUQQ2PD", forms{formRM: pF3 | m0F | 0x7A | exyz | w1e}},
	vcvtqq2PS:   {"VCVTQQ2PS", forms{formRM: m0F | 0x5B | exyz | w1e}},
	vcvtuqq2PS:  {"VCVTUQQ2PS", forms{formRM: pF2 | m0F | 0x7A | exyz | w1e}},
	vcvtps2UDQ:  {"VCVTPS2UDQ", forms{formRM: m0F | 0x79 | exyz}},
	vcvttps2UDQ: {"VCVTTPS2UDQ", forms{formRM: m0F | 0x78 | exyz}},
	vcvtpd2UDQ:  {"VCVTPD2UDQ", forms{formRM: m0F | 0x79 | exyz | w1e}},
	vcvttpd2UDQ: {"VCVTTPD2UDQ", forms{formRM: m0F | 0x78 | exyz | w1e}},
	vcvtpd2QQ:   {"VCVTPD2QQ", forms{formRM: p66 | m0F | 0x7B | exyz | w1e}},
	vcvttpd2QQ:  {"VCVTTPD2QQ", forms{formRM: p66 | m0F | 0x7A | exyz | w1e}},
	vcvtpd2UQQ:  {"VCVTPD2UQQ", forms{formRM: p66 | m0F | 0x79 | exyz | w1e}},
	vcvttpd2UQQ: {"VCVTTPD2UQQ", forms{formRM: p66 | m0F | 0x78 | exyz | w1e}},
	vcvtps2QQ:   {"VCVTPS2QQ", forms{formRM: p66 | m0F | 0x7B | exyz | half}},
	vcvttps2QQ:  {"VCVTTPS2QQ", forms{formRM: p66 | m0F | 0x7A | exyz | half}},
	vcvtps2UQQ:  {"VCVTPS2UQQ", forms{formRM: p66 | m0F | 0x79 | exyz | half}},
	vcvttps2UQQ: {"VCVTTPS2UQQ", forms{formRM: p66 | m0F | 0x78 | exyz | half}},

	// Bytes: sums of four products, and differences that do not become negative.
	vpdpbusd: {"VPDPBUSD", forms{formRVM: p66 | m38 | 0x50 | all}},
	vpsubusb: {"VPSUBUSB", forms{formRVM: p66 | m0F | 0xD8 | all}},
}
