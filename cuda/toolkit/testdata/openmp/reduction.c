#include <stdio.h>
int main(void) {
    double s = 0;
#pragma omp target teams distribute parallel for reduction(+: s)
    for (int i = 0; i < 1000; i++) s += i / 2.0;
    printf("%g\n", s);
    return !(s == 249750);
}
