// Control flow: switches, gotos, early returns, calls of every kind.
#include "kernels.h"

KERNEL(dense_switch, 2, 64, 128) {
  u32 v = IN(1);
  NO_UNROLL for (int i = 0; i < 8; i++) {
    switch (IN(0) >> 4 * i & 15) {
    case 0: v += 17; break;
    case 1: v ^= v << 5; break;
    case 2: v = ~v; break;
    case 3: v *= 3; // and on
    case 4: v -= i; break;
    case 5: v = v >> 3 | v << 29; break;
    case 6: v = v & 1 ? v + 1 : v / 3; break;
    case 7: continue;
    case 8: v ^= IN(2); break;
    case 9: v |= 0x40; break;
    case 10: v &= ~0x800u; break;
    default: v++;
    }
    v ^= v >> 16;
  }
  out[GID] = v;
}

KERNEL(sparse_switch, 2, 64, 128) {
  u32 v = 0;
  for (int i = 0; i < 4; i++) switch ((i32)((IN(i) & 7) * 1000003u)) {
    case 0: v += 1; break;
    case 1000003: v += 20; break;
    case 3000009: v += 300; // and on
    case 4000012: v *= 5; break;
    case 7000021: v ^= 0xabcd; break;
    default: v = v * 2 + 1;
    }
  out[GID] = v;
}

// Numbers, words and quoted strings in a text of six symbols.
KERNEL(state_machine, 2, 32, 64) {
  enum { START, WORD, NUMBER, QUOTE, ESCAPE } state = START;
  u32 words = 0, numbers = 0, quotes = 0;
  NO_UNROLL for (int i = 0; i < 80; i++) {
    u32 symbol = (IN(i >> 4) >> 2 * (i & 15) & 3) + (IN(7) >> (i & 31) & 2);
    switch (state) {
    case START:
      if (symbol == 0) state = QUOTE;
      else if (symbol == 1) state = NUMBER, numbers++;
      else if (symbol >= 4) state = WORD, words++;
      break;
    case WORD:
      if (symbol < 2) state = START;
      break;
    case NUMBER:
      if (symbol != 1) state = symbol > 2 ? WORD : START;
      break;
    case QUOTE:
      if (symbol == 0) state = START, quotes++;
      else if (symbol == 5) state = ESCAPE;
      break;
    case ESCAPE: state = QUOTE;
    }
  }
  out[GID] = words << 20 | numbers << 10 | quotes << 3 | state;
}

typedef u32 (*operation)(u32, u32);
NOINLINE u32 op_add(u32 a, u32 b) { return a + b; }
NOINLINE u32 op_sub(u32 a, u32 b) { return a - b; }
NOINLINE u32 op_mix(u32 a, u32 b) {
  for (u32 i = 0; i < (b & 3); i++) a = a * 5 + 1;
  return a;
}
NOINLINE u32 op_swap(u32 a, u32 b) { return a & 1 ? op_sub(b, a) : op_add(a >> 16, b << 16); }
GLOBAL const operation operations[4] = {op_add, op_sub, op_mix, op_swap};

KERNEL(function_table, 2, 64, 128) {
  u32 v = IN(0);
  NO_UNROLL for (int i = 1; i < 8; i++) v = operations[IN(i) & 3](v, IN(i));
  out[GID] = v;
}

KERNEL(function_pointers, 2, 64, 128) {
  operation chosen = GID % 3 == 0 ? op_mix : GID % 3 == 1 ? op_swap : nullptr;
  out[GID] = chosen ? chosen(IN(0), IN(1)) : IN(2);
}

struct shape {
  METHOD virtual i32 area() const = 0;
  METHOD virtual i32 perimeter() const { return 4 * size; }
  i32 size;
};
struct square : shape {
  METHOD i32 area() const override { return size * size; }
};
struct strip : shape {
  METHOD i32 area() const override { return 2 * size; }
  METHOD i32 perimeter() const override { return 2 * size + 4; }
};

