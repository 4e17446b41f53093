#include <stdio.h>
int main(void) {
    int a[1000];
    double s = 0;
#pragma omp target teams distribute parallel for map(from: a)
    for (int i = 0; i < 1000; i++) a[i] = i * 3;
    for (int i = 0; i < 1000; i++) s += a[i];
    printf("%g\n", s);
    return s != 1498500;
}
