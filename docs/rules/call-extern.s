//sim:block 1
.extern .func elsewhere();
.entry missing()
{
    call elsewhere;
    ret;
}
