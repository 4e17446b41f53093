package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sass"
	"github.com/simtrun/simtrun/internal/sm"
)

// Layer holds the directives of one source: a header, a script or the command line. NewPlan combines layers.
type Layer struct {
	// Flags are the lines of a script that set flags of the command.
	Flags []Flag
	// Warnings report directives that are probably not what the author meant.
	Warnings []*Error

	source source
	folder string // folder that a header may read; "" for other layers

	short          form   // kernel, grid, block, shared and arg
	launches       []form // launch
	buffers        []buffer
	symbols        []symbol
	images         []imageLine
	addresses      []addressLine
	heap           setting[heap]
	tensorMaps     []tensorMap
	said           map[said]Origin // where buffers and symbols are set
	dumps          []dumpLine
	saves          []saveLine
	expects        []expectLine
	expectNone     bool // drop the expectations of earlier layers
	metrics        []metricLine
	leftOut        int // expectations on counters that were dropped because the work changed
	maxSteps       setting[uint64]
	maxLaunchSteps setting[uint64]
	gpu            setting[*gpu.Config]
	registers      setting[int] // per thread
	carveout       setting[int] // percent
	idealised      setting[bool]
	noLibdevice    setting[bool]
	zeroShared     setting[bool]
	divergence     setting[divergence.Model]
	pathOrder      setting[divergence.Order]
	split          setting[uint64]
	memory         setting[int64] // bytes of host memory
	functional     setting[bool]
	timing         timing
	matrix         setting[Matrix]
	compiler       []CompilerLine
}

// said identifies something that a layer may set only once: a directive and a name.
type said struct{ directive, name string }

// once records that directive sets name. It returns an error the second time.
func (l *Layer) once(directive, name, verb string, at Origin) error {
	key := said{directive, name}
	if before, ok := l.said[key]; ok {
		return fmt.Errorf("%s %s is %sat %s already", directive, name, verb, before)
	}
	if l.said == nil {
		l.said = make(map[said]Origin)
	}
	l.said[key] = at
	return nil
}

// Flag is a long flag of the command, set in a script.
type Flag struct {
	Name  string // without the dashes
	Value string // "true" if the line has none
	At    Origin
}

type source uint8

const (
	commandLine source = iota
	script
	header
)

// NewFlags returns an empty layer for the command line.
func NewFlags() *Layer { return &Layer{source: commandLine} }

// setting is the value of a directive that a layer may have at most once.
type setting[T any] struct {
	value T
	at    Origin
	given bool
}

func (s *setting[T]) set(v T, at Origin) error {
	if s.given {
		return fmt.Errorf("given before, at %s", s.at)
	}
	*s = setting[T]{v, at, true}
	return nil
}

// override replaces s by the setting of a later layer, if that layer has one.
func (s *setting[T]) override(later setting[T]) {
	if later.given {
		*s = later
	}
}

// timing holds the directives about the clock.
type timing struct {
	policy    setting[sm.Policy]
	order     setting[sm.Order]
	cost      setting[cost.Mode]
	dualIssue setting[bool]
	warmCode  setting[bool]
	sass      setting[[]*sass.Function]
}

// override replaces settings by those of a later layer.
func (t *timing) override(later *timing) {
	t.policy.override(later.policy)
	t.order.override(later.order)
	t.cost.override(later.cost)
	t.dualIssue.override(later.dualIssue)
	t.warmCode.override(later.warmCode)
	t.sass.override(later.sass)
}

// given returns the directive of one of the settings, and its position; ok is false if none is set.
func (t *timing) given() (name string, at Origin, ok bool) {
	switch {
	case t.policy.given:
		return "sched", t.policy.at, true
	case t.order.given:
		return "cta-order", t.order.at, true
	case t.cost.given:
		return "cost", t.cost.at, true
	case t.warmCode.given:
		return "icache", t.warmCode.at, true
	case t.sass.given:
		return "sass", t.sass.at, true
	}
	return "dual-issue", t.dualIssue.at, t.dualIssue.value
}

// form has the directives of a launch, before defaults.
type form struct {
	at          Origin
	kernel      setting[string]
	grid        setting[isa.Dim]
	block       setting[isa.Dim]
	cluster     setting[isa.Dim] // CTAs
	shared      setting[int64]   // bytes
	cooperative setting[bool]
	process     setting[string]
	percent     setting[int] // of the GPU's threads, for the process
	stream      setting[string]
	args        []argument
}

// empty reports whether the form has no settings.
func (f *form) empty() bool {
	return !f.kernel.given && !f.grid.given && !f.block.given && !f.cluster.given && !f.shared.given && !f.cooperative.given && len(f.args) == 0
}

// argument is one arg line, --arg or item of args=.
type argument struct {
	param  string // name or index
	value  value
	at     Origin
	layer  int  // index of its layer, set by merge
	ifFits bool // ignored if the kernel has no such parameter
}

type buffer struct {
	name    string
	content *content
	at      Origin
}

type symbol struct {
	name  string
	value value
	at    Origin
}

// addressLine gives the address of a buffer, variable or function.
type addressLine struct {
	name string
	addr uint64
	heap bool // malloc allocated it
	at   Origin
}

// heap is the memory for malloc: its address, or 0 for any, and its size in bytes.
type heap struct{ addr, bytes uint64 }

type dumpLine struct {
	owned
	elem   Elem  // zero value: the buffer's element type
	count  int64 // elements; -1: all
	at     Origin
	ifFits bool // ignored if there is no such buffer
}

type saveLine struct {
	owned
	path string
	at   Origin
}

