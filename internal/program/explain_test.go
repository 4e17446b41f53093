package program

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
)

// first lowers code, of a kernel with parameters a, p, t, m and global v, so that every register has a slot of its own.
// It returns the kernel, whose first instruction is the one of interest.
func first(t *testing.T, code string) (*Program, *Func) {
	t.Helper()
	p := lowered(t, head+"{\n"+code+"\nret; }", true)
	return p, p.Kernel()
}

const head = `.version 8.6
.target sm_100a
.global .u32 v;
.global .texref tex;
.entry k(.param .u32 a, .param .u64 p, .param .texref t, .param .align 64 .b8 m[128])
`

// lowerError is why a module is not lowered.
func lowerError(t *testing.T, src string) string {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		return err.Error()
	}
	m, err := NewModule(mod, true)
	if err != nil {
		return err.Error()
	}
	_, err = m.Lower(mod.Entries()[0], Env{Address: func(name string) (uint64, bool) { return 0x1000, name == "v" }})
	return fmt.Sprint(err)
}

// slot is what a slot holds: a register's name, a constant, or a special register.
func (f *Func) slot(off uint32) string {
	l := f.Layout
	if i := slices.Index(l.regs, off); i >= 0 && off != 0 {
		return f.Src.Regs[i].Name
	}
	for c, at := range l.constant {
		if at == off {
			return fmt.Sprint(int64(c.bits))
		}
	}
	for s, at := range l.special {
		if at == off && off != 0 {
			return isa.Special(s).String()
		}
	}
	for _, s := range f.ParamSlots {
		if s.Off == off {
			return fmt.Sprintf("param+%d", s.at)
		}
	}
	return map[uint32]string{0: "-", l.Sink: "_", l.True: "true", l.True | 1: "false", l.Carry: "carry"}[off]
}

func (f *Func) slotList(all []uint32) string {
	var names []string
	for _, off := range all {
		names = append(names, f.slot(off))
	}
	return "{" + strings.Join(names, " ") + "}"
}

// place is an address, SPACE[BASE+DISPLACEMENT]:BYTES, or nothing.
func (f *Func) place(s *Side) string {
	if s.Op.A == 0 {
		return "nothing"
	}
	text := s.Info.Space.String() + "[" + f.slot(s.Op.A)
	if s.Op.Imm != 0 {
		text += fmt.Sprintf("+%d", int64(s.Op.Imm))
	}
	return fmt.Sprintf("%s]:%d", text, s.Info.Size)
}

// explain compares what the first instruction of each code is lowered to, in words, with what it should be.
func explain(t *testing.T, words func(p *Program, f *Func) string, cases map[string]string) {
	t.Helper()
	for code, want := range cases {
		p, f := first(t, code)
		if got := words(p, f); got != want {
			t.Errorf("%s\n got %s\nwant %s", code, got, want)
		}
	}
}
