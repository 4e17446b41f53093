package cuda

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
)

// CompileError is the error of a compiler that has printed its messages.
type CompileError struct {
	File string
	err  error
}

func (e *CompileError) Error() string { return e.File + ": not compiled: " + e.err.Error() }
func (e *CompileError) Unwrap() error { return e.err }

// noLibrary matches messages of clang and linkers about headers and files of NVIDIA's libraries that simtrun does not
// have.
var noLibrary = regexp.MustCompile(`(?:fatal error: '|cannot find -l|unable to find library -l)((?:cublasXt|cudnn|cudss|cufft|cufile|cupti|curand|cusolver|cusparse|cutensor|nccl|npp|nvgraph|nvjpeg)[\w./]*)`)

// notBuilt matches messages of linkers about simtrun's own libraries that are not built.
var notBuilt = regexp.MustCompile(`(?:cannot find -l|unable to find library -l)(cublas(?:Lt)?|nvidia-ml)\b`)

var errDynamicParallelism = errors.New("kernels that launch kernels (dynamic parallelism) are not supported")

// lacks says what clang before wholeClang lacks, by its messages.
var lacks = []struct {
	said *regexp.Regexp
	what string
}{
	{regexp.MustCompile("'_Float16' type support|__bf16"), "code with half precision"},
	{regexp.MustCompile("cluster"), "code for clusters of blocks"},
}

// lacking says which clang compiles what an old one refuses with these messages.
func lacking(said []byte) string {
	for _, l := range lacks {
		if l.said.Match(said) {
			return fmt.Sprintf("%s needs clang %d or newer; install clang-%d", l.what, wholeClang, TestedClangs[0])
		}
	}
	return fmt.Sprintf("it is old, and clang %d or newer compiles more; install clang-%d", wholeClang, TestedClangs[0])
}

// launchInKernel matches clang's messages about a kernel that launches another.
var launchInKernel = regexp.MustCompile(`error: (?:reference to (?:__global__ function '|__host__ function '__cudaPushCallConfiguration')|kernel launch from __device__ or __global__ function)`)

// undefined matches messages of linkers about functions that no object or library defines.
var undefined = regexp.MustCompile("(?:undefined reference to `|undefined symbol: )(\\w+)")

// libraries are options of the linker by the names of functions that need them. simtrun cc, like nvcc, links none but
// the runtime by itself.
var libraries = []struct {
	functions *regexp.Regexp
	option    string
}{
	{regexp.MustCompile(`^cublasLt[A-Z]`), "-lcublasLt"},
	{regexp.MustCompile(`^cublas[A-Z]`), "-lcublas"},
	{regexp.MustCompile(`^curand[A-Z]`), "-lcurand"},
	{regexp.MustCompile(`^nvrtc[A-Z]`), "-lnvrtc"},
	{regexp.MustCompile(`^nvml[A-Z]`), "-lnvidia-ml"},
	{regexp.MustCompile(`^cu[A-Z]`), "-lcuda"},
	{regexp.MustCompile(`^(?:omp|GOMP|__kmpc)_`), "-Xcompiler -fopenmp"},
}

// lackingLibrary says which option of the linker defines a function that was not defined; "" if none does.
func lackingLibrary(said []byte) string {
	for _, found := range undefined.FindAllSubmatch(said, -1) {
		for _, l := range libraries {
			if l.functions.Match(found[1]) {
				return fmt.Sprintf("%s needs the option %s, as with nvcc", found[1], l.option)
			}
		}
	}
	return ""
}

// reason returns why clang, or the linker that it has run, failed, by its messages.
func (c *Compiler) reason(said []byte, exit *exec.ExitError) error {
	if found := noLibrary.FindSubmatch(said); found != nil {
		return fmt.Errorf("%s: simtrun does not have this library of NVIDIA's", found[1])
	}
	if found := notBuilt.FindSubmatch(said); found != nil {
		return fmt.Errorf("lib%s.so is not there; make -C cuda in simtrun's sources builds it", found[1])
	}
	if library := lackingLibrary(said); library != "" {
		return errors.New(library)
	}
	if launchInKernel.Match(said) {
		return errDynamicParallelism
	}
	if c.Version < wholeClang {
		return fmt.Errorf("%s: %w; %s", filepath.Base(c.Path), exit, lacking(said))
	}
	return fmt.Errorf("%s: %w", filepath.Base(c.Path), exit)
}
