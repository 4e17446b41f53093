package jit

// VOp is a vector instruction.
type VOp uint16

// The vector instructions, by their Intel names.
const (
	// Addition, subtraction, multiplication of integers.
	VPADDB VOp = iota
	VPADDW
	VPADDD
	VPADDQ
	VPSUBB
	VPSUBW
	VPSUBD
	VPSUBQ
	VPMULLW
	VPMULHW
	VPMULHUW
	VPMULLD
	VPMULLQ
	VPMULUDQ
	VPMULDQ
	VPMADDWD

	// Bits.
	VPAND
	VPANDN
	VPOR
	VPXOR
	VPANDQ
	VPANDNQ
	VPORQ
	VPXORQ
	VPTERNLOGD
	VPTERNLOGQ
	VPTEST
	VTESTPS
	VTESTPD
	VPLZCNTD
	VPLZCNTQ
	VPOPCNTD
	VPOPCNTQ
	VPCONFLICTD
	VPCONFLICTQ

	// Minimum, maximum, absolute value of integers.
	VPMINSB
	VPMINUB
	VPMINSW
	VPMINUW
	VPMINSD
	VPMINUD
	VPMAXSB
	VPMAXUB
	VPMAXSW
	VPMAXUW
	VPMAXSD
	VPMAXUD
	VPMINSQ
	VPMINUQ
	VPMAXSQ
	VPMAXUQ
	VPABSB
	VPABSW
	VPABSD
	VPABSQ

	// Comparison of integers: to vectors under VEX, to mask registers under EVEX.
	VPCMPEQB
	VPCMPEQW
	VPCMPEQD
	VPCMPEQQ
	VPCMPGTB
	VPCMPGTW
	VPCMPGTD
	VPCMPGTQ
	VPCMPB
	VPCMPUB
	VPCMPW
	VPCMPUW
	VPCMPD
	VPCMPUD
	VPCMPQ
	VPCMPUQ
	VPTESTMB
	VPTESTMW
	VPTESTMD
	VPTESTMQ
	VPTESTNMB
	VPTESTNMW
	VPTESTNMD
	VPTESTNMQ

	// Shifts: by the low element of a vector or by an immediate, then element by element.
	VPSLLW
	VPSLLD
	VPSLLQ
	VPSRLW
	VPSRLD
	VPSRLQ
	VPSRAW
	VPSRAD
	VPSRAQ
	VPSLLDQ
	VPSRLDQ
	VPROLD
	VPROLQ
	VPRORD
	VPRORQ
	VPSLLVW
	VPSLLVD
	VPSLLVQ
	VPSRLVW
	VPSRLVD
	VPSRLVQ
	VPSRAVW
	VPSRAVD
	VPSRAVQ
	VPROLVD
	VPROLVQ
	VPRORVD
	VPRORVQ

	// Permutations.
	VPSHUFB
	VPSHUFD
	VPSHUFLW
	VPSHUFHW
	VSHUFPS
	VSHUFPD
	VPERMD
	VPERMPS
	VPERMQ
	VPERMPD
	VPERM2I128
	VPERMI2D
	VPERMI2Q
	VPERMT2D
	VPERMT2Q
	VSHUFI32X4
	VSHUFI64X2
	VPALIGNR
	VALIGND
	VALIGNQ
	VPUNPCKLBW
	VPUNPCKLWD
	VPUNPCKLDQ
	VPUNPCKHBW
	VPUNPCKHWD
	VPUNPCKHDQ
	VPUNPCKLQDQ
	VPUNPCKHQDQ
	VUNPCKLPS
	VUNPCKHPS
	VUNPCKLPD
	VUNPCKHPD
	VPACKSSWB
	VPACKSSDW
	VPACKUSWB
	VPACKUSDW
	VPCOMPRESSD
	VPCOMPRESSQ
	VPEXPANDD
	VPEXPANDQ

	// Parts of vectors.
	VINSERTI128
	VINSERTI32X4
	VINSERTI64X4
	VEXTRACTI128
	VEXTRACTI32X4
	VEXTRACTI64X4
	VPINSRB
	VPINSRW
	VPINSRD
	VPINSRQ
	VPEXTRB
	VPEXTRW
	VPEXTRD
	VPEXTRQ
	VMOVMSKPS
	VMOVMSKPD
	VPMOVMSKB

	// Wider and narrower integers.
	VPMOVSXBW
	VPMOVSXBD
	VPMOVSXBQ
	VPMOVSXWD
	VPMOVSXWQ
	VPMOVSXDQ
	VPMOVZXBW
	VPMOVZXBD
	VPMOVZXBQ
	VPMOVZXWD
	VPMOVZXWQ
	VPMOVZXDQ
	VPMOVWB
	VPMOVDB
	VPMOVQB
	VPMOVDW
	VPMOVQW
	VPMOVQD
	VPMOVSWB
	VPMOVSDB
	VPMOVSQB
	VPMOVSDW
	VPMOVSQW
	VPMOVSQD
	VPMOVUSWB
	VPMOVUSDB
	VPMOVUSQB
	VPMOVUSDW
	VPMOVUSQW
	VPMOVUSQD

	// One value in all elements.
	VPBROADCASTB
	VPBROADCASTW
	VPBROADCASTD
	VPBROADCASTQ
	VBROADCASTSS
	VBROADCASTSD
	VBROADCASTI128
	VBROADCASTI32X4
	VBROADCASTI64X4

	// Moves.
	VMOVDQU
	VMOVDQA
	VMOVUPS
	VMOVUPD
	VMOVAPS
	VMOVAPD
	VMOVDQU8
	VMOVDQU16
	VMOVDQU32
	VMOVDQU64
	VMOVDQA32
	VMOVDQA64
	VMOVD
	VMOVQ
	VMOVSS
	VMOVSD
	VMOVSLDUP
	VMOVSHDUP

	// Gathers and scatters.
	VPGATHERDD
	VPGATHERDQ
	VPGATHERQD
	VPGATHERQQ
	VPSCATTERDD
	VPSCATTERDQ
	VPSCATTERQD
	VPSCATTERQQ

	// Choices between elements.
	VBLENDVPS
	VBLENDVPD
	VPBLENDVB
	VPBLENDW
	VPBLENDD
	VBLENDPS
	VBLENDPD
	VPBLENDMB
	VPBLENDMW
	VPBLENDMD
	VPBLENDMQ
	VBLENDMPS
	VBLENDMPD
	VPMOVM2B
	VPMOVM2W
	VPMOVM2D
	VPMOVM2Q
	VPMOVB2M
	VPMOVW2M
	VPMOVD2M
	VPMOVQ2M

	// Arithmetic of floating-point numbers.
	VADDPS
	VADDPD
	VMULPS
	VMULPD
	VSUBPS
	VSUBPD
	VMINPS
	VMINPD
	VDIVPS
	VDIVPD
	VMAXPS
	VMAXPD
	VSQRTPS
	VSQRTPD
	VFMADD132PS
	VFMADD132PD
	VFMADD213PS
	VFMADD213PD
	VFMADD231PS
	VFMADD231PD
	VFMSUB132PS
	VFMSUB132PD
	VFMSUB213PS
	VFMSUB213PD
	VFMSUB231PS
	VFMSUB231PD
	VFNMADD132PS
	VFNMADD132PD
	VFNMADD213PS
	VFNMADD213PD
	VFNMADD231PS
	VFNMADD231PD
	VFNMSUB132PS
	VFNMSUB132PD
	VFNMSUB213PS
	VFNMSUB213PD
	VFNMSUB231PS
	VFNMSUB231PD
	VANDPS
	VANDPD
	VANDNPS
	VANDNPD
	VORPS
	VORPD
	VXORPS
	VXORPD
	VCMPPS
	VCMPPD
	VRCPPS
	VRSQRTPS
	VRCP14PS
	VRCP14PD
	VRSQRT14PS
	VRSQRT14PD
	VROUNDPS
	VROUNDPD
	VRNDSCALEPS
	VRNDSCALEPD
	VFIXUPIMMPS
	VFIXUPIMMPD
	VRANGEPS
	VRANGEPD
	VSCALEFPS
	VSCALEFPD

	// Conversions.
	VCVTDQ2PS
	VCVTPS2DQ
	VCVTTPS2DQ
	VCVTDQ2PD
	VCVTPD2DQ
	VCVTTPD2DQ
	VCVTPS2PD
	VCVTPD2PS
	VCVTPH2PS
	VCVTPS2PH
	VCVTUDQ2PS
	VCVTUDQ2PD
	VCVTQQ2PD
	VCVTUQQ2PD
	VCVTQQ2PS
	VCVTUQQ2PS
	VCVTPS2UDQ
	VCVTTPS2UDQ
	VCVTPD2UDQ
	VCVTTPD2UDQ
	VCVTPD2QQ
	VCVTTPD2QQ
	VCVTPD2UQQ
	VCVTTPD2UQQ
	VCVTPS2QQ
	VCVTTPS2QQ
	VCVTPS2UQQ
	VCVTTPS2UQQ

	numVOps
)