// directive is a row of the table of directives.
type directive struct {
	name string
	// set parses the text after the name into l; nil if the directive is not supported yet.
	set func(l *Layer, text string, at Origin) error
	// userOnly forbids the directive in headers, which are not trusted.
	userOnly bool
	// verb names the forbidden action in the message; "" stands for the name.
	verb string
}

var directives = []directive{
	{name: "buffer", set: (*Layer).addBuffer},
	{name: "symbol", set: (*Layer).addSymbol},
	{name: "address", set: (*Layer).addAddress},
	{name: "heap", set: (*Layer).setHeap},
	{name: "texture", set: (*Layer).addTexture},
	{name: "surface", set: (*Layer).addSurface},
	{name: "sampler", set: (*Layer).addSampler},
	{name: "tensormap", set: (*Layer).addTensorMap},
	{name: "launch", set: (*Layer).addLaunch},
	{name: "kernel", set: (*Layer).setKernel},
	{name: "grid", set: (*Layer).setGrid},
	{name: "block", set: (*Layer).setBlock},
	{name: "cluster", set: (*Layer).setCluster},
	{name: "shared", set: (*Layer).setShared},
	{name: "shared-init", set: (*Layer).setSharedInit},
	{name: "cooperative", set: (*Layer).setCooperative},
	{name: "arg", set: (*Layer).addArg},
	{name: "dump", set: (*Layer).addDump},
	{name: "save", set: (*Layer).addSave, userOnly: true},
	{name: "expect", set: (*Layer).addExpect},
	{name: "max-steps", set: (*Layer).setMaxSteps},
	{name: "max-launch-steps", set: (*Layer).setMaxLaunchSteps},
	{name: "gpu", set: (*Layer).setGPU},
	{name: "divergence", set: (*Layer).setDivergence},
	{name: "path-order", set: (*Layer).setPathOrder},
	{name: "split", set: (*Layer).setSplit, userOnly: true},
	{name: "memory", set: (*Layer).setMemory, userOnly: true, verb: "set memory"},
	{name: "functional", set: (*Layer).setFunctional},
	{name: "sched", set: (*Layer).setPolicy},
	{name: "cta-order", set: (*Layer).setCTAOrder, userOnly: true, verb: "choose the order of blocks"},
	{name: "cost", set: (*Layer).setCost, userOnly: true, verb: "choose costs"},
	{name: "sass", set: (*Layer).setSASS, userOnly: true, verb: "name machine code"},
	{name: "icache", set: (*Layer).setICache},
	{name: "dual-issue", set: (*Layer).setDualIssue, userOnly: true, verb: "ask for dual issue"},
	{name: "matrix", set: (*Layer).setMatrix},
	{name: "cc", set: (*Layer).addCompiler},
	{name: "regs", set: (*Layer).setRegisters},
	{name: "carveout", set: (*Layer).setCarveout, userOnly: true, verb: "set the carve-out"},
	{name: "idealised", set: (*Layer).setIdealised, userOnly: true, verb: "idealise the occupancy"},
	{name: "no-libdevice", set: (*Layer).setNoLibdevice, userOnly: true, verb: "leave libdevice out"},
}

// Synonyms maps names from CUDA and other tools to directives and flags.
var Synonyms = map[string]string{
	"blocks": "grid", "griddim": "grid", "threads": "block", "blockdim": "block", "blocksize": "block", "block-size": "block",
	"clusterdim": "cluster", "cluster-dims": "cluster", "entry": "kernel", "function": "kernel", "args": "arg", "param": "arg", "print": "dump", "output": "save", "smem": "shared",
	"registers": "regs", "maxrregcount": "regs", "maxnreg": "regs", "idealized": "idealised", "ideal": "idealised",
	"steps": "max-steps", "limit": "max-steps", "verify": "expect", "assert": "expect", "race": "check", "model": "divergence",
	"place": "address", "texref": "texture", "surf": "surface", "surfref": "surface", "samplerref": "sampler", "tensor-map": "tensormap", "tma": "tensormap", "descriptor": "tensormap", "scheduler": "sched", "policy": "sched",
}

func directiveNames(s source) []string {
	var names []string
	for _, d := range directives {
		if s != header || !d.userOnly {
			names = append(names, d.name)
		}
	}
	return names
}

// Set parses one directive: its name, such as "grid", and its text.
func (l *Layer) Set(name, text string, at Origin) error {
	i := slices.IndexFunc(directives, func(d directive) bool { return d.name == name })
	switch {
	case i < 0:
		return l.unknown(name, directiveNames(l.source), at)
	case directives[i].userOnly && l.source == header:
		return at.errorf("a header may not %s; that is for scripts and flags", cmp.Or(directives[i].verb, name))
	case directives[i].set == nil:
		return at.errorf("%s is not supported yet", name)
	case strings.HasPrefix(text, "="):
		return at.errorf("expected no =, as in %s %s", name, strings.TrimLeft(text, "= "))
	}
	if err := directives[i].set(l, text, at); err != nil {
		return at.wrap(err)
	}
	return nil
}

func (l *Layer) unknown(name string, known []string, at Origin) error {
	if i := strings.IndexAny(name, "=:("); i > 0 && slices.Contains(known, name[:i]) {
		return at.errorf("no directive %q; a blank follows the name, as in %s …", name, name[:i])
	}
	if near := Synonyms[strings.ToLower(name)]; slices.Contains(known, near) {
		return at.errorf("no directive %q; did you mean %s?", name, near)
	}
	if near := isa.DidYouMean(name, known); near != "" {
		return at.errorf("no directive %q%s", name, near)
	}
	var names []string
	for _, d := range directives {
		if d.set != nil && slices.Contains(directiveNames(l.source), d.name) {
			names = append(names, d.name)
		}
	}
	return at.errorf("no directive %q; there are %s", name, strings.Join(names, " "))
}
