package main

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/internal/ongpu"
)

// execution is a job under way.
type execution struct {
	*driver
	job       *ongpu.Job
	module    uintptr
	addresses []uint64 // of the buffers
	kernels   []uintptr
	begin     uintptr // events
	end       uintptr
}

// execute executes a job on a device in the current context, and adds its results to a.
func (d *driver) execute(job *ongpu.Job, a *ongpu.Answer) (err error) {
	e := &execution{driver: d, job: job}
	if e.module, err = d.load(job.PTX); err != nil {
		return err
	}
	if err := e.prepare(); err != nil {
		return err
	}
	a.Times = make([][]float64, len(job.Launches))
	for i := range max(1, job.Repeats) {
		if err := e.fill(); err != nil {
			return err
		}
		for k := range job.Launches {
			us, err := e.launch(k)
			if err != nil {
				return fmt.Errorf("launch of %s: %w", job.Launches[k].Kernel, err)
			}
			a.Times[k] = append(a.Times[k], us)
		}
		if i > 0 {
			continue
		}
		if a.Buffers, err = e.read(); err != nil {
			return err
		}
	}
	if a.Empty, err = d.emptyLaunch(); err != nil {
		return err
	}
	a.MHz, err = d.clockRate()
	return err
}

// prepare allocates the buffers, and finds variables and kernels.
func (e *execution) prepare() error {
	for i := range e.job.Buffers {
		b := &e.job.Buffers[i]
		var at uint64
		if b.Symbol {
			var n uintptr
			if err := e.call("ModuleGetGlobal", e.ModuleGetGlobal_v2(&at, &n, e.module, terminated(b.Name))); err != nil {
				return fmt.Errorf("variable %s: %w", b.Name, err)
			}
			if n != uintptr(len(b.Data)) {
				return fmt.Errorf("variable %s has %d bytes, not %d", b.Name, n, len(b.Data))
			}
		} else if err := e.call("MemAlloc", e.MemAlloc_v2(&at, uintptr(max(1, len(b.Data))))); err != nil {
			return fmt.Errorf("buffer %s of %d bytes: %w", b.Name, len(b.Data), err)
		}
		e.addresses = append(e.addresses, at)
	}
	for i := range e.job.Launches {
		kernel, err := e.kernel(&e.job.Launches[i])
		if err != nil {
			return err
		}
		e.kernels = append(e.kernels, kernel)
	}
	if err := e.call("EventCreate", e.EventCreate(&e.begin, 0)); err != nil {
		return err
	}
	return e.call("EventCreate", e.EventCreate(&e.end, 0))
}

// kernel finds the kernel of a launch, and allows it the shared memory and the cluster that it has.
func (e *execution) kernel(l *ongpu.Launch) (kernel uintptr, err error) {
	if err := e.call("ModuleGetFunction", e.ModuleGetFunction(&kernel, e.module, terminated(l.Kernel))); err != nil {
		return 0, fmt.Errorf("kernel %s: %w", l.Kernel, err)
	}
	if l.Shared > defaultShared {
		err = e.call("FuncSetAttribute", e.FuncSetAttribute(kernel, functionShared, int32(l.Shared)))
	}
	if err == nil && l.Cluster[0]*l.Cluster[1]*l.Cluster[2] > portableCluster {
		err = e.call("FuncSetAttribute", e.FuncSetAttribute(kernel, functionCluster, 1))
	}
	return kernel, err
}

// fill gives the buffers their contents before the launches.
func (e *execution) fill() error {
	for i := range e.job.Buffers {
		b := &e.job.Buffers[i]
		if len(b.Data) == 0 || b.Keep {
			continue
		}
		data := e.patched(b.Data, b.Patches)
		if err := e.call("MemcpyHtoD", e.MemcpyHtoD_v2(e.addresses[i], &data[0], uintptr(len(data)))); err != nil {
			return err
		}
	}
	return e.call("CtxSynchronize", e.CtxSynchronize())
}

// patched returns data with addresses of buffers.
func (e *execution) patched(data []byte, patches []ongpu.Patch) []byte {
	if len(patches) == 0 {
		return data
	}
	data = slices.Clone(data)
	for _, p := range patches {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], e.addresses[p.Buffer]+p.Offset)
		copy(data[p.At:p.At+p.Width], word[:])
	}
	return data
}

