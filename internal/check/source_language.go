package check

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/source"
)

// words are the names, in the language of the source, of what orders accesses.
type words struct {
	barrier, warpBarrier     string
	fence, scope             string
	clusterBarrier, relaxed  string
	release, acquire         string // a store and a load
	copyWait, bulkWait, mmas string
	phaseWait                string // for a phase of an mbarrier
}

var (
	ptxWords = words{
		barrier: "bar.sync", warpBarrier: "bar.warp.sync", fence: "membar.gl", scope: "scope gpu on both",
		clusterBarrier: "barrier.cluster.arrive and barrier.cluster.wait", relaxed: "arrive.relaxed",
		release: "st.release.gpu", acquire: "ld.acquire.gpu",
		copyWait: "cp.async.wait_all, or cp.async.wait_group,", bulkWait: "cp.async.bulk.commit_group, and cp.async.bulk.wait_group.read", mmas: "wgmma.wait_group",
		phaseWait: "a loop around mbarrier.try_wait",
	}
	cudaWords = words{
		barrier: "__syncthreads()", warpBarrier: "__syncwarp()", fence: "__threadfence()", scope: "scope device on both, as atomicAdd() has; atomicAdd_block() is for one block",
		clusterBarrier: "cluster.sync()", relaxed: "barrier_arrive with relaxed order",
		release: "__threadfence() and atomicExch()", acquire: "a volatile or atomic load, and __threadfence() after it,",
		copyWait: "__pipeline_wait_prior(0) (or cp.async.wait_all)", bulkWait: "cp_async_bulk_commit_group(), and cp_async_bulk_wait_group_read()", mmas: "wgmma.wait_group",
		phaseWait: "a wait at the barrier (cuda::barrier's wait(), or a loop around mbarrier.try_wait)",
	}
)

// inLanguage returns the words of PTX, with those of another language for barriers and fences. PTX's come after it for
// the rest, which the language may not have.
func inLanguage(barrier, warpBarrier, fence string) words {
	w := ptxWords
	w.barrier, w.warpBarrier, w.fence = barrier, warpBarrier, fence
	return w
}

var (
	numbaWords   = inLanguage("cuda.syncthreads()", "cuda.syncwarp()", "cuda.threadfence()")
	tritonWords  = inLanguage("tl.debug_barrier()", "tl.debug_barrier()", "an atomic with sem=\"acq_rel\"")
	juliaWords   = inLanguage("sync_threads()", "sync_warp()", "threadfence()")
	rustWords    = inLanguage("sync_threads()", "sync_warp()", "device_fence()")
	fortranWords = inLanguage("call syncthreads()", "call syncwarp()", "call threadfence()")
	otherWords   = inLanguage("a barrier of the block (bar.sync)", "a barrier of the warp (bar.warp.sync)", "a fence (membar.gl)")
)

// cudaFiles are the extensions of files of CUDA C++.
var cudaFiles = map[string]bool{".cu": true, ".cuh": true, ".h": true, ".hh": true, ".hpp": true, ".hxx": true, ".inl": true, ".inc": true, ".c": true, ".cc": true, ".cpp": true, ".cxx": true, "": true}

// words returns the words for the source of an instruction.
func (s *site) words() *words {
	at := s.place()
	if !at.IsCompiled() {
		return &ptxWords
	}
	extension := path.Ext(at.Pos().File)
	switch {
	case isGenerated(s.fn.Name):
		return &otherWords
	case cudaFiles[extension]:
		return &cudaWords
	case extension == ".py" && strings.HasPrefix(s.fn.Name, "_Z"): // Triton does not mangle names, Numba does
		return &numbaWords
	case extension == ".py":
		return &tritonWords
	case extension == ".jl":
		return &juliaWords
	case extension == ".rs":
		return &rustWords
	case extension == ".cuf", extension == ".CUF", extension == ".f90", extension == ".F90":
		return &fortranWords
	}
	return &otherWords
}

// generated matches names of kernels that tinygrad (E_32_4, r_16_8n1) and Halide (kernel_f_s0_y___block_id_y) make from
// loops. Their sources, .py and .cpp, have no barriers: schedules say where they are.
var generated = regexp.MustCompile(`^[Er]_[0-9]+(_[0-9]+)*(n[0-9]+)?$|___block_id_[xyzw]`)

func isGenerated(kernel string) bool { return generated.MatchString(kernel) }

