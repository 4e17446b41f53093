package cuda

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The relocatable device code (-rdc=true, -dc) of several files is one module of the driver. An object has the PTX of
// its file, and the runtime has the driver link the PTX of a program or shared library when any of it is first used.
// The host's linker decides which files belong together and which members of static libraries are needed, and finds
// undefined and duplicate names: each name that the PTX defines or refers to is also a symbol of the object.

// deviceSymbol ends the names of those symbols. Linkers demangle the part before it as C++ names.
const deviceSymbol = ".device"

// exported matches a declaration or definition with linkage in clang's PTX. Dynamic shared memory (.extern .shared)
// has no linkage.
var exported = regexp.MustCompile(`(?m)^\.(visible|weak|common|extern) \.(?:(?:func|entry)\s+(?:\(.*?\)\s*)?|(?:global|const) (?:\.\S+ (?:\d+ )?)*)([\w$]+)`)

// clang gives a static variable that host code uses a unique name, NAME__static__ID, so that the host can find it.
// But device code that clang emitted before it saw the use refers to plain NAME, and declares it .extern, as if
// another file defined it.
var (
	renamedStatic = regexp.MustCompile(`(?m)^\.visible \.(?:global|const) .*?\b(([\w$]+)__static__[0-9a-f]+)\b`)
	externStatic  = regexp.MustCompile(`(?m)^\.extern \.(?:global|const) .*?([\w$]+)(?:\[\d*\])?;\n`)
	ptxName       = regexp.MustCompile(`[\w$%]+`)
)

// withStatics returns PTX in which code uses the unique names of static variables.
func withStatics(ptx []byte) []byte {
	names := make(map[string][]byte)
	for _, m := range renamedStatic.FindAllSubmatch(ptx, -1) {
		names[string(m[2])] = m[1]
	}
	if len(names) == 0 {
		return ptx
	}
	ptx = externStatic.ReplaceAllFunc(ptx, func(line []byte) []byte {
		if names[string(externStatic.FindSubmatch(line)[1])] != nil {
			return nil
		}
		return line
	})
	return renamed(ptx, names)
}

// renamed returns PTX with some names replaced.
func renamed(ptx []byte, names map[string][]byte) []byte {
	return ptxName.ReplaceAllFunc(ptx, func(word []byte) []byte {
		if name := names[string(word)]; name != nil {
			return name
		}
		return word
	})
}

// clang does not give static texture and surface references unique names.
var staticImage = regexp.MustCompile(`(?m)^\.global \.(?:texref|surfref) ([\w$]+);`)

const ownStaticName = "__static__"

// withStaticImages returns PTX in which the references of a file have unique names.
func withStaticImages(ptx []byte, id string) []byte {
	names := make(map[string][]byte)
	for _, m := range staticImage.FindAllSubmatch(ptx, -1) {
		names[string(m[1])] = []byte(string(m[1]) + ownStaticName + id)
	}
	if len(names) == 0 {
		return ptx
	}
	return renamed(ptx, names)
}

// registersStaticImages returns clang's assembly of the host code with the names of the references in PTX.
func registersStaticImages(assembly, ptx []byte) []byte {
	for _, m := range staticImage.FindAllSubmatch(ptx, -1) {
		if plain, _, own := strings.Cut(string(m[1]), ownStaticName); own {
			assembly = bytes.ReplaceAll(assembly, []byte(`"`+plain+`"`), []byte(`"`+string(m[1])+`"`))
		}
	}
	return assembly
}

// served reports whether simtrun itself provides a function.
func served(name string) bool {
	return strings.HasPrefix(name, "__nv") || slices.Contains([]string{"vprintf", "malloc", "free", "__assertfail"}, name)
}

// linkage is a name of PTX with a meaning in other files: referred to, or defined, possibly in several of them
// (weak).
type linkage struct {
	name          string
	defined, weak bool
}

// linkages returns the names of a file's PTX that have a meaning in other files, each once, in textual order.
func linkages(ptx []byte) []linkage {
	var all []linkage
	for _, at := range exported.FindAllSubmatchIndex(ptx, -1) {
		kind, name := string(ptx[at[2]:at[3]]), string(ptx[at[4]:at[5]])
		n := linkage{name, kind != "extern", kind == "weak" || kind == "common"}
		if !n.defined && served(name) {
			continue
		}
		if !slices.ContainsFunc(all, func(other linkage) bool { return other.name == name }) {
			all = append(all, n)
		}
	}
	return all
}

// directives are the assembly directives that define the symbol %s, in sections that are not loaded, or refer to it.
func (n *linkage) directives() string {
	const defined = "\t.section .simtrun_defined,\"\",@progbits\n\t.hidden \"%[1]s\"\n\t.type \"%[1]s\", @object\n"
	switch {
	case !n.defined:
		return "\t.section .simtrun_used,\"\",@progbits\n\t.hidden \"%[1]s\"\n\t.quad \"%[1]s\"\n"
	case n.weak:
		return defined + "\t.weak \"%[1]s\"\n\"%[1]s\":\n\t.byte 0\n"
	}
	return defined + "\t.globl \"%[1]s\"\n\"%[1]s\":\n\t.byte 0\n"
}

