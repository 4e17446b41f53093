.global .b8 table[1099511627776];
.entry k()
{
    ret;
}
