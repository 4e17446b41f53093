package cuda

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Device code is compiled in two steps: the front end of clang generates unoptimised LLVM IR, and the NVPTX back end
// compiles that to PTX. Between the two steps, the IR is changed where nvcc differs from clang in a way that no
// attribute of the source can express.

// PTX compiles the device code of a source of CUDA C++ for the newest architecture that the options name. clang's
// output goes to messages; err is a *CompileError if clang rejects the source.
func (c *Compiler) PTX(ctx context.Context, file string, o *Options, messages io.Writer) ([]byte, error) {
	targets, err := c.targets(o, messages)
	if err != nil {
		return nil, err
	}
	return c.ptxFor(ctx, file, o, targets[len(targets)-1], messages)
}

// ptxFor compiles the device code of a source for one architecture.
func (c *Compiler) ptxFor(ctx context.Context, file string, o *Options, arch string, messages io.Writer) ([]byte, error) {
	d := &deviceCode{Compiler: c, Options: o, ctx: ctx, file: file, arch: arch, messages: messages}
	ir, err := d.frontEnd()
	if err != nil {
		return nil, err
	}
	if d.DryRun {
		_, err := d.backEnd(nil)
		return nil, err
	}
	if launchesKernels(ir) {
		return nil, &CompileError{file, errDynamicParallelism}
	}
	ir, constants := takeGridConstants(alignLocals(castTables(d.inlineHeaders(d.keepStaticConstants(ir)))))
	ptx, err := d.compileParameters(ir, constants)
	if err != nil {
		return nil, err
	}
	if ptx, err = addClusters(ptx, ir); err != nil {
		return nil, err
	}
	ptx = limitRegisters(ptx, o.MaxRegisters)
	if o.Relocatable {
		return withStaticImages(withStatics(ptx), o.identity(file)), nil
	}
	return ptx, nil
}

// launchesKernels reports whether IR declares the function with which relocatable code launches a kernel, as clang 22
// and newer do.
func launchesKernels(ir []byte) bool {
	for _, line := range linesWith(ir, "@cudaGetParameterBuffer") {
		if bytes.HasPrefix(line, []byte("declare ")) {
			return true
		}
	}
	return false
}

// deviceCode is a compilation of a source's device code for one architecture.
type deviceCode struct {
	*Compiler
	*Options
	ctx        context.Context
	file, arch string
	messages   io.Writer
}

// frontEnd returns clang's IR of the source before any pass.
func (d *deviceCode) frontEnd() ([]byte, error) {
	args := slices.Concat(d.common(d.Options), []string{"--cuda-device-only", "-S", "-emit-llvm", "-fdiscard-value-names", "-Xclang", "-disable-llvm-passes",
		"--cuda-gpu-arch=" + d.arch}, d.targetFeature(), d.relocatableWords(d.file), []string{"-gline-tables-only", "-Xclang", "-debug-info-kind=limited"}, noundef, d.keptStatics(d.file, d.Options),
		d.Device, d.Compile, d.unoptimised(), []string{"-o", "-", d.file})
	var ir bytes.Buffer
	cmd := exec.CommandContext(d.ctx, d.Path, args...)
	cmd.Stdout, cmd.Stderr = &ir, d.messages
	if d.show(cmd, d.messages) {
		return nil, nil
	}
	if err := d.lenient(d.ctx, cmd, d.file, deviceMend()); err != nil {
		return nil, err
	}
	return ir.Bytes(), nil
}

// backEnd compiles IR to PTX.
func (d *deviceCode) backEnd(ir []byte) ([]byte, error) {
	args := slices.Concat([]string{"--target=nvptx64-nvidia-cuda", "-march=" + d.arch, "-w", "-S"}, d.targetFeature(),
		[]string{"-mllvm", "-slp-max-vf=8"}, // clang 19 loads 16 single bytes as if they were aligned to 16
		d.inPlace(), d.optimisations(), []string{"-x", "ir", "-o", "-", "-"})
	var ptx bytes.Buffer
	cmd := exec.CommandContext(d.ctx, d.Path, args...)
	slim := slimDebugInfo
	if d.Variables {
		slim = slimDeclarations
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(slim(ir)), &ptx, d.messages
	if d.show(cmd, d.messages) {
		return nil, nil
	}
	if err := d.run(cmd, d.file); err != nil {
		return nil, err
	}
	return compactDebugInfo(ptx.Bytes()), nil
}

// targetFeature returns the arguments for the version of PTX.
func (d *deviceCode) targetFeature() []string {
	return []string{"-Xclang", "-target-feature", "-Xclang", d.ptxFeature(d.arch)}
}

// noundef is arguments that keep clang from concluding that the arguments of a call are initialised: often one
// lane sets a variable and passes it on by a shuffle, while the variable is not set in the other lanes.
var noundef = []string{"-Xclang", "-no-enable-noundef-analysis"}

// inPlace returns arguments that keep clang before 17 from moving what both arms of a branch have, such as
// __activemask(), above the branch, where other lanes execute it, too.
func (d *deviceCode) inPlace() []string {
	if d.Compiler.Version >= 17 {
		return nil
	}
	return []string{"-mllvm", "-simplifycfg-hoist-common=false"}
}

// unrolled is the size, in LLVM's units of cost, up to which a loop with a constant number of iterations is unrolled.
// LLVM's own limit, 300, leaves the accumulators of a tiled product of matrices, which are indexed in nested loops, in
// local memory: 8 by 8 need 600, and tiles of tiles 2000. nvcc keeps them in registers.
const unrolled = "2000"

// optimisations returns the arguments of a command line that the back end needs. It needs an option to fuse products
// and sums, because IR does not have this information.
func (d *deviceCode) optimisations() []string {
	var args []string
	fused := "2"
	all := slices.Concat(d.Device, d.Compile)
	for i, arg := range all {
		switch {
		case strings.HasPrefix(arg, "-O"), strings.HasPrefix(arg, "-f"):
			args = append(args, arg)
			if mode, ok := strings.CutPrefix(arg, "-ffp-contract="); ok && mode != "fast" {
				fused = "0"
			}
		case arg == "-mllvm" && i+1 < len(all):
			args = append(args, arg, all[i+1])
		}
	}
	if !d.hasLevel {
		args = append(args, "-O2")
	}
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "-unroll-") }) {
		args = append(args, "-mllvm", "-unroll-threshold="+unrolled)
	}
	args = append(args, d.unoptimised()...)
	return append(args, "-mllvm", "-nvptx-fma-level="+fused)
}

