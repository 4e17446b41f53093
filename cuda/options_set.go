package cuda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setArch accepts sm_80, compute_80 and lists of them; native, all and similar words mean the default.
func setArch(o *Options, name, value string) error {
	var archs []string
	for word := range strings.SplitSeq(value, ",") {
		word = strings.TrimSpace(word)
		number := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(word, "sm_"), "compute_"), "lto_")
		if !isArchNumber(number) {
			if slices.Contains([]string{"native", "all", "all-major"}, word) {
				continue
			}
			return &OptionError{fmt.Sprintf("%s %s: expected an architecture such as sm_80", name, word)}
		}
		archs = append(archs, "sm_"+number)
	}
	if len(archs) == 0 {
		return nil
	}
	if !o.gencode {
		o.Archs = nil
	}
	o.addArchs(archs...)
	return nil
}

// isArchNumber reports whether a text is the number of an architecture, with or without a letter: 90a.
func isArchNumber(text string) bool {
	_, err := strconv.Atoi(strings.TrimRight(text, "af"))
	return err == nil
}

// addArchs adds architectures to those for which device code is compiled.
func (o *Options) addArchs(archs ...string) {
	o.Archs = append(o.Archs, archs...)
	o.Arch = slices.MaxFunc(o.Archs, compareArchs)
}

// setGencode parses arch=compute_80,code=sm_80. The kind of code does not matter, because all code is PTX here.
func setGencode(o *Options, name, value string) error {
	arch, _, _ := strings.Cut(strings.TrimPrefix(strings.Trim(value, `"'`), "arch="), ",")
	number := strings.TrimPrefix(arch, "compute_")
	if !isArchNumber(number) {
		return &OptionError{fmt.Sprintf("%s %s: expected arch=compute_80,code=sm_80", name, value)}
	}
	if !o.gencode {
		o.Archs, o.gencode = nil, true
	}
	o.addArchs("sm_" + number)
	return nil
}

func setRelocatable(o *Options, name, value string) error {
	if value != "true" && value != "false" {
		return &OptionError{name + "=" + value + ": it is true or false"}
	}
	o.Relocatable = value == "true"
	return nil
}

func relocatableTrue(o *Options, _, _ string) error  { o.Relocatable = true; return nil }
func relocatableFalse(o *Options, _, _ string) error { o.Relocatable = false; return nil }

// relocatableObject handles -dc, which is -c with -rdc=true.
func relocatableObject(o *Options, _, _ string) error {
	o.Product, o.Relocatable = Object, true
	return nil
}

func setRuntime(o *Options, name, value string) error {
	if !slices.Contains([]string{"static", "shared", "none"}, value) {
		return &OptionError{name + " " + value + ": it takes static, shared or none"}
	}
	o.Runtime = value
	return nil
}

func setFused(o *Options, _, value string) error {
	if value == "false" {
		o.Compile = append(o.Compile, "-ffp-contract=off")
	}
	return nil
}

func setFlush(o *Options, _, value string) error {
	if value == "true" {
		o.Device = append(o.Device, "-fgpu-flush-denormals-to-zero")
	}
	return nil
}

func setDefaultStream(o *Options, _, value string) error {
	if value == "per-thread" {
		o.Compile = append(o.Compile, "-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1")
	}
	return nil
}

func openMP(o *Options, _, _ string) error {
	o.Host = append(o.Host, "-fopenmp")
	o.Link = append(o.Link, "-fopenmp")
	return nil
}

// hostAndLink passes an option on for host code and for linking.
func hostAndLink(word string) func(*Options, string, string) error {
	return func(o *Options, _, _ string) error {
		o.Host = append(o.Host, word)
		o.Link = append(o.Link, word)
		return nil
	}
}

// debugBoth adds debug information to host and device code.
func debugBoth(o *Options, _, _ string) error {
	o.Host, o.Link, o.Variables = append(o.Host, "-g"), append(o.Link, "-g"), true
	return nil
}

// debugDevice adds debug information to device code, which is then not optimised, as by nvcc.
func debugDevice(o *Options, _, _ string) error {
	o.Variables, o.Unoptimised = true, true
	return nil
}

func verbose(o *Options, _, _ string) error { o.Verbose = true; return nil }

// dryRun shows the commands, and executes none.
func dryRun(o *Options, _, _ string) error { o.Verbose, o.DryRun = true, true; return nil }

func keep(o *Options, _, _ string) error { o.Keep = true; return nil }

func keepFolder(o *Options, _, value string) error { o.Keep, o.KeepFolder = true, value; return nil }

// pair passes on an option and its value as two words.
func pair(name string) func(*Options, string, string) error {
	return func(o *Options, _, value string) error { o.Compile = append(o.Compile, name, value); return nil }
}

// hostAndDevice passes on an option that applies to linking, too.
func hostAndDevice(prefix string) func(*Options, string, string) error {
	return func(o *Options, _, value string) error {
		o.Compile = append(o.Compile, prefix+value)
		o.Link = append(o.Link, prefix+value)
		return nil
	}
}

// addLibrary links a library, except the runtime, which every program has. The runtime is a library only in a
// toolkit. cuBLAS is a shared library that needs no others.
func addLibrary(o *Options, _, value string) error {
	switch value {
	case "cublas_static", "cublasLt_static":
		value = strings.TrimSuffix(value, "_static")
	case "culibos":
		return nil
	}
	if o.Toolkit != "" || !slices.Contains([]string{"cudart", "cudart_static", "cudadevrt", "cuda_runtime"}, value) {
		o.Inputs = append(o.Inputs, "-l"+value)
	}
	return nil
}

func linkerWords(o *Options, _, value string) error {
	for _, word := range splitWords(value, ", \t\n") {
		o.Link = append(o.Link, "-Xlinker", word)
	}
	return nil
}

func setLanguage(o *Options, name, value string) error {
	switch value {
	case "cu", "cuda":
		o.language = "cuda"
	case "c++", "c":
		o.language = value
	default:
		return &OptionError{name + " " + value + ": it takes cu, c++ or c"}
	}
	return nil
}
