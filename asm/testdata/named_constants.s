.equ N, 4;
.equ N, 5; // ERROR "6: N is declared already, in line 1"
.equ A, B; // ERROR "9: B is not a constant that is declared above"
.equ B, N / 0; // ERROR "11: division by zero"
.equ C.d, 1; // ERROR "6: C.d cannot be the name of a constant"
.equ PI, 3.14;
.struct S { .u32 a; .pred p; } // ERROR "27: p is .pred; a predicate can only be a register"
.struct T { .u8 x; .u8 x; } // ERROR "24: T.x is declared already, in line 8"
.struct U { .u8 size; } // ERROR "9: U.size is declared already, in line 9"
.global .u32 N; // ERROR "14: N is declared already, in line 1"
