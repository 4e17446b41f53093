.extern .func (.param .b32 r) f(.param .b64 a, .param .align 8 .b8 s[12]);
.func (.param .b32 r) f(.param .b32 a) { ret; } // ERROR "23: f\(.b32\) -> \(.b32\) is declared as f\(.b64, .b8\[12\]\) -> \(.b32\) in line 1"
.func (.reg .f32 r) g(.reg .f32 x);
.func (.param .f32 r) g(.reg .f32 x); // ERROR "23: g\(.reg .f32\) -> \(.f32\) is declared as g\(.reg .f32\) -> \(.reg .f32\) in line 3"
.func h() { ret; }
.global .u64 v;
.entry other() { ret; }
.alias v, h; // ERROR "8: v is declared already, in line 6"
.alias h2, hh; // ERROR "12: hh is not declared; did you mean h\?"
.alias h3, g; // ERROR "12: g is not a .func that is defined here; nothing else can have an alias"
.alias g, h; // ERROR "8: g\(.reg .f32\) -> \(.reg .f32\) cannot stand for h\(\)"
