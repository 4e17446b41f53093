package gpu

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/sorted"
)

// archive has the files of the folder presets.
//
//go:embed presets.txtar.gz
var archive []byte

var presets = packed.Open(archive)

const extension = ".toml"

// Names returns the names of the presets, in alphabetical order. The name of a slice is the GPU's, a colon and its
// own, as in h100:2g.20gb.
func Names() []string {
	var names []string
	for _, f := range presets.Names() {
		names = append(names, strings.ReplaceAll(strings.TrimSuffix(f, extension), "/", sliceMark))
	}
	slices.Sort(names)
	return names
}

// sliceMark separates the name of a GPU from that of its slice.
const sliceMark = ":"

// cutSlice splits a name into those of a preset and its slice; false if it has no slice.
func cutSlice(name string) (whole, slice string, ok bool) {
	whole, slice, ok = strings.Cut(name, sliceMark)
	return whole, slice, ok && slices.Contains(Names(), whole)
}

// slicesOf returns the names of the slices of a preset.
func slicesOf(whole string) (all []string) {
	for _, name := range Names() {
		if slice, ok := strings.CutPrefix(name, whole+sliceMark); ok {
			all = append(all, slice)
		}
	}
	return all
}

// noPreset returns the error for a name that is not a preset's.
func noPreset(name string) error {
	whole, slice, ok := cutSlice(name)
	switch {
	case !ok && doubled(name) != "":
		return fmt.Errorf("no GPU %q; did you mean %s?", name, doubled(name))
	case !ok:
		return fmt.Errorf("no GPU %q; %s", name, isa.Instead(name, Names()))
	case slicesOf(whole) == nil:
		return fmt.Errorf("no slice %q of %s; it has none here", slice, whole)
	}
	return fmt.Errorf("no slice %q of %s; there are %s", slice, whole, strings.Join(slicesOf(whole), ", "))
}

// doubled returns the preset whose name was typed with one character twice, as h1000; "" if there is none.
func doubled(name string) string {
	for i := 1; i < len(name); i++ {
		if short := name[:i] + name[i+1:]; name[i] == name[i-1] && slices.Contains(Names(), short) {
			return short
		}
	}
	return ""
}

// Preset returns the preset with a name. The Config is the caller's own.
func Preset(name string) (*Config, error) {
	text, err := presetText(name)
	if err != nil {
		return nil, err
	}
	return Load(name+extension, text)
}

// presetText returns the file of a preset.
func presetText(name string) (string, error) {
	if !slices.Contains(Names(), name) {
		return "", noPreset(name)
	}
	text, err := presets.Read(strings.ReplaceAll(name, sliceMark, "/") + extension)
	return string(text), err
}

var h100 = sync.OnceValue(func() *Config {
	c, err := Preset("h100")
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return c
})

// H100 returns the preset h100, which is the default. The Config is the caller's own.
func H100() *Config {
	c := *h100()
	c.Residency.Carveouts = slices.Clone(c.Residency.Carveouts)
	return &c
}

// Open returns the GPU that a user names: a preset, or a file, which has a dot or a slash in its name. Text is the
// file's or the preset's.
func Open(name string) (c *Config, text string, err error) {
	if !IsFile(name) {
		if text, err = presetText(name); err != nil {
			if _, _, ok := cutSlice(name); !ok && doubled(name) == "" && isa.Likely(name, Names()) == nil {
				err = fmt.Errorf("%w; a file is named with its extension, as in my.toml", err)
			}
			return nil, "", err
		}
		name += extension
	} else if text, err = readFile(name); err != nil {
		return nil, "", err
	}
	c, err = Load(name, text)
	return c, text, err
}

