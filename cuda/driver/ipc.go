package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory that processes share: what a process exports lies in a file in memory, which others open by the process's number and descriptor.

// ipcHandle is what is in the 64 bytes of a handle.
type ipcHandle struct {
	kind         uint32
	pid          int32
	fd           int32 // of memory
	flags        uint32
	size, offset uint64 // of the allocation; of the address in it
	serial       uint64 // of the allocation
	pool         handle // from which it is
}

// poolID says which pool of which process.
type poolID struct {
	pid int32
	h   handle
}

// poolName is what the file is called whose descriptor stands for a pool.
const poolName = "simtrun pool %d of %d"

// Kinds of handles. The zero value is none.
const (
	ipcMemory = 0x73696d01 + iota
	ipcEvent
	ipcPooled
)

// ipcName is what the file of an allocation is called: a descriptor may be another file's by now.
func ipcName(serial uint64) string { return fmt.Sprintf("simtrun shared %d", serial) }

// share has the allocation's memory be a file that other processes can map.
func (a *allocation) share() error {
	if a.file != nil {
		return nil
	}
	fd, err := unix.MemfdCreate(ipcName(a.serial), unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), "")
	if err := file.Truncate(int64(a.size)); err != nil {
		file.Close()
		return err
	}
	pages, err := unix.Mmap(fd, 0, int(a.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		file.Close()
		return err
	}
	if err := a.buf.Move(pages); err != nil {
		panic(err)
	}
	a.unmap()
	a.pages, a.file = pages, file
	dev.shares = true
	return nil
}

//export go_cuIpcGetMemHandle
func go_cuIpcGetMemHandle(current C.uintptr_t, to *C.CUipcMemHandle, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		dev.settle()
		a := dev.find(uint64(addr))
		if to == nil || a == nil || a.kind != onDevice {
			return errorInvalidValue
		}
		return a.export((*ipcHandle)(unsafe.Pointer(to)), ipcHandle{kind: ipcMemory, offset: uint64(addr) - a.base})
	})
}

// export completes a handle of the allocation.
func (a *allocation) export(to *ipcHandle, h ipcHandle) result {
	if err := a.share(); err != nil {
		dev.outlet.say("%v", err)
		return errorOutOfMemory
	}
	h.pid, h.fd, h.size, h.serial = int32(os.Getpid()), int32(a.file.Fd()), a.size, a.serial
	*to = h
	return success
}

//export go_cuIpcOpenMemHandle_v2
func go_cuIpcOpenMemHandle_v2(current C.uintptr_t, to *C.ulonglong, handle C.CUipcMemHandle, flags C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		h := *(*ipcHandle)(unsafe.Pointer(&handle))
		switch {
		case to == nil || flags&^C.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS != 0 || h.kind != ipcMemory || h.offset >= h.size:
			return errorInvalidValue
		case h.pid == int32(os.Getpid()):
			return errorInvalidContext
		}
		return c.open(to, h)
	})
}

// open has the address of a handle of another process, until it is closed.
func (c *cudaContext) open(to *C.ulonglong, h ipcHandle) result {
	a, r := c.imported(h)
	if r == success {
		a.opened++
		*to = C.ulonglong(a.base + h.offset)
	}
	return r
}

// imported is the allocation of another process that a handle is of: one that is open already, or else new.
func (c *cudaContext) imported(h ipcHandle) (*allocation, result) {
	h.offset = 0
	for a := range c.allocs {
		if a.kind == imported && a.of == h {
			return a, success
		}
	}
	path := fmt.Sprintf("/proc/%d/fd/%d", h.pid, h.fd)
	if name, err := os.Readlink(path); err != nil || !strings.HasPrefix(name, "/memfd:"+ipcName(h.serial)+" ") {
		return nil, errorInvalidHandle
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, errorInvalidHandle
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || uint64(info.Size()) != h.size {
		return nil, errorInvalidHandle
	}
	pages, err := unix.Mmap(int(file.Fd()), 0, int(h.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, errorOutOfMemory
	}
	a := &allocation{kind: imported, size: h.size, pages: pages, of: h}
	buf, err := dev.mem.AllocOn("imported", pages, textureAlign)
	if err != nil {
		a.unmap()
		return nil, errorOutOfMemory
	}
	a.base = buf.Addr()
	dev.highest = max(dev.highest, a.base+a.size)
	c.add(a, buf)
	return a, success
}

//export go_cuIpcCloseMemHandle
func go_cuIpcCloseMemHandle(current C.uintptr_t, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		dev.settle()
		a := dev.find(uint64(addr))
		if a == nil || a.kind != imported || a.of.kind != ipcMemory {
			return errorInvalidValue
		}
		a.close()
		return success
	})
}

