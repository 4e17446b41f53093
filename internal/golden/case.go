package golden

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	lines "github.com/simtrun/simtrun/internal/source"
)

// Extensions of the files of cases.
const (
	goldenExt  = ".golden"
	archiveExt = ".txtar"
	cudaExt    = ".cu"
)

var sourceExts = []string{".s", ".ptx", cudaExt}

// Case is a program and the expected output of its runs.
type Case struct {
	Name string // the file that names it
	// Compile compiles a file of CUDA C++, with the given path and text, to PTX; nil if there is no compiler.
	Compile func(path string, text []byte) (ptx []byte, err error)
	// Checks adds checks to the plan of a run; nil if there are none.
	Checks func(plan *launch.Plan)
	// GPU, a preset or a file, takes the place of the GPUs that the source names; "" if those count. Sections for other
	// GPUs are then left out.
	GPU string

	sources  []source
	pinnedIn string // file that has the sections, or will get them
	archive  *txtar.Archive
	exists   bool // pinnedIn exists
	tree     tree // folder that contains pinnedIn
	crlf     bool // lines of pinnedIn end in CR LF
}

// source is one source file. Its name has no folders, so that pinned text does not depend on where the test runs. In
// an archive, the text before a source is replaced by blank lines, so that its lines have the archive's numbers.
type source struct {
	name string
	text []byte
	ptx  []byte // PTX compiled from text, if it is CUDA C++
}

// parse assembles a source in a folder. PTX that was compiled names the files there without the folder.
func (s *source) parse(folder string) (*isa.Module, error) {
	if s.ptx == nil {
		return asm.Parse(s.name, s.text)
	}
	ptx := s.ptx
	if folder, err := filepath.Abs(folder); err == nil {
		ptx = bytes.ReplaceAll(ptx, []byte(`"`+folder+string(filepath.Separator)), []byte(`"`))
	}
	mod, err := asm.Parse("PTX of "+s.name, ptx)
	if err != nil {
		return nil, err
	}
	mod.Name = s.name
	lines.ReadFrom(mod, folder)
	lines.NameParams(mod)
	return mod, nil
}

// Load reads the case at a place that Find found. The error is about reading.
func Load(p Place) (*Case, error) {
	path := p.Path
	text, err := p.source()
	if err != nil {
		return nil, err
	}
	if filepath.Ext(path) == archiveExt {
		c := loadArchive(path, text)
		c.tree = tree(p.Tree)
		return c, nil
	}
	c := &Case{tree: tree(p.Tree), Name: path, sources: []source{{name: filepath.Base(path), text: text}}, pinnedIn: goldenOf(path), archive: &txtar.Archive{}}
	pinned, err := tree(p.Tree).read(c.pinnedIn)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return nil, err
	}
	for _, ext := range sourceExts {
		other := strings.TrimSuffix(path, filepath.Ext(path)) + ext
		if _, err := os.Stat(other); err == nil && other != path {
			return nil, fmt.Errorf("%s belongs to both %s and %s; rename one of them", c.pinnedIn, path, other)
		}
	}
	pinned, c.crlf = withoutCR(pinned)
	c.exists, c.archive = true, txtar.Parse(pinned)
	return c, nil
}

// source returns the content of the file. A file named by the user may be a link to any place.
func (p Place) source() ([]byte, error) {
	if p.Named {
		return readNamed(p.Path)
	}
	return tree(p.Tree).read(p.Path)
}

// goldenOf returns the golden file of a source file.
func goldenOf(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + goldenExt }

// withoutCR replaces CR LF by LF if all lines end in CR LF, as editors and git on Windows write them. It leaves other
// text unchanged, because a kernel may print a CR.
func withoutCR(text []byte) (lf []byte, crlf bool) {
	n := bytes.Count(text, []byte("\r\n"))
	if n == 0 || n != bytes.Count(text, []byte("\n")) {
		return text, false
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), true
}

func loadArchive(path string, text []byte) *Case {
	text, crlf := withoutCR(text)
	c := &Case{Name: path, pinnedIn: path, exists: true, crlf: crlf, archive: txtar.Parse(text)}
	line := bytes.Count(c.archive.Comment, []byte("\n"))
	for _, f := range c.archive.Files {
		line++
		if isSource(f.Name) && filepath.Ext(f.Name) != cudaExt {
			c.sources = append(c.sources, source{name: filepath.Base(path), text: append(bytes.Repeat([]byte("\n"), line), f.Data...)})
		}
		line += bytes.Count(f.Data, []byte("\n"))
	}
	return c
}