// IsFile reports whether Open uses name as a file's.
func IsFile(name string) bool {
	_, _, ok := cutSlice(name)
	return !ok && strings.ContainsAny(name, `./\`)
}

// maxFile is the maximum number of bytes of a file. A preset has a few thousand.
const maxFile = 1 << 20

func readFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxFile:
		return "", fmt.Errorf("%s: more than %d bytes, too long for the file of a GPU", path, maxFile)
	}
	return string(text), nil
}

// Error is an error in a file.
type Error struct {
	Pos isa.Pos
	Msg string // includes the key
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Pos, e.Msg) }

// Load reads a GPU in TOML. File is its name. With base = "h100", or another preset, the file has only the different
// values. The error is an *Error.
func Load(file, text string) (*Config, error) {
	d := &document{file: file, lines: linesOfKeys(text)}
	var tree map[string]any
	if _, err := toml.Decode(text, &tree); err != nil {
		return nil, d.syntax(err)
	}
	c := new(Config)
	raw, derived := tree[baseKey]
	if derived {
		var err error
		if c, err = d.base(raw); err != nil {
			return nil, err
		}
		delete(tree, baseKey)
	}
	given := make(map[string]any)
	flatten(given, "", tree)
	if err := d.fill(c.Keys(), given); err != nil {
		return nil, err
	}
	c.spreadTPCs(given)
	if !derived {
		if err := d.complete(c.Keys(), given); err != nil {
			return nil, err
		}
	}
	c.Name = strings.TrimSuffix(filepath.Base(file), extension)
	c.fillLatencies()
	for _, rule := range c.rulesOfKeys() {
		if !rule.holds {
			return nil, d.errorf(rule.key, "%s: %s", rule.key, rule.wanted)
		}
	}
	return c, nil
}

// document is a file being read.
type document struct {
	file  string
	lines map[string]int // of keys and tables, from 1
}

// syntax returns the error for a text that is not TOML.
func (d *document) syntax(err error) error {
	e := &Error{Pos: isa.Pos{File: d.file, Line: 1}, Msg: err.Error()}
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		e.Pos.Line, e.Pos.Col = int32(max(1, parse.Position.Line)), int32(parse.Position.Col)
		e.Msg = parse.Message
		if parse.LastKey != "" {
			e.Msg = parse.LastKey + ": " + e.Msg
		}
	}
	return e
}

// errorf returns an error at a key.
func (d *document) errorf(key, format string, args ...any) error {
	return &Error{isa.Pos{File: d.file, Line: int32(max(1, d.line(key)))}, fmt.Sprintf(format, args...)}
}

// line returns the line of a key, or of the table with it; 0 if there is neither.
func (d *document) line(key string) int {
	for {
		if line, ok := d.lines[key]; ok {
			return line
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			return 0
		}
		key = key[:i]
	}
}

// baseKey is the key of the preset that a file changes.
const baseKey = "base"

// base returns the preset with a name.
func (d *document) base(raw any) (*Config, error) {
	name, ok := raw.(string)
	if !ok {
		return nil, d.errorf(baseKey, "%s: %v; it is the name of a preset in quotes", baseKey, raw)
	}
	c, err := Preset(name)
	if err != nil {
		return nil, d.errorf(baseKey, "%s: %v", baseKey, err)
	}
	return c, nil
}

// flatten puts the values of a table, including nested ones, into flat, by their full names.
func flatten(flat map[string]any, prefix string, table map[string]any) {
	for name, value := range table {
		if inner, ok := value.(map[string]any); ok {
			flatten(flat, prefix+name+".", inner)
		} else {
			flat[prefix+name] = value
		}
	}
}

// fill sets the values that a file has.
func (d *document) fill(keys []Key, given map[string]any) error {
	byName := make(map[string]*Key, len(keys))
	for i := range keys {
		byName[keys[i].Name] = &keys[i]
	}
	type place struct {
		line int
		name string
	}
	places := make([]place, 0, len(given))
	for name := range given {
		places = append(places, place{d.line(name), name})
	}
	sorted.By(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.name, b.name)) })
	for _, p := range places {
		key, ok := byName[p.name]
		if !ok {
			return d.unknown(p.name, keys)
		}
		if err := key.set(given[p.name]); err != nil {
			return d.errorf(p.name, "%s: %v", p.name, err)
		}
	}
	return nil
}

// mostMissing is how many missing keys an error names.
const mostMissing = 20

// complete checks that a file has all values.
func (d *document) complete(keys []Key, given map[string]any) error {
	keys = slices.DeleteFunc(keys, func(k Key) bool { _, ok := given[k.Name]; return ok })
	if len(keys) == 0 {
		return nil
	}
	var more []string
	for _, k := range keys[1:] {
		more = append(more, k.Name)
	}
	if over := len(more) - mostMissing; over > 0 {
		more = append(more[:mostMissing], fmt.Sprintf("%d others", over))
	}
	first, others := keys[0], ""
	if len(more) > 0 {
		others = "; so are " + strings.Join(more, ", ")
	}
	return d.errorf(first.Name, `%s is missing: %s%s; base = "h100" in front takes what is missing from a preset`, first.Name, first.Doc, others)
}

// unknown returns the error for a key that does not exist.
func (d *document) unknown(name string, keys []Key) error {
	last := name[strings.LastIndexByte(name, '.')+1:]
	var names []string
	elsewhere := "" // the first key of that name in another table
	for _, k := range keys {
		if strings.HasPrefix(k.Name, name+".") {
			return d.errorf(name, "%s is a table, as in [%s]", name, name)
		}
		if elsewhere == "" && strings.HasSuffix(k.Name, "."+last) {
			elsewhere = k.Name
		}
		names = append(names, k.Name)
	}
	for class, key := range latencyKeys {
		if name == "classes."+class.String()+".latency" {
			return d.errorf(name, "no key %s: this latency is %s", name, key)
		}
	}
	if elsewhere != "" && isa.Likely(name, names) == nil {
		names = []string{elsewhere}
	}
	return d.errorf(name, "no key %s%s", name, isa.DidYouMean(name, names))
}

// maxTagMasks is the maximum number of masks of LSU.
const maxTagMasks = 4

// maxWarpsPerScheduler is the maximum number of warps of a scheduler in the model.
const maxWarpsPerScheduler = 64

// ruleOfKeys is a condition on several values.
type ruleOfKeys struct {
	key    string // the key with the value to change
	holds  bool
	wanted string
}

func (c *Config) rulesOfKeys() []ruleOfKeys {
	r := &c.Residency
	last := r.Carveouts[len(r.Carveouts)-1]
	rules := []ruleOfKeys{
		{"tpcs", c.TPCs >= c.GPCs, fmt.Sprintf("%d are fewer than %d GPCs", c.TPCs, c.GPCs)},
		{"gpc_tpcs", len(c.GPCTPCs) == c.GPCs, fmt.Sprintf("%d numbers for %d GPCs", len(c.GPCTPCs), c.GPCs)},
		{"gpc_tpcs", sum(c.GPCTPCs) <= int64(c.TPCs), fmt.Sprintf("%d are more than %d TPCs", sum(c.GPCTPCs), c.TPCs)},
		{"cluster.size", c.Cluster.Size <= isa.MaxCluster, fmt.Sprintf("%d are more than %d", c.Cluster.Size, isa.MaxCluster)},
		{"cluster.latency", c.Cluster.Size == 1 || c.Cluster.Latency > c.LSU.Depth, fmt.Sprintf("%d is not more than lsu.depth, %d, of a GPU with clusters", c.Cluster.Latency, c.LSU.Depth)},
		{"cluster.barrier", c.Cluster.Size == 1 || c.Cluster.Barrier > 0, "a GPU with clusters needs some cycles"},
		{"sms", c.SMs >= c.TPCs, fmt.Sprintf("%d are fewer than %d TPCs", c.SMs, c.TPCs)},
		{"residency.warps", r.Warps%c.Schedulers == 0, fmt.Sprintf("%d warps cannot be divided by %d schedulers", r.Warps, c.Schedulers)},
		{"residency.warps", r.Warps/c.Schedulers <= maxWarpsPerScheduler, fmt.Sprintf("%d warps are more than %d for each of %d schedulers", r.Warps, maxWarpsPerScheduler, c.Schedulers)},
		{"residency.registers", r.Registers%c.Schedulers == 0, fmt.Sprintf("%d registers cannot be divided by %d schedulers", r.Registers, c.Schedulers)},
		{"residency.registers_per_cta", r.RegistersPerCTA <= r.Registers, fmt.Sprintf("%d are more than the %d of an SM", r.RegistersPerCTA, r.Registers)},
		{"residency.threads", r.Threads <= r.Warps*warpThreads, fmt.Sprintf("%d are more than %d warps have", r.Threads, r.Warps)},
		{"residency.carveouts", rises(r.Carveouts), fmt.Sprintf("%v do not rise", r.Carveouts)},
		{"residency.carveouts", last == r.Shared, fmt.Sprintf("the last is %d, and residency.shared %d", last, r.Shared)},
		{"residency.l1_and_shared", r.L1AndShared >= r.Shared, fmt.Sprintf("%d bytes do not hold %d of shared memory", r.L1AndShared, r.Shared)},
		{"residency.shared_opt_in", r.SharedOptIn+r.SharedReserved <= r.Shared, fmt.Sprintf("%d bytes, and %d that are reserved, are more than the %d of an SM", r.SharedOptIn, r.SharedReserved, r.Shared)},
		{"residency.shared_per_cta", r.SharedPerCTA <= r.SharedOptIn, fmt.Sprintf("%d bytes are more than the %d of shared_opt_in", r.SharedPerCTA, r.SharedOptIn)},
		{"limits.block_threads", c.Limits.BlockThreads <= int64(r.Threads), fmt.Sprintf("%d are more than the %d of an SM", c.Limits.BlockThreads, r.Threads)},
		{"fetch.l0", c.Fetch.L0%FetchLine == 0 && c.Fetch.L1%FetchLine == 0 && c.Fetch.L15%FetchLine == 0, fmt.Sprintf("instruction caches are whole lines of %d bytes", FetchLine)},
		{"fetch.l1", c.Fetch.L0 <= c.Fetch.L1 && c.Fetch.L1 <= c.Fetch.L15, fmt.Sprintf("%d bytes are fewer than l0 has, %d, or more than l15 has, %d", c.Fetch.L1, c.Fetch.L0, c.Fetch.L15)},
		{"sm.sm_wide", !c.SMWide[isa.LSU], "lsu is each scheduler's own: lsu.interval is what the SM's memory pipe takes"},
		{"sm.sm_wide", !c.SMWide[isa.TEX], "tex is each scheduler's own: units.texture is what the SM's texture pipe takes"},
		{"lsu.tag_masks", len(c.LSU.TagMasks) <= maxTagMasks, fmt.Sprintf("%d masks are more than %d", len(c.LSU.TagMasks), maxTagMasks)},
		{"lsu.depth", c.Memory.Flat > 0 || c.LSU.Depth < min(c.Memory.L1, c.Memory.L2), fmt.Sprintf("%d cycles are not fewer than latencies of memory.l1, %d, and memory.l2, %d", c.LSU.Depth, c.Memory.L1, c.Memory.L2)},
		{"memory.dram", c.Memory.DRAM >= c.Memory.L2, fmt.Sprintf("%d is less than l2, %d", c.Memory.DRAM, c.Memory.L2)},
		{"memory.l2_partitions", c.Memory.L2Partitions <= 2, fmt.Sprintf("%d are more than 2", c.Memory.L2Partitions)},
		{"memory.l2_slices", c.Memory.L2Slices%max(1, c.Memory.L2Partitions) == 0, fmt.Sprintf("%d cannot be divided by %d partitions", c.Memory.L2Slices, c.Memory.L2Partitions)},
		{"memory.dram_interleave", powerOfTwo(c.Memory.DRAMInterleave), fmt.Sprintf("%d is not a power of two", c.Memory.DRAMInterleave)},
		{"memory.dram_grain", c.Memory.DRAMGrain <= 128 && powerOfTwo(c.Memory.DRAMGrain), fmt.Sprintf("%d; it is 32, 64 or 128", c.Memory.DRAMGrain)},
		{"memory.dram_sustained", c.Memory.DRAMSustained <= c.Memory.DRAMPeak, fmt.Sprintf("%v is more than dram_peak, %v", c.Memory.DRAMSustained, c.Memory.DRAMPeak)},
	}
	for _, class := range [...]isa.CostClass{isa.CostLoadShared, isa.CostAtomicShared, isa.CostLoadLocal} {
		latency := c.Classes[class].Latency
		rules = append(rules, ruleOfKeys{"classes." + class.String() + ".latency", c.Memory.Flat > 0 || latency >= c.LSU.Depth, fmt.Sprintf("%d is less than the %d of lsu.depth", latency, c.LSU.Depth)})
	}
	texture := c.Classes[isa.CostTexture].Latency
	rules = append(rules, ruleOfKeys{"classes.texture.latency", c.Memory.Flat > 0 || texture >= c.Memory.L1, fmt.Sprintf("%d is less than the %d of memory.l1", texture, c.Memory.L1)})
	for _, class := range TextureClasses {
		rules = append(rules, ruleOfKeys{"classes." + class.String() + ".pipe", c.Classes[class].Pipe == isa.TEX, "textures and surfaces go through tex"})
	}
	for _, class := range MemoryClasses {
		rules = append(rules, ruleOfKeys{"classes." + class.String() + ".pipe", c.Classes[class].Pipe == isa.LSU, "what goes to memory goes through lsu"})
	}
	return rules
}

// MemoryClasses are the classes of instructions that go through the memory queue of a scheduler.
var MemoryClasses = []isa.CostClass{isa.CostLoadShared, isa.CostStoreShared, isa.CostAtomicShared, isa.CostLoadGlobal, isa.CostStoreGlobal, isa.CostAtomicGlobal, isa.CostReductionGlobal,
	isa.CostLoadLocal, isa.CostStoreLocal}

// TextureClasses are the classes of instructions that go through the texture queue of a scheduler.
var TextureClasses = []isa.CostClass{isa.CostTexture, isa.CostStoreSurface}

// spreadTPCs distributes the TPCs of a file over its GPCs if the file does not.
func (c *Config) spreadTPCs(given map[string]any) {
	const key = "gpc_tpcs"
	_, gpcs := given["gpcs"]
	_, tpcs := given["tpcs"]
	if _, ok := given[key]; ok || c.GPCs == 0 || !gpcs && !tpcs {
		return
	}
	c.GPCTPCs = nil
	c.GPCTPCs = c.tpcsOfGPCs()
	given[key] = c.GPCTPCs
}

func sum(list []int64) (all int64) {
	for _, n := range list {
		all += n
	}
	return all
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// rises reports whether the numbers are strictly ascending.
func rises(list []int64) bool {
	for i := range list[1:] {
		if list[i] >= list[i+1] {
			return false
		}
	}
	return true
}

// linesOfKeys returns the lines of keys and tables in a TOML text.
func linesOfKeys(text string) map[string]int {
	lines := make(map[string]int)
	table := ""
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && !strings.Contains(line, ",") {
			name, _, _ := strings.Cut(strings.TrimLeft(line, "["), "]")
			table = plainKey(name)
			lines[table] = number
			table += "."
		} else if name, _, ok := strings.Cut(line, "="); ok {
			lines[table+plainKey(name)] = number
		}
	}
	return lines
}

var quotesAndBlanks = strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "")

// plainKey returns a key without quotes and blanks.
func plainKey(name string) string { return quotesAndBlanks.Replace(name) }
