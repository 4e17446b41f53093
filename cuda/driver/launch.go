package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/ordering"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// launch is a launch of a kernel, with its parameters at the time of the call.
type launch struct {
	f           *function
	grid, block simtrun.Dim
	cluster     simtrun.Dim // zero without clusters
	shared      int64
	params      []byte
	cooperative bool
	attributes  map[C.int]attributeValue // others, which have no effect
}

// shape is the grid, the block and the dynamic shared memory of a launch, in the order of cuLaunchKernel.
type shape struct{ gx, gy, gz, bx, by, bz, shared C.uint }

// ofDynamicShared is in the reason for which a launch with too much shared memory is refused.
const ofDynamicShared = "bytes of dynamic shared memory"

// newLaunch returns a launch of f, or the error if it is not possible.
func newLaunch(f *function, s shape, params, extra *unsafe.Pointer) (*launch, result) {
	l := &launch{f: f, grid: simtrun.Dim{X: uint32(s.gx), Y: uint32(s.gy), Z: uint32(s.gz)}, block: simtrun.Dim{X: uint32(s.bx), Y: uint32(s.by), Z: uint32(s.bz)}, shared: int64(s.shared)}
	if s.gx == 0 || s.gy == 0 || s.gz == 0 || s.bx == 0 || s.by == 0 || s.bz == 0 {
		return nil, dev.misuse.because(errorInvalidValue, "%s: grid %dx%dx%d, block %dx%dx%d; each has at least 1 in every dimension",
			cxx.Short(f.k.Name()), s.gx, s.gy, s.gz, s.bx, s.by, s.bz)
	}
	if threads := uint64(s.bx) * uint64(s.by) * uint64(s.bz); threads > uint64(f.attrs.MaxThreads) {
		return nil, f.tooManyThreads(threads)
	}
	if l.shared > f.mostDynamic() {
		return nil, f.refused("%d "+ofDynamicShared+"; the kernel has opted in to %d (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)", l.shared, f.mostDynamic())
	}
	var r result
	l.params, r = f.block(params, extra)
	return l, r
}

// refused returns the result of a launch that is not possible, and says why: as the reason of the call if failed calls
// are reported, else at once, but not again for the next launch.
func (f *function) refused(format string, args ...any) result {
	return f.refusedWith(errorInvalidValue, format, args...)
}

func (f *function) refusedWith(r result, format string, args ...any) result {
	why := cxx.Short(f.k.Name()) + ": " + fmt.Sprintf(format, args...)
	if !dev.opts.API && why != f.refusal {
		f.refusal = why
		dev.outlet.say("%s", why)
	}
	return dev.misuse.because(r, "%s", why)
}

// tooManyThreads returns the result of a launch with more threads in a block than the function can have, by the GPU's
// limit, by its directives or by its registers.
func (f *function) tooManyThreads(threads uint64) result {
	if most := uint64(dev.gpu.Limits.BlockThreads); threads <= most {
		if o := f.k.Occupancy(simtrun.Dim{X: uint32(threads)}, 0); o.Refusal != "" {
			return f.refusedWith(errorLaunchOutOfResources, "%s; use at most %d threads, or __launch_bounds__(%d)", o.Refusal, f.attrs.MaxThreads, threads)
		}
	}
	return f.refused("%d threads in a block; at most %d", threads, f.attrs.MaxThreads)
}

// mostDynamic returns the most bytes of dynamic shared memory with which the function can be launched.
func (f *function) mostDynamic() int64 {
	if f.dynamic > 0 {
		return f.dynamic
	}
	return max(0, dev.gpu.Residency.SharedPerCTA-f.attrs.StaticShared)
}

