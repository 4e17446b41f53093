package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Computation returns the row of an instruction that PTX does not have: it computes a function of one or two .f32, by a
// template or by a lane function.
func Computation(name string, params int, t *jit.Template, fn lanes.Func) *Spec {
	s := &Spec{
		Name: name, Mods: "type", Form: [...]string{1: "d, a", 2: "d, a, b"}[params], Kind: Compute,
		Exec: Exec{F32: fn}, Lower: Lower{code: func(*Variant) *jit.Template { return t }},
	}
	s.init()
	return s
}

// ComputationOf returns an instruction of a Computation, without operands.
func ComputationOf(s *Spec) Instr {
	return Instr{Spec: s, Types: [2]Type{F32}, Mods: new(Mods), Guard: NoReg}
}
