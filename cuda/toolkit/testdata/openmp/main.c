#include <stdio.h>
#include <math.h>
double scaled(int n, double by);
#pragma omp declare target
double half(double x);
#pragma omp end declare target
int main(void) {
    double s = 0;
#pragma omp target teams distribute parallel for reduction(+: s)
    for (int i = 0; i < 1000; i++) s += half(i) + sqrt((double)i) * 0 + sin(0.0 * i);
    printf("%g %g\n", s, scaled(10, 2));
    return !(s == 249750 && scaled(10, 2) == 90);
}
