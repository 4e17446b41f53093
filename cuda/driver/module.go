package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// module is a module in a context, or a library (cuLibraryLoadData), which is treated as a module.
type module struct {
	h      handle
	ctx    *cudaContext
	p      *simtrun.Program
	m      *simtrun.Machine
	fns    map[string]*function
	target int // for which its PTX was compiled, such as 90
	// library means that its kernels can be launched in any context.
	library bool
	// constants maps variables in constant memory that programs have looked up to buffers with the same bytes in
	// global memory.
	constants map[string]*simtrun.Buffer
	refs      map[string]*texref // looked up by the program
}

// function is a kernel of a module.
type function struct {
	h       handle
	mod     *module
	k       *simtrun.Kernel
	name    string // in the source
	mangled string // the name in PTX, if that is another
	attrs   simtrun.Attributes
	params  []simtrun.Param
	dynamic int64 // bytes of dynamic shared memory that the program has opted in to; 0 for the default
	carve   C.int
	old     oldLaunch // settings from calls before CUDA 4
	refusal string    // why the latest refused launch was refused, which has been printed
}

// load loads the program of an image: PTX, or a fat binary or a cubin that contains PTX.
func (c *cudaContext) load(image unsafe.Pointer, log *jitLog) (*module, result) {
	if image == nil {
		return nil, errorInvalidValue
	}
	text, err := ptxOf(image, dev.target())
	if err != nil {
		log.say(err)
		return nil, imageError(err)
	}
	m, r := c.loadText(text, log)
	if magic := *(*uint32)(image); r == errorInvalidPtx && (magic == wrapperMagic || magic == fatbinMagic || magic == elfMagic) && !dev.runs(targetOf(text)) {
		return nil, errorNoBinaryForGpu
	}
	return m, r
}

// imageError returns the result for an image that has no PTX for the GPU, or is invalid.
func imageError(err error) result {
	if _, ok := errors.AsType[noBinary](err); ok {
		return errorNoBinaryForGpu
	}
	return errorInvalidImage
}

// target returns the GPU's compute capability in the notation of PTX targets: 90 is 9.0.
func (d *device) target() int { return 10*d.gpu.Capability[0] + d.gpu.Capability[1] }

// runs reports whether the GPU runs PTX for a target: one that is not newer or, with a letter as in sm_90a, its own.
func (d *device) runs(number int, letter string) bool { return runs(number, letter, d.target()) }

func runs(number int, letter string, target int) bool {
	switch letter {
	case "a":
		return number == target
	case "f": // same family
		return number/10 == target/10 && number <= target
	}
	return number <= target
}

var targetLine = regexp.MustCompile(`(?m)^[ \t]*\.target[ \t]+sm_(\d+)([af]?)`)

// targetOf returns the target of PTX, such as 90 and a; 0 if there is none.
func targetOf(text []byte) (number int, letter string) {
	if m := targetLine.FindSubmatch(text); m != nil {
		number, _ = strconv.Atoi(string(m[1]))
		letter = string(m[2])
	}
	return number, letter
}

// newestPTX is the version of PTX that a driver of CUDA 13.1 assembles (PTX ISA, release notes).
const newestPTX = 9.1

var versionLine = regexp.MustCompile(`(?m)^[ \t]*\.version[ \t]+(\d+\.\d)`)

// fits returns an error if the driver does not accept PTX, although it could be assembled.
func (d *device) fits(text []byte) (result, error) {
	if m := versionLine.FindSubmatch(text); m != nil {
		if v, _ := strconv.ParseFloat(string(m[1]), 64); v > newestPTX {
			return errorUnsupportedPtxVersion, fmt.Errorf(".version %s: this is a driver of CUDA 13.1, whose newest is %v", m[1], newestPTX)
		}
	}
	if number, letter := targetOf(text); !d.runs(number, letter) {
		return errorInvalidPtx, fmt.Errorf(".target sm_%d%s: %s has compute capability %d.%d; SIMTRUN_GPU names another GPU, -arch=sm_%d compiles for this one", number, letter, d.gpu.Name, d.gpu.Capability[0], d.gpu.Capability[1], d.target())
	}
	return success, nil
}

