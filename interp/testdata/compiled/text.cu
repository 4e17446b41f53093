// Bytes: encodings, searches and parsers over 8- and 16-bit loads and stores.
#include "kernels.h"

CONSTANT char base64_alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

KERNEL(base64, 2, 32, 64 * 8) {
  const u8 *from = (const u8 *)in + GID * 23;
  char *to = (char *)(out + GID * 8);
  u32 n = 17 + GID % 6;
  for (u32 i = 0; i < n; i += 3, to += 4) {
    u32 left = n - i, v = from[i] << 16;
    if (left > 1) v |= from[i + 1] << 8;
    if (left > 2) v |= from[i + 2];
    to[0] = base64_alphabet[v >> 18];
    to[1] = base64_alphabet[v >> 12 & 63];
    to[2] = left > 1 ? base64_alphabet[v >> 6 & 63] : '=';
    to[3] = left > 2 ? base64_alphabet[v & 63] : '=';
  }
}

KERNEL(run_lengths, 2, 32, 64 * 16) {
  const u8 *from = (const u8 *)in + GID * 30;
  u8 *to = (u8 *)(out + GID * 16);
  for (u32 i = 0; i < 30;) {
    u8 value = from[i] & 1;
    u32 run = 1;
    while (i + run < 30 && (from[i + run] & 1) == value) run++;
    *to++ = (u8)run;
    *to++ = value;
    i += run;
  }
}

// Knuth, Morris and Pratt over a two-letter alphabet.
KERNEL(string_search, 2, 32, 64 * 2) {
  u8 pattern[6];
  i32 fail[7];
  for (int i = 0; i < 6; i++) pattern[i] = IN(0) >> i & 1;
  fail[0] = -1;
  for (int i = 0, k = -1; i < 6;) {
    while (k >= 0 && pattern[i] != pattern[k]) k = fail[k];
    fail[++i] = ++k;
  }
  u32 found = 0, last = 0;
  const u8 *text = (const u8 *)in;
  for (int i = 0, k = 0; i < 200; i++) {
    u8 c = text[i + GID] >> 3 & 1;
    while (k >= 0 && (k == 6 || c != pattern[k])) k = fail[k];
    if (++k == 6) found++, last = i;
  }
  out[GID * 2] = found;
  out[GID * 2 + 1] = last;
}

// The code points of a text that is UTF-8 more often than chance, summed, and how many bytes are not.
KERNEL(utf8, 2, 64, 128 * 2) {
  u8 text[24];
  for (int i = 0; i < 24; i++) {
    u8 b = ((const u8 *)in)[(GID * 24 + i) & 4095];
    text[i] = i % 4 == 0 ? b : (b & 63) | 128;
  }
  u32 sum = 0, bad = 0;
  for (int i = 0; i < 24;) {
    u8 lead = text[i];
    int length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (!length || i + length > 24) {
      bad++, i++;
      continue;
    }
    u32 point = length == 1 ? lead : lead & (0x7f >> length);
    int k = 1;
    for (; k < length; k++) {
      if ((text[i + k] & 0xc0) != 0x80) break;
      point = point << 6 | (text[i + k] & 0x3f);
    }
    if (k < length) {
      bad++, i++;
      continue;
    }
    sum += point;
    i += length;
  }
  out[GID * 2] = sum;
  out[GID * 2 + 1] = bad;
}

KERNEL(edit_distance, 2, 32, 64) {
  u8 row[17], a[16], b[16];
  for (int i = 0; i < 16; i++) a[i] = IN(0) >> 2 * i & 3, b[i] = IN(1) >> 2 * i & 3;
  for (int i = 0; i <= 16; i++) row[i] = (u8)i;
  for (int i = 0; i < 16; i++) {
    u8 corner = row[0];
    row[0] = (u8)(i + 1);
    for (int j = 0; j < 16; j++) {
      u8 best = corner + (a[i] != b[j]);
      corner = row[j + 1];
      if (corner + 1 < best) best = corner + 1;
      if (row[j] + 1 < best) best = row[j] + 1;
      row[j + 1] = best;
    }
  }
  out[GID] = row[16];
}

