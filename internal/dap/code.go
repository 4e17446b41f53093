package dap

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/debugger"
)

// sources are the files of the session: on disk, or with a reference.
type sources struct {
	names []string // those with a reference: its number is the index, from 1
	paths map[string]string
}

// files notes the sources of launches.
func (f *sources) files(d *debugger.Debugger) {
	f.paths = make(map[string]string)
	for _, name := range d.SourceNames() {
		f.of(name)
	}
}

// of returns a source for the client: its path, or a reference if no file has it; nil for "".
func (f *sources) of(name string) *dap.Source {
	if name == "" {
		return nil
	}
	known, seen := f.paths[name]
	if !seen {
		if path, err := filepath.Abs(name); err == nil {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				known = path
			}
		}
		f.paths[name] = known
	}
	if known != "" {
		return &dap.Source{Name: filepath.Base(known), Path: known}
	}
	i := slices.Index(f.names, name)
	if i < 0 {
		i = len(f.names)
		f.names = append(f.names, name)
	}
	return &dap.Source{Name: filepath.Base(name), SourceReference: i + 1}
}

// name returns the name in the debugger of a file that the client calls by its path.
func (f *sources) name(path string) string {
	for name, at := range f.paths {
		if at == path && at != "" {
			return name
		}
	}
	return path
}

// referred returns the name of the source with a reference; "" if there is none.
func (f *sources) referred(reference int) string {
	if reference < 1 || reference > len(f.names) {
		return ""
	}
	return f.names[reference-1]
}

func (s *session) source(m *dap.SourceRequest) (any, error) {
	a := &m.Arguments
	reference := a.SourceReference
	if a.Source != nil && a.Source.SourceReference != 0 {
		reference = a.Source.SourceReference
	}
	lines := s.target.Source(s.sources.referred(reference))
	if lines == nil {
		return nil, fmt.Errorf("no source has the reference %d", reference)
	}
	return &dap.SourceResponseBody{Content: strings.Join(lines, "\n") + "\n", MimeType: "text/plain"}, nil
}

func (s *session) loadedSources(*dap.LoadedSourcesRequest) (any, error) {
	body := &dap.LoadedSourcesResponseBody{Sources: []dap.Source{}}
	for _, name := range s.target.SourceNames() {
		body.Sources = append(body.Sources, *s.sources.of(name))
	}
	return body, nil
}

// modules returns the files of the command line: what is loaded.
func (s *session) modules(*dap.ModulesRequest) (any, error) {
	body := &dap.ModulesResponseBody{Modules: []dap.Module{}}
	files := s.launch.Program
	if s.target.host != nil {
		files = words{cmp.Or(s.launch.Host, files.first())}
	}
	for i, file := range files {
		body.Modules = append(body.Modules, dap.Module{Id: i + 1, Name: filepath.Base(file), Path: file, IsUserCode: true, SymbolStatus: "loaded"})
	}
	body.TotalModules = len(body.Modules)
	return body, nil
}

// reference returns the address of an instruction for the client.
func reference(code uint64) string { return fmt.Sprintf("0x%x", code) }

func parseReference(text string) (uint64, error) {
	addr, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not the address of an instruction", text)
	}
	return addr, nil
}

// mostInstructions limits the instructions of a response.
const mostInstructions = 1 << 14

func (s *session) disassemble(m *dap.DisassembleRequest) (any, error) {
	a := &m.Arguments
	addr, err := parseReference(a.MemoryReference)
	if err != nil {
		return nil, err
	}
	if a.InstructionCount < 0 || a.InstructionCount > mostInstructions {
		return nil, fmt.Errorf("instructionCount is 0 to %d, not %d", mostInstructions, a.InstructionCount)
	}
	body := &dap.DisassembleResponseBody{Instructions: []dap.DisassembledInstruction{}}
	for _, in := range s.target.Instructions(addr, a.Offset+a.InstructionOffset, a.InstructionCount) {
		one := dap.DisassembledInstruction{Address: reference(in.Address), Instruction: in.Text, Symbol: in.Function}
		if in.Exists {
			one.Location, one.Line = s.sources.of(in.Pos.File), s.outLine(int(in.Pos.Line))
		}
		body.Instructions = append(body.Instructions, one)
	}
	return body, nil
}

// memoryReference returns a place in memory as text, such as global:0x7f00 or shared:0x40@5.3.0, with the warp, lane
// and frame.
func memoryReference(m *debugger.Memory) string {
	text := fmt.Sprintf("%s:0x%x", m.Space, m.Addr)
	if m.Space == "shared" || m.Space == "local" {
		text += fmt.Sprintf("@%d.%d.%d", m.In.Warp, m.In.Lane, m.In.Level)
	}
	return text
}

// parseMemory parses a memoryReference, or a number, which is an address in global memory.
func parseMemory(text string) (m debugger.Memory, err error) {
	place, where, _ := strings.Cut(text, "@")
	space, addr, named := strings.Cut(place, ":")
	if !named {
		space, addr = "global", place
	}
	m.Space = space
	if m.Addr, err = strconv.ParseUint(addr, 0, 64); err == nil && where != "" {
		_, err = fmt.Sscanf(where, "%d.%d.%d", &m.In.Warp, &m.In.Lane, &m.In.Level)
	}
	if err != nil || !slices.Contains([]string{"global", "shared", "local", "const", "param"}, space) {
		return m, fmt.Errorf("%q is not a place in memory", text)
	}
	return m, nil
}

// mostRead limits the bytes of a response.
const mostRead = 1 << 20

func (s *session) readMemory(m *dap.ReadMemoryRequest) (any, error) {
	a := &m.Arguments
	at, err := parseMemory(a.MemoryReference)
	if err != nil {
		return nil, err
	}
	if a.Count < 0 {
		return nil, fmt.Errorf("count is a number of bytes, not %d", a.Count)
	}
	n := min(a.Count, mostRead)
	data, err := s.target.Read(at, int64(a.Offset), n)
	body := &dap.ReadMemoryResponseBody{Address: fmt.Sprintf("0x%x", at.Addr+uint64(a.Offset)), Data: base64.StdEncoding.EncodeToString(data), UnreadableBytes: n - len(data)}
	return body, err
}

func (s *session) writeMemory(m *dap.WriteMemoryRequest) (any, error) {
	a := &m.Arguments
	at, err := parseMemory(a.MemoryReference)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(a.Data)
	if err != nil || len(data) > mostRead {
		return nil, cmp.Or(err, errors.New("that is more than can be written at once"))
	}
	if there, err := s.target.Read(at, int64(a.Offset), len(data)); err != nil || len(there) < len(data) {
		return nil, cmp.Or(err, fmt.Errorf("%d bytes cannot be written there", len(data)))
	}
	if err := s.target.Write(at, int64(a.Offset), data); err != nil {
		return nil, err
	}
	s.invalidate()
	return &dap.WriteMemoryResponseBody{BytesWritten: len(data)}, nil
}
