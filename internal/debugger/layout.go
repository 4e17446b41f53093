package debugger

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
)

// layout returns the members of a struct with their offsets and sizes in bytes, and the bytes between them, as gdb's
// ptype/o does; for a bit-field, the offset also has its first bit. Of other types it is the definition.
func layout(of *debuginfo.Type) string {
	t := innermost(of)
	if len(t.Fields) == 0 {
		return definition(of)
	}
	var b strings.Builder
	line := func(at, size, text string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("/* %9s | %7s */  %s", at, size, text), " ") + "\n")
	}
	hole := func(bytes int64, what string) {
		if bytes > 0 && t.Word != "union" {
			fmt.Fprintf(&b, "/* XXX %3d-byte %-7s*/\n", bytes, what)
		}
	}
	b.WriteString(strings.TrimSpace(t.Word+" "+t.Name) + " {\n")
	line("offset", "size", "")
	end := int64(0)
	for i := range t.Fields {
		f := &t.Fields[i]
		size := f.Type.Bare().Size
		at, name := fmt.Sprint(f.Offset), f.Type.Declare(f.Name)
		switch {
		case f.Base:
			name = "public " + f.Type.String()
		case f.Bits > 0:
			at, name = fmt.Sprintf("%d:%2d", f.Offset, f.Shift), fmt.Sprintf("%s : %d", name, f.Bits)
		}
		hole(f.Offset-end, "hole")
		line(at, fmt.Sprint(size), "    "+name+";")
		if end = max(end, f.Offset+size); f.Bits > 0 && i+1 < len(t.Fields) && t.Fields[i+1].Bits == 0 {
			end = max(end-size, f.Offset+(f.Shift+f.Bits+7)/8)
		}
	}
	hole(t.Size-end, "padding")
	line("total", fmt.Sprint(t.Size), "")
	return b.String() + "}"
}