// unoptimised returns the argument that overrides the level of optimisation, if device code is not to be optimised.
func (d *deviceCode) unoptimised() []string {
	if d.Unoptimised {
		return []string{"-O0"}
	}
	return nil
}

// staticVariable matches a static variable of the device, up to the end of its declaration or of its first declarator.
var staticVariable = regexp.MustCompile(`\bstatic\s+__(?:device|constant)__\s[^;{}()]*[;=\[]|__(?:device|constant)__\s+static\s[^;{}()]*[;=\[]`)

// keptStatics returns arguments that keep the static variables of a source, which programs read and write by name.
// Without them clang replaces a variable that no kernel sets by its initial value, and omits one that no kernel reads.
func (c *Compiler) keptStatics(file string, o *Options) []string {
	text, err := os.ReadFile(file)
	if err != nil || c.Version < 17 || o.Relocatable || !staticVariable.Match(text) {
		return nil
	}
	return []string{"-Xclang", "-fkeep-persistent-storage-variables"}
}

// internalConstant matches the definition in IR of a variable in constant memory that is not visible in other files.
var internalConstant = regexp.MustCompile(`^(@([\w.$]+) = internal (?:unnamed_addr )?addrspace\(4\) )(constant .*)`)

// identifier matches a name in a declaration.
var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

// keepStaticConstants makes static variables in constant memory writable by the host: clang 20 and newer treat them as
// constants with their initial value.
func (d *deviceCode) keepStaticConstants(ir []byte) []byte {
	if len(d.keptStatics(d.file, d.Options)) == 0 {
		return ir
	}
	text, err := os.ReadFile(d.file)
	if err != nil {
		return ir
	}
	var declared []string
	for _, declaration := range staticVariable.FindAll(text, -1) {
		for _, name := range identifier.FindAll(declaration, -1) {
			declared = append(declared, string(name))
		}
	}
	return replaceLines(ir, " addrspace(4) constant ", func(line []byte) []byte {
		m := internalConstant.FindSubmatch(line)
		if m == nil || !slices.ContainsFunc(declared, func(name string) bool { return hasName(string(m[2]), name) }) {
			return line
		}
		return slices.Concat(m[1], []byte("externally_initialized "), m[3])
	})
}

// hasName reports whether a mangled name is that of a variable called name: _ZN5space6factorE is a name of factor.
func hasName(mangled, name string) bool {
	_, rest, found := strings.Cut(mangled, strconv.Itoa(len(name))+name)
	return mangled == name || found && (rest == "" || rest[0] == 'E' || rest[0] == '_')
}

// localAlignment is the alignment of arrays and structures in local memory, in bytes: that of the widest access.
// Programs access arrays of smaller elements as int4, which works with nvcc because it keeps the arrays in registers.
const localAlignment = "16"

// localAggregate matches the allocation of an array or a structure in IR with a smaller alignment.
var localAggregate = regexp.MustCompile(`^( +%\S+ = alloca (?:\[|%|\{|<\{).*, align )[1248]\b`)

// alignLocals raises the alignment of arrays and structures in local memory.
func alignLocals(ir []byte) []byte {
	return replaceLines(ir, " = alloca ", func(line []byte) []byte { return localAggregate.ReplaceAll(line, []byte("${1}"+localAlignment)) })
}

// tableCast matches a constant in IR that is the generic address of a table, as one in global memory.
var tableCast = regexp.MustCompile(`\bbitcast (\(ptr (?:[^()]|\([^()]*\))* to ptr addrspace\(1\)\))`)

// castTables mends the addresses of tables of virtual bases, which clang 19 and older pass to constructors of bases by
// a cast that LLVM refuses.
func castTables(ir []byte) []byte {
	return replaceLines(ir, " bitcast (ptr ", func(line []byte) []byte { return tableCast.ReplaceAll(line, []byte("addrspacecast ${1}")) })
}
