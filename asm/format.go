package asm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Format writes a module as canonical PTX that NVIDIA's assembler accepts: with a header and all declarations, one
// instruction per line, and without inner scopes. Parsing it gives an equal module, except for positions and a
// missing header.
func Format(m *isa.Module) string {
	p := &printer{mod: m, reserved: reservedPrefixes(m)}
	version, target := headerOf(m)
	p.linef(".version %s", version)
	p.linef(".target %s", target)
	if !withoutAddressSize(version) || m.AddressSize != addressSizeOf(m) {
		p.linef(".address_size %d", m.AddressSize)
	}
	p.definitions()
	return p.String()
}

type printer struct {
	strings.Builder
	mod      *isa.Module
	reserved map[string]bool // prefixes that a range of registers must not have
}

func (p *printer) linef(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// definitions writes variables and functions in the order of the source, because NVIDIA's assembler requires a
// declaration before each use. Module variables that a function declares come before it. In a linked module,
// variables from other sources come first.
func (p *printer) definitions() {
	vars := p.mod.Vars
	for _, f := range p.mod.Funcs {
		n, end := 0, f.Pos
		if f.Defined {
			end = f.End
		}
		for n < len(vars) && (vars[n].Pos.File != f.Pos.File || comparePos(vars[n].Pos, end) < 0) {
			n++
		}
		p.variables(vars[:n])
		vars = vars[n:]
		p.function(f)
	}
	p.variables(vars)
	for i, al := range p.mod.Aliases {
		if i == 0 {
			p.WriteByte('\n')
		}
		p.linef(".alias %s, %s;", al.Name, al.Target)
	}
}

func (p *printer) variables(vars []*isa.Var) {
	for i, v := range vars {
		if i == 0 {
			p.WriteByte('\n')
		}
		p.linef("%s;", declaration(v))
	}
}

func (p *printer) function(f *isa.Func) {
	p.WriteByte('\n')
	if f.Linkage != isa.Internal {
		p.WriteString(f.Linkage.String() + " ")
	}
	if f.Entry {
		p.WriteString(".entry ")
	} else {
		p.WriteString(".func ")
	}
	if len(f.Returns) > 0 {
		p.parameters(f.Returns)
		p.WriteByte(' ')
	}
	p.WriteString(f.Name)
	p.parameters(f.Params)
	p.hints(f)
	if !f.Defined {
		p.WriteString(";\n")
		return
	}
	p.WriteString("\n{\n")
	p.body(f)
	p.WriteString("}\n")
}

func (p *printer) parameters(params []*isa.Var) {
	if len(params) == 0 {
		p.WriteString("()")
		return
	}
	for i, v := range params {
		if i == 0 {
			p.WriteString("(\n\t")
		} else {
			p.WriteString(",\n\t")
		}
		p.WriteString(declaration(v))
	}
	p.WriteString("\n)")
}

func (p *printer) hints(f *isa.Func) {
	for _, h := range []struct {
		name string
		dim  isa.Dim
	}{{".maxntid", f.MaxNTID}, {".reqntid", f.ReqNTID}, {".reqnctapercluster", f.Cluster}} {
		if h.dim != (isa.Dim{}) {
			fmt.Fprintf(p, "\n%s %d, %d, %d", h.name, h.dim.X, h.dim.Y, h.dim.Z)
		}
	}
	if f.MinCTAs > 0 {
		fmt.Fprintf(p, "\n.minnctapersm %d", f.MinCTAs)
	}
	if f.MaxRegs > 0 {
		fmt.Fprintf(p, "\n.maxnreg %d", f.MaxRegs)
	}
	if f.ExplicitCluster {
		p.WriteString("\n.explicitcluster")
	}
	if f.MaxClusterRank > 0 {
		fmt.Fprintf(p, "\n.maxclusterrank %d", f.MaxClusterRank)
	}
	if f.NoReturn {
		p.WriteString("\n.noreturn")
	}
}

func (p *printer) body(f *isa.Func) {
	for _, v := range f.Vars {
		p.linef("\t%s;", declaration(v))
	}
	p.registers(f)
	tables := branchTargets(f)
	for _, t := range tables {
		p.linef("\t%s: .branchtargets %s;", t.Sym, labelsText(f, t.Elems))
	}
	for _, proto := range f.Protos {
		p.prototype(proto)
	}
	if len(f.Vars)+len(f.Regs)+len(tables)+len(f.Protos) > 0 {
		p.WriteByte('\n')
	}
	label := 0
	for pc := 0; ; pc++ {
		for ; label < len(f.Labels) && f.Labels[label].PC == pc; label++ {
			p.linef("%s:", f.Labels[label].Name)
		}
		if pc == len(f.Code) {
			return
		}
		p.linef("\t%s", f.Text(pc))
	}
}

// branchTargets returns the lists of labels that the code of f uses.
func branchTargets(f *isa.Func) []*isa.Operand {
	var tables []*isa.Operand
	seen := make(map[string]bool)
	for pc := range f.Code {
		for i := range f.Code[pc].Args {
			if a := &f.Code[pc].Args[i]; a.Kind == isa.TableOperand && !seen[a.Sym] {
				seen[a.Sym] = true
				tables = append(tables, a)
			}
		}
	}
	return tables
}

func labelsText(f *isa.Func, labels []isa.Operand) string {
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = f.Labels[l.Label()].Name
	}
	return strings.Join(names, ", ")
}

