//sim:grid 2
//sim:block 32
//sim:cluster 2
.entry twice()
{
    barrier.cluster.arrive;
    barrier.cluster.arrive;             // without a barrier.cluster.wait in between
    barrier.cluster.wait;
    ret;
}
