package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Computation returns the row of an instruction that PTX does not have: it computes a function, by a template or by a
// lane function. Its registers may have other types than .f32.
func Computation(name string, params int, t *jit.Template, fn lanes.Func) *Spec {
	s := &Spec{
		Name: name, Mods: "type", Form: "d, a, b, c, e"[:len("d")+len(", a")*params], Kind: Compute,
		Exec: Exec{F32: fn}, Lower: Lower{code: func(*Variant) *jit.Template { return t }},
	}
	s.init()
	return s
}

// ComputationOf returns an instruction of a Computation, without operands.
func ComputationOf(s *Spec) Instr {
	return Instr{Spec: s, Types: [2]Type{F32}, Mods: new(Mods), Guard: NoReg}
}
