.entry mistyped()
{
    mvo.u32 %r1, 1;
    ret;
}