func (c *cudaContext) loadText(text []byte, log *jitLog) (*module, result) {
	key := sha256.Sum256(text)
	p := dev.programs[key]
	if r, err := dev.fits(text); err != nil {
		log.say(err)
		return nil, r
	}
	if p == nil {
		var err error
		waitAside(func() { p, err = simtrun.Load(fmt.Sprintf("module%d.ptx", len(dev.programs)+1), text) })
		if err == nil {
			err = p.Undefined()
		}
		if err != nil {
			log.say(err)
			return nil, errorInvalidPtx
		}
		dev.programs[key] = p
		dev.debug.addSource(fmt.Sprintf("module%d.ptx", len(dev.programs)), text)
	}
	m, err := dev.mem.Load(p)
	if err != nil {
		log.say(err)
		return nil, errorInvalidPtx
	}
	target, _ := targetOf(text)
	mod := &module{ctx: c, p: p, m: m, target: target, fns: make(map[string]*function), refs: make(map[string]*texref)}
	mod.h = dev.add(mod)
	c.modules[mod] = true
	return mod, success
}

// jitLog is a buffer of the program for the assembler's messages, in addition to the library's own output.
type jitLog struct {
	buffer *C.char
	size   *unsafe.Pointer // value of the option: the buffer's size in bytes, replaced by the bytes written
	bytes  C.int
}

// newJITLog parses the options about messages. Other options have no effect.
func newJITLog(n C.uint, options *C.int, values *unsafe.Pointer) *jitLog {
	l := new(jitLog)
	if n == 0 || options == nil || values == nil {
		return l
	}
	info := new(jitLog) // always empty
	places := unsafe.Slice(values, n)
	for i, o := range unsafe.Slice(options, n) {
		switch o {
		case C.CU_JIT_ERROR_LOG_BUFFER:
			l.buffer = (*C.char)(places[i])
		case C.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
			l.size, l.bytes = &places[i], C.int(*(*uint32)(unsafe.Pointer(&places[i])))
		case C.CU_JIT_INFO_LOG_BUFFER:
			info.buffer = (*C.char)(places[i])
		case C.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
			info.size, info.bytes = &places[i], C.int(*(*uint32)(unsafe.Pointer(&places[i])))
		case C.CU_JIT_WALL_TIME:
			*(*float32)(unsafe.Pointer(&places[i])) = 0
		}
	}
	info.write("")
	l.write("")
	return l
}

func (l *jitLog) say(err error) {
	dev.outlet.say("%v", err)
	l.write(err.Error())
}

func (l *jitLog) write(text string) {
	if l == nil || l.buffer == nil || l.bytes <= 0 {
		return
	}
	putText(l.buffer, l.bytes, text)
	*(*uint64)(unsafe.Pointer(l.size)) = uint64(min(len(text), int(l.bytes)-1))
}

func (m *module) unload() {
	for _, f := range m.fns {
		delete(dev.objects, f.h)
	}
	for _, b := range m.constants {
		if err := dev.mem.Free(b); err != nil {
			panic(bug("unloading a module", err))
		}
	}
	for _, r := range m.refs {
		delete(dev.objects, r.h)
	}
	m.m.Unload()
	delete(m.ctx.modules, m)
	delete(dev.objects, m.h)
}

// function returns a kernel of the module.
func (m *module) function(name string) (*function, result) {
	if f := m.fns[name]; f != nil {
		return f, success
	}
	if !slices.Contains(m.p.Kernels(), name) {
		return nil, errorNotFound
	}
	k, err := m.m.Kernel(name)
	if err != nil {
		dev.outlet.say("%v", err)
		return nil, errorNotSupported
	}
	f := &function{mod: m, k: k, name: cxx.Short(name), mangled: cxx.Mangled(name), attrs: k.Attributes(), params: k.Params(), carve: -1}
	f.h = dev.add(f)
	m.fns[name] = f
	return f, success
}

