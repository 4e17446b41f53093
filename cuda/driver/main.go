// Command driver is the CUDA driver API on simtrun, for programs that use a GPU's driver. It is built with
// -buildmode=c-shared (make -C cuda). The entry points are a separate library in C, libcuda.so.1, which loads this
// one at cuInit (folder entry). They are generated from api.txt (gen.go); each calls a Go function with the prefix
// go_, and passes the thread's current context first.
//
// Kernels, copies and all other work are executed during the call, one after the other. So every stream is in order,
// and almost nothing has to wait. docs/host-support.md lists the differences from a GPU.
package main

//go:generate go run gen.go

func main() {}
