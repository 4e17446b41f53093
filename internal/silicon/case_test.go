// Package silicon compares simtrun with NVIDIA GPUs, bit by bit: it writes cases for run.py, which executes them on a
// GPU, and stores the GPUs' answers.
package silicon

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/simtrun/simtrun/internal/isa"
)

// Case is a group of modules that are compared under one name: those of a form of the instruction table, or a
// program.
type Case struct {
	Name    string   `json:"name"`
	Modules []Module `json:"modules"`
	// Keep says that a GPU's outputs are needed even if they equal simtrun's.
	Keep bool `json:"keep,omitempty"`
}

// Module is PTX, and launches of its kernels, each with its own buffers.
type Module struct {
	PTX      string      `json:"ptx"`
	Launches []Launch    `json:"launches"`
	Parsed   *isa.Module `json:"-"` // the PTX
}

// Launch is a launch, and simtrun's answer.
type Launch struct {
	Kernel string    `json:"kernel"`
	Grid   [3]uint32 `json:"grid"`
	Block  [3]uint32 `json:"block"`
	Shared int64     `json:"shared,omitempty"` // bytes of dynamic shared memory
	Times  int       `json:"times"`            // number of launches
	Params []byte    `json:"params"`           // the parameter block
	// Offsets are the offsets of the parameters in it.
	Offsets []int64 `json:"offsets,omitempty"`
	// Pointers are the places in it for addresses of buffers.
	Pointers []Pointer `json:"pointers,omitempty"`
	Buffers  [][]byte  `json:"-"`
	// Columns is the number of columns of the table of 8-byte words in the last buffer, which is compared column by
	// column; 0 if it is not a table.
	Columns int `json:"columns,omitempty"`
	// Variables are those of the module that are also outputs.
	Variables []Variable `json:"variables,omitempty"`
	// Want has hashes of simtrun's outputs: of the buffers, or of columns instead of the last, then of the variables. It
	// is empty if simtrun has no outputs.
	Want []string `json:"want"`
}

// Pointer is 8 bytes of the parameter block that hold an address in a buffer.
type Pointer struct {
	At     int   `json:"at"`
	Buffer int   `json:"buffer"`
	Offset int64 `json:"offset,omitempty"`
}

// Variable is a variable of a module in global or constant memory.
type Variable struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// hashBytes is the number of bytes of a SHA-256 that are kept.
const hashBytes = 8

// Hash returns the hash by which outputs are compared.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:hashBytes])
}

// Hashes returns those of the outputs of l, in the order of Want.
func (l *Launch) Hashes(outputs [][]byte) []string {
	var all []string
	for i, data := range outputs {
		if l.Columns == 0 || i != len(l.Buffers)-1 {
			all = append(all, Hash(data))
			continue
		}
		for c := range l.Columns {
			all = append(all, Hash(column(data, c, l.Columns)))
		}
	}
	return all
}

// column returns one column of a table of 8-byte words.
func column(table []byte, c, columns int) []byte {
	out := make([]byte, 0, len(table)/columns)
	for at := 8 * c; at < len(table); at += 8 * columns {
		out = append(out, table[at:at+8]...)
	}
	return out
}

// storedBuffer is a buffer in a file of cases: zeros if there is no data.
type storedBuffer struct {
	Size int    `json:"size"`
	Data string `json:"data,omitempty"` // the name of a file
}

type storedLaunch struct {
	Launch
	Stored []storedBuffer `json:"buffers"`
}

type storedModule struct {
	PTX      string         `json:"ptx"`
	Launches []storedLaunch `json:"launches"`
}

type storedCase struct {
	Case
	Key     string         `json:"key,omitempty"` // repeated in the results
	Modules []storedModule `json:"modules"`
}

