package asm

import (
	"regexp"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

var sm1x = regexp.MustCompile(`^sm_1[0-3]\b`)

// version records the version of PTX. A module of PTX 1.0 to 1.3 becomes PTX 1.4, which has the same forms with all
// modifiers written out.
func (a *assembler) version(v string) {
	a.mod.Version = v
	a.dialect.Before14, a.dialect.Before32 = newer("1.4", v), newer("3.2", v)
	if a.dialect.Before14 {
		a.mod.Version = "1.4"
	}
	if version, ok := isa.ParseVersion(v); ok && version > isa.LatestVersion {
		a.dialect.Newer = version
	}
}

// mayBeNewSpecial reports whether an undeclared name can be a special register of a newer version.
func (b *bodyAssembler) mayBeNewSpecial(name string) bool {
	_, _, register := numbered(name)
	return b.dialect.Newer != 0 && strings.HasPrefix(name, "%") && !register
}

// withoutAddressSize reports whether a version of PTX is older than the
// directive .address_size.
func withoutAddressSize(version string) bool { return version != "" && newer("2.3", version) }

// addressSizeOf returns the width of addresses in a module without .address_size: that of the registers with
// addresses in global memory, or 64 if it has none.
func addressSizeOf(m *isa.Module) int {
	for _, f := range m.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Spec == nil || in.Later != "" || in.Mods.MemSpace() != isa.Global && in.Mods.MemSpace() != isa.Generic {
				continue
			}
			for i := range in.Args {
				if a := &in.Args[i]; a.Kind == isa.AddrOperand && a.Reg != isa.NoReg && f.Regs[a.Reg].Type.Bits() == 32 {
					return 32
				}
			}
		}
	}
	return 64
}
