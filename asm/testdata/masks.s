.global .u32 a;
.global .u8 b[2] = {0x1ff(a)}; // ERROR "21: the mask of an address is 0xff, 0xff00 and so on: eight bits of it"
.global .u8 c[2] = {0xff0(a)}; // ERROR "21: the mask of an address is 0xff"
.global .u8 d[2] = {0xff(aa)}; // ERROR "26: aa is not declared; did you mean a"
.global .u8 e[2] = {0xff(3)}; // ERROR "26: found 3; expected a variable in the parentheses of a mask"
.global .f32 f[2] = {0xff(a)}; // ERROR "22: a byte of an address does not fit .f32"
