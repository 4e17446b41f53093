package cost

import "github.com/simtrun/simtrun/internal/libdevice"

// served are the machine instructions of the libdevice functions that simtrun computes itself, by class: on the path
// of usual arguments, a reduction of the argument and polynomials with steps that each wait for the previous one.
// They are estimates: published PTX of expf, sinf and exp by NVIDIA's compiler has about as many, and the other
// functions are classified by similarity. Call and return are charged in addition.
var served = [libdevice.NumCosts][]Slot{
	libdevice.Bits:      parseSlots("integer > integer > integer > integer"),
	libdevice.ShortF32:  parseSlots("single > single" + single4 + " > special_function > single"),
	libdevice.MediumF32: parseSlots("single > conversion" + single4 + single4 + " > 4 integer" + single4),
	libdevice.LongF32:   parseSlots("4 integer > single" + single4 + single4 + single4 + single4 + " > special_function" + single4 + single4 + " > 4 integer > special_function > single"),
	libdevice.ShortF64:  parseSlots("2 product, special_function > integer > double" + double4 + double4 + " > branch"),
	libdevice.MediumF64: parseSlots("double > 2 integer > double" + double4 + double4 + double4 + " > 2 integer > double"),
	libdevice.LongF64: parseSlots("double > 2 integer > special_function > double" + double4 + double4 + double4 + double4 + double4 +
		" > 2 integer > branch > double" + double4 + double4 + double4 + double4 + double4 + " > 2 integer > double"),
	libdevice.Remainder: parseSlots("4 integer > branch > special_function > single > single > single > 4 integer > branch > single > single > 4 integer"),
}

// Four products and sums, each of which waits for the previous one.
const (
	single4 = " > single > single > single > single"
	double4 = " > double > double > double > double"
)

// leaves are the machine instructions of a return.
var leaves = parseSlots("integer, call")

// Serve adds to the cost of a call the cost of a libdevice function without PTX instructions, and of its return.
func (c *Instr) Serve(f *libdevice.Func) {
	body := append([]Slot(nil), served[f.Cost]...)
	body[0].Waits = true
	c.Slots = append(append(c.Slots[:len(c.Slots):len(c.Slots)], body...), leaves...)
}
