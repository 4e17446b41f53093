package evaluate

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// state is what an instruction can read and change, but for memory. Machine code knows the layout.
type state struct {
	general [16]uint64
	flags   uint64
	control uint32
	normal  uint32 // MXCSR of Go
	stack   uint64 // RSP of Go
	target  uint64 // address of the code to execute
	_       [4]uint64
	masks   [8]uint64
	vectors [32]vec
}

const (
	atFlags   = uint32(unsafe.Offsetof(state{}.flags))
	atControl = uint32(unsafe.Offsetof(state{}.control))
	atNormal  = uint32(unsafe.Offsetof(state{}.normal))
	atStack   = uint32(unsafe.Offsetof(state{}.stack))
	atTarget  = uint32(unsafe.Offsetof(state{}.target))
	atMasks   = uint32(unsafe.Offsetof(state{}.masks))
	atVectors = uint32(unsafe.Offsetof(state{}.vectors))
)

// machine executes instructions on the host's CPU: from a state in which it sets all registers, flags and MXCSR, to
// one in which it stores them.
type machine struct {
	level  jit.Level
	state  *state
	code   []byte
	leave  int // offset of the code that stores the registers
	placed *jit.Code
}

func newMachine(level jit.Level) *machine {
	m := &machine{level: level, state: new(state)}
	m.emitEntry()
	m.leave = len(m.code)
	m.emitExit()
	return m
}

func (m *machine) bytes(b ...byte) { m.code = append(m.code, b...) }

// at appends an instruction with the operand [rax + disp].
func (m *machine) at(disp uint32, b ...byte) {
	m.bytes(b...)
	m.code = binary.LittleEndian.AppendUint32(m.code, disp)
}

// address appends the address of the state after an opcode.
func (m *machine) address(b ...byte) {
	m.bytes(b...)
	m.code = binary.LittleEndian.AppendUint64(m.code, uint64(uintptr(unsafe.Pointer(m.state))))
}

// emitEntry writes the code that loads all registers but RAX, and jumps to the target.
func (m *machine) emitEntry() {
	m.address(0x48, 0xb8)             // mov rax, state
	m.at(atStack, 0x48, 0x89, 0xa0)   // mov [rax + stack], rsp
	m.at(atFlags, 0xff, 0xb0)         // push [rax + flags]
	m.bytes(0x9d)                     // popfq
	m.at(atControl, 0x0f, 0xae, 0x90) // ldmxcsr [rax + control]
	m.vectors(0x6f)
	m.masks(0x90)
	for r := byte(1); r < 16; r++ {
		m.at(8*uint32(r), 0x48|r>>3<<2, 0x8b, 0x80|r&7<<3) // mov r, [rax + 8*r]
	}
	m.at(atTarget, 0xff, 0xa0) // jmp [rax + target]
}

// emitExit writes the code that stores all registers and returns.
func (m *machine) emitExit() {
	m.address(0x48, 0xa3) // mov [state], rax
	m.address(0x48, 0xb8) // mov rax, state
	for r := byte(1); r < 16; r++ {
		m.at(8*uint32(r), 0x48|r>>3<<2, 0x89, 0x80|r&7<<3) // mov [rax + 8*r], r
	}
	m.at(atStack, 0x48, 0x8b, 0xa0) // mov rsp, [rax + stack]
	m.bytes(0x9c)                   // pushfq
	m.at(atFlags, 0x8f, 0x80)       // pop [rax + flags]
	m.vectors(0x7f)
	m.masks(0x91)
	m.at(atControl, 0x0f, 0xae, 0x98) // stmxcsr [rax + control]
	m.at(atNormal, 0x0f, 0xae, 0x90)  // ldmxcsr [rax + normal]
	m.bytes(0xc5, 0xf8, 0x77)         // vzeroupper
	m.bytes(0xc3)
}

// vectors appends moves of all vector registers: vmovdqu, or vmovdqu64 of 512 bits.
func (m *machine) vectors(op byte) {
	n := byte(16)
	if m.level == jit.AVX512 {
		n = 32
	}
	for r := range n {
		disp := atVectors + uint32(unsafe.Sizeof(vec{}))*uint32(r)
		if m.level == jit.AVX512 {
			m.at(disp, 0x62, ^r>>3&1<<7|0x61|^r>>4&1<<4, 0xfe, 0x48, op, 0x80|r&7<<3)
		} else {
			m.at(disp, 0xc5, ^r>>3&1<<7|0x7e, op, 0x80|r&7<<3)
		}
	}
}

// masks appends moves of all mask registers: kmovq.
func (m *machine) masks(op byte) {
	if m.level != jit.AVX512 {
		return
	}
	for k := range byte(8) {
		m.at(atMasks+8*uint32(k), 0xc4, 0xe1, 0xf8, op, 0x80|k<<3)
	}
}

// add adds an instruction, and returns the offset of the code that executes it, and that of its end.
func (m *machine) add(instr []byte) (begin, end int) {
	begin = len(m.code)
	m.address(0x48, 0xa1) // mov rax, [state]
	m.bytes(instr...)
	end = len(m.code)
	m.bytes(0xe9) // jmp leave
	m.code = binary.LittleEndian.AppendUint32(m.code, uint32(m.leave-len(m.code)-4))
	return begin, end
}

// place makes the code executable.
func (m *machine) place(t *testing.T) {
	code, err := jit.NewCode(m.code, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(code.Close)
	m.placed = code
}

// execute executes the instruction that add has placed at offset.
func (m *machine) execute(offset int) {
	m.state.normal = defaultControl
	m.state.target = uint64(m.placed.Addr(offset))
	jit.Enter(m.placed.Addr(0), unsafe.Pointer(m.state))
}