// stored returns c in the format of the file; content is called with the contents of each buffer.
func (c *Case) stored(content func(name string, data []byte) error) (storedCase, error) {
	s := storedCase{Case: *c}
	for _, m := range c.Modules {
		sm := storedModule{PTX: m.PTX}
		for _, l := range m.Launches {
			sl := storedLaunch{Launch: l}
			for _, data := range l.Buffers {
				b := storedBuffer{Size: len(data)}
				if len(bytes.TrimLeft(data, "\x00")) > 0 {
					b.Data = Hash(data)
					if err := content(b.Data, data); err != nil {
						return s, err
					}
				}
				sl.Stored = append(sl.Stored, b)
			}
			sm.Launches = append(sm.Launches, sl)
		}
		s.Modules = append(s.Modules, sm)
	}
	return s, nil
}

// Key distinguishes a case from others, and from its earlier versions: it depends on everything except the name and
// simtrun's answers.
func (c *Case) Key() string {
	s, _ := c.stored(func(string, []byte) error { return nil })
	s.Name, s.Keep = "", false
	for _, m := range s.Modules {
		for i := range m.Launches {
			m.Launches[i].Want = nil
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("simtrun bug: %v", err))
	}
	return Hash(text)
}

// Writer writes cases for run.py: a zip file with cases.jsonl, a case on a line, and the contents of buffers.
type Writer struct {
	zip   *zip.Writer
	lines bytes.Buffer
	known map[string]bool // contents that are in the file
}

// NewWriter writes to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{zip: zip.NewWriter(w), known: make(map[string]bool)}
}

// Add writes a case.
func (w *Writer) Add(c *Case) error {
	s, err := c.stored(func(name string, data []byte) error {
		if w.known[name] {
			return nil
		}
		w.known[name] = true
		f, err := w.zip.Create("data/" + name)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	s.Key = c.Key()
	return json.NewEncoder(&w.lines).Encode(s)
}

// Close ends the file.
func (w *Writer) Close() error {
	f, err := w.zip.Create("cases.jsonl")
	if err != nil {
		return err
	}
	if _, err := w.lines.WriteTo(f); err != nil {
		return err
	}
	return w.zip.Close()
}

// Results are the results of run.py.
type Results struct {
	GPU    string `json:"gpu"`
	Driver string `json:"driver"` // its version
	CUDA   string `json:"cuda"`   // version of the API that the driver has
	Date   string `json:"date"`
	Cases  []CaseResult
	files  map[string]*zip.File
}

// CaseResult is a GPU's answer to a case.
type CaseResult struct {
	Name    string         `json:"name"`
	Key     string         `json:"key"` // of the case
	Modules []ModuleResult `json:"modules"`
}

// ModuleResult is the result of a module: outputs of its launches, or the reason why there are none.
type ModuleResult struct {
	// Status is ok, refused (by the driver's assembler), error (of a launch),
	// timeout, or not run.
	Status   string           `json:"status"`
	Log      string           `json:"log,omitempty"` // the assembler's, or the name of the error
	Launches []LaunchedResult `json:"launches,omitempty"`
	Printed  string           `json:"printed,omitempty"`
}

// LaunchedResult has the outputs of a launch as hashes. Outputs that differ from simtrun's, or are to be kept, are
// also files, by their number.
type LaunchedResult struct {
	Hashes []string       `json:"hashes"`
	Files  map[int]string `json:"files,omitempty"`
}

// Data returns the content of a file of the results.
func (r *Results) Data(name string) ([]byte, error) {
	f := r.files[name]
	if f == nil {
		return nil, fmt.Errorf("no file %s in the results", name)
	}
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// ReadResults reads a file that run.py has written.
func ReadResults(in io.ReaderAt, size int64) (*Results, error) {
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return nil, err
	}
	r := &Results{files: make(map[string]*zip.File)}
	for _, f := range archive.File {
		r.files[f.Name] = f
	}
	about, err := r.Data("about.json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(about, r); err != nil {
		return nil, err
	}
	lines, err := r.Data("results.jsonl")
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(lines)); d.More(); {
		var c CaseResult
		if err := d.Decode(&c); err != nil {
			return nil, err
		}
		r.Cases = append(r.Cases, c)
	}
	return r, nil
}
