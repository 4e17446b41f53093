//sim:block 128
.version 8.0
.target sm_90a
.address_size 64
.entry k() .maxnreg 64
{
    setmaxnreg.dec.sync.aligned.u32 96;
    ret;
}
