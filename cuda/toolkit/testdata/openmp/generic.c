#include <stdio.h>
int main(void) { // a generic kernel: its main thread does work of its own between the parallel regions
    int a[64], total = 0;
#pragma omp target map(from: a) map(tofrom: total)
    {
        int sum = 5;
#pragma omp parallel for
        for (int i = 0; i < 64; i++) a[i] = i + sum;
        for (int i = 0; i < 64; i++) sum += a[i];
#pragma omp parallel for
        for (int i = 0; i < 64; i++) a[i] += sum;
        total = sum;
    }
    printf("%d %d\n", total, a[63]);
    return !(total == 5 + 2016 + 320 && a[63] == 68 + total);
}
