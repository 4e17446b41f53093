package jit

import (
	"fmt"
	"strings"

	"golang.org/x/sys/cpu"
)

// A feature is an extension of the instruction set, with its name in Linux and compilers.
type feature struct {
	name string
	has  bool
}

// unsupported returns an error that lists the features that l needs and this machine lacks; nil if it has all.
func unsupported(l Level) error {
	if missing := missingFeatures(l); len(missing) > 0 {
		return fmt.Errorf("the CPU or the system lacks %s", strings.Join(missing, ", "))
	}
	return nil
}

// missingFeatures lists the features that l needs and that the CPU does not have, or that the system does not save
// between threads (the registers of AVX and AVX-512).
func missingFeatures(l Level) []string {
	x := &cpu.X86
	needed := []feature{
		{"avx2", x.HasAVX2}, {"fma", x.HasFMA && x.HasAVX}, {"f16c", hasF16C() && x.HasAVX},
		{"bmi1", x.HasBMI1}, {"bmi2", x.HasBMI2}, {"popcnt", x.HasPOPCNT}, {"lzcnt", hasLZCNT()},
	}
	if l == AVX512 {
		needed = append(needed, feature{"avx512f", x.HasAVX512F}, feature{"avx512bw", x.HasAVX512BW},
			feature{"avx512dq", x.HasAVX512DQ}, feature{"avx512vl", x.HasAVX512VL}, feature{"avx512cd", x.HasAVX512CD})
	}
	var missing []string
	for _, f := range needed {
		if !f.has {
			missing = append(missing, f.name)
		}
	}
	return missing
}

// HasDots reports whether the CPU multiplies bytes and adds four products, by an instruction that levels do not
// include.
func HasDots(l Level) bool {
	if l == AVX512 {
		return cpu.X86.HasAVX512VNNI
	}
	return cpu.X86.HasAVXVNNI
}

// hasF16C and hasLZCNT test features that golang.org/x/sys/cpu does not report: bit 29 of ECX in leaf 1, and bit 5 of
// ECX in leaf 0x80000001 (Intel SDM volume 2, CPUID; AMD calls the latter ABM).
func hasF16C() bool {
	_, _, ecx, _ := cpuid(1)
	return ecx>>29&1 != 0
}

func hasLZCNT() bool {
	const leaf = 0x8000_0001
	if last, _, _, _ := cpuid(0x8000_0000); last < leaf {
		return false
	}
	_, _, ecx, _ := cpuid(leaf)
	return ecx>>5&1 != 0
}

// cpuid executes CPUID for a leaf, and subleaf 0.
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)
