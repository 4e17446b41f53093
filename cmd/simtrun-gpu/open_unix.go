//go:build linux

package main

import (
	"fmt"
	"reflect"

	"github.com/ebitengine/purego"
)

// libraries are the names of the driver's library.
var libraries = []string{"libcuda.so.1", "libcuda.so"}

// openDriver loads the driver's library. The error says that there is none, or that it is too old.
func openDriver() (d *driver, err error) {
	var library uintptr
	for _, name := range libraries {
		if library, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("no CUDA driver: %w", err)
	}
	d = new(driver)
	functions := reflect.ValueOf(d).Elem()
	for i := range functions.NumField() {
		name := "cu" + functions.Type().Field(i).Name
		at, err := purego.Dlsym(library, name)
		if err != nil {
			return nil, fmt.Errorf("the CUDA driver has no %s; one of CUDA 12 has", name)
		}
		purego.RegisterFunc(functions.Field(i).Addr().Interface(), at)
	}
	return d, nil
}