FN int print_decimal(i32 v, char *to) {
  char reversed[12];
  int n = 0, length = 0;
  u32 rest = v < 0 ? 0u - (u32)v : (u32)v;
  do reversed[n++] = '0' + rest % 10;
  while (rest /= 10);
  if (v < 0) to[length++] = '-';
  while (n) to[length++] = reversed[--n];
  to[length] = 0;
  return length;
}

FN i32 parse_decimal(const char *s) {
  bool negative = *s == '-';
  if (negative) s++;
  i32 v = 0;
  for (; *s >= '0' && *s <= '9'; s++) v = v * 10 - (*s - '0'); // negative, so that the least integer fits
  return negative ? v : -v;
}

KERNEL(decimal_text, 2, 64, 128 * 5) {
  u32 *o = out + GID * 5;
  char text[12];
  for (int i = 0; i < 12; i++) text[i] = '.';
  i32 v = (i32)IN(0) >> (IN(1) & 31);
  o[0] = print_decimal(v, text);
  for (int i = 0; i < 3; i++) o[1 + i] = (u8)text[4 * i] | (u8)text[4 * i + 1] << 8 | (u8)text[4 * i + 2] << 16 | (u32)(u8)text[4 * i + 3] << 24;
  o[4] = parse_decimal(text) == v;
}

KERNEL(rc4, 1, 32, 32 * 4) {
  u8 state[256];
  for (int i = 0; i < 256; i++) state[i] = (u8)i;
  u8 i = 0, j = 0;
  NO_UNROLL for (int k = 0; k < 256; k++) {
    j += state[k] + (u8)(IN(k >> 2 & 7) >> 8 * (k & 3));
    u8 t = state[k];
    state[k] = state[j], state[j] = t;
  }
  j = 0;
  NO_UNROLL for (int k = 0; k < 16; k++) {
    i++;
    j += state[i];
    u8 t = state[i];
    state[i] = state[j], state[j] = t;
    ((u8 *)(out + GID * 4))[k] = state[(u8)(state[i] + state[j])];
  }
}

struct __attribute__((packed)) record {
  u8 tag;
  u32 id;
  u16 length;
  u64 stamp;
};

// No field of the records in the input is aligned.
KERNEL(packed_records, 2, 64, 128 * 5) {
  u32 *o = out + GID * 5;
  const record *r = (const record *)in + GID;
  record copy = *r;
  copy.length ^= copy.tag;
  o[0] = r->tag + r->id;
  o[1] = copy.length;
  put64(o + 2, r->stamp);
  o[4] = (u32)sizeof copy;
}

KERNEL(hexadecimal, 2, 64, 128 * 3) {
  u8 text[8];
  for (int i = 0; i < 8; i++) {
    u8 nibble = IN(0) >> (28 - 4 * i) & 15;
    text[i] = nibble < 10 ? '0' + nibble : (GID & 1 ? 'A' : 'a') + nibble - 10;
  }
  u32 back = 0, letters = 0;
  for (int i = 0; i < 8; i++) {
    u8 c = text[i];
    back = back << 4 | (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    letters += c > '9';
    ((u8 *)(out + GID * 3))[i] = c;
  }
  out[GID * 3 + 2] = back == IN(0) ? letters : 99;
}

KERNEL(move_to_front, 2, 32, 64 * 6) {
  u8 order[16];
  for (int i = 0; i < 16; i++) order[i] = (u8)i;
  for (int n = 0; n < 24; n++) {
    u8 symbol = IN(n >> 3) >> 4 * (n & 7) & 15, at = 0;
    while (order[at] != symbol) at++;
    ((u8 *)(out + GID * 6))[n] = at;
    for (; at; at--) order[at] = order[at - 1];
    order[0] = symbol;
  }
}
