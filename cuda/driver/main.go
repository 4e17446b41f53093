// Command driver is the CUDA driver API on simtrun, for programs that talk to a GPU's driver. It is built with -buildmode=c-shared
// (make -C cuda). The entry points are a library of their own in C, libcuda.so.1, which loads this one at cuInit (folder entry). They
// are generated from api.txt (gen.go); each goes on in a function of Go whose name begins with go_, and which gets the context that is
// current in the thread first.
//
// Kernels, copies and all else run when they are called for, one after the other, so that every stream is in the order of its
// calls, and nothing waits for anything. What of it is different from a GPU is in docs/host.md.
package main

//go:generate go run gen.go

func main() {}
