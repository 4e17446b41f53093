package launch

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// KernelFile is the source in the folder of a saved launch, with the launch in its header.
const KernelFile = "kernel.ptx"

// Saves is a folder of saved launches, each in a folder of its own.
type Saves struct {
	folder  string
	number  int                          // of the latest launch
	written map[[sha256.Size]byte]string // names of files by the hash of their content
}

// NewSaves makes the folder if it does not exist. Its content is kept.
func NewSaves(folder string) (*Saves, error) {
	return &Saves{folder, 0, make(map[[sha256.Size]byte]string)}, os.MkdirAll(folder, 0o777)
}

// Saved is a launch in its folder.
type Saved struct {
	Folder string
	saves  *Saves
	head   bytes.Buffer // directives
	source []byte
	places []savedRegion
}

// savedRegion is memory that the launch may use.
type savedRegion struct {
	r       *memory.Region
	name    string // in directives
	content [sha256.Size]byte
}

// Save writes a launch that is about to begin to a folder of s: the source, a header with the launch's settings, and
// the contents of memory, so that running the source repeats the launch. It saves a buffer if its address is in the
// parameters, in the module's variables, or in another saved buffer, at a multiple of 4 bytes. A launch that may use
// textures is an error.
func (s *Saves) Save(m *interp.Machine, l *interp.Launch, source []byte, timed bool) (*Saved, error) {
	regions, err := reached(m, l.Params)
	if err != nil {
		return nil, err
	}
	one := &Saved{saves: s, source: source}
	if one.Folder, err = s.newFolder(l.Kernel); err != nil {
		return nil, err
	}
	one.launch(m, l, timed)
	if err := one.memory(m, regions); err != nil {
		return nil, err
	}
	return one, one.write()
}