// block returns the parameter block of a launch: from an array of pointers, or from extra as a whole.
func (f *function) block(params, extra *unsafe.Pointer) ([]byte, result) {
	block := make([]byte, f.k.ParamBytes())
	switch {
	case len(f.params) == 0:
		return block, success
	case params != nil && extra != nil:
		return nil, errorInvalidValue
	case params != nil:
		for i, from := range unsafe.Slice(params, len(f.params)) {
			p := &f.params[i]
			if from == nil {
				return nil, errorInvalidValue
			}
			copy(block[p.Offset:][:p.Size], unsafe.Slice((*byte)(from), p.Size))
		}
		return block, success
	case extra == nil:
		return nil, errorInvalidValue
	}
	var from unsafe.Pointer
	size := uint64(0)
	for e := extra; ; e = next(next(e)) {
		switch uintptr(*e) {
		case 0: // CU_LAUNCH_PARAM_END
			if from == nil || size < uint64(len(block)) {
				return nil, errorInvalidValue
			}
			copy(block, unsafe.Slice((*byte)(from), len(block)))
			return block, success
		case 1: // CU_LAUNCH_PARAM_BUFFER_POINTER
			from = *next(e)
		case 2: // CU_LAUNCH_PARAM_BUFFER_SIZE
			size = uint64(*(*C.size_t)(*next(e)))
		default:
			return nil, errorInvalidValue
		}
	}
}

func next(p *unsafe.Pointer) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p)))
}

// run runs the launch to its end.
func (l *launch) run() result { return l.begin(nil) }

// begin runs the launch in a stream until it ends or waits for the program; then it continues in the background.
// Outside of streams it runs to its end. An error of the kernel is not returned by this call but by all later calls
// in the context, as on a GPU, where a call ends before its kernel.
func (l *launch) begin(s *stream) result {
	if l.cooperative {
		o := l.f.k.Occupancy(l.block, l.shared)
		if most := int64(o.CTAs) * int64(dev.gpu.SMs); l.grid.Count() > most {
			return dev.misuse.because(errorCooperativeLaunchTooLarge, "%s: %d blocks; the GPU holds %d at once", cxx.Short(l.f.k.Name()), l.grid.Count(), most)
		}
	}
	if r := l.f.mod.bindRefs(); r != success {
		return r
	}
	began, to := time.Now(), simtrun.Launch{Kernel: l.f.k.Name(), Grid: l.grid, Block: l.block, Cluster: l.cluster, Shared: l.shared, Params: l.params, Cooperative: l.cooperative,
		Races: dev.opts.Race, Sync: dev.opts.Sync, Init: dev.opts.Init, Profile: dev.outlet.report.enabled() && len(dev.opts.Metrics) > 0, HostWrites: s != nil && dev.hostMayWrite()}
	var seen *ordering.Launch
	to.Attach = dev.orders.isKernel(l.f.k.Name(), &seen)
	if dev.debug != nil {
		to.Session = dev.debug.session
	}
	saved := dev.outlet.saver.before(l.f.mod, to)
	r, err := l.f.mod.m.Begin(to)
	if err != nil {
		if !dev.opts.API {
			dev.outlet.say("%v", err)
		}
		return dev.misuse.because(refused(err), "%v", err)
	}
	u := newRunningLaunch(l, r, began)
	ended := func(err error) {
		res := r.End()
		if seen != nil {
			seen.End()
		}
		dev.outlet.found(l.f.k.Name(), res)
		dev.outlet.launched(l, res, err, time.Since(began))
		dev.outlet.saver.after(saved, l.f.mod, to, err)
		if err != nil {
			l.f.mod.ctx.failed, dev.misuse.faulted = failure(err), true
			dev.outlet.failed(err, dev.misuse.explain(err), dev.debug.hasShown())
		}
		dev.debug.ended(l.f.k.Name(), res)
	}
	if err = u.run(); isAwaiting(err) {
		u.release()
		if seen != nil {
			seen.Leave()
		}
		dev.goOn(s, u, ended)
	} else {
		ended(err)
		u.release()
	}
	return success
}

func isAwaiting(err error) bool {
	_, awaits := errors.AsType[*simtrun.Awaiting](err)
	return awaits
}

// refused returns the error of a launch that did not begin.
func refused(err error) result {
	if l, ok := errors.AsType[*interp.LaunchError](err); ok && l != nil {
		return errorInvalidValue
	}
	return errorNotSupported
}

// failure returns the context's error after a kernel has failed.
func failure(err error) result {
	switch f, _ := errors.AsType[*simtrun.Fault](err); {
	case errors.Is(err, memory.ErrMisaligned):
		return errorMisalignedAddress
	case errors.Is(err, memory.ErrBounds), errors.Is(err, memory.ErrReadOnly), errors.Is(err, memory.ErrSpace), errors.Is(err, memory.ErrFreed):
		return errorIllegalAddress
	case f != nil && f.Rule == "assert":
		return errorAssert
	}
	if _, ok := errors.AsType[*timeLimit](err); ok {
		return errorLaunchTimeout
	}
	if _, ok := errors.AsType[*simtrun.Hang](err); ok {
		return errorLaunchTimeout
	}
	return errorLaunchFailed
}