NOINLINE i32 measure(const shape *s) { return s->area() * 1000 + s->perimeter(); }

KERNEL(virtual_calls, 2, 32, 64) {
  square a;
  strip b;
  a.size = b.size = (i32)(IN(0) & 15);
  out[GID] = (u32)measure(IN(1) & 1 ? (const shape *)&a : &b);
}

NOINLINE u64 factorial(u32 n) { return n < 2 ? 1 : n * factorial(n - 1); }
NOINLINE u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
NOINLINE u32 ackermann(u32 m, u32 n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }

KERNEL(recursion, 2, 32, 64 * 4) {
  put64(out + GID * 4, factorial(IN(0) % 21));
  out[GID * 4 + 2] = fibonacci(IN(1) % 11);
  out[GID * 4 + 3] = ackermann(IN(2) % 3, IN(3) % 5);
}

NOINLINE bool is_even(u32 n);
NOINLINE bool is_odd(u32 n) { return n ? is_even(n - 1) : false; }
NOINLINE bool is_even(u32 n) { return n ? is_odd(n - 1) : true; }
NOINLINE u32 hanoi(u32 disks, u8 from, u8 to, u32 trace) {
  if (!disks) return trace;
  u8 via = 3 - from - to;
  trace = hanoi(disks - 1, from, via, trace);
  trace = trace * 31 + from * 3 + to;
  return hanoi(disks - 1, via, to, trace);
}

KERNEL(mutual_recursion, 2, 32, 64) { out[GID] = hanoi(GID % 6, 0, 2, 1) << 1 | is_even(GID % 13); }

// Two ways into the loop, so that no structured form has it.
KERNEL(irreducible, 2, 64, 128) {
  u32 v = IN(0), n = IN(1) & 15, trace = 0;
  if (v & 1) goto inside;
outside:
  trace = trace * 3 + 1;
  v = v >> 1 ^ trace;
inside:
  trace = trace * 5 + 2;
  if (n == 0) goto done;
  n--;
  if (v & 2) goto outside;
  v = v * 7 + 3;
  if (v & 0x10) goto inside;
  goto outside;
done:
  out[GID] = trace ^ v;
}

KERNEL(early_returns, 3, 48, 144) {
  u32 v = IN(0);
  out[GID] = 1;
  if (v % 3 == 0) return;
  for (u32 i = 0; i < 10; i++) {
    if ((v >> i) % 5 == 0) {
      out[GID] = 100 + i;
      return;
    }
    if ((v >> i & 7) == 3) break;
  }
  if (v & 1) {
    out[GID] = 2;
    return;
  }
  out[GID] = 3 + (v & 6);
}

KERNEL(breaks_and_continues, 2, 64, 128) {
  u32 total = 0;
  for (u32 i = 0; i < 12; i++) {
    if (IN(i & 7) >> i & 1) continue;
    for (u32 j = i;; j++) {
      u32 bit = IN(j & 7) >> (j & 31) & 3;
      if (bit == 3) break;
      if (bit == 2 || j > i + 20) {
        if (total & 8) goto next;
        total += 2;
        break;
      }
      do {
        total += j;
        if (total % 7 == 0) goto next;
      } while (total & 1);
    }
    total += 100;
  next:;
  }
  out[GID] = total;
}

FN bool touch(u32 &count, u32 bit) {
  count++;
  return bit & 1;
}

KERNEL(short_circuits, 2, 64, 128) {
  u32 count = 0, v = IN(0), hits = 0;
  for (int i = 0; i < 6; i++, v >>= 5) {
    if ((touch(count, v) && touch(count, v >> 1)) || (!touch(count, v >> 2) && touch(count, v >> 3))) hits++;
    if (touch(count, v >> 4) ? touch(count, v >> 1) : (v & 2) != 0 || touch(count, v >> 3)) hits += 16;
  }
  out[GID] = count << 16 | hits;
}

CONSTANT u8 program[] = {0, 7, 1, 0, 3, 6, 4, 5, 2, 1, 3, 3, 6, 1, 4, 8, 0, 1, 4, 7, 2, 9};

