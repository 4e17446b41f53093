package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A lane is stored in a buffer as its registers, 8 bytes each, and its scratch memory, aligned for the longest
// vector.
func scratchAt(space int) int {
	return (len(registers)*8+scratchBytes-1)/scratchBytes*scratchBytes + space*scratchBytes
}

func laneBytes() int { return scratchAt(numScratches) }

func (l *laneState) appendTo(b []byte) []byte {
	lane := make([]byte, laneBytes())
	for i, v := range l.regs {
		binary.LittleEndian.PutUint64(lane[8*i:], v)
	}
	for space := range l.memory {
		copy(lane[scratchAt(space):], l.memory[space][:])
	}
	return append(b, lane...)
}

// compare describes the first difference from l, "" if there is none.
func (l *laneState) compare(got []byte) string {
	for i, want := range l.regs {
		if v := binary.LittleEndian.Uint64(got[8*i:]); v != want {
			return fmt.Sprintf("%s is %#x, want %#x", registers[i].name, v, want)
		}
	}
	for space := range l.memory {
		want := l.memory[space][:]
		if v := got[scratchAt(space):][:scratchBytes]; !bytes.Equal(v, want) {
			return fmt.Sprintf("%s memory is\n%x, want\n%x", scratchSpaces[space], v, want)
		}
	}
	return ""
}

// Kernel loads every register and the scratch memory of a thread, executes the
// instructions of a program, and stores them all.
func Kernel(instructions string, threads int) string {
	w := &kernelText{}
	declareLanes(w, &shape{grid: dim(1, 1), block: dim(uint32(threads), 1)})
	for i, reg := range registers {
		reg.load(w, fmt.Sprintf("%%in+%d", 8*i))
	}
	w.WriteString(instructions)
	for i := range registers { // the carry flag first, because the code below does not change it
		k := (i + carryRegister()) % len(registers)
		registers[k].store(w, fmt.Sprintf("%%global+%d", 8*k-scratchAt(globalScratch)))
	}
	showScratch(w)
	return header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + "\tret;\n}\n"
}

// declareLanes declares the registers of a kernel of random instructions, and initialises the scratch memory.
func declareLanes(w *kernelText, s *shape) {
	w.line(".shared .align %d .b8 of_cta[%d];", scratchBytes, s.threads()*scratchBytes)
	w.line(".local .align %d .b8 of_lane[%[1]d];", scratchBytes)
	declareRegisters(w)
	w.number(s.block)
	number := w.numberInGrid(s)
	w.line("ld.param.u64 %%in, [in];")
	w.line("mad.wide.u32 %%in, %s, %d, %%in;", number, laneBytes())
	w.line("ld.param.u64 %%global, [out];")
	w.line("mad.wide.u32 %%global, %s, %d, %%global;", number, laneBytes())
	w.line("add.u64 %%global, %%global, %d;", scratchAt(globalScratch))
	w.line("mov.u64 %%shared, of_cta;")
	w.line("mad.wide.u32 %%shared, %%t, %d, %%shared;", scratchBytes)
	w.line("mov.u64 %%local, of_lane;")
	for _, space := range scratchSpaces {
		w.line("cvta.%s.u64 %%generic_%[1]s, %%%[1]s;", space)
	}
	for _, space := range []int{sharedScratch, localScratch} {
		for at := 0; at < scratchBytes; at += 16 {
			w.line("ld.global.v2.b64 {%%x, %%y}, [%%in+%d];", scratchAt(space)+at)
			w.line("st.%s.v2.b64 [%%%[1]s+%d], {%%x, %%y};", scratchSpaces[space], at)
		}
	}
}

// declareRegisters declares the registers of random programs.
func declareRegisters(w *kernelText) {
	w.line(".reg .b64 %%in, %%global, %%shared, %%local, %%generic_global, %%generic_shared, %%generic_local, %%x, %%y;")
	w.line(".reg .b32 %%t, %%v, %%members;")
	w.line(".reg .pred %%p<%d>;", len(pools[1]))
	w.line(".reg .b8 %%b<%d>;", len(pools[8]))
	w.line(".reg .b16 %%h<%d>;", len(pools[16]))
	w.line(".reg .b32 %%r<%d>;", len(pools[32]))
	w.line(".reg .b64 %%d<%d>;", len(pools[64]))
}

// showScratch stores the scratch memory that is not in the buffer.
func showScratch(w *kernelText) {
	for _, space := range []int{sharedScratch, localScratch} {
		for at := 0; at < scratchBytes; at += 16 {
			w.line("ld.%s.v2.b64 {%%x, %%y}, [%%%[1]s+%d];", scratchSpaces[space], at)
			w.line("st.global.v2.b64 [%%global+%d], {%%x, %%y};", scratchAt(space)-scratchAt(globalScratch)+at)
		}
	}
}

func (reg register) load(w *kernelText, from string) {
	switch reg.bits {
	case 0:
		w.line("ld.global.b32 %%v, [%s];", from)
		w.line("add.cc.u32 %%v, %%v, -1;") // all ones and 1 carry
	case 1:
		w.line("ld.global.b32 %%v, [%s];", from)
		w.line("setp.ne.u32 %s, %%v, 0;", reg.name)
	default:
		w.line("ld.global.b%d %s, [%s];", reg.bits, reg.name, from)
	}
}

func (reg register) store(w *kernelText, to string) {
	switch reg.bits {
	case 0:
		w.line("addc.u32 %%v, 0, 0;")
		w.line("st.global.b32 [%s], %%v;", to)
	case 1:
		w.line("selp.b32 %%v, 1, 0, %s;", reg.name)
		w.line("st.global.b32 [%s], %%v;", to)
	default:
		w.line("st.global.b%d [%s], %s;", reg.bits, to, reg.name)
	}
}
