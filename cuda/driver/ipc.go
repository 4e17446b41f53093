package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory shared between processes: exported memory is in a memory file, which others open by the process's number and
// descriptor. The file's name has a random key, and a handle has a hash of the key and of its other fields, so that
// only handles made by the process are accepted.

// ipcHandle is the 64 bytes of a handle. It has no padding.
type ipcHandle struct {
	kind         uint32
	pid          int32
	fd           int32 // for memory
	flags        uint32
	size, offset uint64 // of the allocation; of the address in it
	serial       uint64 // of the allocation
	pool         handle // to which it belongs
	seal         [16]byte
}

// ipcKey is the key that seals the handles of a file.
type ipcKey [16]byte

func newKey() (k ipcKey) {
	rand.Read(k[:])
	return k
}

// sealOf returns the seal of a handle.
func (k ipcKey) sealOf(h ipcHandle) (seal [16]byte) {
	h.seal = [16]byte{}
	mac := hmac.New(sha256.New, k[:])
	mac.Write(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)))
	copy(seal[:], mac.Sum(nil))
	return seal
}

// made reports whether the process with the key has made the handle.
func (k ipcKey) made(h ipcHandle) bool {
	seal := k.sealOf(h)
	return hmac.Equal(seal[:], h.seal[:])
}

// keyOf returns the key and path of a handle's file, if the file still exists and the handle was made for it.
func keyOf(h ipcHandle) (k ipcKey, path string, ok bool) {
	path = fmt.Sprintf("/proc/%d/fd/%d", h.pid, h.fd)
	link, err := os.Readlink(path)
	text, is := strings.CutPrefix(link, "/memfd:"+ipcName)
	if text, _, _ = strings.Cut(text, " "); err != nil || !is || len(text) != 2*len(k) {
		return k, path, false
	}
	if _, err := hex.Decode(k[:], []byte(text)); err != nil {
		return k, path, false
	}
	return k, path, k.made(h)
}

// poolID identifies a pool of a process.
type poolID struct {
	pid int32
	h   handle
}

// poolName is the name of the file whose descriptor stands for a pool.
const poolName = "simtrun pool %d of %d"

// Kinds of handles. The zero value is none.
const (
	ipcMemory = 0x73696d01 + iota
	ipcEvent
	ipcPooled
)

// ipcName precedes the key in the names of files for handles.
const ipcName = "simtrun-shared-"

// newShared makes a memory file for handles that are sealed with the key.
func newShared(k ipcKey) (*os.File, error) {
	fd, err := unix.MemfdCreate(ipcName+hex.EncodeToString(k[:]), unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), ""), nil
}

// share moves the allocation's memory to a file that other processes can map.
func (a *allocation) share() error {
	if a.file != nil {
		return nil
	}
	key := newKey()
	file, err := newShared(key)
	if err != nil {
		return err
	}
	if err := file.Truncate(int64(a.size)); err != nil {
		file.Close()
		return err
	}
	pages, err := unix.Mmap(int(file.Fd()), 0, int(a.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		file.Close()
		return err
	}
	if err := a.buf.Move(pages); err != nil {
		unix.Munmap(pages)
		file.Close()
		return err
	}
	a.unmap()
	a.pages, a.file, a.key = pages, file, key
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
	h.seal = a.key.sealOf(h)
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

// open writes the address of the memory for another process's handle, until it is closed.
func (c *cudaContext) open(to *C.ulonglong, h ipcHandle) result {
	a, r := c.imported(h)
	if r == success {
		a.opened++
		*to = C.ulonglong(a.base + h.offset)
	}
	return r
}

// imported returns another process's allocation by its handle: the one that is open already, or a new one.
func (c *cudaContext) imported(h ipcHandle) (*allocation, result) {
	of := h
	of.offset, of.seal = 0, [16]byte{}
	for a := range c.allocs {
		if a.kind == imported && a.of == of && a.key.made(h) {
			return a, success
		}
	}
	key, path, ok := keyOf(h)
	if !ok {
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
	a := &allocation{kind: imported, size: h.size, pages: pages, of: of, key: key}
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

// close releases memory of another process after as many calls as of open.
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

// Calls of a process complete before they return, so its events never make another process wait.

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
		if dev.events == nil {
			var err error
			dev.eventKey = newKey()
			if dev.events, err = newShared(dev.eventKey); err != nil {
				dev.outlet.say("%v", err)
				return errorOperatingSystem
			}
		}
		h := ipcHandle{kind: ipcEvent, pid: int32(os.Getpid()), fd: int32(dev.events.Fd()), flags: e.flags}
		h.seal = dev.eventKey.sealOf(h)
		*(*ipcHandle)(unsafe.Pointer(to)) = h
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
	if _, _, ok := keyOf(h); !ok {
		return C.int(errorInvalidHandle)
	}
	return go_cuEventCreate(current, to, C.uint(h.flags))
}