// launchIn launches a function in a stream.
func launchIn(current, fn, stream C.uintptr_t, make func(f *function) (*launch, result)) C.int {
	return in(current, func(c *cudaContext) result {
		f := object[function](fn)
		if f == nil || f.mod.ctx != c && !f.mod.library {
			return errorInvalidHandle
		}
		s, r := c.stream(stream)
		if r != success {
			return r
		}
		l, r := make(f)
		if r != success {
			return r
		}
		if s.capture != nil {
			return s.do(C.CU_GRAPH_NODE_TYPE_KERNEL, l)
		}
		return s.do(C.CU_GRAPH_NODE_TYPE_KERNEL, does(func() result { return l.begin(s) }))
	})
}

//export go_cuLaunchKernel
func go_cuLaunchKernel(current, fn C.uintptr_t, gx, gy, gz, bx, by, bz, shared C.uint, stream C.uintptr_t, params, extra *unsafe.Pointer) C.int {
	return launchIn(current, fn, stream, func(f *function) (*launch, result) {
		return newLaunch(f, shape{gx, gy, gz, bx, by, bz, shared}, params, extra)
	})
}

//export go_cuLaunchCooperativeKernel
func go_cuLaunchCooperativeKernel(current, fn C.uintptr_t, gx, gy, gz, bx, by, bz, shared C.uint, stream C.uintptr_t, params *unsafe.Pointer) C.int {
	return launchIn(current, fn, stream, func(f *function) (*launch, result) {
		l, r := newLaunch(f, shape{gx, gy, gz, bx, by, bz, shared}, params, nil)
		if r == success {
			l.cooperative = true
		}
		return l, r
	})
}

//export go_cuLaunchKernelEx
func go_cuLaunchKernelEx(current C.uintptr_t, config *C.CUlaunchConfig, fn C.uintptr_t, params, extra *unsafe.Pointer) C.int {
	if config == nil {
		return C.int(errorInvalidValue)
	}
	return launchIn(current, fn, C.uintptr_t(uintptr(unsafe.Pointer(config.hStream))), func(f *function) (*launch, result) {
		l, r := newLaunch(f, shape{config.gridDimX, config.gridDimY, config.gridDimZ, config.blockDimX, config.blockDimY, config.blockDimZ, config.sharedMemBytes}, params, extra)
		if r != success {
			return nil, r
		}
		return l, l.apply(config)
	})
}

// apply applies the attributes of a launch. Those about performance have no effect.
func (l *launch) apply(config *C.CUlaunchConfig) result {
	if config.numAttrs == 0 {
		return success
	}
	if config.attrs == nil {
		return errorInvalidValue
	}
	for _, a := range unsafe.Slice(config.attrs, config.numAttrs) {
		l.setAttribute(a.id, *(*attributeValue)(unsafe.Pointer(&a.value)))
	}
	return success
}

// setAttribute sets an attribute.
func (l *launch) setAttribute(attribute C.int, v attributeValue) {
	switch value := unsafe.Pointer(&v); attribute {
	case C.CU_LAUNCH_ATTRIBUTE_IGNORE:
	case C.CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		l.cooperative = *(*C.int)(value) != 0
	case C.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		d := (*[3]uint32)(value)
		l.cluster = simtrun.Dim{X: d[0], Y: d[1], Z: d[2]}
	default:
		if l.attributes == nil {
			l.attributes = make(map[C.int]attributeValue)
		}
		l.attributes[attribute] = v
	}
}

// attribute returns the value of an attribute, zero if it was never set.
func (l *launch) attribute(attribute C.int) attributeValue {
	v := l.attributes[attribute]
	switch value := unsafe.Pointer(&v); attribute {
	case C.CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		*(*C.uint)(value) = truth(l.cooperative)
	case C.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		*(*[3]uint32)(value) = [3]uint32{l.cluster.X, l.cluster.Y, l.cluster.Z}
	}
	return v
}