// A stack machine whose program loops while the top of the stack is odd.
KERNEL(bytecode, 2, 64, 128) {
  u32 stack[8], depth = 0, pc = 0, fuel = 60;
  while (fuel--) {
    switch (program[pc++ % sizeof program]) {
    case 0: stack[depth++ & 7] = IN(0); break;
    case 1: stack[depth++ & 7] = IN(pc & 7) & 255; break;
    case 2: stack[depth & 7] = stack[(depth - 1) & 7], depth++; break;
    case 3: stack[(depth - 2) & 7] += stack[(depth - 1) & 7], depth--; break;
    case 4: stack[(depth - 2) & 7] ^= stack[(depth - 1) & 7] * 3, depth--; break;
    case 5: stack[(depth - 1) & 7] = -stack[(depth - 1) & 7]; break;
    case 6: stack[depth++ & 7] = program[pc++ % sizeof program]; break;
    case 7: stack[depth++ & 7] = pc; break;
    case 8:
      if (stack[(depth - 1) & 7] & 1) pc = 4;
      break;
    case 9: pc = 0;
    }
    if (depth < 2 || depth > 6) depth = 2, stack[0] = stack[2], stack[1] = fuel;
  }
  out[GID] = stack[(depth - 1) & 7] ^ depth;
}

KERNEL(queens, 1, 32, 32) {
  // Solutions with the queen of the first row in a given column, by bit masks and a stack of rows.
  const int n = 7;
  u32 columns[n], left[n], right[n], open[n], solutions = 0;
  int row = 0;
  columns[0] = left[0] = right[0] = 0;
  open[0] = 1u << GID % n;
  while (row >= 0) {
    if (!open[row]) {
      row--;
      continue;
    }
    u32 queen = open[row] & -open[row];
    open[row] ^= queen;
    if (row == n - 1) {
      solutions++;
      continue;
    }
    columns[row + 1] = columns[row] | queen;
    left[row + 1] = (left[row] | queen) << 1;
    right[row + 1] = (right[row] | queen) >> 1;
    row++;
    open[row] = ~(columns[row] | left[row] | right[row]) & ((1 << n) - 1);
  }
  out[GID] = solutions;
}

KERNEL(duffs_device, 2, 64, 128) {
  u32 count = 1 + (IN(0) & 15), sum = 0, i = 0, rounds = (count + 3) / 4;
  switch (count % 4) {
  case 0:
    do {
      sum = sum * 3 + IN(i++ & 7);
    case 3: sum = sum * 3 + IN(i++ & 7);
    case 2: sum = sum * 3 + IN(i++ & 7);
    case 1: sum = sum * 3 + IN(i++ & 7);
    } while (--rounds);
  }
  out[GID] = sum;
}

#if DEVICE
extern "C" __attribute__((device, noreturn)) void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
#define CHECK(c) ((c) ? (void)0 : __assertfail(#c, "control.cu", __LINE__, __func__, 1))
#else
#define CHECK(c) ((c) ? (void)0 : __builtin_trap())
#endif

// What must not be reached is not.
KERNEL(assertions, 2, 32, 64) {
  u32 v = IN(0) % 1000;
  CHECK(v < 1000);
  if (v * v > 1000000) __builtin_trap();
  out[GID] = v;
}

template <typename T, int N> FN T power(T base) {
  if constexpr (N == 0)
    return 1;
  else
    return base * power<T, N - 1>(base);
}
template <typename F> FN u32 twice(F f, u32 v) { return f(f(v)); }

KERNEL(templates_and_lambdas, 2, 64, 128 * 3) {
  u32 k = IN(1);
  out[GID * 3] = power<u32, 5>(IN(0));
  out[GID * 3 + 1] = (u32)(power<u64, 3>(IN(0)) >> 32);
  out[GID * 3 + 2] = twice([=] METHOD (u32 v) { return (v ^ k) * 9; }, IN(2));
}
