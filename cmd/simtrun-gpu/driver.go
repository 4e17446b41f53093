package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/simtrun/simtrun/internal/ongpu"
)

// driver has the functions of the CUDA driver API that are used, by the names in cuda.h without cu.
type driver struct {
	Init                         func(flags uint32) status
	DriverGetVersion             func(version *int32) status
	DeviceGet                    func(device *int32, ordinal int32) status
	DeviceGetName                func(name *byte, n, device int32) status
	DeviceGetAttribute           func(value *int32, attribute, device int32) status
	DevicePrimaryCtxRetain       func(context *uintptr, device int32) status
	CtxSetCurrent                func(context uintptr) status
	CtxSynchronize               func() status
	ModuleLoadDataEx             func(module *uintptr, image *byte, n uint32, options *uint32, values *uintptr) status
	ModuleGetFunction            func(function *uintptr, module uintptr, name *byte) status
	ModuleGetGlobal_v2           func(address *uint64, n *uintptr, module uintptr, name *byte) status
	FuncSetAttribute             func(function uintptr, attribute, value int32) status
	MemAlloc_v2                  func(address *uint64, n uintptr) status
	MemcpyHtoD_v2                func(to uint64, from *byte, n uintptr) status
	MemcpyDtoH_v2                func(to *byte, from uint64, n uintptr) status
	LaunchKernelEx               func(config *launchConfig, function uintptr, params, extra *uintptr) status
	EventCreate                  func(event *uintptr, flags uint32) status
	EventRecord                  func(event, stream uintptr) status
	EventSynchronize             func(event uintptr) status
	EventElapsedTime             func(ms *float32, begin, end uintptr) status
	GetErrorName, GetErrorString func(code status, text **byte) status
}

// status is a CUresult.
type status int32

// launchConfig is a CUlaunchConfig.
type launchConfig struct {
	grid, block [3]uint32
	shared      uint32
	_           uintptr // the stream: 0, the default one
	attributes  *launchAttribute
	count       uint32
}

// launchAttribute is a CUlaunchAttribute.
type launchAttribute struct {
	id    uint32
	_     uint32
	value [16]uint32
}

// Numbers of cuda.h.
const (
	attributeSMs     = 16 // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
	attributeMajor   = 75
	attributeMinor   = 76
	launchCooperates = 2 // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
	launchCluster    = 4
	functionShared   = 8  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
	functionCluster  = 14 // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
	jitErrorLog      = 5
	jitErrorLogBytes = 6
	portableCluster  = 8        // blocks of a cluster that every GPU with clusters takes
	defaultShared    = 48 << 10 // bytes of shared memory without FuncSetAttribute
)

// call returns an error for a status other than CUDA_SUCCESS, with the function that returned it.
func (d *driver) call(name string, code status) error {
	if code == 0 {
		return nil
	}
	var short, long *byte
	if d.GetErrorName(code, &short) != 0 || d.GetErrorString(code, &long) != 0 {
		return fmt.Errorf("cu%s returns %d", name, code)
	}
	return fmt.Errorf("cu%s returns %s: %s", name, textAt(short), textAt(long))
}

// textAt returns a string of C.
func textAt(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return unsafe.String(p, n)
}

// terminated returns a string of C.
func terminated(s string) *byte { return &append([]byte(s), 0)[0] }

// enter initialises a device, makes its context current, and describes the device in a.
func (d *driver) enter(ordinal int, a *ongpu.Answer) error {
	if err := d.call("Init", d.Init(0)); err != nil {
		return err
	}
	var device, version, major, minor, sms int32
	var context uintptr
	name := make([]byte, 256)
	if err := errors.Join(d.call("DriverGetVersion", d.DriverGetVersion(&version)), d.call("DeviceGet", d.DeviceGet(&device, int32(ordinal)))); err != nil {
		return err
	}
	if err := errors.Join(
		d.call("DeviceGetName", d.DeviceGetName(&name[0], int32(len(name)), device)),
		d.call("DeviceGetAttribute", d.DeviceGetAttribute(&sms, attributeSMs, device)),
		d.call("DeviceGetAttribute", d.DeviceGetAttribute(&major, attributeMajor, device)),
		d.call("DeviceGetAttribute", d.DeviceGetAttribute(&minor, attributeMinor, device)),
		d.call("DevicePrimaryCtxRetain", d.DevicePrimaryCtxRetain(&context, device)),
	); err != nil {
		return err
	}
	name, _, _ = bytes.Cut(name, []byte{0})
	a.GPU, a.SMs = strings.TrimSpace(string(name)), int(sms)
	a.Driver, a.Compute = fmt.Sprintf("%d.%d", version/1000, version%1000/10), fmt.Sprintf("%d.%d", major, minor)
	return d.call("CtxSetCurrent", d.CtxSetCurrent(context))
}

// load loads a module of PTX.
func (d *driver) load(ptx string) (module uintptr, err error) {
	log := make([]byte, 16<<10)
	options := []uint32{jitErrorLog, jitErrorLogBytes}
	values := []uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	err = d.call("ModuleLoadDataEx", d.ModuleLoadDataEx(&module, terminated(ptx), uint32(len(options)), &options[0], &values[0]))
	if text, _, _ := bytes.Cut(log, []byte{0}); err != nil && len(text) > 0 {
		err = fmt.Errorf("%w\n%s", err, bytes.TrimSpace(text))
	}
	return module, err
}
