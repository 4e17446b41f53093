.target 80 // ERROR "9: found 80; expected a name"
.entry k(.u64 out) { ret; } // ERROR "10: found .u64; .* a parameter begins with its state space, as in .param .u64"
