package asm

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// opaqueTypes are handles of textures, samplers and surfaces. Only variables of the module and parameters of kernels
// can have these types.
var opaqueTypes = map[string]isa.Type{".texref": isa.TexRef, ".samplerref": isa.SamplerRef, ".surfref": isa.SurfRef}

// checkOpaque returns the error in a variable of an opaque type, or "".
func checkOpaque(v *isa.Var, space string) string {
	switch {
	case space != ".global" && space != ".tex" && space != ".param":
		return "stands in .global, or among the parameters of a kernel"
	case v.Array || v.Vec > 1:
		return "is neither an array nor a vector"
	}
	return ""
}

// fields reads { name = value, … }: the properties of a texture, sampler or surface before it is bound.
func (a *assembler) fields(v *isa.Var, init *constantValue) {
	t := &init.tokens[0]
	if t.Type != blockToken {
		a.errs.addf(position(t.Pos), "%s is a .%s; it is initialised as in { filter_mode = nearest }", v.Name, v.Type)
		return
	}
	r := newReader(t)
	r.Next() // the brace
	for r.Peek().Type != '}' {
		name, err := fieldWord(r, wordToken, "a name such as filter_mode")
		if err == nil {
			_, err = fieldWord(r, '=', "=")
		}
		var value lexer.Token
		if err == nil {
			value, err = fieldWord(r, 0, "a value")
		}
		if err != nil {
			a.errs.add(err)
			return
		}
		f, msg := isa.NewField(v.Type, name.Value, value.Value)
		if msg != "" {
			a.errs.addf(position(name.Pos), "%s: %s", v.Name, msg)
		} else {
			v.Fields = append(v.Fields, f)
		}
		if r.Peek().Type == ',' {
			r.Next()
		}
	}
}

// fieldWord returns the next token, which must have a type; 0 is a word or an integer.
func fieldWord(r *reader, want lexer.TokenType, what string) (lexer.Token, *isa.Error) {
	t := *r.Peek()
	if t.Type != want && (want != 0 || t.Type != wordToken && t.Type != intToken) {
		return t, isa.Errorf(position(t.Pos), "found %s; expected %s", describe(&t), what)
	}
	r.Next()
	return t, nil
}

// image reads [t, {x, y}], [t, s, {x, y}] or [t]: a texture or surface, a sampler, coordinates. Old compilers omit
// the brackets (PTX ISA, tex).
func (b *bodyAssembler) image(c *cursor, in *isa.Instr) (isa.Operand, *isa.Error) {
	op := c.operand()
	op.Kind = isa.ImageOperand
	bracket := c.accept('[')
	op.Elems = make([]isa.Operand, isa.ImageCoords, isa.ImageCoords+4)
	op.Elems[isa.ImageSampler].Reg = isa.NoReg
	var err *isa.Error
	if op.Elems[isa.ImageName], err = b.handle(c, in); err != nil {
		return op, err
	}
	for more := c.peek().Type == ','; more; more = bracket && c.peek().Type == ',' {
		if !bracket && in.Spec.Kind == isa.QueryKind {
			break
		}
		c.next()
		elem, err := b.operand(c, in, nil)
		if err != nil {
			return op, err
		}
		switch named := elem.Kind == isa.SymOperand || elem.Kind == isa.RegOperand; {
		case len(op.Elems) > isa.ImageCoords:
			return op, isa.Errorf(in.PosOf(&elem), "write the coordinates together, in { }")
		case elem.Kind == isa.VecOperand:
			op.Elems = append(op.Elems, elem.Elems...)
		case named && c.peek().Type == ',' && op.Elems[isa.ImageSampler].Kind == isa.NoOperand:
			op.Elems[isa.ImageSampler] = elem
			bracket = bracket || c.peekAfter().Type == '{'
		default:
			op.Elems = append(op.Elems, elem) // 1d textures have a scalar
		}
		if !bracket {
			break
		}
	}
	for i := range op.Elems[isa.ImageCoords:] {
		fitFloat(&op.Elems[isa.ImageCoords+i], in.Types[1])
	}
	if bracket && c.peek().Type == ']' {
		c.next()
	} else if bracket {
		err = c.unexpected("] after the coordinates")
	}
	if err == nil && b.independent && in.Types[1] == isa.F32 && op.Elems[isa.ImageSampler].Kind == isa.NoOperand {
		err = isa.Errorf(in.PosOf(&op), "%s without a sampler; expected [texture, sampler, {…}] in texmode_independent", in.Mnemonic())
	}
	return op, err
}

// handle reads the name of a texture, sampler or surface, or a register with a handle.
func (b *bodyAssembler) handle(c *cursor, in *isa.Instr) (isa.Operand, *isa.Error) {
	op := c.operand()
	t := c.peek()
	if t.Type != wordToken {
		return op, c.unexpected("the name of a texture or surface, or a register with its handle")
	}
	err := b.name(c, in, nil, &op)
	if err == nil && op.Kind == isa.RegOperand && (c.peek().Type == '+' || c.peek().Type == '-') {
		err = isa.Errorf(c.pos(), "a handle is not an address: nothing can be added to %s", t.Value)
	}
	return op, err
}

// fieldsText returns the initialiser of an opaque variable.
func fieldsText(v *isa.Var) string {
	var texts []string
	for _, f := range v.Fields {
		texts = append(texts, f.Name+" = "+f.Value)
	}
	return "{ " + strings.Join(texts, ", ") + " }"
}

// tensor reads [t, {x, y}]: the address of a tensor map or the map's variable, and coordinates.
func (b *bodyAssembler) tensor(c *cursor, in *isa.Instr) (isa.Operand, *isa.Error) {
	op := c.operand()
	op.Kind = isa.ImageOperand
	if err := c.expect('[', "[map, {coordinates}]"); err != nil {
		return op, err
	}
	op.Elems = make([]isa.Operand, isa.ImageCoords, isa.ImageCoords+5)
	op.Elems[isa.ImageSampler].Reg = isa.NoReg
	of := &op.Elems[isa.ImageName]
	*of = c.operand()
	if t := c.peek(); t.Type != wordToken {
		return op, c.unexpected("a register with the address of a tensor map, or a variable")
	}
	err := b.name(c, in, nil, of)
	if err == nil && of.Kind == isa.RegOperand {
		of.Bits, err = c.offset()
	}
	if err == nil {
		err = c.expect(',', "coordinates: [map, {coordinates}]")
	}
	if err == nil && c.peek().Type != '{' {
		err = c.unexpected("coordinates in { }")
	}
	if err != nil {
		return op, err
	}
	var coords isa.Operand
	if err = b.vector(c, in, nil, &coords); err == nil {
		op.Elems = append(op.Elems, coords.Elems...)
		err = c.expect(']', "] after the coordinates")
	}
	return op, err
}