// isSource reports whether a file name is that of a source.
func isSource(name string) bool { return slices.Contains(sourceExts, filepath.Ext(name)) }

// compile compiles CUDA C++ sources to PTX. Sources in an archive have no path, and are not compiled.
func (c *Case) compile() (err error) {
	for i := range c.sources {
		s := &c.sources[i]
		if filepath.Ext(c.Name) != cudaExt || s.ptx != nil {
			continue
		}
		if c.Compile == nil {
			return fmt.Errorf("%s is CUDA C++, which cannot be compiled here", s.name)
		}
		if s.ptx, err = c.Compile(c.Name, s.text); err != nil {
			return err
		}
	}
	return nil
}

// assemble parses and links the sources and reads their headers.
func (c *Case) assemble() (*isa.Module, []*launch.Layer, error) {
	var mods []*isa.Module
	var layers []*launch.Layer
	if err := c.compile(); err != nil {
		return nil, nil, err
	}
	if ext := filepath.Ext(c.Name); slices.Contains(includedExts, ext) {
		return nil, nil, fmt.Errorf("a //sim: header in a %s file: only .s, .ptx, .cu and .txtar are run", ext)
	}
	for _, f := range c.archive.Files {
		if filepath.Ext(f.Name) == cudaExt && len(c.sources) > 0 {
			return nil, nil, fmt.Errorf("%s in an archive: CUDA C++ must be in a separate .cu file", f.Name)
		}
	}
	for i := range c.sources {
		s := &c.sources[i]
		mod, err := s.parse(filepath.Dir(c.Name))
		if err != nil {
			return nil, nil, err
		}
		header, err := launch.ParseHeader(s.name, filepath.Dir(c.Name), s.text)
		if err != nil {
			return nil, nil, err
		}
		if len(header.Warnings) > 0 {
			return nil, nil, header.Warnings[0] // it may hide an expectation
		}
		mods, layers = append(mods, mod), append(layers, header)
	}
	switch len(mods) {
	case 0:
		return nil, nil, errors.New("no source in the archive: expected a file NAME.s or NAME.ptx; CUDA C++ must be in a separate .cu file")
	case 1:
		return mods[0], layers, nil
	}
	mod, err := asm.Link(mods...)
	return mod, layers, err
}

// machine overrides the header's settings for a case.
type machine struct {
	gpu   string // a preset, or ""
	model *divergence.Model
	order *divergence.Order
}

// machines returns the machines of the headers' matrix, in the order of GPUs, models and path orders; the header's
// own machine if there is no matrix. A GPU takes the place of those of the matrix.
func machines(layers []*launch.Layer, instead string) []machine {
	var m launch.Matrix
	for _, l := range layers {
		if one := l.Matrix(); len(one.GPUs)+len(one.Models)+len(one.Orders) > 0 {
			m = one
		}
	}
	if instead != "" {
		m.GPUs = []string{instead}
	}
	all := []machine{{}}
	all = times(all, m.GPUs, func(one *machine, name *string) { one.gpu = *name })
	all = times(all, m.Models, func(one *machine, model *divergence.Model) { one.model = model })
	return times(all, m.Orders, func(one *machine, order *divergence.Order) { one.order = order })
}

// times returns every combination of a machine and a choice; the machines unchanged if there are no choices.
func times[T any](machines []machine, choices []T, choose func(one *machine, choice *T)) []machine {
	if len(choices) == 0 {
		return machines
	}
	var all []machine
	for _, one := range machines {
		for i := range choices {
			choose(&one, &choices[i])
			all = append(all, one)
		}
	}
	return all
}

// String returns the machine's name in sections: "a100 stack taken".
func (m machine) String() string {
	var words []string
	if m.gpu != "" {
		words = append(words, m.gpu)
	}
	if m.model != nil {
		words = append(words, m.model.String())
	}
	if m.order != nil {
		words = append(words, m.order.String())
	}
	return strings.Join(words, " ")
}

// layer returns the machine as flags.
func (m machine) layer() (*launch.Layer, error) {
	l := launch.NewFlags()
	set := func(directive, text string) error {
		return l.Set(directive, text, launch.Origin{Flag: "--" + directive + " " + text})
	}
	if m.gpu != "" {
		if err := set("gpu", m.gpu); err != nil {
			return nil, err
		}
	}
	if m.model != nil {
		if err := set("divergence", m.model.String()); err != nil {
			return nil, err
		}
	}
	if m.order != nil {
		if err := set("path-order", m.order.String()); err != nil {
			return nil, err
		}
	}
	return l, nil
}
