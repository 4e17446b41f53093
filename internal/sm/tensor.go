package sm

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Tensor memory (tcgen05). An instruction takes effect when it is issued, and its time passes afterwards: products and
// copies go through the tensor cores of the SM one after the other, and tcgen05.commit signals an mbarrier when those
// of its warp are done; loads and stores go through a port of the scheduler, and tcgen05.wait waits for those of its
// warp.
//
// A product of tcgen05 reads 32 bytes of each row of A, whatever the type of its elements, so its time depends on its
// columns alone: one of fewer than 128 rows is assumed to take as long as one of 128. Of a pair of CTAs each SM has
// half of the product; only the cores of the SM that issues it are busy with it.

// tensorOp is the kind of an instruction's access to tensor memory.
type tensorOp uint8

const (
	noTensor         tensorOp = iota
	movesTensor               // loads or stores it
	copiesTensor              // copies from shared memory
	multipliesTensor          // computes a product
	waitsForMoves             // waits until the warp's loads and stores are done
	signalsProducts           // arrives at an mbarrier when the warp's copies and products are done
)

// tensorTraits describe an instruction's access to tensor memory, with the bytes that it moves there in each CTA.
type tensorTraits struct {
	tensor      tensorOp
	tensorBytes int
}

// tensorPort is a resource that serves one instruction after the other: the cycle from which on it is free.
type tensorPort float64

// take occupies the port from cycle t on, or from when it is free, for work at a rate per cycle, 0 for any, and returns
// when that is done.
func (p *tensorPort) take(t int64, work, rate float64) (end int64) {
	if *p = max(*p, tensorPort(t)); rate > 0 {
		*p += tensorPort(work / rate)
	}
	return int64(*p)
}

// tensorWork is when a warp's instructions on tensor memory are done.
type tensorWork struct {
	moved      int64 // loads and stores
	multiplied int64 // copies and products
}

// otherOfPair returns the other CTA of the pair in the cluster: their ranks differ in the last bit.
func (r *cta) otherOfPair() *cta { return r.peers[r.CTA.Rank^1] }

// setTensor sets what an instruction does with tensor memory.
func (l *lowering) setTensor(in *instr, pc int) {
	x := l.f.Info[pc].Tensor
	switch l.f.Src.Code[pc].Mods[isa.TensorOp] {
	case isa.TensorLoad, isa.TensorStore:
		in.tensor, in.tensorBytes = movesTensor, 4*lanes.Width*len(x.Access.Registers)
	case isa.TensorCopy:
		in.tensor, in.tensorBytes = copiesTensor, 4*x.Copy.Columns()*x.Copy.Rows()
	case isa.TensorMMA:
		in.tensor = multipliesTensor
	case isa.TensorWaitLoad, isa.TensorWaitStore:
		in.tensor = waitsForMoves
	case isa.TensorCommit:
		in.tensor = signalsProducts
	}
}

// columnFLOPs are the operations, in those of .f16, of a column of a product with 128 rows: 16 products and sums each.
const columnFLOPs = 2 * 16 * lanes.TensorLanes

// useTensor schedules what the instruction that the warp in x has issued at t does with tensor memory.
func (m *multiprocessor) useTensor(x *slot, t int64) {
	of, in := &m.gpu.TensorMemory, x.in
	switch in.tensor {
	case movesTensor:
		x.tensor.moved = max(x.tensor.moved, x.scheduler.tensorPort.take(t, float64(in.tensorBytes), of.Bytes)+int64(of.Latency))
	case copiesTensor:
		x.tensor.multiplied = max(x.tensor.multiplied, m.tensorCores.take(t, float64(in.tensorBytes), of.Copy)+int64(of.Product))
	case multipliesTensor:
		work, rate := float64(m.effect.TensorColumns)*columnFLOPs, float64(m.gpu.Units.TensorFLOPs)
		x.tensor.multiplied = max(x.tensor.multiplied, m.tensorCores.take(t, work, rate)+int64(of.Product))
		x.did.TensorCycles += uint64(work / max(rate, 1))
	}
}
