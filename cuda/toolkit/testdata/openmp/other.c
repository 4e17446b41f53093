#pragma omp declare target
double half(double x) { return x / 2; }
#pragma omp end declare target
double scaled(int n, double by) { double s = 0;
#pragma omp target teams distribute parallel for reduction(+: s) map(to: by)
 for (int i = 0; i < n; i++) s += i * by; return s; }
