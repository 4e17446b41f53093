//sim:block 1
.func again() { call again; ret; }
.entry deep()
{
    call again;
    ret;
}
