package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/tensor"
)

// noArgument returns a message that lists the parameters of fn without an argument, and flags that set them, for a
// launch with that many threads.
func (p *Plan) noArgument(fn *isa.Func, f *form, args []*argument, threads int64) string {
	var names, flags []string
	for i, v := range fn.Params {
		if args[i] == nil {
			names = append(names, v.Shown())
			flags = append(flags, "\n  --arg "+p.exampleArg(fn, v, threads))
		}
	}
	word := "parameter"
	if len(names) > 1 {
		word = "parameters"
	}
	msg := fmt.Sprintf("no argument for %s %s of kernel %s%s", word, strings.Join(names, ", "), cxx.Short(fn.Name), describeParams(fn))
	if f.at.Pos.IsValid() { // a launch line, which has no flags
		return msg
	}
	return msg + "; for example" + strings.Join(flags, "")
}

// threadsOf returns the number of threads of a launch, limited to the size of a buffer in an example.
func threadsOf(l *Launch) int64 {
	const most = 1 << 30
	if block := l.Block.Count(); l.Grid.Count() <= most/block {
		return l.Grid.Count() * block
	}
	return most
}

// exampleArg returns an argument that v accepts. If v may be an address, it is a buffer with one element per thread.
func (p *Plan) exampleArg(fn *isa.Func, v *isa.Var, threads int64) string {
	if t, ok := opaqueOf(v); ok {
		return fmt.Sprintf("%s=NAME   (of a %s directive)", v.Shown(), directiveOf(t))
	}
	switch {
	case v.Size() == tensor.Bytes && copiesTensors(fn):
		return v.Shown() + "=NAME   (of a tensormap directive)"
	case isAggregate(v):
		return fmt.Sprintf("%s=bytes:@FILE   (%d bytes)", v.Shown(), v.Size())
	case p.canPoint(v) == nil:
		return fmt.Sprintf("%s=zeros:%d:%s", v.Shown(), threads, pointedElem(fn, v))
	case ElemOf(v.Type).isFloat():
		return v.Shown() + "=1"
	}
	return fmt.Sprintf("%s=%d", v.Shown(), threads)
}

// pointedElems are the types of elements by the types of C++.
var pointedElems = map[string]string{
	"float": "f32", "double": "f64", "int": "s32", "unsigned int": "u32", "long": "s64", "unsigned long": "u64", "long long": "s64", "unsigned long long": "u64",
	"short": "s16", "unsigned short": "u16", "char": "s8", "signed char": "s8", "unsigned char": "u8", "__half": "f16", "half": "f16", "__nv_bfloat16": "bf16",
}

// pointedElem returns the element type of a pointer parameter: by its type in the source, or by the accesses of fn.
func pointedElem(fn *isa.Func, v *isa.Var) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(v.SourceType(), "const "), " *")
	return cmp.Or(pointedElems[name], fmt.Sprint(accessedElem(fn)))
}

// copiesTensors reports whether fn copies with tensor maps.
func copiesTensors(fn *isa.Func) bool {
	return slices.ContainsFunc(fn.Code, func(in isa.Instr) bool { return in.Mods[isa.TensorG] != 0 })
}

// accessedElem returns the type of the first value that fn loads from or stores to global memory; f32 if there is
// none.
func accessedElem(fn *isa.Func) Elem {
	for i := range fn.Code {
		in := &fn.Code[i]
		switch in.Spec.Kind {
		case isa.Load, isa.Store, isa.Atomic:
			space := in.Mods.MemSpace()
			if e := ElemOf(in.Types[0]); e != 0 && (space == isa.Global || space == isa.Generic) {
				return e
			}
		}
	}
	return F32
}