func (p *printer) prototype(proto *isa.Prototype) {
	if proto.Targets != nil {
		p.linef("\t%s: .calltargets %s;", proto.Name, strings.Join(proto.Targets, ", "))
		return
	}
	text := proto.Name + ": .callprototype "
	if len(proto.Returns) > 0 {
		text += "(" + declarations(proto.Returns) + ") "
	}
	text += "_ (" + declarations(proto.Params) + ")"
	if proto.NoReturn {
		text += " .noreturn"
	}
	p.linef("\t%s;", text)
}

func declarations(vars []*isa.Var) string {
	texts := make([]string, len(vars))
	for i, v := range vars {
		texts[i] = declaration(v)
	}
	return strings.Join(texts, ", ")
}

// registerKey identifies registers of one declaration: by their type and, for a range, their prefix.
type registerKey struct {
	prefix string
	typ    isa.Type
}

type registerGroup struct {
	registerKey
	count uint64 // one more than the highest number
	names []string
}

// registers declares the registers that the code uses. Numbered ones become a range if all of the prefix have one
// type, and no other name is in the range.
func (p *printer) registers(f *isa.Func) {
	ranges := p.ranges(f)
	var groups []*registerGroup
	byKey := make(map[registerKey]*registerGroup)
	for _, r := range f.Regs {
		if isParameter(f, r.Name) {
			continue
		}
		prefix, n, _ := numbered(r.Name)
		if !ranges[prefix] {
			prefix = ""
		}
		key := registerKey{prefix, r.Type}
		g := byKey[key]
		if g == nil {
			g = &registerGroup{registerKey: key}
			byKey[key] = g
			groups = append(groups, g)
		}
		g.count = max(g.count, n+1)
		g.names = append(g.names, r.Name)
	}
	for _, g := range groups {
		if g.prefix != "" {
			p.linef("\t.reg .%s %s<%d>;", g.typ, g.prefix, g.count)
		} else {
			p.linef("\t.reg .%s %s;", g.typ, strings.Join(g.names, ", "))
		}
	}
}

// ranges returns the prefixes of registers that can be declared as a range.
func (p *printer) ranges(f *isa.Func) map[string]bool {
	ok := make(map[string]bool)
	types := make(map[string]isa.Type)
	for _, r := range f.Regs {
		prefix := rangePrefix(r.Name)
		if t, seen := types[prefix]; seen && t != r.Type {
			ok[prefix] = false
		} else if !seen {
			types[prefix], ok[prefix] = r.Type, true
		}
	}
	for _, vars := range [][]*isa.Var{f.Params, f.Returns, f.Vars} {
		for _, v := range vars {
			delete(ok, rangePrefix(v.Name))
		}
	}
	for _, l := range f.Labels {
		delete(ok, rangePrefix(l.Name))
	}
	for _, t := range branchTargets(f) {
		delete(ok, rangePrefix(t.Sym))
	}
	for _, proto := range f.Protos {
		delete(ok, rangePrefix(proto.Name))
	}
	delete(ok, "")
	maps.DeleteFunc(ok, func(prefix string, _ bool) bool { return p.reserved[prefix] })
	return ok
}

