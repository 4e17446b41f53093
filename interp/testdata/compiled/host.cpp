// Runs the kernels of one source, UNIT, on the host and prints what each
// leaves in memory: a line for each kernel, which is a JSON object.
#include <cstdio>
#include UNIT

static void fill(u32 *words, u32 n) { // as internal/workloads does
  u32 r = 12345;
  for (u32 i = 0; i < n; i++) {
    r ^= r << 13;
    r ^= r >> 17;
    r ^= r << 5;
    words[i] = r;
  }
}

static void run(const test_case &c, const u32 *in, u32 *out) {
  GX = c.grid.x, NX = c.block.x;
  u32 blocks = c.cooperative ? 1 : GX, threads = c.cooperative ? 1 : NX;
  for (BX = 0; BX < blocks; BX++)
    for (TX = 0; TX < threads; TX++) c.run(in, out);
}

// JSON has bytes as base64.
static void print_bytes(const void *data, size_t n) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const u8 *b = (const u8 *)data;
  for (size_t i = 0; i < n; i += 3) {
    u32 v = b[i] << 16 | (i + 1 < n ? b[i + 1] << 8 : 0) | (i + 2 < n ? b[i + 2] : 0);
    char group[4] = {alphabet[v >> 18], alphabet[v >> 12 & 63], alphabet[v >> 6 & 63], alphabet[v & 63]};
    for (size_t k = n - i + 1; k < 4; k++) group[k] = '=';
    fwrite(group, 1, 4, stdout);
  }
}

int main() {
  for (const test_case &c : cases) {
    std::vector<u32> in(INPUT_WORDS), out(c.words);
    fill(in.data(), INPUT_WORDS);
    run(c, in.data(), out.data());
    printf("{\"kernel\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"argument\": \"", c.name, c.grid.x, c.grid.y, c.grid.z, c.block.x,
           c.block.y, c.block.z);
    print_bytes(c.argument, c.argument_size);
    printf("\", \"output\": \"");
    print_bytes(out.data(), 4 * out.size());
    printf("\"}\n");
  }
}
