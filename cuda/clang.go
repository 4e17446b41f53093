package cuda

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNoClang is the error of Find if there is no compiler, with advice.
var ErrNoClang = errors.New("no clang that makes PTX; install one (Debian, Ubuntu: apt-get install clang-19; Fedora: dnf install clang; macOS: brew install llvm), or name it by SIMTRUN_CLANG")

// Versions of clang for which Find looks as clang-NN.
const (
	newestClang = 30
	oldestNamed = 13 // so that the error can say that it is too old
	oldestClang = 15 // clang 14 moves accesses of shared variables across __syncthreads()
	// first version that compiles all programs; older ones have no _Float16 for GPUs, and lose variables of unnamed
	// types
	wholeClang = 18
)

// TestedClangs are the versions with which simtrun is tested, in the order of Find's search.
var TestedClangs = []int{19, 22}

// Compiler is a clang that can make PTX.
type Compiler struct {
	Path    string
	Version int // major version
	// Note warns that the compiler is not a tested version; "" if it is.
	Note   string
	folder string
	known  map[string]bool // cached answers about architectures
}

// Find returns a clang: the one in SIMTRUN_CLANG, or a tested version, called clang or clang-NN, in the path or where
// LLVM's packages install it. If there is none, it returns the first other version that compiles all programs, or the
// newest, with a note.
func Find() (*Compiler, error) { return FindFor(NewOptions()) }

// FindFor is Find for a command line: it prefers a clang that knows the architectures named there.
func FindFor(o *Options) (*Compiler, error) { return find(candidates(), o.archs()) }

func find(candidates, archs []string) (*Compiler, error) {
	folder, err := Folder()
	if err != nil {
		return nil, err
	}
	if path := os.Getenv("SIMTRUN_CLANG"); path != "" {
		c := probe(path)
		switch _, err := exec.LookPath(path); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("SIMTRUN_CLANG=%s: there is no such file", path)
		case errors.Is(err, exec.ErrNotFound):
			return nil, fmt.Errorf("SIMTRUN_CLANG=%s: there is no such program in PATH", path)
		case c == nil:
			return nil, fmt.Errorf("SIMTRUN_CLANG=%s is not a clang that makes PTX (target nvptx64)", path)
		}
		if c.Version < oldestClang {
			return nil, fmt.Errorf("SIMTRUN_CLANG=%s is %s", path, c.tooOld())
		}
		c.folder = folder
		return c, nil
	}
	var best, old *Compiler
	var bestRank int
	for _, path := range candidates {
		c := probe(path)
		if c == nil {
			continue
		}
		if c.Version < oldestClang {
			if old == nil || c.Version > old.Version {
				old = c
			}
			continue
		}
		if rank := c.rank(archs); best == nil || rank > bestRank {
			best, bestRank = c, rank
		}
		if bestRank == tested+knowing {
			break
		}
	}
	if best == nil {
		if old != nil {
			return nil, fmt.Errorf("%w; %s is %s", ErrNoClang, old.Path, old.tooOld())
		}
		return nil, ErrNoClang
	}
	best.folder = folder
	if !slices.Contains(TestedClangs, best.Version) {
		best.Note = fmt.Sprintf("%s is clang %d, with which simtrun is not tested; clang %s are", best.Path, best.Version, joined(TestedClangs))
	}
	return best, nil
}

// tooOld says that the compiler is too old.
func (c *Compiler) tooOld() string {
	return fmt.Sprintf("clang %d, which is too old: clang %d or newer is needed; install clang-%d", c.Version, oldestClang, TestedClangs[0])
}

// Terms of a rank. A compiler that does not compile all programs has its version as a rank, which is less than these.
const (
	whole   = 100 // it compiles all programs
	tested  = 200
	knowing = 400 // it knows all architectures
)

// rank is larger for a compiler that suits the architectures better.
func (c *Compiler) rank(archs []string) int {
	rank := min(c.Version, whole)
	switch {
	case slices.Contains(TestedClangs, c.Version):
		rank = tested
	case c.Version >= wholeClang:
		rank = whole
	}
	if !slices.ContainsFunc(archs, func(arch string) bool { return !c.knows(arch) }) {
		rank += knowing
	}
	return rank
}