// words returns the words for the later access.
func (c *race) words() *words { return c.second.words() }

func (s *site) place() source.Place { return source.At(s.fn, s.pc) }

// lineOf names the line of an instruction: "line 12", or "half.h:12" in another file than the later access.
func (c *race) lineOf(fn *isa.Func, pc int) string {
	return lineText(source.At(fn, pc).Pos(), c.second.place().Pos())
}

func lineText(pos, near isa.Pos) string {
	if pos.File != near.File {
		return fmt.Sprintf("%s:%d", pos.File, pos.Line)
	}
	return fmt.Sprintf("line %d", pos.Line)
}

// editPos returns the position of an edit in the innermost function of the source that both accesses are in.
func (c *race) editPos(e *Edit) (first, second, edit isa.Pos) {
	a, b, at := c.first.place(), c.second.place(), source.At(e.Func, e.PC)
	depth := source.Shared(a, b)
	return a.AtDepth(depth), b.AtDepth(depth), at.AtDepth(min(depth, source.Shared(b, at)))
}

// where says where an edit goes in the source.
func (c *race) where(e *Edit, code *code) string {
	first, second, edit := c.editPos(e)
	line := lineText(edit, second)
	if !c.second.place().IsCompiled() {
		if header, ok := code.loopHeader(c.first.pc, c.second.pc); ok && c.otherIteration && e.PC == header {
			return "at the head of the loop, before " + line
		}
		return "before " + line
	}
	if edit.File != first.File || edit.File != second.File {
		return "before " + line
	}
	if n := loopLine(e, code); n > 0 && n == edit.Line && n <= min(first.Line, second.Line) {
		return fmt.Sprintf("at the start of the body of the loop in line %d", n)
	}
	switch {
	case first.Line < second.Line && (edit.Line <= first.Line || edit.Line > second.Line):
		return fmt.Sprintf("between lines %d and %d", first.Line, second.Line)
	case first.Line < second.Line:
		return "before " + line
	case first.Line > second.Line || edit.Line != first.Line:
		return "before " + line + ", in every iteration"
	case c.isOneStatement(first, second, edit):
		return fmt.Sprintf("in line %d, between the read and the write: read into a variable first", edit.Line)
	case first.Col < edit.Col && edit.Col <= second.Col:
		return fmt.Sprintf("in line %d, before column %d", edit.Line, edit.Col)
	}
	return "before " + line + ", in every iteration"
}

// isOneStatement reports whether a read and a later write on one line seem to be of one statement, such as
// "s[t] = s[t + 1]": the write is not right of the read, and nothing left of both comes in between.
func (c *race) isOneStatement(read, write, edit isa.Pos) bool {
	return c.first.class&writes == 0 && c.second.class&writes != 0 && write.Col <= read.Col && edit.Col >= write.Col
}

// atomicFunctions are the functions of CUDA, by operation.
var atomicFunctions = map[isa.Mod]string{isa.AtomAdd: "atomicAdd()", isa.AtomMin: "atomicMin()", isa.AtomMax: "atomicMax()", isa.AtomAnd: "atomicAnd()", isa.AtomOr: "atomicOr()", isa.AtomXor: "atomicXor()"}

// atomicText is the advice to replace a load, the operation at a PC and a store by an atomic, which is given as PTX.
func (c *race) atomicText(atomic string, load, store *site, op int) string {
	from, to := c.lineOf(load.fn, load.pc), c.lineOf(store.fn, store.pc)
	if c.words() == &cudaWords {
		atomic = cmp.Or(atomicFunctions[load.fn.Code[op].Spec.AtomOp], atomic)
		if from == to {
			return atomic + " in " + from + ", instead of the load and the store: other threads may access it in between"
		}
	}
	return fmt.Sprintf("%s instead of the load in %s and the store in %s: other threads may access it in between", atomic, from, to)
}

// loopLine returns the line of the statement of a loop, if an edit is at the head of one: that of the last instruction
// before the way back to the head, wherever the compiler has placed it. 0 stands for none.
func loopLine(e *Edit, code *code) int32 {
	if code.big {
		return 0
	}
	head := code.fl.BlockOf(e.PC)
	for b := range code.blocks {
		if code.dominators[b].has(head) && slices.Contains(code.blocks[b].Succ, head) {
			return source.At(e.Func, code.blocks[b].End-1).Pos().Line
		}
	}
	return 0
}
