package cuda

import (
	"regexp"
	"strings"
)

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

// The functions that make options are not inlined: the initialiser of the table calls them a hundred times, which would
// take 16 kB more of the command.
//
//go:noinline
func refuse(why string) func(*Options, string, string) error {
	return func(_ *Options, name, _ string) error { return &OptionError{name + ": " + why} }
}

//go:noinline
func product(p Product) func(*Options, string, string) error {
	return func(o *Options, _, _ string) error { o.Product = p; return nil }
}

// each adds the words of a value, separated by commas and blanks, to a list.
//
//go:noinline
func each(list func(*Options) *[]string) func(*Options, string, string) error {
	return func(o *Options, _, value string) error {
		*list(o) = append(*list(o), splitWords(value, ", \t\n")...)
		return nil
	}
}

// several applies an option to each of its comma-separated values.
//
//go:noinline
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
//
//go:noinline
func preprocessed(word string) func(*Options, string, string) error {
	return func(o *Options, _, _ string) error { o.Product = Preprocessed; return asIs(o, word, "") }
}

// dependencies handles options that write each source's dependencies while it is compiled.
//
//go:noinline
func dependencies(word string) func(*Options, string, string) error {
	return func(o *Options, _, _ string) error { o.Dependencies = word; return nil }
}

// add replaces the option by other words.
//
//go:noinline
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
	"maxrregcount":                                 {true, setMaxRegisters},
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
