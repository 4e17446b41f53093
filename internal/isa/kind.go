package isa

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Kind is how an instruction is executed. It is also the kind of a lanes.Op.
type Kind uint8

const (
	Compute Kind = lanes.Compute // call the lane function
	Nop     Kind = lanes.Nop     // a hint: nothing to do
)

const (
	Load Kind = lanes.NumKinds + iota
	Store
	Atomic
	Branch
	Barrier
	Shuffle
	Vote
	Exit
	CallKind
	Return
	Trap
	Fence     // accesses are always in order, so fences only notify observers
	Copy      // from memory to memory
	CopyGroup // groups of copies: copies are made at once, so only observers are notified
	Matrix    // whole warps, on matrices in registers
	Warpgroup // four warps, on matrices in registers and shared memory
	Alloca    // allocates local memory
	ClusterBarrier
	QueryKind // of a texture, sampler or surface
	TensorMemory
	CancelLaunch
	Clear // fills memory with zeros
	NumKinds
)

var kindNames = [NumKinds]string{Compute: "compute", Nop: "nop", Load: "load", Store: "store", Atomic: "atomic", Branch: "branch", Barrier: "barrier", Shuffle: "shuffle", Vote: "vote", Exit: "exit", CallKind: "call", Return: "return", Trap: "trap", Fence: "fence", Copy: "copy", CopyGroup: "copy_group", Matrix: "matrix", Warpgroup: "warpgroup", Alloca: "alloca", ClusterBarrier: "cluster_barrier", QueryKind: "query", TensorMemory: "tensor_memory", CancelLaunch: "cancel_launch", Clear: "clear"}

// String returns the kind's name.
func (k Kind) String() string { return kindNames[k] }

// MarshalText implements encoding.TextMarshaler: the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(name []byte) error {
	i := slices.Index(kindNames[:], string(name))
	if i < 0 || len(name) == 0 {
		return fmt.Errorf("no kind of instruction %q", name)
	}
	*k = Kind(i)
	return nil
}
