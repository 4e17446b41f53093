package asm

import (
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// CheckTarget compares the instructions of a module with its .version and .target. The error, of type Errors, names the
// version and target that each instruction needs and the module does not have. A directive that the module lacks is not
// checked.
func CheckTarget(m *isa.Module) error {
	c := targetChecker{needs: make(map[string]isa.Need)}
	if !c.header(m) {
		return c.errs.inOrder()
	}
	for _, f := range m.Funcs {
		for pc := range f.Code {
			c.instruction(&f.Code[pc])
		}
	}
	return c.errs.inOrder()
}

// CheckGPU compares the instructions of a module without .target with a GPU of a compute capability. The error is like
// that of CheckTarget. Kernels of one module may be for different GPUs, so it is an error only if none can run there.
func CheckGPU(m *isa.Module, name string, capability [2]int) error {
	if m.Target != "" {
		return nil
	}
	c := targetChecker{needs: make(map[string]isa.Need), gpu: name, arch: isa.Arch{SM: 10*capability[0] + capability[1]}}
	if capability[0] >= 9 {
		c.arch.Suffix = 'a'
	}
	entries := len(m.Entries())
	for _, f := range m.Funcs {
		before := c.errs.count()
		for pc := range f.Code {
			c.instruction(&f.Code[pc])
		}
		if f.Entry && f.Defined && entries > 1 && c.errs.count() == before {
			return nil
		}
	}
	return c.errs.inOrder()
}

// targetChecker checks one module.
type targetChecker struct {
	gpu     string      // with which a module without .target is compared
	version isa.Version // 0 without .version
	arch    isa.Arch    // zero without .target
	needs   map[string]isa.Need
	errs    errorLog
}

// header reads .version and .target. It returns false if there is nothing with which to compare instructions.
func (c *targetChecker) header(m *isa.Module) bool {
	ok := true
	if m.Version != "" {
		if c.version, ok = isa.ParseVersion(m.Version); !ok {
			c.errs.addf(m.VersionPos, ".version %s: PTX has no such version; the latest that simtrun knows is %s", m.Version, isa.LatestVersion)
			return false
		}
	}
	name, _, _ := strings.Cut(m.Target, ", ")
	if !strings.HasPrefix(name, "sm_") { // only an option, or nothing
		return m.Version != ""
	}
	since, known := isa.Introduced(name)
	switch c.arch, ok = isa.ParseArch(name); {
	case !known && c.version <= isa.LatestVersion || !ok:
		c.errs.addf(m.TargetPos, ".target %s: PTX %s has no such target", name, isa.LatestVersion)
		return false
	case c.version != 0 && c.version < since:
		c.errs.addf(m.TargetPos, ".target %s needs .version %s; this file has .version %s", name, since, c.version)
		return false
	}
	return true
}

func (c *targetChecker) instruction(in *isa.Instr) {
	need := c.need(in)
	if unmet := c.unmet(&need); unmet != "" {
		c.errs.addf(in.Pos, "%s %s", mnemonicOf(in), unmet)
	}
	for s := range in.Specials {
		need := s.Need()
		if unmet := c.unmet(&need); unmet != "" {
			c.errs.addf(in.Pos, "%s %s", s, unmet)
		}
	}
}

// unmet returns what a module or a GPU lacks; "" if nothing.
func (c *targetChecker) unmet(n *isa.Need) string {
	text := n.Unmet(c.version, c.arch)
	if c.gpu != "" {
		text = strings.Replace(text, "this file has .target", c.gpu+" has", 1)
	}
	return text
}

// need returns the need of an instruction's form.
func (c *targetChecker) need(in *isa.Instr) isa.Need {
	mnemonic := mnemonicOf(in)
	n, known := c.needs[mnemonic]
	if !known {
		n = isa.NeedOf(mnemonic)
		c.needs[mnemonic] = n
	}
	return n
}

// mnemonicOf returns the mnemonic of an instruction, also of one that simtrun cannot run and keeps as text.
func mnemonicOf(in *isa.Instr) string {
	if in.Later == "" {
		return in.Mnemonic()
	}
	mnemonic, _, _ := strings.Cut(in.Raw, " ")
	return strings.TrimSuffix(mnemonic, ";")
}
