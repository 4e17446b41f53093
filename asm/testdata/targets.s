.func (.param .b32 r) fetch(.param .b64 a);
.func (.reg .f32 r) scale(.reg .f32 x);
.global .u64 v;
.entry k()
{
	call fetsh; // ERROR "7: function fetsh is not declared; did you mean fetch\?"
	call v; // ERROR "7: v is not a function"
	call k; // ERROR "7: k is a kernel; only a .func can be called"
	call (%r1), %rd1, (%rd2); // ERROR "14: call: a call through a register needs a prototype"
	call (%r1), %rd1, (%rd2), protp; // ERROR "28: no .callprototype or .calltargets protp here; did you mean proto\?"
	call (%r1), fetch, (%rd2), proto; // ERROR "29: prototype proto for fetch, which is called by its name"
	call (%r1), %rd1, (%r2), proto; // ERROR "21: call: argument 1 is a register of .b32; proto takes .b64"
	proto: .callprototype (.param .b32 _) _ (.param .b64 _);
	mixed: .calltargets fetch, scale; // ERROR "29: scale\(.reg .f32\) -> \(.reg .f32\) among functions of another type: fetch\(.b64\) -> \(.b32\)"
	call (%f1), scale, (1); // ERROR "22: call: argument 1 is 1; scale takes .reg .f32"
}
