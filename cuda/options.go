package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Product is what a command line makes.
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

// mayFollow matches the optional values, given as the next word, of options that need none.
var mayFollow = map[string]*regexp.Regexp{
	"O":      regexp.MustCompile(`^[0-3]$`),
	"m":      regexp.MustCompile(`^(32|64)$`),
	"Werror": regexp.MustCompile(`^(all-warnings|cross-execution-space-call|reorder|default-stream-launch|missing-launch-bounds|ext-lambda-captures-this|deprecated-declarations)(,|$)`),
}

// asIs passes an option to clang; ignore drops an option about a GPU's machine code, or about how nvcc works.
func asIs(o *Options, name, value string) error {
	o.Compile = append(o.Compile, name+value)
	return nil
}
func ignore(*Options, string, string) error { return nil }

func refuse(why string) func(*Options, string, string) error {
	return func(_ *Options, name, _ string) error { return &OptionError{name + ": " + why} }
}

func product(p Product) func(*Options, string, string) error {
	return func(o *Options, _, _ string) error { o.Product = p; return nil }
}

// each adds the words of a value, separated by commas and blanks, to a list.
func each(list func(*Options) *[]string) func(*Options, string, string) error {
	return func(o *Options, _, value string) error {
		*list(o) = append(*list(o), splitWords(value, ", \t\n")...)
		return nil
	}
}

// several applies an option to each of its comma-separated values.
func several(apply func(*Options, string, string) error) func(*Options, string, string) error {
	return func(o *Options, name, value string) error {
		for one := range strings.SplitSeq(value, ",") {
			if err := apply(o, name, one); err != nil {
				return err
			}
		}
		return nil
	}
}

// splitWords splits a text as a shell does, but at other separators: within quotes, and after a backslash, a
// separator is part of the word.
func splitWords(text, separators string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	within, escaped := false, false // a word has begun; the character before was a backslash
	for _, c := range text {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			within, escaped = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			within, quote = true, c
		case quote == 0 && strings.ContainsRune(separators, c):
			if within {
				words = append(words, word.String())
				word.Reset()
			}
			within = false
		default:
			within = true
			word.WriteRune(c)
		}
	}
	if within {
		words = append(words, word.String())
	}
	return words
}

// preprocessed handles options that stop after the preprocessor.
func preprocessed(word string) func(*Options, string, string) error {
	return func(o *Options, _, _ string) error { o.Product = Preprocessed; return asIs(o, word, "") }
}

// dependencies handles options that write each source's dependencies while it is compiled.
func dependencies(word string) func(*Options, string, string) error {
	return func(o *Options, _, _ string) error { o.Dependencies = word; return nil }
}

// add replaces the option by other words.
func add(words ...string) func(*Options, string, string) error {
	return func(o *Options, _, _ string) error { o.Compile = append(o.Compile, words...); return nil }
}

func hostWords(o *Options) *[]string { return &o.Host }