// Parts of clang's assembly for a file with relocatable code: the registration function that each file calls, which
// nvcc would define when it links; the file's name for its image; and the last word of the image's description, which
// is unused.
var (
	registration = regexp.MustCompile(`__cudaRegisterLinkedBinary(__nv_[0-9a-f]+)`)
	wrapperEnd   = regexp.MustCompile(`(?m)^(__cuda_fatbin_wrapper:\n(?:.*\n){3}\t\.\w+\t)0$`)
)

// relocatable returns clang's assembly of a file's host code with its symbols for the linker. The descriptions of all
// images are adjacent in one section, and each refers to the section's ends.
func relocatable(assembly, ptx []byte, id string) ([]byte, error) {
	found := registration.FindSubmatch(assembly)
	if found == nil || !wrapperEnd.Match(assembly) {
		return nil, &OptionError{"this clang has no relocatable device code that simtrun knows (-rdc=true)"}
	}
	assembly = registersStaticImages(bytes.ReplaceAll(assembly, found[0], []byte("__cudaRegisterLinkedBinary")), ptx)
	assembly = bytes.ReplaceAll(assembly, found[1], []byte("__nv_"+id))
	assembly = wrapperEnd.ReplaceAll(assembly, []byte("${1}.Lsimtrun_linked"))
	b := bytes.NewBuffer(assembly)
	b.WriteString(`	.section simtrun_linked,"aw",@progbits
	.p2align 3
	.quad __cuda_fatbin_wrapper
	.section .data.rel.ro.simtrun,"aw",@progbits
	.p2align 3
.Lsimtrun_linked:
	.hidden __start_simtrun_linked
	.hidden __stop_simtrun_linked
	.quad __start_simtrun_linked
	.quad __stop_simtrun_linked
`)
	for _, n := range linkages(ptx) {
		fmt.Fprintf(b, n.directives(), n.name+deviceSymbol)
	}
	return b.Bytes(), nil
}

// compileRelocatable compiles a source to an object with device code that is linked with that of others.
func (b *build) compileRelocatable(source, output string) error {
	assembly, err := b.newFile(derived(source, ".s"))
	if err != nil {
		return err
	}
	args := slices.Concat(b.hostArgs(source), b.relocatableWords(source), b.dependencies(source, output), []string{"-fno-lto", "-S", "-o", assembly, source})
	ptx, err := b.compileBoth(source, args)
	if err != nil {
		return err
	}
	if err := b.withSymbols(assembly, ptx, b.identity(source)); err != nil {
		return err
	}
	return b.clang(source, slices.Concat(b.plain(), b.Compile, b.Host, []string{"-fno-lto", "-Wa,--no-warn", "-c", "-o", output, assembly})...)
}

// withSymbols adds the symbols of the PTX to a file of assembly.
func (b *build) withSymbols(assembly string, ptx []byte, id string) error {
	if b.DryRun {
		return nil
	}
	text, err := os.ReadFile(assembly)
	if err != nil {
		return err
	}
	if text, err = relocatable(text, ptx, id); err != nil {
		return err
	}
	return os.WriteFile(assembly, text, 0o666)
}

// identity returns a unique name for a compilation, for names that are internal to a file: one program may contain a
// source several times, compiled with different options.
func (o *Options) identity(source string) string {
	if path, err := filepath.Abs(source); err == nil {
		source = path
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q", []any{source, o.Output, o.OutputFolder, o.Compile, o.Host})
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// relocatableWords returns clang's arguments for a file with relocatable code, the same for host and device.
func (o *Options) relocatableWords(source string) []string {
	if !o.Relocatable {
		return nil
	}
	return []string{"-fgpu-rdc", "-fuse-cuid=none", "-Xclang", "-cuid=" + o.identity(source)}
}

// deviceLink makes the object for a link of device code alone (-dlink). It is empty, because the other objects have all
// that is to be linked.
func (b *build) deviceLink() error {
	if sources := b.sources(); len(sources) > 0 {
		return &OptionError{"-dlink " + sources[0] + ": it takes objects, which -dc makes of sources"}
	}
	output := b.Output
	if output == "" {
		output = "a_dlink.o"
	}
	return b.clang(output, slices.Concat(b.plain(), b.Host, []string{"-x", "c", "-c", "-o", output, os.DevNull})...)
}

// library makes a static library from objects and sources (-lib).
func (b *build) library() error {
	objects, err := b.objects()
	if err != nil {
		return err
	}
	output := b.Output
	if output == "" {
		output = "a.a"
	}
	archive := exec.CommandContext(b.ctx, b.Compiler.archiver(b.ctx, b.Options), append([]string{"rcs", output}, objects...)...)
	if b.DryRun {
		return b.execute(archive, output)
	}
	if err := os.Remove(output); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return b.execute(archive, output)
}

// archiver returns the program that makes static libraries: the requested one, clang's, or else the system's.
func (c *Compiler) archiver(ctx context.Context, o *Options) string {
	if o.Archiver != "" {
		return o.Archiver
	}
	path, err := exec.CommandContext(ctx, c.Path, "-print-prog-name=llvm-ar").Output()
	if name := strings.TrimSpace(string(path)); err == nil && filepath.IsAbs(name) {
		return name
	}
	return "ar"
}