// newFolder makes a folder that did not exist.
func (s *Saves) newFolder(kernel string) (string, error) {
	name := cxx.FileName(kernel)
	for {
		s.number++
		// by another process
		if taken, _ := filepath.Glob(filepath.Join(s.folder, fmt.Sprintf("%04d-*", s.number))); len(taken) > 0 {
			continue
		}
		path := filepath.Join(s.folder, fmt.Sprintf("%04d-%s", s.number, name))
		if err := os.Mkdir(path, 0o777); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

// reached returns the variables of m, and the buffers that a kernel can reach from them and from its parameters.
func reached(m *interp.Machine, params []byte) ([]*memory.Region, error) {
	var first, last uint64
	if all := m.Regions(); len(all) > 0 {
		first, last = all[0].Base, all[len(all)-1].End()
	}
	var found []*memory.Region
	seen := make(map[*memory.Region]bool)
	add := func(r *memory.Region) {
		if r != nil && !seen[r] {
			seen[r] = true
			found = append(found, r)
		}
	}
	scan := func(data []byte) error {
		for i := 0; i+8 <= len(data); i += 4 {
			switch word := binary.LittleEndian.Uint64(data[i:]); {
			case word >= first && word < last:
				add(m.Region(word))
			case word != 0 && m.IsHandle(word):
				return errors.New("launches with textures and surfaces are not saved")
			}
		}
		return nil
	}
	for _, v := range m.Code().Module().Vars {
		if v.Type.IsOpaque() {
			return nil, errors.New("launches with textures and surfaces are not saved")
		}
		add(m.Var(v.Name))
	}
	if err := scan(params); err != nil {
		return nil, err
	}
	for i := 0; i < len(found); i++ { // found grows
		if err := scan(found[i].Data); err != nil {
			return nil, err
		}
	}
	sorted.By(found, func(a, b *memory.Region) int { return int(a.Number) - int(b.Number) })
	return found, nil
}

func (s *Saved) say(format string, args ...any) {
	fmt.Fprintf(&s.head, headerMark+format+"\n", args...)
}

// launch writes the directives of the launch and the machine.
func (s *Saved) launch(m *interp.Machine, l *interp.Launch, timed bool) {
	s.say("kernel %s", l.Kernel)
	s.say("grid %s", l.Grid)
	s.say("block %s", l.Block)
	if l.Cluster.Count() > 0 {
		s.say("cluster %s", l.Cluster)
	}
	if l.Shared > 0 {
		s.say("shared %d", l.Shared)
	}
	if l.Cooperative {
		s.say("cooperative")
	}
	fn := m.Code().Module().Entry(l.Kernel)
	offsets, _ := fn.ParamLayout()
	for i, p := range fn.Params {
		s.say("arg %s = hex:%s", p.Name, hex.EncodeToString(l.Params[offsets[i]:][:p.Size()]))
	}
	cfg := m.Config()
	if c, _, err := gpu.Open(cfg.GPU.Name); err == nil && c.Name == cfg.GPU.Name {
		s.say("gpu %s", c.Name)
	}
	s.say("divergence %s", cfg.Divergence)
	if cfg.PathOrder != divergence.Taken {
		s.say("path-order %s", cfg.PathOrder)
	}
	if cfg.Split != 0 { // headers do not request it
		fmt.Fprintf(&s.head, "// ran with --split %d\n", cfg.Split)
	}
	if !timed {
		s.say("functional")
	}
}

// memory writes directives for memory, and the files for them.
func (s *Saved) memory(m *interp.Machine, regions []*memory.Region) error {
	addresses := m.Addresses()
	heap := make(map[string]string)
	taken := make(map[string]bool)
	for name := range addresses {
		taken[name] = true
	}
	for _, r := range regions {
		one := savedRegion{r: r, content: sha256.Sum256(r.Data)}
		directive := "symbol"
		if one.name = r.Name; m.Var(r.Name) != r {
			directive, one.name = "buffer", newName(r.Name, taken)
			addresses[one.name] = r.Base
			if m.IsHeap(r) {
				heap[one.name] = " heap"
			}
		}
		text, err := s.initOf(&one, fileName(len(s.places), one.name, "bin"))
		if err != nil {
			return err
		}
		if len(r.Data) > 0 {
			s.say("%s %s = %s", directive, one.name, text)
		}
		s.places = append(s.places, one)
	}
	if m.Code().Module().Func("malloc") != nil {
		next, bytes := m.Heap()
		s.say("heap 0x%x %d", next, bytes)
	}
	names := make([]string, 0, len(addresses))
	for name := range addresses {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s.say("address %s = 0x%x%s", name, addresses[name], heap[name])
	}
	return nil
}

// newName returns an unused name for directives, similar to that of a region.
func newName(like string, taken map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		if r < 128 && (r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, like)
	if !isName(base) {
		base = "b" + base
	}
	name := base
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s.%d", base, i)
	}
	taken[name] = true
	return name
}

// fileName is the name of a file for the i-th region.
func fileName(i int, name, extension string) string {
	return fmt.Sprintf("%03d-%.60s.%s", i, name, extension)
}

// initOf returns the INIT for the content of a region. It writes a file unless the content is short or uniform.
func (s *Saved) initOf(one *savedRegion, file string) (string, error) {
	data := one.r.Data
	switch {
	case len(data) == 0:
		return "", nil
	case bytes.Count(data, data[:1]) == len(data) && data[0] == 0:
		return fmt.Sprintf("zeros:%d:u8", len(data)), nil
	case bytes.Count(data, data[:1]) == len(data):
		return fmt.Sprintf("fill:%d:u8:%d", len(data), data[0]), nil
	}
	path := filepath.Join(s.Folder, file)
	if same, ok := s.saves.written[one.content]; ok && os.Link(same, path) == nil {
		return "@" + file, nil
	}
	s.saves.written[one.content] = path
	return "@" + file, os.WriteFile(path, data, 0o666)
}

// write writes the source with its header at the end, so that line numbers stay the same.
func (s *Saved) write() error {
	text := bytes.ReplaceAll(s.source, []byte(headerMark), []byte("// "))
	text = append(bytes.TrimRight(text, "\x00\n"), "\n\n"...)
	return os.WriteFile(filepath.Join(s.Folder, KernelFile), append(text, s.head.Bytes()...), 0o666)
}

// End adds the outcome of the launch to the header: the content of memory as expectations, or the error.
func (s *Saved) End(failed error) error {
	if failed != nil {
		first, _, _ := strings.Cut(failed.Error(), "\n")
		fmt.Fprintf(&s.head, "// failed: %s\n", first)
		return s.write()
	}
	for i := range s.places {
		p := &s.places[i]
		before := p.content
		if p.content = sha256.Sum256(p.r.Data); p.content == before || p.r.Freed() {
			continue
		}
		text, err := s.initOf(p, fileName(i, p.name, "after.bin"))
		if err != nil {
			return err
		}
		if len(p.r.Data)%4 != 0 {
			text += " type=u8"
		}
		s.say("expect %s == %s", p.name, text)
	}
	return s.write()
}
