package cuda

import (
	"os"
	"path/filepath"
	"strings"
)

// Product is the kind of output that a command line asks for.
type Product int

const (
	Program       Product = iota
	Object                // -c
	PTX                   // -ptx, -S, or an output named .ptx
	Preprocessed          // -E, -M, -MM
	FatBinary             // -fatbin
	CubinFile             // -cubin
	DeviceLinked          // -dlink
	StaticLibrary         // -lib
)

// defaultArch suits every preset from the A100 on.
const defaultArch = "sm_80"

// Options is a parsed command line in the syntax of nvcc or clang.
type Options struct {
	Product      Product
	Output       string   // "" for the default
	OutputFolder string   // for outputs without a name; "" for the working directory
	Arch         string   // the newest of Archs, such as sm_80
	Archs        []string // architectures for which device code is compiled; nil for Arch alone
	Inputs       []string
	Compile      []string // arguments of clang for sources
	Host         []string // clang arguments for host code only
	Device       []string // clang arguments for device code only
	Link         []string // arguments for linking
	Relocatable  bool     // device code is linked with that of other files
	Variables    bool     // PTX has debug information on variables and types, besides that on lines
	Unoptimised  bool     // device code is compiled with -O0, so that every variable has a place in memory
	MaxRegisters int      // the most registers per thread of kernels without launch bounds; 0 for no limit
	Verbose      bool     // show commands
	DryRun       bool     // show commands, and execute none
	Run          bool     // run the program with RunArgs after building it
	RunArgs      []string
	Keep         bool // keep the PTX of sources in KeepFolder, "" for the working directory
	KeepFolder   string
	Archiver     string // program that makes static libraries; "" for clang's or the system's
	List         string // if set, only list the architectures, each as this prefix and its number
	// Dependencies is -MD or -MMD: the dependencies of each source are written to a makefile while it is compiled.
	// The file is DependencyFile, or named after the output; the targets are those of DependencyTargets, in clang's
	// syntax, or the output.
	Dependencies      string
	DependencyFile    string
	DependencyTargets []string
	Version           bool   // only print the version of CUDA
	PrintFolder       bool   // only print the folder of the headers
	MakeToolkit       string // only make this folder in the form of a CUDA toolkit
	Toolkit           string // folder of a toolkit to link with
	Runtime           string // -cudart for a toolkit: static, shared or none

	hasLevel    bool   // -O was given
	hasStandard bool   // -std was given
	gencode     bool   // Archs are those of -gencode
	language    string // -x, in clang's words; "" if not given
}

// NewOptions returns the options of an empty command line.
func NewOptions() *Options { return &Options{Arch: defaultArch, Runtime: "static"} }

// OptionError is the error for an unsupported option.
type OptionError struct{ msg string }

func (e *OptionError) Error() string { return e.msg }

// noCode says why images other than PTX are refused.
const noCode = "simtrun makes no machine code of a GPU; -ptx makes PTX"

// option is the meaning of an argument. Its value is the next word, or the text after =. For a one-letter option,
// name is the letter.
type option struct {
	value bool // it has a value
	apply func(o *Options, name, value string) error
}

// attached are options whose value may follow the letter directly.
const attached = "oODUILlmtx"

// Parse parses a command line with options of nvcc and clang. It reads the option files that it names.
func Parse(args []string) (*Options, error) {
	args, err := withFiles(args, 0)
	if err != nil {
		return nil, err
	}
	o := NewOptions()
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' {
			o.Inputs = append(o.Inputs, arg)
			continue
		}
		taken, err := o.parseOption(arg, args[i+1:])
		if err != nil {
			return nil, err
		}
		i += taken
	}
	if o.Product == Program && filepath.Ext(o.Output) == ".ptx" {
		o.Product = PTX
	}
	return o, nil
}

// mostFiles limits the nesting of option files.
const mostFiles = 8

// withFiles replaces option files, @FILE or --options-file FILE, by their words.
func withFiles(args []string, depth int) ([]string, error) {
	var all []string
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case strings.HasPrefix(args[i], "@") && len(args[i]) > 1:
			value = args[i][1:]
		case !strings.HasPrefix(args[i], "-") || name != "options-file" && name != "optf":
			all = append(all, args[i])
			continue
		case !joined && i+1 == len(args):
			return nil, &OptionError{args[i] + ": it has a value"}
		case !joined:
			i++
			value = args[i]
		}
		for file := range strings.SplitSeq(value, ",") {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, &OptionError{"a file of options: " + err.Error()}
			}
			if depth == mostFiles {
				return nil, &OptionError{file + ": files of options name each other without an end"}
			}
			words, err := withFiles(splitWords(string(text), " \t\r\n"), depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, words...)
		}
	}
	return all, nil
}

// parseOption parses one option, and returns how many of the following words are its value.
func (o *Options) parseOption(arg string, rest []string) (taken int, err error) {
	name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	known, ok := options[name]
	if !ok || joined && !known.value {
		if letter := arg[1:2]; arg[1] != '-' && len(arg) > 2 && strings.Contains(attached, letter) && (ok || !longClang(arg)) {
			return 0, options[letter].apply(o, "-"+letter, arg[2:])
		}
		return 0, o.unknown(arg)
	}
	spelled := arg[:len(arg)-len(strings.TrimLeft(arg, "-"))] + name
	switch {
	case !known.value || joined:
		return 0, known.apply(o, spelled, value)
	case mayFollow[name] != nil:
		if len(rest) > 0 && mayFollow[name].MatchString(rest[0]) {
			return 1, known.apply(o, spelled, rest[0])
		}
		return 0, known.apply(o, spelled, "")
	case len(rest) == 0:
		return 0, &OptionError{arg + ": it has a value"}
	}
	return 1, known.apply(o, spelled, rest[0])
}

// longClang reports whether an argument is an option of clang that looks like a one-letter option with an attached
// value.
func longClang(arg string) bool {
	for _, prefix := range []string{"-march", "-mtune", "-mcpu", "-mavx", "-msse", "-mfma", "-mf16c", "-mno-", "-mllvm", "-mcmodel", "-ldl-", "-time", "-trigraphs", "-mbmi", "-maes", "-mpopcnt", "-mprefer"} {
		if strings.HasPrefix(arg, prefix) {
			return true
		}
	}
	return false
}

// unknown passes an option to clang. Options for the host's processor are not passed on for the device.
func (o *Options) unknown(arg string) error {
	switch {
	case strings.HasPrefix(arg, "-Wl,"):
		o.Link = append(o.Link, arg)
	case strings.HasPrefix(arg, "-m") || strings.HasPrefix(arg, "-fPI") || strings.HasPrefix(arg, "-fpi") || strings.HasPrefix(arg, "-g") || strings.HasPrefix(arg, "-fsanitize"):
		o.Host = append(o.Host, arg)
		if strings.HasPrefix(arg, "-fsanitize") {
			o.Link = append(o.Link, arg)
		}
	case strings.HasPrefix(arg, "--"):
		return &OptionError{arg + ": no such option of nvcc's or clang's is known here"}
	default:
		o.Compile = append(o.Compile, arg)
	}
	return nil
}
