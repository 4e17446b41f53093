/* Thrust's header. A function of optional<T&> calls a member that there is not, which a compiler may say before anything uses the function,
   and clang does from version 19 on: here the type of this is known only then. */
#pragma GCC system_header
#include <thrust/detail/config.h>
#include <thrust/addressof.h>
#include <thrust/swap.h>

#include <exception>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#if !defined(SIMTRUN_THRUST_OPTIONAL) && __cplusplus >= 201103L
#define SIMTRUN_THRUST_OPTIONAL
template <typename T> __host__ __device__ constexpr T *simtrun_this(T *object) { return object; }
#define this simtrun_this(this)
#include_next <thrust/optional.h>
#undef this
#endif
