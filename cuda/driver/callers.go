package main

/*
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include "callers.h"

// fileOf returns the file that is loaded at an address, "" for the program itself, and where it is loaded; NULL if
// there is none.
static const char *fileOf(uintptr_t at, uintptr_t *base)
{
	Dl_info info;
	struct link_map *map = NULL;

	if (dladdr1((void *)at, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
		return NULL;
	*base = map->l_addr;
	return map->l_name;
}
*/
import "C"

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// callers are return addresses of the functions that have called the driver, the innermost first; zero ones follow.
type callers [C.MOST_CALLERS]uintptr

// callersNow returns the callers that the thread's current call of the driver has noted. Calls note them as
// noteCallers says.
func callersNow() (all callers) {
	noted := C.noted_callers()
	for i := range noted.count {
		all[i] = uintptr(noted.at[i])
	}
	return all
}

// noteCallers says which calls note their callers.
func noteCallers(memory, work bool) {
	C.notes_callers = 0
	if memory {
		C.notes_callers |= C.CALLERS_OF_MEMORY
	}
	if work {
		C.notes_callers |= C.CALLERS_OF_WORK
	}
}

// site is the place in the program that has called the driver. The zero site is not known.
type site struct {
	api  string // the function of the runtime that was called, such as cudaMalloc; "" if the driver was called itself
	file string // of the source; of the program or library if that has no debug information
	line int    // 0 without debug information
	code string // the line of the source; without debug information FUNCTION+OFFSET or FILE+OFFSET
}

// String returns FILE:LINE, FUNCTION+OFFSET in FILE, or FILE+OFFSET.
func (s *site) String() string {
	if name := filepath.Base(s.file); strings.HasPrefix(s.code, name+"+0x") {
		return s.code
	} else if s.line == 0 && s.code != "" {
		return fmt.Sprintf("%s in %s", s.code, name)
	}
	return s.place()
}

// prefix returns the beginning of a message about the site; "" if it is not known.
func (s *site) prefix() string {
	if *s == (site{}) {
		return ""
	}
	return s.String() + ": "
}

// place returns FILE:LINE, or FILE without debug information.
func (s *site) place() string {
	if s.line == 0 {
		return s.file
	}
	return fmt.Sprintf("%s:%d", s.file, s.line)
}

var (
	// driverLibrary matches the two parts of the driver library, and ownLibrary other libraries of CUDA.
	driverLibrary = regexp.MustCompile(`^lib(cuda|simtrun_cuda)\.so`)
	ownLibrary    = regexp.MustCompile(`^lib(cudart|cublas|cublasLt|curand|nvrtc)\.so`)
	// runtimeName matches functions of the runtime, and those that clang makes for launches.
	runtimeName = regexp.MustCompile(`^(__)?cuda[A-Z]|^simtrun|__device_stub__|^failedIn$`)
	// runtimeHeader matches CUDA's headers, whose inline functions call the runtime.
	runtimeHeader = regexp.MustCompile(`(^|/)(cuda_runtime(_api)?\.h|simtrun/[a-z_]+\.hp?p?|cooperative_groups\.h)$`)
)

// through reports whether one of some functions is a caller.
func (all callers) through(names ...string) bool {
	for _, at := range all {
		if at == 0 {
			break
		}
		file, base := fileAt(at)
		if file == "" || driverLibrary.MatchString(filepath.Base(file)) {
			continue
		}
		for _, f := range openBinary(file).frames(at - 1 - base) {
			if slices.Contains(names, f.name) {
				return true
			}
		}
	}
	return false
}

// site returns the place in the program: the first caller outside of CUDA's libraries, of the runtime within the
// program, and of the inline functions of CUDA's headers.
func (all callers) site() (s site) {
	var outside []frame
	for _, at := range all {
		if at == 0 {
			break
		}
		file, base := fileAt(at)
		name := filepath.Base(file)
		if file == "" || driverLibrary.MatchString(name) {
			continue
		}
		b := openBinary(file)
		frames := b.frames(at - 1 - base) // the return address may be the next line's
		if !ownLibrary.MatchString(name) {
			outside = append(outside, frames...)
		} else if name := frames[0].name; outside == nil && strings.HasPrefix(name, "cu") {
			s.api = name
		}
	}
	// Helpers of a runtime within the program have no debug information and no such names: all frames before the
	// runtime's last function are the runtime's own.
	first := 0
	for i := range outside {
		if runtimeName.MatchString(outside[i].name) || runtimeHeader.MatchString(outside[i].file) {
			if first = i + 1; strings.HasPrefix(outside[i].name, "cuda") {
				s.api = outside[i].name
			}
		} else if outside[i].line != 0 {
			break
		}
	}
	if first == len(outside) {
		return s
	}
	f := &outside[first]
	s.file, s.line, s.code = shortened(f.file), f.line, sourceLine(f.file, f.line)
	if f.line == 0 {
		s.file, s.code = f.binary, fmt.Sprintf("%s+0x%x", cmp.Or(f.name, filepath.Base(f.binary)), f.offset)
	}
	s.api, _, _ = strings.Cut(s.api, "<")
	return s
}

// fileAt returns the program or library that is loaded at an address, and where it is loaded; "" if there is none.
func fileAt(at uintptr) (file string, base uintptr) {
	var loaded C.uintptr_t
	name := C.fileOf(C.uintptr_t(at), &loaded)
	if name == nil {
		return "", 0
	}
	if file = C.GoString(name); file == "" {
		file, _ = os.Readlink("/proc/self/exe")
	}
	return file, uintptr(loaded)
}
