package isa

import (
	"cmp"
	"slices"

	"github.com/simtrun/simtrun/internal/sorted"
)

// specGroup is a chapter of the table.
type specGroup struct {
	name  string
	specs []*Spec
}

var specGroups = []*specGroup{
	{"Arithmetic", integerSpecs}, {"Bits", bitSpecs}, {"Hints", hintSpecs}, {"Video", videoSpecs}, {"Floating point alone", floatSpecs}, {"Comparison and selection", compareSpecs},
	{"Moves and conversions", moveSpecs}, {"Memory", memorySpecs}, {"Asynchronous copies", asyncSpecs}, {"Copies of tensors", tensorCopySpecs}, {"Asynchronous stores and reductions", reduceSpecs}, {"Mbarriers", mbarrierSpecs}, {"Proxies", proxySpecs}, {"Control, barriers and exchange between lanes", controlSpecs},
	{"Matrices", matrixSpecs}, {"Tensor memory", slices.Concat(tensorSpecs, tensorProductSpecs)},
	{"Clusters", clusterSpecs}, {"Textures and surfaces", textureSpecs},
}

// specs is the table of instructions: one row per base mnemonic, or several if a modifier changes the operands,
// sorted by title. A row has everything that simtrun knows of an opcode; the parser's checks, the text of an
// instruction, dispatch and docs/isa.md follow from it.
var specs = func() []*Spec {
	var all []*Spec
	for _, g := range specGroups {
		all = append(all, g.specs...)
	}
	sorted.By(all, func(a, b *Spec) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.With, b.With)) })
	return all
}()

// ptxOpcodes are base mnemonics of PTX that may lack a row.
var ptxOpcodes = []string{
	"activemask", "alloca", "applypriority", "brkpt", "brx", "call", "clusterlaunchcontrol", "copysign", "cp",
	"createpolicy", "discard", "elect", "getctarank", "griddepcontrol", "isspacep", "istypep", "ldmatrix", "mapa",
	"match", "mbarrier", "mma", "movmatrix", "multimem", "nanosleep", "pmevent", "redux", "setmaxnreg",
	"stackrestore", "stacksave", "stmatrix", "suld", "suq", "sured", "sust", "szext", "tanh", "tcgen05",
	"tensormap", "testp", "tex", "tld4", "trap", "txq", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2",
	"vadd4", "vavrg2", "vavrg4", "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vset", "vset2",
	"vset4", "vshl", "vshr", "vsub", "vsub2", "vsub4", "wgmma", "wmma",
}

// laterOpcodes are the opcodes of PTX without a row: known, and not supported yet.
var laterOpcodes = slices.DeleteFunc(slices.Clone(ptxOpcodes), func(name string) bool {
	return specsByName[name] != nil
})

// ptxOperations are the operations of opcodes for which some operations of PTX may lack a row.
var ptxOperations = map[string][]string{
	"clusterlaunchcontrol": {"try_cancel", "query_cancel"},
	"multimem":             {"ld_reduce", "st", "red", "cp"},
	"tcgen05":              {"alloc", "dealloc", "relinquish_alloc_permit", "fence", "ld", "st", "wait", "cp", "shift", "mma", "commit"},
	"tensormap":            {"replace", "cp_fenceproxy"},
	"wgmma":                {"fence", "mma_async", "commit_group", "wait_group"},
}