// joined returns versions as text: "19 and 22".
func joined(versions []int) string {
	var words []string
	for _, version := range versions {
		words = append(words, strconv.Itoa(version))
	}
	return strings.Join(words, " and ")
}

func candidates() []string {
	names := []string{"clang"}
	for _, v := range TestedClangs {
		names = append(names, fmt.Sprintf("clang-%d", v), fmt.Sprintf("/usr/lib/llvm-%d/bin/clang", v))
	}
	for v := newestClang; v >= oldestNamed; v-- {
		if !slices.Contains(TestedClangs, v) {
			names = append(names, fmt.Sprintf("clang-%d", v), fmt.Sprintf("/usr/lib/llvm-%d/bin/clang", v))
		}
	}
	return append(names, "/opt/homebrew/opt/llvm/bin/clang", "/usr/local/opt/llvm/bin/clang")
}

var clangVersion = regexp.MustCompile(`clang version (\d+)`)

// probe returns the compiler of a name, or nil if it has no NVPTX.
func probe(name string) *Compiler {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil
	}
	version := rememberedVersion(path)
	if version == 0 {
		return nil
	}
	return &Compiler{Path: path, Version: version}
}

// versionFor returns the major version of a clang, or 0 if the program is not clang or makes no PTX.
func versionFor(path string) int {
	out, err := exec.Command(path, "--version").Output()
	found := clangVersion.FindSubmatch(out)
	if err != nil || found == nil || bytes.Contains(out, []byte("Apple clang")) {
		return 0
	}
	targets, err := exec.Command(path, "--print-targets").Output()
	if err == nil && !bytes.Contains(targets, []byte("nvptx64")) {
		return 0
	}
	version, _ := strconv.Atoi(string(found[1]))
	return version
}

// lenient runs clang on a file. If clang rejects code that nvcc accepts, the source is preprocessed, changed, and
// compiled again, until it is accepted or clang's messages have nothing new.
func (c *Compiler) lenient(ctx context.Context, cmd *exec.Cmd, file string, m mend) error {
	if done, err := c.fast(ctx, cmd, file); done {
		return err
	}
	var said bytes.Buffer
	messages := cmd.Stderr
	cmd.Stderr = &said
	err := c.run(cmd, file)
	if failed := (*CompileError)(nil); errors.As(err, &failed) && m.mends(said.Bytes()) {
		preprocess := exec.CommandContext(ctx, c.Path, append(slices.Clone(cmd.Args[1:]), "-E", "-o", "-")...)
		if source, failed := preprocess.Output(); failed == nil {
			saidAgain, again := c.mended(ctx, cmd, file, m, source, said.Bytes())
			if again == nil || nvccTakes.Match(said.Bytes()) { // for an unknown name keep the first messages, which quote the original source
				err, said = again, saidAgain
			}
		}
	}
	if _, writeError := messages.Write(withoutCrash(said.Bytes(), filepath.Base(c.Path))); err == nil {
		err = writeError
	}
	return err
}

// mended compiles a preprocessed source that clang has rejected with these messages, with the changes of m. A source
// without its first mistakes may have more messages: templates are not instantiated before.
func (c *Compiler) mended(ctx context.Context, cmd *exec.Cmd, file string, m mend, source, said []byte) (last bytes.Buffer, err error) {
	for all, had := []byte(nil), 0; had < mostMends; had++ {
		all = append(all, said...)
		if last, err = c.compileText(ctx, cmd, file, m.change(source, all)); err == nil || !m.mends(last.Bytes()) || bytes.Contains(all, last.Bytes()) {
			break
		}
		said = last.Bytes()
	}
	return last, err
}

// mostMends is how often a source is compiled with changes.
const mostMends = 4

