.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);
.global .b8 text[] = {37, 57, 57, 57, 57, 57, 57, 100, 0}; // %999999d
.global .b8 value[4];
.entry k() {
	.param .b64 f;
	.param .b64 v;
	.param .b32 r;
	mov.u64 %rd1, text;
	st.param.b64 [f], %rd1;
	mov.u64 %rd1, value;
	st.param.b64 [v], %rd1;
	call (r), vprintf, (f, v);
	ret;
}