type forms = [numForms]code

// vops has what Intel's manual, volume 2, says of each instruction, one a row. Under
// EVEX some have a name for elements of 32 bits: there VPAND is VPANDD, VMOVDQU is
// VMOVDQU32, VEXTRACTI128 is VEXTRACTI32X4. Which of the CPU's features an
// instruction takes is not in the table.
var vops = [numVOps]vop{
	// Addition, subtraction, multiplication of integers.
	VPADDB:   {"VPADDB", forms{formRVM: p66 | m0F | 0xFC | all}},
	VPADDW:   {"VPADDW", forms{formRVM: p66 | m0F | 0xFD | all}},
	VPADDD:   {"VPADDD", forms{formRVM: p66 | m0F | 0xFE | all}},
	VPADDQ:   {"VPADDQ", forms{formRVM: p66 | m0F | 0xD4 | all | w1e}},
	VPSUBB:   {"VPSUBB", forms{formRVM: p66 | m0F | 0xF8 | all}},
	VPSUBW:   {"VPSUBW", forms{formRVM: p66 | m0F | 0xF9 | all}},
	VPSUBD:   {"VPSUBD", forms{formRVM: p66 | m0F | 0xFA | all}},
	VPSUBQ:   {"VPSUBQ", forms{formRVM: p66 | m0F | 0xFB | all | w1e}},
	VPMULLW:  {"VPMULLW", forms{formRVM: p66 | m0F | 0xD5 | all}},
	VPMULHW:  {"VPMULHW", forms{formRVM: p66 | m0F | 0xE5 | all}},
	VPMULHUW: {"VPMULHUW", forms{formRVM: p66 | m0F | 0xE4 | all}},
	VPMULLD:  {"VPMULLD", forms{formRVM: p66 | m38 | 0x40 | all}},
	VPMULLQ:  {"VPMULLQ", forms{formRVM: p66 | m38 | 0x40 | exyz | w1e}},
	VPMULUDQ: {"VPMULUDQ", forms{formRVM: p66 | m0F | 0xF4 | all | w1e}},
	VPMULDQ:  {"VPMULDQ", forms{formRVM: p66 | m38 | 0x28 | all | w1e}},
	VPMADDWD: {"VPMADDWD", forms{formRVM: p66 | m0F | 0xF5 | all}},

	// Bits.
	VPAND:       {"VPAND", forms{formRVM: p66 | m0F | 0xDB | all}},
	VPANDN:      {"VPANDN", forms{formRVM: p66 | m0F | 0xDF | all}},
	VPOR:        {"VPOR", forms{formRVM: p66 | m0F | 0xEB | all}},
	VPXOR:       {"VPXOR", forms{formRVM: p66 | m0F | 0xEF | all}},
	VPANDQ:      {"VPANDQ", forms{formRVM: p66 | m0F | 0xDB | exyz | w1e}},
	VPANDNQ:     {"VPANDNQ", forms{formRVM: p66 | m0F | 0xDF | exyz | w1e}},
	VPORQ:       {"VPORQ", forms{formRVM: p66 | m0F | 0xEB | exyz | w1e}},
	VPXORQ:      {"VPXORQ", forms{formRVM: p66 | m0F | 0xEF | exyz | w1e}},
	VPTERNLOGD:  {"VPTERNLOGD", forms{formRVM: p66 | m3A | 0x25 | exyz | imm8}},
	VPTERNLOGQ:  {"VPTERNLOGQ", forms{formRVM: p66 | m3A | 0x25 | exyz | imm8 | w1e}},
	VPTEST:      {"VPTEST", forms{formRM: p66 | m38 | 0x17 | vxy}},
	VTESTPS:     {"VTESTPS", forms{formRM: p66 | m38 | 0x0E | vxy}},
	VTESTPD:     {"VTESTPD", forms{formRM: p66 | m38 | 0x0F | vxy}},
	VPLZCNTD:    {"VPLZCNTD", forms{formRM: p66 | m38 | 0x44 | exyz}},
	VPLZCNTQ:    {"VPLZCNTQ", forms{formRM: p66 | m38 | 0x44 | exyz | w1e}},
	VPOPCNTD:    {"VPOPCNTD", forms{formRM: p66 | m38 | 0x55 | exyz}},
	VPOPCNTQ:    {"VPOPCNTQ", forms{formRM: p66 | m38 | 0x55 | exyz | w1e}},
	VPCONFLICTD: {"VPCONFLICTD", forms{formRM: p66 | m38 | 0xC4 | exyz}},
	VPCONFLICTQ: {"VPCONFLICTQ", forms{formRM: p66 | m38 | 0xC4 | exyz | w1e}},

	// Minimum, maximum, absolute value of integers.
	VPMINSB: {"VPMINSB", forms{formRVM: p66 | m38 | 0x38 | all}},
	VPMINUB: {"VPMINUB", forms{formRVM: p66 | m0F | 0xDA | all}},
	VPMINSW: {"VPMINSW", forms{formRVM: p66 | m0F | 0xEA | all}},
	VPMINUW: {"VPMINUW", forms{formRVM: p66 | m38 | 0x3A | all}},
	VPMINSD: {"VPMINSD", forms{formRVM: p66 | m38 | 0x39 | all}},
	VPMINUD: {"VPMINUD", forms{formRVM: p66 | m38 | 0x3B | all}},
	VPMAXSB: {"VPMAXSB", forms{formRVM: p66 | m38 | 0x3C | all}},
	VPMAXUB: {"VPMAXUB", forms{formRVM: p66 | m0F | 0xDE | all}},
	VPMAXSW: {"VPMAXSW", forms{formRVM: p66 | m0F | 0xEE | all}},
	VPMAXUW: {"VPMAXUW", forms{formRVM: p66 | m38 | 0x3E | all}},
	VPMAXSD: {"VPMAXSD", forms{formRVM: p66 | m38 | 0x3D | all}},
	VPMAXUD: {"VPMAXUD", forms{formRVM: p66 | m38 | 0x3F | all}},
	VPMINSQ: {"VPMINSQ", forms{formRVM: p66 | m38 | 0x39 | exyz | w1e}},
	VPMINUQ: {"VPMINUQ", forms{formRVM: p66 | m38 | 0x3B | exyz | w1e}},
	VPMAXSQ: {"VPMAXSQ", forms{formRVM: p66 | m38 | 0x3D | exyz | w1e}},
	VPMAXUQ: {"VPMAXUQ", forms{formRVM: p66 | m38 | 0x3F | exyz | w1e}},
	VPABSB:  {"VPABSB", forms{formRM: p66 | m38 | 0x1C | all}},
	VPABSW:  {"VPABSW", forms{formRM: p66 | m38 | 0x1D | all}},
	VPABSD:  {"VPABSD", forms{formRM: p66 | m38 | 0x1E | all}},
	VPABSQ:  {"VPABSQ", forms{formRM: p66 | m38 | 0x1F | exyz | w1e}},

	// Comparison of integers: to vectors under VEX, to mask registers under EVEX.
	VPCMPEQB:  {"VPCMPEQB", forms{formRVM: p66 | m0F | 0x74 | vxy, formToMask: p66 | m0F | 0x74 | exyz}},
	VPCMPEQW:  {"VPCMPEQW", forms{formRVM: p66 | m0F | 0x75 | vxy, formToMask: p66 | m0F | 0x75 | exyz}},
	VPCMPEQD:  {"VPCMPEQD", forms{formRVM: p66 | m0F | 0x76 | vxy, formToMask: p66 | m0F | 0x76 | exyz}},
	VPCMPEQQ:  {"VPCMPEQQ", forms{formRVM: p66 | m38 | 0x29 | vxy, formToMask: p66 | m38 | 0x29 | exyz | w1e}},
	VPCMPGTB:  {"VPCMPGTB", forms{formRVM: p66 | m0F | 0x64 | vxy, formToMask: p66 | m0F | 0x64 | exyz}},
	VPCMPGTW:  {"VPCMPGTW", forms{formRVM: p66 | m0F | 0x65 | vxy, formToMask: p66 | m0F | 0x65 | exyz}},
	VPCMPGTD:  {"VPCMPGTD", forms{formRVM: p66 | m0F | 0x66 | vxy, formToMask: p66 | m0F | 0x66 | exyz}},
	VPCMPGTQ:  {"VPCMPGTQ", forms{formRVM: p66 | m38 | 0x37 | vxy, formToMask: p66 | m38 | 0x37 | exyz | w1e}},
	VPCMPB:    {"VPCMPB", forms{formToMask: p66 | m3A | 0x3F | exyz | imm8}},
	VPCMPUB:   {"VPCMPUB", forms{formToMask: p66 | m3A | 0x3E | exyz | imm8}},
	VPCMPW:    {"VPCMPW", forms{formToMask: p66 | m3A | 0x3F | exyz | imm8 | w1e}},
	VPCMPUW:   {"VPCMPUW", forms{formToMask: p66 | m3A | 0x3E | exyz | imm8 | w1e}},
	VPCMPD:    {"VPCMPD", forms{formToMask: p66 | m3A | 0x1F | exyz | imm8}},
	VPCMPUD:   {"VPCMPUD", forms{formToMask: p66 | m3A | 0x1E | exyz | imm8}},
	VPCMPQ:    {"VPCMPQ", forms{formToMask: p66 | m3A | 0x1F | exyz | imm8 | w1e}},
	VPCMPUQ:   {"VPCMPUQ", forms{formToMask: p66 | m3A | 0x1E | exyz | imm8 | w1e}},
	VPTESTMB:  {"VPTESTMB", forms{formToMask: p66 | m38 | 0x26 | exyz}},
	VPTESTMW:  {"VPTESTMW", forms{formToMask: p66 | m38 | 0x26 | exyz | w1e}},
	VPTESTMD:  {"VPTESTMD", forms{formToMask: p66 | m38 | 0x27 | exyz}},
	VPTESTMQ:  {"VPTESTMQ", forms{formToMask: p66 | m38 | 0x27 | exyz | w1e}},
	VPTESTNMB: {"VPTESTNMB", forms{formToMask: pF3 | m38 | 0x26 | exyz}},
	VPTESTNMW: {"VPTESTNMW", forms{formToMask: pF3 | m38 | 0x26 | exyz | w1e}},
	VPTESTNMD: {"VPTESTNMD", forms{formToMask: pF3 | m38 | 0x27 | exyz}},
	VPTESTNMQ: {"VPTESTNMQ", forms{formToMask: pF3 | m38 | 0x27 | exyz | w1e}},

	// Shifts: by the low element of a vector or by an immediate, then element by element.
	VPSLLW:  {"VPSLLW", forms{formRVM: p66 | m0F | 0xF1 | all | n16, formShift: p66 | m0F | 0x71 | all | imm8 | 6<<digitShift}},
	VPSLLD:  {"VPSLLD", forms{formRVM: p66 | m0F | 0xF2 | all | n16, formShift: p66 | m0F | 0x72 | all | imm8 | 6<<digitShift}},
	VPSLLQ:  {"VPSLLQ", forms{formRVM: p66 | m0F | 0xF3 | all | n16 | w1e, formShift: p66 | m0F | 0x73 | all | imm8 | 6<<digitShift | w1e}},
	VPSRLW:  {"VPSRLW", forms{formRVM: p66 | m0F | 0xD1 | all | n16, formShift: p66 | m0F | 0x71 | all | imm8 | 2<<digitShift}},
	VPSRLD:  {"VPSRLD", forms{formRVM: p66 | m0F | 0xD2 | all | n16, formShift: p66 | m0F | 0x72 | all | imm8 | 2<<digitShift}},
	VPSRLQ:  {"VPSRLQ", forms{formRVM: p66 | m0F | 0xD3 | all | n16 | w1e, formShift: p66 | m0F | 0x73 | all | imm8 | 2<<digitShift | w1e}},
	VPSRAW:  {"VPSRAW", forms{formRVM: p66 | m0F | 0xE1 | all | n16, formShift: p66 | m0F | 0x71 | all | imm8 | 4<<digitShift}},
	VPSRAD:  {"VPSRAD", forms{formRVM: p66 | m0F | 0xE2 | all | n16, formShift: p66 | m0F | 0x72 | all | imm8 | 4<<digitShift}},
	VPSRAQ:  {"VPSRAQ", forms{formRVM: p66 | m0F | 0xE2 | exyz | n16 | w1e, formShift: p66 | m0F | 0x72 | exyz | imm8 | 4<<digitShift | w1e}},
	VPSLLDQ: {"VPSLLDQ", forms{formShift: p66 | m0F | 0x73 | all | imm8 | 7<<digitShift}},
	VPSRLDQ: {"VPSRLDQ", forms{formShift: p66 | m0F | 0x73 | all | imm8 | 3<<digitShift}},
	VPROLD:  {"VPROLD", forms{formShift: p66 | m0F | 0x72 | exyz | imm8 | 1<<digitShift}},
	VPROLQ:  {"VPROLQ", forms{formShift: p66 | m0F | 0x72 | exyz | imm8 | 1<<digitShift | w1e}},
	VPRORD:  {"VPRORD", forms{formShift: p66 | m0F | 0x72 | exyz | imm8}},
	VPRORQ:  {"VPRORQ", forms{formShift: p66 | m0F | 0x72 | exyz | imm8 | w1e}},
	VPSLLVW: {"VPSLLVW", forms{formRVM: p66 | m38 | 0x12 | exyz | w1e}},
	VPSLLVD: {"VPSLLVD", forms{formRVM: p66 | m38 | 0x47 | all}},
	VPSLLVQ: {"VPSLLVQ", forms{formRVM: p66 | m38 | 0x47 | all | w1}},
	VPSRLVW: {"VPSRLVW", forms{formRVM: p66 | m38 | 0x10 | exyz | w1e}},
	VPSRLVD: {"VPSRLVD", forms{formRVM: p66 | m38 | 0x45 | all}},
	VPSRLVQ: {"VPSRLVQ", forms{formRVM: p66 | m38 | 0x45 | all | w1}},
	VPSRAVW: {"VPSRAVW", forms{formRVM: p66 | m38 | 0x11 | exyz | w1e}},
	VPSRAVD: {"VPSRAVD", forms{formRVM: p66 | m38 | 0x46 | all}},
	VPSRAVQ: {"VPSRAVQ", forms{formRVM: p66 | m38 | 0x46 | exyz | w1e}},
	VPROLVD: {"VPROLVD", forms{formRVM: p66 | m38 | 0x15 | exyz}},
	VPROLVQ: {"VPROLVQ", forms{formRVM: p66 | m38 | 0x15 | exyz | w1e}},
	VPRORVD: {"VPRORVD", forms{formRVM: p66 | m38 | 0x14 | exyz}},
	VPRORVQ: {"VPRORVQ", forms{formRVM: p66 | m38 | 0x14 | exyz | w1e}},

	// Permutations.
	VPSHUFB:     {"VPSHUFB", forms{formRVM: p66 | m38 | all}}, // opcode 0
	VPSHUFD:     {"VPSHUFD", forms{formRM: p66 | m0F | 0x70 | all | imm8}},
	VPSHUFLW:    {"VPSHUFLW", forms{formRM: pF2 | m0F | 0x70 | all | imm8}},
	VPSHUFHW:    {"VPSHUFHW", forms{formRM: pF3 | m0F | 0x70 | all | imm8}},
	VSHUFPS:     {"VSHUFPS", forms{formRVM: m0F | 0xC6 | all | imm8}},
	VSHUFPD:     {"VSHUFPD", forms{formRVM: p66 | m0F | 0xC6 | all | imm8 | w1e}},
	VPERMD:      {"VPERMD", forms{formRVM: p66 | m38 | 0x36 | vy | ey | ez}},
	VPERMPS:     {"VPERMPS", forms{formRVM: p66 | m38 | 0x16 | vy | ey | ez}},
	VPERMQ:      {"VPERMQ", forms{formRVM: p66 | m38 | 0x36 | ey | ez | w1e, formRM: p66 | m3A | vy | ey | ez | imm8 | w1}}, // opcode 0 by an immediate
	VPERMPD:     {"VPERMPD", forms{formRVM: p66 | m38 | 0x16 | ey | ez | w1e, formRM: p66 | m3A | 0x01 | vy | ey | ez | imm8 | w1}},
	VPERM2I128:  {"VPERM2I128", forms{formRVM: p66 | m3A | 0x46 | vy | imm8}},
	VPERMI2D:    {"VPERMI2D", forms{formRVM: p66 | m38 | 0x76 | exyz}},
	VPERMI2Q:    {"VPERMI2Q", forms{formRVM: p66 | m38 | 0x76 | exyz | w1e}},
	VPERMT2D:    {"VPERMT2D", forms{formRVM: p66 | m38 | 0x7E | exyz}},
	VPERMT2Q:    {"VPERMT2Q", forms{formRVM: p66 | m38 | 0x7E | exyz | w1e}},
	VSHUFI32X4:  {"VSHUFI32X4", forms{formRVM: p66 | m3A | 0x43 | ey | ez | imm8}},
	VSHUFI64X2:  {"VSHUFI64X2", forms{formRVM: p66 | m3A | 0x43 | ey | ez | imm8 | w1e}},
	VPALIGNR:    {"VPALIGNR", forms{formRVM: p66 | m3A | 0x0F | all | imm8}},
	VALIGND:     {"VALIGND", forms{formRVM: p66 | m3A | 0x03 | exyz | imm8}},
	VALIGNQ:     {"VALIGNQ", forms{formRVM: p66 | m3A | 0x03 | exyz | imm8 | w1e}},
	VPUNPCKLBW:  {"VPUNPCKLBW", forms{formRVM: p66 | m0F | 0x60 | all}},
	VPUNPCKLWD:  {"VPUNPCKLWD", forms{formRVM: p66 | m0F | 0x61 | all}},
	VPUNPCKLDQ:  {"VPUNPCKLDQ", forms{formRVM: p66 | m0F | 0x62 | all}},
	VPUNPCKHBW:  {"VPUNPCKHBW", forms{formRVM: p66 | m0F | 0x68 | all}},
	VPUNPCKHWD:  {"VPUNPCKHWD", forms{formRVM: p66 | m0F | 0x69 | all}},
	VPUNPCKHDQ:  {"VPUNPCKHDQ", forms{formRVM: p66 | m0F | 0x6A | all}},
	VPUNPCKLQDQ: {"VPUNPCKLQDQ", forms{formRVM: p66 | m0F | 0x6C | all | w1e}},
	VPUNPCKHQDQ: {"VPUNPCKHQDQ", forms{formRVM: p66 | m0F | 0x6D | all | w1e}},
	VUNPCKLPS:   {"VUNPCKLPS", forms{formRVM: m0F | 0x14 | all}},
	VUNPCKHPS:   {"VUNPCKHPS", forms{formRVM: m0F | 0x15 | all}},
	VUNPCKLPD:   {"VUNPCKLPD", forms{formRVM: p66 | m0F | 0x14 | all | w1e}},
	VUNPCKHPD:   {"VUNPCKHPD", forms{formRVM: p66 | m0F | 0x15 | all | w1e}},
	VPACKSSWB:   {"VPACKSSWB", forms{formRVM: p66 | m0F | 0x63 | all}},
	VPACKSSDW:   {"VPACKSSDW", forms{formRVM: p66 | m0F | 0x6B | all}},
	VPACKUSWB:   {"VPACKUSWB", forms{formRVM: p66 | m0F | 0x67 | all}},
	VPACKUSDW:   {"VPACKUSDW", forms{formRVM: p66 | m38 | 0x2B | all}},
	VPCOMPRESSD: {"VPCOMPRESSD", forms{formMR: p66 | m38 | 0x8B | exyz | n4}},
	VPCOMPRESSQ: {"VPCOMPRESSQ", forms{formMR: p66 | m38 | 0x8B | exyz | n8 | w1e}},
	VPEXPANDD:   {"VPEXPANDD", forms{formRM: p66 | m38 | 0x89 | exyz | n4}},
	VPEXPANDQ:   {"VPEXPANDQ", forms{formRM: p66 | m38 | 0x89 | exyz | n8 | w1e}},

	// Parts of vectors.
	VINSERTI128:   {"VINSERTI128", forms{formRVM: p66 | m3A | 0x38 | vy | ey | ez | imm8 | n16}},
	VINSERTI32X4:  {"VINSERTI32X4", forms{formRVM: p66 | m3A | 0x38 | ey | ez | imm8 | n16}},
	VINSERTI64X4:  {"VINSERTI64X4", forms{formRVM: p66 | m3A | 0x3A | ez | imm8 | n32 | w1e}},
	VEXTRACTI128:  {"VEXTRACTI128", forms{formMR: p66 | m3A | 0x39 | vy | ey | ez | imm8 | n16}},
	VEXTRACTI32X4: {"VEXTRACTI32X4", forms{formMR: p66 | m3A | 0x39 | ey | ez | imm8 | n16}},
	VEXTRACTI64X4: {"VEXTRACTI64X4", forms{formMR: p66 | m3A | 0x3B | ez | imm8 | n32 | w1e}},
	VPINSRB:       {"VPINSRB", forms{formRVM: p66 | m3A | 0x20 | vx | ex | imm8 | n1 | memOnly, formFromReg: p66 | m3A | 0x20 | vx | ex | imm8}},
	VPINSRW:       {"VPINSRW", forms{formRVM: p66 | m0F | 0xC4 | vx | ex | imm8 | n2 | memOnly, formFromReg: p66 | m0F | 0xC4 | vx | ex | imm8}},
	VPINSRD:       {"VPINSRD", forms{formRVM: p66 | m3A | 0x22 | vx | ex | imm8 | n4 | memOnly, formFromReg: p66 | m3A | 0x22 | vx | ex | imm8}},
	VPINSRQ:       {"VPINSRQ", forms{formRVM: p66 | m3A | 0x22 | vx | ex | imm8 | n8 | memOnly | w1, formFromReg: p66 | m3A | 0x22 | vx | ex | imm8 | w1}},
	VPEXTRB:       {"VPEXTRB", forms{formMR: p66 | m3A | 0x14 | vx | ex | imm8 | n1 | memOnly, formToReg: p66 | m3A | 0x14 | vx | ex | imm8}},
	VPEXTRW:       {"VPEXTRW", forms{formMR: p66 | m3A | 0x15 | vx | ex | imm8 | n2 | memOnly, formToReg: p66 | m0F | 0xC5 | vx | ex | imm8 | gprReg}},
	VPEXTRD:       {"VPEXTRD", forms{formMR: p66 | m3A | 0x16 | vx | ex | imm8 | n4 | memOnly, formToReg: p66 | m3A | 0x16 | vx | ex | imm8}},
	VPEXTRQ:       {"VPEXTRQ", forms{formMR: p66 | m3A | 0x16 | vx | ex | imm8 | n8 | memOnly | w1, formToReg: p66 | m3A | 0x16 | vx | ex | imm8 | w1}},
	VMOVMSKPS:     {"VMOVMSKPS", forms{formToReg: m0F | 0x50 | vxy | gprReg}},
	VMOVMSKPD:     {"VMOVMSKPD", forms{formToReg: p66 | m0F | 0x50 | vxy | gprReg}},
	VPMOVMSKB:     {"VPMOVMSKB", forms{formToReg: p66 | m0F | 0xD7 | vxy | gprReg}},

	// Wider and narrower integers.
	VPMOVSXBW: {"VPMOVSXBW", forms{formRM: p66 | m38 | 0x20 | all | half}},
	VPMOVSXBD: {"VPMOVSXBD", forms{formRM: p66 | m38 | 0x21 | all | quarter}},
	VPMOVSXBQ: {"VPMOVSXBQ", forms{formRM: p66 | m38 | 0x22 | all | eighth}},
	VPMOVSXWD: {"VPMOVSXWD", forms{formRM: p66 | m38 | 0x23 | all | half}},
	VPMOVSXWQ: {"VPMOVSXWQ", forms{formRM: p66 | m38 | 0x24 | all | quarter}},
	VPMOVSXDQ: {"VPMOVSXDQ", forms{formRM: p66 | m38 | 0x25 | all | half}},
	VPMOVZXBW: {"VPMOVZXBW", forms{formRM: p66 | m38 | 0x30 | all | half}},
	VPMOVZXBD: {"VPMOVZXBD", forms{formRM: p66 | m38 | 0x31 | all | quarter}},
	VPMOVZXBQ: {"VPMOVZXBQ", forms{formRM: p66 | m38 | 0x32 | all | eighth}},
	VPMOVZXWD: {"VPMOVZXWD", forms{formRM: p66 | m38 | 0x33 | all | half}},
	VPMOVZXWQ: {"VPMOVZXWQ", forms{formRM: p66 | m38 | 0x34 | all | quarter}},
	VPMOVZXDQ: {"VPMOVZXDQ", forms{formRM: p66 | m38 | 0x35 | all | half}},
	VPMOVWB:   {"VPMOVWB", forms{formMR: pF3 | m38 | 0x30 | exyz | half}},
	VPMOVDB:   {"VPMOVDB", forms{formMR: pF3 | m38 | 0x31 | exyz | quarter}},
	VPMOVQB:   {"VPMOVQB", forms{formMR: pF3 | m38 | 0x32 | exyz | eighth}},
	VPMOVDW:   {"VPMOVDW", forms{formMR: pF3 | m38 | 0x33 | exyz | half}},
	VPMOVQW:   {"VPMOVQW", forms{formMR: pF3 | m38 | 0x34 | exyz | quarter}},
	VPMOVQD:   {"VPMOVQD", forms{formMR: pF3 | m38 | 0x35 | exyz | half}},
	VPMOVSWB:  {"VPMOVSWB", forms{formMR: pF3 | m38 | 0x20 | exyz | half}},
	VPMOVSDB:  {"VPMOVSDB", forms{formMR: pF3 | m38 | 0x21 | exyz | quarter}},
	VPMOVSQB:  {"VPMOVSQB", forms{formMR: pF3 | m38 | 0x22 | exyz | eighth}},
	VPMOVSDW:  {"VPMOVSDW", forms{formMR: pF3 | m38 | 0x23 | exyz | half}},
	VPMOVSQW:  {"VPMOVSQW", forms{formMR: pF3 | m38 | 0x24 | exyz | quarter}},
	VPMOVSQD:  {"VPMOVSQD", forms{formMR: pF3 | m38 | 0x25 | exyz | half}},
	VPMOVUSWB: {"VPMOVUSWB", forms{formMR: pF3 | m38 | 0x10 | exyz | half}},
	VPMOVUSDB: {"VPMOVUSDB", forms{formMR: pF3 | m38 | 0x11 | exyz | quarter}},
	VPMOVUSQB: {"VPMOVUSQB", forms{formMR: pF3 | m38 | 0x12 | exyz | eighth}},
	VPMOVUSDW: {"VPMOVUSDW", forms{formMR: pF3 | m38 | 0x13 | exyz | half}},
	VPMOVUSQW: {"VPMOVUSQW", forms{formMR: pF3 | m38 | 0x14 | exyz | quarter}},
	VPMOVUSQD: {"VPMOVUSQD", forms{formMR: pF3 | m38 | 0x15 | exyz | half}},

	// One value in all elements.
	VPBROADCASTB:    {"VPBROADCASTB", forms{formRM: p66 | m38 | 0x78 | all | n1, formFromReg: p66 | m38 | 0x7A | exyz}},
	VPBROADCASTW:    {"VPBROADCASTW", forms{formRM: p66 | m38 | 0x79 | all | n2, formFromReg: p66 | m38 | 0x7B | exyz}},
	VPBROADCASTD:    {"VPBROADCASTD", forms{formRM: p66 | m38 | 0x58 | all | n4, formFromReg: p66 | m38 | 0x7C | exyz}},
	VPBROADCASTQ:    {"VPBROADCASTQ", forms{formRM: p66 | m38 | 0x59 | all | n8 | w1e, formFromReg: p66 | m38 | 0x7C | exyz | w1e}},
	VBROADCASTSS:    {"VBROADCASTSS", forms{formRM: p66 | m38 | 0x18 | all | n4}},
	VBROADCASTSD:    {"VBROADCASTSD", forms{formRM: p66 | m38 | 0x19 | vy | ey | ez | n8 | w1e}},
	VBROADCASTI128:  {"VBROADCASTI128", forms{formRM: p66 | m38 | 0x5A | vy | ey | ez | n16 | memOnly}},
	VBROADCASTI32X4: {"VBROADCASTI32X4", forms{formRM: p66 | m38 | 0x5A | ey | ez | n16 | memOnly}},
	VBROADCASTI64X4: {"VBROADCASTI64X4", forms{formRM: p66 | m38 | 0x5B | ez | n32 | memOnly | w1e}},

	// Moves.
	VMOVDQU:   {"VMOVDQU", forms{formRM: pF3 | m0F | 0x6F | all, formMR: pF3 | m0F | 0x7F | all}},
	VMOVDQA:   {"VMOVDQA", forms{formRM: p66 | m0F | 0x6F | all, formMR: p66 | m0F | 0x7F | all}},
	VMOVUPS:   {"VMOVUPS", forms{formRM: m0F | 0x10 | all, formMR: m0F | 0x11 | all}},
	VMOVUPD:   {"VMOVUPD", forms{formRM: p66 | m0F | 0x10 | all | w1e, formMR: p66 | m0F | 0x11 | all | w1e}},
	VMOVAPS:   {"VMOVAPS", forms{formRM: m0F | 0x28 | all, formMR: m0F | 0x29 | all}},
	VMOVAPD:   {"VMOVAPD", forms{formRM: p66 | m0F | 0x28 | all | w1e, formMR: p66 | m0F | 0x29 | all | w1e}},
	VMOVDQU8:  {"VMOVDQU8", forms{formRM: pF2 | m0F | 0x6F | exyz, formMR: pF2 | m0F | 0x7F | exyz}},
	VMOVDQU16: {"VMOVDQU16", forms{formRM: pF2 | m0F | 0x6F | exyz | w1e, formMR: pF2 | m0F | 0x7F | exyz | w1e}},
	VMOVDQU32: {"VMOVDQU32", forms{formRM: pF3 | m0F | 0x6F | exyz, formMR: pF3 | m0F | 0x7F | exyz}},
	VMOVDQU64: {"VMOVDQU64", forms{formRM: pF3 | m0F | 0x6F | exyz | w1e, formMR: pF3 | m0F | 0x7F | exyz | w1e}},
	VMOVDQA32: {"VMOVDQA32", forms{formRM: p66 | m0F | 0x6F | exyz, formMR: p66 | m0F | 0x7F | exyz}},
	VMOVDQA64: {"VMOVDQA64", forms{formRM: p66 | m0F | 0x6F | exyz | w1e, formMR: p66 | m0F | 0x7F | exyz | w1e}},
	VMOVD:     {"VMOVD", forms{formRM: p66 | m0F | 0x6E | vx | ex | n4 | memOnly, formMR: p66 | m0F | 0x7E | vx | ex | n4 | memOnly, formToReg: p66 | m0F | 0x7E | vx | ex, formFromReg: p66 | m0F | 0x6E | vx | ex}},
	VMOVQ:     {"VMOVQ", forms{formRM: pF3 | m0F | 0x7E | vx | ex | n8 | w1e, formMR: p66 | m0F | 0xD6 | vx | ex | n8 | w1e | memOnly, formToReg: p66 | m0F | 0x7E | vx | ex | w1, formFromReg: p66 | m0F | 0x6E | vx | ex | w1}},
	VMOVSS:    {"VMOVSS", forms{formRVM: pF3 | m0F | 0x10 | vx | ex | n4 | regOnly, formRM: pF3 | m0F | 0x10 | vx | ex | n4 | memOnly, formMR: pF3 | m0F | 0x11 | vx | ex | n4 | memOnly}},
	VMOVSD:    {"VMOVSD", forms{formRVM: pF2 | m0F | 0x10 | vx | ex | n8 | w1e | regOnly, formRM: pF2 | m0F | 0x10 | vx | ex | n8 | w1e | memOnly, formMR: pF2 | m0F | 0x11 | vx | ex | n8 | w1e | memOnly}},
	VMOVSLDUP: {"VMOVSLDUP", forms{formRM: pF3 | m0F | 0x12 | all}},
	VMOVSHDUP: {"VMOVSHDUP", forms{formRM: pF3 | m0F | 0x16 | all}},

	// Gathers and scatters.
	VPGATHERDD:  {"VPGATHERDD", forms{formGather: p66 | m38 | 0x90 | all | n4}},
	VPGATHERDQ:  {"VPGATHERDQ", forms{formGather: p66 | m38 | 0x90 | all | n8 | w1}},
	VPGATHERQD:  {"VPGATHERQD", forms{formGather: p66 | m38 | 0x91 | all | n4}},
	VPGATHERQQ:  {"VPGATHERQQ", forms{formGather: p66 | m38 | 0x91 | all | n8 | w1}},
	VPSCATTERDD: {"VPSCATTERDD", forms{formScatter: p66 | m38 | 0xA0 | exyz | n4}},
	VPSCATTERDQ: {"VPSCATTERDQ", forms{formScatter: p66 | m38 | 0xA0 | exyz | n8 | w1e}},
	VPSCATTERQD: {"VPSCATTERQD", forms{formScatter: p66 | m38 | 0xA1 | exyz | n4}},
	VPSCATTERQQ: {"VPSCATTERQQ", forms{formScatter: p66 | m38 | 0xA1 | exyz | n8 | w1e}},

	// Choices between elements.
	VBLENDVPS: {"VBLENDVPS", forms{formBlend: p66 | m3A | 0x4A | vxy | imm8}},
	VBLENDVPD: {"VBLENDVPD", forms{formBlend: p66 | m3A | 0x4B | vxy | imm8}},
	VPBLENDVB: {"VPBLENDVB", forms{formBlend: p66 | m3A | 0x4C | vxy | imm8}},
	VPBLENDW:  {"VPBLENDW", forms{formRVM: p66 | m3A | 0x0E | vxy | imm8}},
	VPBLENDD:  {"VPBLENDD", forms{formRVM: p66 | m3A | 0x02 | vxy | imm8}},
	VBLENDPS:  {"VBLENDPS", forms{formRVM: p66 | m3A | 0x0C | vxy | imm8}},
	VBLENDPD:  {"VBLENDPD", forms{formRVM: p66 | m3A | 0x0D | vxy | imm8}},
	VPBLENDMB: {"VPBLENDMB", forms{formRVM: p66 | m38 | 0x66 | exyz}},
	VPBLENDMW: {"VPBLENDMW", forms{formRVM: p66 | m38 | 0x66 | exyz | w1e}},
	VPBLENDMD: {"VPBLENDMD", forms{formRVM: p66 | m38 | 0x64 | exyz}},
	VPBLENDMQ: {"VPBLENDMQ", forms{formRVM: p66 | m38 | 0x64 | exyz | w1e}},
	VBLENDMPS: {"VBLENDMPS", forms{formRVM: p66 | m38 | 0x65 | exyz}},
	VBLENDMPD: {"VBLENDMPD", forms{formRVM: p66 | m38 | 0x65 | exyz | w1e}},
	VPMOVM2B:  {"VPMOVM2B", forms{formFromMask: pF3 | m38 | 0x28 | exyz}},
	VPMOVM2W:  {"VPMOVM2W", forms{formFromMask: pF3 | m38 | 0x28 | exyz | w1e}},
	VPMOVM2D:  {"VPMOVM2D", forms{formFromMask: pF3 | m38 | 0x38 | exyz}},
	VPMOVM2Q:  {"VPMOVM2Q", forms{formFromMask: pF3 | m38 | 0x38 | exyz | w1e}},
	VPMOVB2M:  {"VPMOVB2M", forms{formSignsToMask: pF3 | m38 | 0x29 | exyz}},
	VPMOVW2M:  {"VPMOVW2M", forms{formSignsToMask: pF3 | m38 | 0x29 | exyz | w1e}},
	VPMOVD2M:  {"VPMOVD2M", forms{formSignsToMask: pF3 | m38 | 0x39 | exyz}},
	VPMOVQ2M:  {"VPMOVQ2M", forms{formSignsToMask: pF3 | m38 | 0x39 | exyz | w1e}},

	// Arithmetic of floating-point numbers.
	VADDPS:       {"VADDPS", forms{formRVM: m0F | 0x58 | all}},
	VADDPD:       {"VADDPD", forms{formRVM: p66 | m0F | 0x58 | all | w1e}},
	VMULPS:       {"VMULPS", forms{formRVM: m0F | 0x59 | all}},
	VMULPD:       {"VMULPD", forms{formRVM: p66 | m0F | 0x59 | all | w1e}},
	VSUBPS:       {"VSUBPS", forms{formRVM: m0F | 0x5C | all}},
	VSUBPD:       {"VSUBPD", forms{formRVM: p66 | m0F | 0x5C | all | w1e}},
	VMINPS:       {"VMINPS", forms{formRVM: m0F | 0x5D | all}},
	VMINPD:       {"VMINPD", forms{formRVM: p66 | m0F | 0x5D | all | w1e}},
	VDIVPS:       {"VDIVPS", forms{formRVM: m0F | 0x5E | all}},
	VDIVPD:       {"VDIVPD", forms{formRVM: p66 | m0F | 0x5E | all | w1e}},
	VMAXPS:       {"VMAXPS", forms{formRVM: m0F | 0x5F | all}},
	VMAXPD:       {"VMAXPD", forms{formRVM: p66 | m0F | 0x5F | all | w1e}},
	VSQRTPS:      {"VSQRTPS", forms{formRM: m0F | 0x51 | all}},
	VSQRTPD:      {"VSQRTPD", forms{formRM: p66 | m0F | 0x51 | all | w1e}},
	VFMADD132PS:  {"VFMADD132PS", forms{formRVM: p66 | m38 | 0x98 | all}},
	VFMADD132PD:  {"VFMADD132PD", forms{formRVM: p66 | m38 | 0x98 | all | w1}},
	VFMADD213PS:  {"VFMADD213PS", forms{formRVM: p66 | m38 | 0xA8 | all}},
	VFMADD213PD:  {"VFMADD213PD", forms{formRVM: p66 | m38 | 0xA8 | all | w1}},
	VFMADD231PS:  {"VFMADD231PS", forms{formRVM: p66 | m38 | 0xB8 | all}},
	VFMADD231PD:  {"VFMADD231PD", forms{formRVM: p66 | m38 | 0xB8 | all | w1}},
	VFMSUB132PS:  {"VFMSUB132PS", forms{formRVM: p66 | m38 | 0x9A | all}},
	VFMSUB132PD:  {"VFMSUB132PD", forms{formRVM: p66 | m38 | 0x9A | all | w1}},
	VFMSUB213PS:  {"VFMSUB213PS", forms{formRVM: p66 | m38 | 0xAA | all}},
	VFMSUB213PD:  {"VFMSUB213PD", forms{formRVM: p66 | m38 | 0xAA | all | w1}},
	VFMSUB231PS:  {"VFMSUB231PS", forms{formRVM: p66 | m38 | 0xBA | all}},
	VFMSUB231PD:  {"VFMSUB231PD", forms{formRVM: p66 | m38 | 0xBA | all | w1}},
	VFNMADD132PS: {"VFNMADD132PS", forms{formRVM: p66 | m38 | 0x9C | all}},
	VFNMADD132PD: {"VFNMADD132PD", forms{formRVM: p66 | m38 | 0x9C | all | w1}},
	VFNMADD213PS: {"VFNMADD213PS", forms{formRVM: p66 | m38 | 0xAC | all}},
	VFNMADD213PD: {"VFNMADD213PD", forms{formRVM: p66 | m38 | 0xAC | all | w1}},
	VFNMADD231PS: {"VFNMADD231PS", forms{formRVM: p66 | m38 | 0xBC | all}},
	VFNMADD231PD: {"VFNMADD231PD", forms{formRVM: p66 | m38 | 0xBC | all | w1}},
	VFNMSUB132PS: {"VFNMSUB132PS", forms{formRVM: p66 | m38 | 0x9E | all}},
	VFNMSUB132PD: {"VFNMSUB132PD", forms{formRVM: p66 | m38 | 0x9E | all | w1}},
	VFNMSUB213PS: {"VFNMSUB213PS", forms{formRVM: p66 | m38 | 0xAE | all}},
	VFNMSUB213PD: {"VFNMSUB213PD", forms{formRVM: p66 | m38 | 0xAE | all | w1}},
	VFNMSUB231PS: {"VFNMSUB231PS", forms{formRVM: p66 | m38 | 0xBE | all}},
	VFNMSUB231PD: {"VFNMSUB231PD", forms{formRVM: p66 | m38 | 0xBE | all | w1}},
	VANDPS:       {"VANDPS", forms{formRVM: m0F | 0x54 | all}},
	VANDPD:       {"VANDPD", forms{formRVM: p66 | m0F | 0x54 | all | w1e}},
	VANDNPS:      {"VANDNPS", forms{formRVM: m0F | 0x55 | all}},
	VANDNPD:      {"VANDNPD", forms{formRVM: p66 | m0F | 0x55 | all | w1e}},
	VORPS:        {"VORPS", forms{formRVM: m0F | 0x56 | all}},
	VORPD:        {"VORPD", forms{formRVM: p66 | m0F | 0x56 | all | w1e}},
	VXORPS:       {"VXORPS", forms{formRVM: m0F | 0x57 | all}},
	VXORPD:       {"VXORPD", forms{formRVM: p66 | m0F | 0x57 | all | w1e}},
	VCMPPS:       {"VCMPPS", forms{formRVM: m0F | 0xC2 | vxy | imm8, formToMask: m0F | 0xC2 | exyz | imm8}},
	VCMPPD:       {"VCMPPD", forms{formRVM: p66 | m0F | 0xC2 | vxy | imm8, formToMask: p66 | m0F | 0xC2 | exyz | imm8 | w1e}},
	VRCPPS:       {"VRCPPS", forms{formRM: m0F | 0x53 | vxy}},
	VRSQRTPS:     {"VRSQRTPS", forms{formRM: m0F | 0x52 | vxy}},
	VRCP14PS:     {"VRCP14PS", forms{formRM: p66 | m38 | 0x4C | exyz}},
	VRCP14PD:     {"VRCP14PD", forms{formRM: p66 | m38 | 0x4C | exyz | w1e}},
	VRSQRT14PS:   {"VRSQRT14PS", forms{formRM: p66 | m38 | 0x4E | exyz}},
	VRSQRT14PD:   {"VRSQRT14PD", forms{formRM: p66 | m38 | 0x4E | exyz | w1e}},
	VROUNDPS:     {"VROUNDPS", forms{formRM: p66 | m3A | 0x08 | vxy | imm8}},
	VROUNDPD:     {"VROUNDPD", forms{formRM: p66 | m3A | 0x09 | vxy | imm8}},
	VRNDSCALEPS:  {"VRNDSCALEPS", forms{formRM: p66 | m3A | 0x08 | exyz | imm8}},
	VRNDSCALEPD:  {"VRNDSCALEPD", forms{formRM: p66 | m3A | 0x09 | exyz | imm8 | w1e}},
	VFIXUPIMMPS:  {"VFIXUPIMMPS", forms{formRVM: p66 | m3A | 0x54 | exyz | imm8}},
	VFIXUPIMMPD:  {"VFIXUPIMMPD", forms{formRVM: p66 | m3A | 0x54 | exyz | imm8 | w1e}},
	VRANGEPS:     {"VRANGEPS", forms{formRVM: p66 | m3A | 0x50 | exyz | imm8}},
	VRANGEPD:     {"VRANGEPD", forms{formRVM: p66 | m3A | 0x50 | exyz | imm8 | w1e}},
	VSCALEFPS:    {"VSCALEFPS", forms{formRVM: p66 | m38 | 0x2C | exyz}},
	VSCALEFPD:    {"VSCALEFPD", forms{formRVM: p66 | m38 | 0x2C | exyz | w1e}},

	// Conversions.
	VCVTDQ2PS:   {"VCVTDQ2PS", forms{formRM: m0F | 0x5B | all}},
	VCVTPS2DQ:   {"VCVTPS2DQ", forms{formRM: p66 | m0F | 0x5B | all}},
	VCVTTPS2DQ:  {"VCVTTPS2DQ", forms{formRM: pF3 | m0F | 0x5B | all}},
	VCVTDQ2PD:   {"VCVTDQ2PD", forms{formRM: pF3 | m0F | 0xE6 | all | half}},
	VCVTPD2DQ:   {"VCVTPD2DQ", forms{formRM: pF2 | m0F | 0xE6 | all | w1e}},
	VCVTTPD2DQ:  {"VCVTTPD2DQ", forms{formRM: p66 | m0F | 0xE6 | all | w1e}},
	VCVTPS2PD:   {"VCVTPS2PD", forms{formRM: m0F | 0x5A | all | half}},
	VCVTPD2PS:   {"VCVTPD2PS", forms{formRM: p66 | m0F | 0x5A | all | w1e}},
	VCVTPH2PS:   {"VCVTPH2PS", forms{formRM: p66 | m38 | 0x13 | all | half}},
	VCVTPS2PH:   {"VCVTPS2PH", forms{formMR: p66 | m3A | 0x1D | all | half | imm8}},
	VCVTUDQ2PS:  {"VCVTUDQ2PS", forms{formRM: pF2 | m0F | 0x7A | exyz}},
	VCVTUDQ2PD:  {"VCVTUDQ2PD", forms{formRM: pF3 | m0F | 0x7A | exyz | half}},
	VCVTQQ2PD:   {"VCVTQQ2PD", forms{formRM: pF3 | m0F | 0xE6 | exyz | w1e}},
	VCVTUQQ2PD:  {"VCVTUQQ2PD", forms{formRM: pF3 | m0F | 0x7A | exyz | w1e}},
	VCVTQQ2PS:   {"VCVTQQ2PS", forms{formRM: m0F | 0x5B | exyz | w1e}},
	VCVTUQQ2PS:  {"VCVTUQQ2PS", forms{formRM: pF2 | m0F | 0x7A | exyz | w1e}},
	VCVTPS2UDQ:  {"VCVTPS2UDQ", forms{formRM: m0F | 0x79 | exyz}},
	VCVTTPS2UDQ: {"VCVTTPS2UDQ", forms{formRM: m0F | 0x78 | exyz}},
	VCVTPD2UDQ:  {"VCVTPD2UDQ", forms{formRM: m0F | 0x79 | exyz | w1e}},
	VCVTTPD2UDQ: {"VCVTTPD2UDQ", forms{formRM: m0F | 0x78 | exyz | w1e}},
	VCVTPD2QQ:   {"VCVTPD2QQ", forms{formRM: p66 | m0F | 0x7B | exyz | w1e}},
	VCVTTPD2QQ:  {"VCVTTPD2QQ", forms{formRM: p66 | m0F | 0x7A | exyz | w1e}},
	VCVTPD2UQQ:  {"VCVTPD2UQQ", forms{formRM: p66 | m0F | 0x79 | exyz | w1e}},
	VCVTTPD2UQQ: {"VCVTTPD2UQQ", forms{formRM: p66 | m0F | 0x78 | exyz | w1e}},
	VCVTPS2QQ:   {"VCVTPS2QQ", forms{formRM: p66 | m0F | 0x7B | exyz | half}},
	VCVTTPS2QQ:  {"VCVTTPS2QQ", forms{formRM: p66 | m0F | 0x7A | exyz | half}},
	VCVTPS2UQQ:  {"VCVTPS2UQQ", forms{formRM: p66 | m0F | 0x79 | exyz | half}},
	VCVTTPS2UQQ: {"VCVTTPS2UQQ", forms{formRM: p66 | m0F | 0x78 | exyz | half}},
}
