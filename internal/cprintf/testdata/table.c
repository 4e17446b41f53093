/* Prints the table that TestPrintfMatchesGlibc reads: cc -w table.c && ./a.out > table.txt
   A line is FORMAT, VALUES and OUTPUT, parted by tabs. A value is w and 8 hexadecimal
   digits, l and 16, s and text, or nothing but n for a null pointer. */
#include <stdio.h>
#include <stdint.h>
#include <string.h>

static const char *flags[] = {"", "-", "+", " ", "#", "0", "-0", "+0", " 0", "#0", "+#", "- ", "#+0"};
static const char *widths[] = {"", "14"};
static const char *precisions[] = {"", ".", ".1", ".9"};

static void line(const char *format, const char *values, const char *output) { printf("%s\t%s\t[%s]\n", format, values, output); }

static void each(const char *verbs, void (*one)(const char *format)) {
	char format[64];
	for (; *verbs; verbs++)
		for (int f = 0; f < sizeof flags / sizeof *flags; f++)
			for (int w = 0; w < 2; w++)
				for (int p = 0; p < 4; p++) {
					sprintf(format, "%%%s%s%s%c", flags[f], widths[w], precisions[p], *verbs);
					one(format);
				}
}

static char out[1 << 16], in[1 << 12];

static void word(const char *format, uint32_t v) { sprintf(in, "w%08x", v); sprintf(out, format, v); line(format, in, out); }
static void quad(const char *format, uint64_t v) { sprintf(in, "l%016lx", v); sprintf(out, format, v); line(format, in, out); }
static void real(const char *format, double v) { uint64_t b; memcpy(&b, &v, 8); sprintf(in, "l%016lx", b); sprintf(out, format, v); line(format, in, out); }
static void text(const char *format, const char *v) { if (v) sprintf(in, "s%s", v); else strcpy(in, "n"); sprintf(out, format, v); line(format, in, out); }
static void starred(const char *format, int a, int b, int v) { sprintf(in, "w%08x w%08x w%08x", a, b, v); sprintf(out, format, a, b, v); line(format, in, out); }

static void words(const char *format) { word(format, 0); word(format, 42); word(format, -1234567); }
static void reals(const char *format) { real(format, 0); real(format, -1.5); real(format, 123456.789); }
static void specials(const char *format) { real(format, 1 / 0.); real(format, -1 / 0.); real(format, __builtin_nan("")); real(format, -__builtin_nan("")); }
static void characters(const char *format) { word(format, 'c'); }
static void texts(const char *format) { text(format, "four"); text(format, ""); text(format, 0); }
static void pointers(const char *format) { text(format, 0); quad(format, 0x7f00cafe); }

int main() {
	each("dxXuo", words);
	each("efgGaA", reals);
	each("fG", specials);
	each("c", characters);
	each("s", texts);
	each("p", pointers);
	const char *sizes[] = {"%hhd", "%hhu", "%hhx", "%hd", "%hu", "%hi", "%#ho"};
	for (int i = 0; i < 7; i++) { word(sizes[i], 300); word(sizes[i], 0xffff8081); }
	const char *longs[] = {"%ld", "%lu", "%lld", "%llx", "%jd", "%zu", "%td", "%qd", "%Ld", "%#lo", "%.25ld", "%030lli"};
	for (int i = 0; i < 12; i++) { quad(longs[i], 300); quad(longs[i], -1); quad(longs[i], 1ul << 63); }
	const char *edges[] = {"%e", "%.0e", "%.20e", "%g", "%#g", "%.17g", "%.3g", "%#.3g", "%.0g", "%#.0g", "%.40g", "%f", "%.0f", "%#.0f", "%.30f",
		"%a", "%.0a", "%.1a", "%.5a", "%.12a", "%.13a", "%.20a", "%#.0a", "%A", "%hf", "%lf", "%lg"};
	double values[] = {1, 9.5, 0.5, 2.5, 99999.95, 999999.5, 1e5, 1e6, 1e-4, 1e-5, 0.1, 1e23, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, 1.999, 0x1.8p1, 0x1.fffffffffffffp0, -0.0, 100};
	for (int i = 0; i < 27; i++)
		for (int j = 0; j < 20; j++)
			if (strcmp(edges[i], "%#g") || values[j] != 999999.5) /* glibc loses the zeros that C11 asks for: 1.e+06 */
				real(edges[i], values[j]);
	starred("%*.*d", 8, 3, 5); starred("%*.*d", -8, 3, 5); starred("%*.*d", 8, -3, 5); starred("%0*.*d", -8, -1, 5); starred("%-*.*x|", 8, 4, 255);
	starred("%+*.*d|", 8, 0, 0); starred("%*.*d", 0, 0, 0);
	text("%.3s|", "abcdef"); text("%hs", "short"); text("%.6s", 0); text("%.5s", 0); text("%-10s|", 0); text("a%sb%%c", "-");
	word("%%%d%%", 7); word("%5%|%d", 7); word("%-%|%d", 7); word("%.3%|%d", 7); word("no directive but one %d", 7); word("%hc", 'x');
	return 0;
}