// fast runs clang on a file with a precompiled header. It reports false, without messages, if there is no such header
// or clang fails with it: without it the messages about included files are complete.
func (c *Compiler) fast(ctx context.Context, cmd *exec.Cmd, file string) (done bool, err error) {
	fast, header := c.withPrecompiled(ctx, cmd, file)
	if fast == nil {
		return false, nil
	}
	var out, said bytes.Buffer
	fast.Stdout, fast.Stderr = &out, &said
	if fast.Run() != nil {
		if bytes.Contains(said.Bytes(), []byte(header.path)) {
			header.remove() // it is damaged, or of another build of clang
		}
		return false, nil
	}
	if cmd.Stdout != nil {
		_, err = cmd.Stdout.Write(out.Bytes())
	}
	_, failed := cmd.Stderr.Write(said.Bytes())
	return true, cmp.Or(err, failed)
}

// compileText runs a clang command for a file on preprocessed source instead of the file.
func (c *Compiler) compileText(ctx context.Context, cmd *exec.Cmd, file string, source []byte) (said bytes.Buffer, err error) {
	again := exec.CommandContext(ctx, c.Path, withoutDependencies(forPreprocessed(cmd.Args[1:]))...)
	again.Args[slices.Index(again.Args, file)] = "-"
	again.Args = append(again.Args, "-Wno-c++17-extensions") // used by the changes
	again.Stdin = bytes.NewReader(source)
	again.Stdout, again.Stderr = cmd.Stdout, &said
	again.ExtraFiles = cmd.ExtraFiles
	err = c.run(again, file)
	return said, err
}

// common returns the arguments for every compilation of CUDA C++. The version of the SDK determines how kernels are
// launched; the C++ standard is nvcc's. With -fno-strict-return a function that ends without a return statement returns
// some value, as nvcc's do, in place of being undefined, by which clang discards the code that follows its calls.
func (c *Compiler) common(o *Options) []string {
	args := []string{"-U__CUDA_ARCH_LIST__", "-D__CUDA_ARCH_LIST__=" + c.archList(o), "-x", "cuda", "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=" + c.sdk(), "-Xclang", "-fcuda-allow-variadic-functions", "-fno-strict-return", "-Wno-unknown-cuda-version",
		"-Wno-c++11-narrowing", "-Wno-register", "-Wno-cuda-compat", "-Wno-pass-failed", "-Wno-unused-command-line-argument",
		// Errors by default in clang that nvcc does not report. Some exist only in a few versions of clang.
		"-Wno-unknown-warning-option", "-Wno-missing-template-arg-list-after-template-kw", "-Wno-enum-constexpr-conversion", "-Wno-reserved-user-defined-literal", "-Wno-invalid-constexpr",
		"-Wno-undefined-bool-conversion", "-Wno-tautological-undefined-compare"} // host code may compare this with null
	if c.Version >= 20 {
		args = append(args, "--no-offload-new-driver") // relocatable code in nvcc's form
	}
	if !o.hasLevel {
		args = append(args, "-O2")
	}
	if !o.hasStandard {
		args = append(args, "-std=gnu++17")
	}
	return append(args, c.includes()...)
}

// sdk returns the version of the toolkit for which clang compiles. clang treats an unknown version as older than all.
func (c *Compiler) sdk() string {
	if c.Version < 18 {
		return "11.2"
	}
	return "12.3"
}

// includes returns clang's arguments for simtrun's headers: their folder, which is searched before a toolkit's, and the
// prelude, which each source includes first.
func (c *Compiler) includes() []string {
	return []string{"-I" + filepath.Join(c.folder, "include"), "-include", "simtrun/prelude.h"}
}

// show prints a command if requested, as nvcc does, and reports whether it is a dry run.
func (o *Options) show(cmd *exec.Cmd, messages io.Writer) bool {
	if o.Verbose {
		var words []string
		for _, word := range cmd.Args {
			words = append(words, quoted(word))
		}
		fmt.Fprintln(messages, "#$ "+strings.Join(words, " "))
	}
	return o.DryRun
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoted quotes a word for a shell.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// run runs clang on a file.
func (c *Compiler) run(cmd *exec.Cmd, file string) error {
	var said bytes.Buffer
	messages := cmd.Stderr
	cmd.Stderr = &said
	err := cmd.Run()
	if _, writeError := messages.Write(said.Bytes()); err == nil {
		err = writeError
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return &CompileError{file, c.reason(said.Bytes(), exit)}
	}
	return err
}
