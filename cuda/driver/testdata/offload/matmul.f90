! The library's matrix product on the device, which the compiler declares with fewer parameters than it has there.
program product
  implicit none
  integer, parameter :: n = 8
  real :: a(n, n), b(n, n), c(n, n), want(n, n)
  integer :: i, j, k

  do j = 1, n
    do i = 1, n
      a(i, j) = i + 2 * j
      b(i, j) = i - j
    end do
  end do
  c = 0
  !$omp target map(to: a, b) map(from: c)
  c = matmul(a, b)
  !$omp end target
  want = 0
  do j = 1, n
    do i = 1, n
      do k = 1, n
        want(i, j) = want(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
  if (any(c /= want)) stop 1
  print '(a)', 'ok'
end program