// all returns all kernels of the module that can run, in textual order.
func (m *module) all() (fns []*function) {
	for _, name := range m.p.Kernels() {
		if f, r := m.function(name); r == success {
			fns = append(fns, f)
		}
	}
	return fns
}

// loadTo loads an image and writes the module's handle.
func loadTo(current C.uintptr_t, to *C.uintptr_t, image unsafe.Pointer, library bool, log func() *jitLog) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil {
			return errorInvalidValue
		}
		m, r := c.load(image, log())
		if r == success {
			m.library = library
			*to = C.uintptr_t(m.h)
		}
		return r
	})
}

func noLog() *jitLog { return nil }

//export go_cuModuleLoadData
func go_cuModuleLoadData(current C.uintptr_t, to *C.uintptr_t, image unsafe.Pointer) C.int {
	return loadTo(current, to, image, false, noLog)
}

//export go_cuModuleLoadDataEx
func go_cuModuleLoadDataEx(current C.uintptr_t, to *C.uintptr_t, image unsafe.Pointer, n C.uint, options *C.int, values *unsafe.Pointer) C.int {
	return loadTo(current, to, image, false, func() *jitLog { return newJITLog(n, options, values) })
}

//export go_cuModuleLoadFatBinary
func go_cuModuleLoadFatBinary(current C.uintptr_t, to *C.uintptr_t, image unsafe.Pointer) C.int {
	return loadTo(current, to, image, false, noLog)
}

//export go_cuModuleLoad
func go_cuModuleLoad(current C.uintptr_t, to *C.uintptr_t, file *C.char) C.int {
	return loadFile(current, to, file, false, noLog)
}

func loadFile(current C.uintptr_t, to *C.uintptr_t, file *C.char, library bool, log func() *jitLog) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil || file == nil {
			return errorInvalidValue
		}
		image, r := readFile(C.GoString(file))
		if r != success {
			return r
		}
		at, err := wholeImage(image)
		if err != nil {
			log().say(err)
			return errorInvalidImage
		}
		m, r := c.load(at, log())
		if r == success {
			m.library = library
			*to = C.uintptr_t(m.h)
		}
		return r
	})
}

//export go_cuModuleUnload
func go_cuModuleUnload(current, h C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		m := object[module](h)
		if m == nil {
			return errorInvalidHandle
		}
		dev.settle()
		m.unload()
		return success
	})
}

//export go_cuModuleGetLoadingMode
func go_cuModuleGetLoadingMode(_ C.uintptr_t, mode *C.int) C.int {
	return global(func() result {
		if mode == nil {
			return errorInvalidValue
		}
		*mode = C.CU_MODULE_EAGER_LOADING
		return success
	})
}

// withModule runs f for a call about a module. wanted reports whether the result pointer is not NULL.
func withModule(current, h C.uintptr_t, wanted bool, f func(m *module) result) C.int {
	return in(current, func(*cudaContext) result {
		m := object[module](h)
		switch {
		case m == nil:
			return errorInvalidHandle
		case !wanted:
			return errorInvalidValue
		}
		return f(m)
	})
}

//export go_cuModuleGetFunction
func go_cuModuleGetFunction(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, name *C.char) C.int {
	return withModule(current, h, to != nil && name != nil, func(m *module) result {
		f, r := m.function(C.GoString(name))
		if r == success {
			*to = C.uintptr_t(f.h)
		}
		return r
	})
}

//export go_cuModuleGetFunctionCount
func go_cuModuleGetFunctionCount(current C.uintptr_t, n *C.uint, h C.uintptr_t) C.int {
	return withModule(current, h, n != nil, func(m *module) result {
		*n = C.uint(len(m.all()))
		return success
	})
}

