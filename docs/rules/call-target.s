//sim:block 1
.entry nowhere()
{
    mov.u64 %rd1, 12345;
proto: .callprototype _ ();
    call %rd1, (), proto;
    ret;
}
