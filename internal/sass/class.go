package sass

import (
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// classes are the cost classes of opcodes, without what follows their first point. All others are of integers.
var classes = map[string]isa.CostClass{
	"NOP": isa.CostNothing,

	"IMAD": isa.CostProduct, "UIMAD": isa.CostProduct, "IDP": isa.CostProduct, "IMUL": isa.CostProduct,
	"FFMA": isa.CostSingle, "FADD": isa.CostSingle, "FMUL": isa.CostSingle, "FSWZADD": isa.CostSingle, "FCHK": isa.CostSpecialFunction, "MUFU": isa.CostSpecialFunction,
	"HFMA2": isa.CostHalf, "HADD2": isa.CostHalf, "HMUL2": isa.CostHalf, "HMNMX2": isa.CostHalf, "HSET2": isa.CostHalf, "HSETP2": isa.CostHalf,
	"DFMA": isa.CostDouble, "DADD": isa.CostDouble, "DMUL": isa.CostDouble, "DSETP": isa.CostDoubleCompare, "DMNMX": isa.CostDouble,
	"I2FP": isa.CostSingleConversion, "I2F": isa.CostConversion, "F2I": isa.CostConversion, "F2F": isa.CostConversion, "FRND": isa.CostConversion, "I2I": isa.CostConversion,
	"POPC": isa.CostBitCount, "FLO": isa.CostBitCount, "BREV": isa.CostBitCount, "UPOPC": isa.CostBitCount, "UFLO": isa.CostBitCount,
	"VOTE": isa.CostVote, "VOTEU": isa.CostVote, "MATCH": isa.CostMatch, "REDUX": isa.CostReduction, "SHFL": isa.CostShuffle,
	"S2R": isa.CostReadSpecial, "S2UR": isa.CostReadSpecial, "CS2R": isa.CostReadClock,
	"LDC": isa.CostLoadConstant, "ULDC": isa.CostUniformConstant, "LDCU": isa.CostUniformConstant,
	"LDS": isa.CostLoadShared, "LDSM": isa.CostLoadShared, "STS": isa.CostStoreShared, "STSM": isa.CostStoreShared, "ATOMS": isa.CostAtomicShared,
	"LDG": isa.CostLoadGlobal, "LD": isa.CostLoadGlobal, "LDGSTS": isa.CostLoadGlobal, "STG": isa.CostStoreGlobal, "ST": isa.CostStoreGlobal,
	"ATOM": isa.CostAtomicGlobal, "ATOMG": isa.CostAtomicGlobal, "RED": isa.CostReductionGlobal, "REDG": isa.CostReductionGlobal,
	"TEX": isa.CostTexture, "TLD": isa.CostTexture, "TLD4": isa.CostTexture, "TXD": isa.CostTexture, "SULD": isa.CostTexture, "SUST": isa.CostStoreSurface, "SURED": isa.CostStoreSurface,
	"LDL": isa.CostLoadLocal, "STL": isa.CostStoreLocal, "MEMBAR": isa.CostFenceGPU,
	"BAR": isa.CostCTABarrier, "WARPSYNC": isa.CostWarpSync, "BSSY": isa.CostWarpSync, "BSYNC": isa.CostWarpSync,
	"BRA": isa.CostBranch, "BRX": isa.CostIndirectBranch, "JMP": isa.CostBranch, "JMX": isa.CostIndirectBranch, "BRXU": isa.CostIndirectBranch,
	"CALL": isa.CostCall, "RET": isa.CostCall, "EXIT": isa.CostExit, "NANOSLEEP": isa.CostSleep,
	"HMMA": isa.CostMatrix, "IMMA": isa.CostMatrix, "QMMA": isa.CostMatrix, "DMMA": isa.CostMatrixDouble, "HGMMA": isa.CostMatrixGroup, "IGMMA": isa.CostMatrixGroup, "QGMMA": isa.CostMatrixGroup,
}

// moves reports whether an instruction is for a copy of a register or for a constant.
func moves(op, operands string) bool {
	base, suffixes, _ := strings.Cut(op, ".")
	return base == "MOV" || base == "UMOV" || strings.HasPrefix(suffixes, "MOV") || classes[base] == isa.CostHalf && strings.Contains(operands, "-RZ, RZ,")
}

// work returns the class of what an instruction computes: sums, shifts and copies that are made by products are those
// of integers.
func work(op, operands string) isa.CostClass {
	_, suffixes, _ := strings.Cut(op, ".")
	first, _, _ := strings.Cut(suffixes, ".")
	c := class(op)
	if moves(op, operands) || c == isa.CostProduct && (first == "IADD" || first == "SHL" || first == "X") {
		return isa.CostInteger
	}
	return c
}

// class returns the class of an opcode.
func class(op string) isa.CostClass {
	base, suffixes, _ := strings.Cut(op, ".")
	c, known := classes[base]
	if !known {
		return isa.CostInteger
	}
	has := func(suffix string) bool {
		return strings.Contains("."+suffixes+".", "."+suffix+".")
	}
	switch {
	case c == isa.CostProduct && has("WIDE"):
		return isa.CostProductWide
	case c == isa.CostProduct && has("HI"):
		return isa.CostProductHigh
	case c == isa.CostConversion && has("F64"):
		return isa.CostDoubleConversion
	case c == isa.CostFenceGPU && has("CTA"):
		return isa.CostFenceCTA
	case c == isa.CostFenceGPU && has("SYS"):
		return isa.CostFenceSystem
	case c == isa.CostMatrix && (has("1688") || has("8816")):
		return isa.CostMatrixSmall
	}
	return c
}