// close gives memory of another process back when it was closed as often as it was opened.
func (a *allocation) close() {
	if a.opened--; a.opened == 0 {
		a.free()
	}
}

//export go_cuMemPoolExportToShareableHandle
func go_cuMemPoolExportToShareableHandle(current C.uintptr_t, to unsafe.Pointer, h C.uintptr_t, kind C.int, flags C.ulonglong) C.int {
	return withPool(current, h, func(p *pool) result {
		if to == nil || kind != C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0 || !p.shared {
			return errorInvalidValue
		}
		fd, err := unix.MemfdCreate(fmt.Sprintf(poolName, p.h, os.Getpid()), unix.MFD_CLOEXEC)
		if err != nil {
			return errorOperatingSystem
		}
		*(*C.int)(to) = C.int(fd)
		return success
	})
}

//export go_cuMemPoolImportFromShareableHandle
func go_cuMemPoolImportFromShareableHandle(current C.uintptr_t, to *C.uintptr_t, shared unsafe.Pointer, kind C.int, flags C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		var of poolID
		name, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", C.int(uintptr(shared))))
		if n, _ := fmt.Sscanf(name, "/memfd:"+poolName, &of.h, &of.pid); n != 2 || to == nil || kind != C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0 {
			return errorInvalidValue
		}
		p := newPool(0)
		p.of = of
		*to = C.uintptr_t(p.h)
		return success
	})
}

//export go_cuMemPoolExportPointer
func go_cuMemPoolExportPointer(current C.uintptr_t, to *C.CUmemPoolPtrExportData, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		dev.settle()
		a := dev.allocs[uint64(addr)]
		if to == nil || a == nil || a.pool == nil || !a.pool.shared {
			return errorInvalidValue
		}
		return a.export((*ipcHandle)(unsafe.Pointer(to)), ipcHandle{kind: ipcPooled, pool: a.pool.h})
	})
}

//export go_cuMemPoolImportPointer
func go_cuMemPoolImportPointer(current C.uintptr_t, to *C.ulonglong, from C.uintptr_t, data *C.CUmemPoolPtrExportData) C.int {
	return in(current, func(c *cudaContext) result {
		p := object[pool](from)
		if to == nil || p == nil || data == nil {
			return errorInvalidValue
		}
		h := *(*ipcHandle)(unsafe.Pointer(data))
		if h.kind != ipcPooled || h.offset != 0 || p.of != (poolID{h.pid, h.pool}) {
			return errorInvalidValue
		}
		return c.open(to, h)
	})
}

// What a process is asked for is done when the call returns, so that there is nothing in its events for which another process has to wait.

//export go_cuIpcGetEventHandle
func go_cuIpcGetEventHandle(current C.uintptr_t, to *C.CUipcEventHandle, ev C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		e := object[event](ev)
		switch {
		case e == nil:
			return errorInvalidHandle
		case to == nil || e.flags&C.CU_EVENT_INTERPROCESS == 0:
			return errorInvalidValue
		}
		*(*ipcHandle)(unsafe.Pointer(to)) = ipcHandle{kind: ipcEvent, pid: int32(os.Getpid()), flags: e.flags}
		return success
	})
}

//export go_cuIpcOpenEventHandle
func go_cuIpcOpenEventHandle(current C.uintptr_t, to *C.uintptr_t, handle C.CUipcEventHandle) C.int {
	h := *(*ipcHandle)(unsafe.Pointer(&handle))
	switch {
	case h.kind != ipcEvent:
		return C.int(errorInvalidValue)
	case h.pid == int32(os.Getpid()):
		return C.int(errorInvalidContext)
	}
	return go_cuEventCreate(current, to, C.uint(h.flags))
}