//export go_cuModuleEnumerateFunctions
func go_cuModuleEnumerateFunctions(current C.uintptr_t, to *C.uintptr_t, n C.uint, h C.uintptr_t) C.int {
	return withModule(current, h, to != nil && n > 0, func(m *module) result {
		places := unsafe.Slice(to, n)
		for i, f := range m.all() {
			if i < len(places) {
				places[i] = C.uintptr_t(f.h)
			}
		}
		return success
	})
}

// variable returns a variable of the module. It finds static C++ variables by their plain name, as nvcc names them,
// unlike clang. A variable in constant memory also has an address in global memory, as on a GPU, so that kernels can
// write to it through that address.
func (m *module) variable(name string) (*simtrun.Buffer, result) {
	v := m.m.Var(name)
	if v == nil {
		v = m.m.Var(fmt.Sprintf("_ZL%d%s", len(name), name))
	}
	switch {
	case v == nil:
		return nil, errorNotFound
	case v.Addr() >= isa.GlobalBase32 || len(v.Bytes()) == 0:
		return v, success
	case m.constants[name] != nil:
		return m.constants[name], success
	}
	b, err := dev.mem.AllocOn(name, v.Bytes(), textureAlign)
	if err != nil {
		return nil, errorOutOfMemory
	}
	if m.constants == nil {
		m.constants = make(map[string]*simtrun.Buffer)
	}
	m.constants[name] = b
	return b, success
}

//export go_cuModuleGetGlobal_v2
func go_cuModuleGetGlobal_v2(current C.uintptr_t, addr *C.ulonglong, n *C.size_t, h C.uintptr_t, name *C.char) C.int {
	return withModule(current, h, name != nil, func(m *module) result {
		v, r := m.variable(C.GoString(name))
		if r != success {
			return r
		}
		set(addr, C.ulonglong(v.Addr()))
		set(n, C.size_t(len(v.Bytes())))
		return success
	})
}

// The first bytes of images.
const (
	elfMagic     = 0x464c457f
	fatbinMagic  = 0xba55ed50
	wrapperMagic = 0x466243b1
)

// noBinary is the error for an image without code that the GPU, or simtrun, can run.
type noBinary string

func (n noBinary) Error() string { return string(n) }

// wholeImage copies an image of known length, appends zeros, and returns its address. It returns an error if the
// image claims to be longer.
func wholeImage(image []byte) (unsafe.Pointer, error) {
	padded, n := append(slices.Clone(image), 0, 0, 0, 0), uint64(len(image))
	var cut bool
	switch binary.LittleEndian.Uint32(padded) {
	case elfMagic:
		var h elf.Header64
		_, err := binary.Decode(image, binary.LittleEndian, &h)
		cut = err != nil || h.Shoff > n || uint64(h.Shnum)*uint64(h.Shentsize) > n-h.Shoff
	case fatbinMagic:
		var h fatbinHeader
		_, err := binary.Decode(image, binary.LittleEndian, &h)
		cut = err != nil || h.Bytes > n || uint64(h.Size) > n-h.Bytes
	}
	if cut {
		return nil, errors.New("the image is cut off")
	}
	return unsafe.Pointer(unsafe.SliceData(padded)), nil
}

// ptxOf returns the PTX of an image for a target such as 90: of text that ends in a NUL, or of a fat binary, possibly
// in a wrapper.
func ptxOf(image unsafe.Pointer, target int) ([]byte, error) {
	switch *(*uint32)(image) {
	case elfMagic:
		return cubinPTX(image, target)
	case wrapperMagic: // magic, version, pointer to the data
		data := *(*unsafe.Pointer)(unsafe.Add(image, 8))
		if data == nil {
			return nil, errors.New("the wrapper of a fat binary points nowhere")
		}
		return ptxOf(data, target)
	case fatbinMagic:
		return fatbinPTX(image, target)
	}
	text := C.GoString((*C.char)(image))
	if !strings.Contains(text, ".version") && !strings.Contains(text, ".entry") {
		return nil, errors.New("the image is neither PTX nor a fat binary")
	}
	return []byte(text), nil
}