// reservedPrefixes returns the prefixes of numbered names of the module: a range of registers could hide such a name.
func reservedPrefixes(m *isa.Module) map[string]bool {
	reserved := make(map[string]bool)
	for _, v := range m.Vars {
		reserved[rangePrefix(v.Name)] = true
	}
	for _, f := range m.Funcs {
		reserved[rangePrefix(f.Name)] = true
	}
	for _, al := range m.Aliases {
		reserved[rangePrefix(al.Name)] = true
	}
	return reserved
}

// isParameter reports whether a register is a parameter or return value of f, so that it needs no .reg declaration.
func isParameter(f *isa.Func, name string) bool {
	isName := func(v *isa.Var) bool { return v.Space == isa.RegSpace && v.Name == name }
	return slices.ContainsFunc(f.Params, isName) || slices.ContainsFunc(f.Returns, isName)
}

// declaration returns the text of a variable or parameter without its semicolon.
func declaration(v *isa.Var) string {
	var b strings.Builder
	if v.Linkage != isa.Internal {
		b.WriteString(v.Linkage.String() + " ")
	}
	b.WriteString("." + v.Space.String())
	if v.Align > max(v.Type.Bytes()*v.Vec, 1) {
		fmt.Fprintf(&b, " .align %d", v.Align)
	}
	if v.Vec > 1 {
		fmt.Fprintf(&b, " .v%d", v.Vec)
	}
	b.WriteString(" ." + v.Type.String())
	if v.Ptr != nil {
		b.WriteString(pointerText(v.Ptr))
	}
	b.WriteString(" " + v.Name)
	switch {
	case v.Array && v.Count == 0:
		b.WriteString("[]")
	case v.Array:
		fmt.Fprintf(&b, "[%d]", v.Count)
	}
	if len(v.Fields) > 0 {
		b.WriteString(" = " + fieldsText(v))
	}
	if len(v.Init) > 0 {
		b.WriteString(" = " + initText(v))
	}
	return b.String()
}

func pointerText(ptr *isa.Ptr) string {
	text := " .ptr"
	if ptr.To != isa.NoType {
		return text + " ." + ptr.To.String()
	}
	if ptr.Space != isa.Generic {
		text += " ." + ptr.Space.String()
	}
	return fmt.Sprintf("%s .align %d", text, ptr.Align)
}

func initText(v *isa.Var) string {
	if !v.Array && v.Vec == 1 {
		return elementText(v, &v.Init[0])
	}
	var b strings.Builder
	b.WriteByte('{')
	for i := range v.Init {
		if i > 0 {
			b.WriteString(", ")
		}
		if v.Array && v.Vec > 1 && i%v.Vec == 0 {
			b.WriteByte('{')
		}
		b.WriteString(elementText(v, &v.Init[i]))
		if v.Array && v.Vec > 1 && (i%v.Vec == v.Vec-1 || i == len(v.Init)-1) {
			b.WriteByte('}')
		}
	}
	b.WriteByte('}')
	return b.String()
}

func elementText(v *isa.Var, in *isa.Init) string {
	if in.Mask != 0 {
		whole := *in
		whole.Mask = 0
		return fmt.Sprintf("%#x(%s)", in.Mask, elementText(v, &whole))
	}
	switch {
	case in.Sym == "":
		if in.Hex {
			return fmt.Sprintf("%#x", in.Bits)
		}
		return literalText(v.Type, in.Bits)
	case in.Generic:
		return "generic(" + in.Sym + ")" + offsetText(in.Bits)
	}
	return in.Sym + offsetText(in.Bits)
}

func literalText(t isa.Type, bits uint64) string {
	switch {
	case t == isa.F32:
		return isa.F32Lit.Text(bits)
	case t == isa.F64:
		return isa.F64Lit.Text(bits)
	case t.Class() == isa.Signed:
		unused := 64 - t.Bits()
		return fmt.Sprint(int64(bits<<unused) >> unused)
	}
	return fmt.Sprint(bits)
}

func offsetText(bits uint64) string {
	if bits == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", int64(bits))
}