// options are the options that are not just passed to clang. Long names have one dash or two.
var options = map[string]option{
	"o":                {true, func(o *Options, _, value string) error { o.Output = value; return nil }},
	"output-file":      {true, func(o *Options, _, value string) error { o.Output = value; return nil }},
	"odir":             {true, func(o *Options, _, value string) error { o.OutputFolder = value; return nil }},
	"output-directory": {true, func(o *Options, _, value string) error { o.OutputFolder = value; return nil }},
	"c":                {false, product(Object)},
	"compile":          {false, product(Object)},
	"S":                {false, product(PTX)},
	"ptx":              {false, product(PTX)},
	"E":                {false, preprocessed("-E")},
	"M":                {false, preprocessed("-M")},
	"MM":               {false, preprocessed("-MM")},
	"arch":             {true, setArch},
	"gpu-architecture": {true, setArch},
	"cuda-gpu-arch":    {true, setArch},
	"offload-arch":     {true, setArch},
	"gpu-code":         {true, ignore},
	"code":             {true, ignore},
	"gencode":          {true, setGencode},
	"generate-code":    {true, setGencode},

	"rdc":                      {true, setRelocatable},
	"relocatable-device-code":  {true, setRelocatable},
	"fgpu-rdc":                 {false, relocatableTrue},
	"fno-gpu-rdc":              {false, relocatableFalse},
	"dc":                       {false, relocatableObject},
	"device-c":                 {false, relocatableObject},
	"dw":                       {false, product(Object)},
	"device-w":                 {false, product(Object)},
	"dlink":                    {false, product(DeviceLinked)},
	"device-link":              {false, product(DeviceLinked)},
	"dlto":                     {false, ignore},
	"dlink-time-opt":           {false, ignore},
	"lto":                      {false, ignore},
	"gen-opt-lto":              {false, ignore},
	"nodlink":                  {false, ignore},
	"no-device-link":           {false, ignore},
	"ewp":                      {false, ignore},
	"extensible-whole-program": {false, ignore},
	"cubin":                    {false, product(CubinFile)},
	"fatbin":                   {false, product(FatBinary)},
	"ltoir":                    {false, refuse(noCode)},
	"optix-ir":                 {false, refuse(noCode)},
	"run":                      {false, func(o *Options, _, _ string) error { o.Run = true; return nil }},
	"clean":                    {false, refuse("nothing is left that would have to be removed")},
	"clean-targets":            {false, refuse("nothing is left that would have to be removed")},
	"r":                        {false, refuse("objects are linked to an object by ld -r")},
	"host-relocatable-link":    {false, refuse("objects are linked to an object by ld -r")},
	"list-gpu-arch":            {false, func(o *Options, _, _ string) error { o.List = "compute_"; return nil }},
	"arch-ls":                  {false, func(o *Options, _, _ string) error { o.List = "compute_"; return nil }},
	"list-gpu-code":            {false, func(o *Options, _, _ string) error { o.List = "sm_"; return nil }},
	"code-ls":                  {false, func(o *Options, _, _ string) error { o.List = "sm_"; return nil }},

	"O":                 {true, func(o *Options, _, value string) error { o.hasLevel = true; return asIs(o, "-O", value) }},
	"optimize":          {true, func(o *Options, _, value string) error { o.hasLevel = true; return asIs(o, "-O", value) }},
	"std":               {true, func(o *Options, _, value string) error { o.hasStandard = true; return asIs(o, "-std=", value) }},
	"g":                 {false, debugBoth},
	"debug":             {false, debugBoth},
	"pg":                {false, hostAndLink("-pg")},
	"profile":           {false, hostAndLink("-pg")},
	"noeh":              {false, func(o *Options, _, _ string) error { o.Host = append(o.Host, "-fno-exceptions"); return nil }},
	"no-exceptions":     {false, func(o *Options, _, _ string) error { o.Host = append(o.Host, "-fno-exceptions"); return nil }},
	"shared":            {false, func(o *Options, _, _ string) error { o.Link = append(o.Link, "-shared"); return nil }},
	"static":            {false, func(o *Options, _, _ string) error { o.Link = append(o.Link, "-static"); return nil }},
	"rdynamic":          {false, func(o *Options, _, _ string) error { o.Link = append(o.Link, "-rdynamic"); return nil }},
	"fopenmp":           {false, openMP},
	"openmp":            {false, openMP},
	"pthread":           {false, hostAndLink("-pthread")},
	"v":                 {false, verbose},
	"verbose":           {false, verbose},
	"dryrun":            {false, dryRun},
	"version":           {false, func(o *Options, _, _ string) error { o.Version = true; return nil }},
	"make-toolkit":      {true, func(o *Options, _, value string) error { o.MakeToolkit = value; return nil }},
	"toolkit":           {true, func(o *Options, _, value string) error { o.Toolkit = value; return nil }},
	"print-include-dir": {false, func(o *Options, _, _ string) error { o.PrintFolder = true; return nil }},
	"V":                 {false, func(o *Options, _, _ string) error { o.Version = true; return nil }},
	"use_fast_math":     {false, add("-ffast-math", "-fno-finite-math-only", "-fcuda-approx-transcendentals", "-D__USE_FAST_MATH__=1")},
	"fmad":              {true, setFused},
	"ftz":               {true, setFlush},
	"default-stream":    {true, setDefaultStream},
	"D":                 {true, asIs},
	"U":                 {true, asIs},
	"I":                 {true, several(asIs)},
	"define-macro":      {true, func(o *Options, _, value string) error { return asIs(o, "-D", value) }},
	"undefine-macro":    {true, func(o *Options, _, value string) error { return asIs(o, "-U", value) }},
	"include-path":      {true, several(func(o *Options, _, value string) error { return asIs(o, "-I", value) })},
	"system-include":    {true, several(pair("-isystem"))},
	"isystem":           {true, several(pair("-isystem"))},
	"iquote":            {true, pair("-iquote")},
	"idirafter":         {true, pair("-idirafter")},
	"include":           {true, several(pair("-include"))},
	"pre-include":       {true, several(pair("-include"))},
	"MF":                {true, func(o *Options, _, value string) error { o.DependencyFile = value; return nil }},
	"dependency-output": {true, func(o *Options, _, value string) error { o.DependencyFile = value; return nil }},
	"MT": {true, func(o *Options, _, value string) error {
		o.DependencyTargets = append(o.DependencyTargets, "-MT", value)
		return nil
	}},
	"dependency-target-name": {true, func(o *Options, _, value string) error {
		o.DependencyTargets = append(o.DependencyTargets, "-MT", value)
		return nil
	}},
	"MQ": {true, func(o *Options, _, value string) error {
		o.DependencyTargets = append(o.DependencyTargets, "-MQ", value)
		return nil
	}},
	"MD":                                 {false, dependencies("-MD")},
	"MMD":                                {false, dependencies("-MMD")},
	"MP":                                 {false, func(o *Options, _, _ string) error { o.Host = append(o.Host, "-MP"); return nil }},
	"generate-dependency-targets":        {false, func(o *Options, _, _ string) error { o.Host = append(o.Host, "-MP"); return nil }},
	"generate-dependencies-with-compile": {false, dependencies("-MD")},
	"generate-nonsystem-dependencies-with-compile": {false, dependencies("-MMD")},
	"generate-dependencies":                        {false, preprocessed("-M")},
	"generate-nonsystem-dependencies":              {false, preprocessed("-MM")},
	"preprocess":                                   {false, preprocessed("-E")},
	"L":                                            {true, several(func(o *Options, _, value string) error { o.Link = append(o.Link, "-L"+value); return nil })},
	"library-path":                                 {true, several(func(o *Options, _, value string) error { o.Link = append(o.Link, "-L"+value); return nil })},
	"l":                                            {true, several(addLibrary)},
	"library":                                      {true, several(addLibrary)},
	"Xcompiler":                                    {true, each(hostWords)},
	"compiler-options":                             {true, each(hostWords)},
	"Xlinker":                                      {true, linkerWords},
	"linker-options":                               {true, linkerWords},
	"x":                                            {true, setLanguage},
	"w":                                            {false, asIs},
	"disable-warnings":                             {false, add("-w")},
	"expt-relaxed-constexpr":                       {false, ignore},
	"expt-extended-lambda":                         {false, ignore},
	"extended-lambda":                              {false, ignore},
	"lineinfo":                                     {false, ignore},
	"generate-line-info":                           {false, ignore},
	"G":                                            {false, debugDevice},
	"device-debug":                                 {false, debugDevice},
	"src-in-ptx":                                   {false, ignore},
	"restrict":                                     {false, ignore},
	"keep":                                         {false, keep},
	"save-temps":                                   {false, keep},
	"keep-dir":                                     {true, keepFolder},
	"objdir-as-tempdir":                            {false, ignore},
	"Xptxas":                                       {true, ignore},
	"ptxas-options":                                {true, ignore},
	"Xfatbin":                                      {true, ignore},
	"fatbin-options":                               {true, ignore},
	"Xnvlink":                                      {true, ignore},
	"nvlink-options":                               {true, ignore},
	"Xcudafe":                                      {true, ignore},
	"cudafe-options":                               {true, ignore},
	"resource-usage":                               {false, ignore},
	"res-usage":                                    {false, ignore},
	"maxrregcount":                                 {true, ignore},
	"prec-div":                                     {true, ignore},
	"prec-sqrt":                                    {true, ignore},
	"extra-device-vectorization":                   {false, ignore},
	"ccbin":                                        {true, ignore},
	"compiler-bindir":                              {true, ignore},
	"allow-unsupported-compiler":                   {false, ignore},
	"cudart":                                       {true, setRuntime},
	"cudadevrt":                                    {true, ignore},
	"cuda-path":                                    {true, ignore},
	"m64":                                          {false, ignore},
	"m":                                            {true, ignore},
	"machine":                                      {true, ignore},
	"t":                                            {true, ignore},
	"threads":                                      {true, ignore},
	"split-compile":                                {true, ignore},
	"diag-suppress":                                {true, ignore},
	"diag-error":                                   {true, ignore},
	"diag-warn":                                    {true, ignore},
	"display-error-number":                         {false, ignore},
	"no-display-error-number":                      {false, ignore},
	"Werror":                                       {true, ignore},
	"Wno-deprecated-gpu-targets":                   {false, ignore},
	"Wno-deprecated-declarations":                  {false, add("-Wno-deprecated-declarations")},
	"Wreorder":                                     {false, ignore},
	"Wext-lambda-captures-this":                    {false, ignore},
	"cuda":                                         {false, ignore},
	"forward-unknown-to-host-compiler":             {false, ignore},
	"forward-unknown-to-host-linker":               {false, ignore},
	"link":                                         {false, ignore},
	"lib":                                          {false, product(StaticLibrary)},
	"objtemp":                                      {false, ignore},
	"no-compress":                                  {false, ignore},
	"noprof":                                       {false, ignore},
	"dont-use-profile":                             {false, ignore},
	"use-local-env":                                {false, ignore},
	"no-align-double":                              {false, ignore},
	"aug-hls":                                      {false, ignore},
	"augment-host-linker-script":                   {false, ignore},
	"astoolspatch":                                 {false, ignore},
	"compile-as-tools-patch":                       {false, ignore},
	"keep-device-functions":                        {false, ignore},
	"Wdefault-stream-launch":                       {false, ignore},
	"Wmissing-launch-bounds":                       {false, ignore},
	"err-no":                                       {false, ignore},
	"no-err-no":                                    {false, ignore},
	"fdevice-syntax-only":                          {false, ignore},
	"reloc-ptx":                                    {false, ignore},
	"relocatable-ptx":                              {false, ignore},
	"source-in-ptx":                                {false, ignore},
	"jobserver":                                    {false, ignore},
	"no-host-device-initializer-list":              {false, ignore},
	"no-host-device-move-forward":                  {false, ignore},
	"forward-unknown-opts":                         {false, ignore},
	"ldir":                                         {true, ignore},
	"libdevice-directory":                          {true, ignore},
	"target-dir":                                   {true, ignore},
	"target-directory":                             {true, ignore},
	"compress-mode":                                {true, ignore},
	"opt-info":                                     {true, ignore},
	"hls":                                          {true, ignore},
	"host-linker-script":                           {true, ignore},
	"static-global-template-stub":                  {true, ignore},
	"device-entity-has-hidden-visibility":          {true, ignore},
	"e":                                            {true, ignore},
	"entries":                                      {true, ignore},
	"idp":                                          {true, ignore},
	"input-drive-prefix":                           {true, ignore},
	"ddp":                                          {true, ignore},
	"dependency-drive-prefix":                      {true, ignore},
	"dp":                                           {true, ignore},
	"drive-prefix":                                 {true, ignore},
	"Xarchive":                                     {true, ignore},
	"archive-options":                              {true, ignore},
	"device-stack-protector":                       {true, ignore},
	"split-compile-extended":                       {true, ignore},
	"qpp-config":                                   {true, ignore},
	"Ofc":                                          {true, ignore},
	"run-args": {true, func(o *Options, _, value string) error {
		o.RunArgs = append(o.RunArgs, splitWords(value, ", \t\n")...)
		return nil
	}},
	"arbin":                     {true, func(o *Options, _, value string) error { o.Archiver = value; return nil }},
	"archiver-binary":           {true, func(o *Options, _, value string) error { o.Archiver = value; return nil }},
	"ftemplate-depth":           {true, hostAndDevice("-ftemplate-depth=")},
	"ftemplate-backtrace-limit": {true, hostAndDevice("-ftemplate-backtrace-limit=")},
	// Options of NVRTC about the way it compiles.
	"brief-diagnostics":            {true, ignore},
	"builtin-initializer-list":     {true, ignore},
	"builtin-move-forward":         {true, ignore},
	"create-pch":                   {true, ignore},
	"device-float128":              {false, ignore},
	"device-int128":                {false, ignore},
	"disable-optimizer-constants":  {false, ignore},
	"dopt":                         {true, ignore},
	"fdevice-time-trace":           {true, ignore},
	"frandom-seed":                 {true, ignore},
	"instantiate-templates-in-pch": {true, ignore},
	"jump-table-density":           {true, ignore},
	"minimal":                      {false, ignore},
	"modify-stack-limit":           {true, ignore},
	"no-cache":                     {false, ignore},
	"no-source-include":            {false, ignore},
	"ofast-compile":                {true, ignore},
	"Ofast-compile":                {true, ignore},
	"optimization-info":            {true, ignore},
	"pch":                          {false, ignore},
	"pch-dir":                      {true, ignore},
	"pch-messages":                 {true, ignore},
	"pch-verbose":                  {true, ignore},
	"time":                         {true, ignore},
	"use-pch":                      {true, ignore},
	"version-ident":                {true, ignore},
	"gcc-toolchain":                {true, hostAndDevice("--gcc-toolchain=")},
	"target":                       {true, hostAndDevice("--target=")},
	"Xclang":                       {true, pair("-Xclang")},
	"mllvm":                        {true, pair("-mllvm")},
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
			return &OptionError{fmt.Sprintf("%s %s: an architecture is written sm_80", name, word)}
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
		return &OptionError{fmt.Sprintf("%s %s: it is written arch=compute_80,code=sm_80", name, value)}
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