// launch executes a launch and returns the time that it took, in microseconds.
func (e *execution) launch(k int) (us float64, err error) {
	l := &e.job.Launches[k]
	params := append(e.patched(l.Params, l.Patches), 0) // so that it is not empty
	size := uintptr(len(params) - 1)
	// CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END
	extra := []uintptr{1, uintptr(unsafe.Pointer(&params[0])), 2, uintptr(unsafe.Pointer(&size)), 0}
	var attributes []launchAttribute
	if l.Cluster[0] > 0 {
		attributes = append(attributes, launchAttribute{id: launchCluster, value: [16]uint32{l.Cluster[0], l.Cluster[1], l.Cluster[2]}})
	}
	if l.Cooperative {
		attributes = append(attributes, launchAttribute{id: launchCooperates, value: [16]uint32{1}})
	}
	c := &launchConfig{grid: l.Grid, block: l.Block, shared: l.Shared, attributes: unsafe.SliceData(attributes), count: uint32(len(attributes))}
	if err := e.call("EventRecord", e.EventRecord(e.begin, 0)); err != nil {
		return 0, err
	}
	err = e.call("LaunchKernelEx", e.LaunchKernelEx(c, e.kernels[k], nil, &extra[0]))
	runtime.KeepAlive(params)
	runtime.KeepAlive(&size)
	if err != nil {
		return 0, err
	}
	if err := e.call("EventRecord", e.EventRecord(e.end, 0)); err != nil {
		return 0, err
	}
	if err := e.call("EventSynchronize", e.EventSynchronize(e.end)); err != nil {
		return 0, err
	}
	var ms float32
	err = e.call("EventElapsedTime", e.EventElapsedTime(&ms, e.begin, e.end))
	return float64(ms) * 1e3, err
}

// read returns the contents of the buffers.
func (e *execution) read() ([][]byte, error) {
	var all [][]byte
	for i := range e.job.Buffers {
		data := make([]byte, len(e.job.Buffers[i].Data))
		if len(data) > 0 {
			if err := e.call("MemcpyDtoH", e.MemcpyDtoH_v2(&data[0], e.addresses[i], uintptr(len(data)))); err != nil {
				return nil, err
			}
		}
		all = append(all, data)
	}
	return all, nil
}

// emptyKernel does nothing.
const emptyKernel = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n"

// emptyLaunch returns the least time of several launches of an empty kernel, in microseconds.
func (d *driver) emptyLaunch() (us float64, err error) {
	job := &ongpu.Job{PTX: emptyKernel, Launches: []ongpu.Launch{{Kernel: "empty", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}}}}
	e := &execution{driver: d, job: job}
	if e.module, err = d.load(job.PTX); err != nil {
		return 0, err
	}
	if err := e.prepare(); err != nil {
		return 0, err
	}
	const launches = 20
	for i := range launches {
		t, err := e.launch(0)
		if err != nil {
			return 0, err
		}
		if i == 0 || t < us {
			us = t
		}
	}
	return us, nil
}

// rateKernel reads both clocks, waits for some 2 ms, and reads them again.
const rateKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry rate(.param .u64 out)
{
	.reg .pred %p;
	.reg .b64 %t<4>, %c<3>, %o;
	ld.param.u64 %o, [out];
	mov.u64 %t0, %globaltimer;
	mov.u64 %c0, %clock64;
WAIT:
	mov.u64 %t1, %globaltimer;
	mov.u64 %c1, %clock64;
	sub.u64 %t2, %t1, %t0;
	setp.lt.u64 %p, %t2, 2000000;
	@%p bra WAIT;
	sub.u64 %c2, %c1, %c0;
	st.global.u64 [%o], %t2;
	st.global.u64 [%o+8], %c2;
	ret;
}
`

// clockRate measures the rate of the SMs' clock, in MHz.
func (d *driver) clockRate() (mhz float64, err error) {
	job := &ongpu.Job{PTX: rateKernel, Buffers: []ongpu.Buffer{{Name: "out", Data: make([]byte, 16)}},
		Launches: []ongpu.Launch{{Kernel: "rate", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: make([]byte, 8), Patches: []ongpu.Patch{{Width: 8}}}}}
	e := &execution{driver: d, job: job}
	if e.module, err = d.load(job.PTX); err != nil {
		return 0, err
	}
	if err := e.prepare(); err != nil {
		return 0, err
	}
	if _, err := e.launch(0); err != nil {
		return 0, err
	}
	out, err := e.read()
	if err != nil {
		return 0, err
	}
	ns, cycles := binary.LittleEndian.Uint64(out[0]), binary.LittleEndian.Uint64(out[0][8:])
	if ns == 0 {
		return 0, nil
	}
	return 1e3 * float64(cycles) / float64(ns), nil
}
