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
	{"Arithmetic", integerSpecs}, {"Bits", bitSpecs}, {"Hints", hintSpecs}, {"Video", videoSpecs}, {"Floating point", floatSpecs}, {"Comparison and selection", compareSpecs},
	{"Moves and conversions", moveSpecs}, {"Memory", memorySpecs}, {"Asynchronous copies", asyncSpecs}, {"Tensor copies", tensorCopySpecs}, {"Asynchronous stores and reductions", reduceSpecs}, {"Multicast memory", multimemSpecs}, {"Mbarriers", mbarrierSpecs}, {"Proxies", proxySpecs}, {"Control, barriers and exchange between lanes", controlSpecs},
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

// ptxOperations are the operations of opcodes for which some operations of PTX may lack a row.
var ptxOperations = map[string][]string{
	"clusterlaunchcontrol": {"try_cancel", "query_cancel"},
	"multimem":             {"ld_reduce", "st", "red", "cp"},
	"tcgen05":              {"alloc", "dealloc", "relinquish_alloc_permit", "fence", "ld", "st", "wait", "cp", "shift", "mma", "commit"},
	"tensormap":            {"replace", "cp_fenceproxy"},
	"wgmma":                {"fence", "mma_async", "commit_group", "wait_group"},
}
