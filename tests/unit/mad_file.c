/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madrecv -r: the result does not depend on how many bytes each read returns. */
#include <dirent.h>
#include <stdlib.h>
#include <time.h>
#define RANDOM_SEED UINT64_C(0x6d61642066696c65)
#include "tests/pieces.h"
#include "tests/random.h"
#include "tests/tap.h"
#include "util/array_size.h"

#define FILE_MAX ((size_t)1 << 20)
/* Files that are longer are cut at this many places. */
#define CUTS_MAX 1500

/* One cut: the first read returns so many bytes. */
static size_t one_cut(void *context)
{
	size_t *cut = context, n = *cut;

	*cut = PIECES_CHUNK_MAX;
	return n;
}

static size_t one_byte(void *context)
{
	(void)context;
	return 1;
}

static size_t random_size(void *context)
{
	size_t most = *(size_t *)context;

	return 1 + random64() % most;
}

static bool test_mad_file_same(const uint8_t *data, size_t size, const struct madkit_buf *want,
			       pieces_size chunk, void *context)
{
	struct madkit_buf got = pieces_read(data, size, chunk, context);
	bool good = got.len == want->len && !memcmp(got.data, want->data, got.len);

	if (!good)
		printf("# want\n%s# got\n%s", want->data, got.data);
	madkit_buf_free(&got);
	return good;
}

static void test_mad_file_bytes(const char *name, const uint8_t *data, size_t size)
{
	struct madkit_buf want = pieces_read(data, size, pieces_whole, NULL);
	size_t step = size / CUTS_MAX + 1, cut, most, at = 0;
	bool good = true;

	for (size_t i = 1; good && i < size; i += step) {
		at = cut = i;
		good = test_mad_file_same(data, size, &want, one_cut, &cut);
	}
	ok(good, "A14: %s: %zu bytes, cut in two at any byte (last at %zu)", name, size, at);
	good = true;
	for (most = 2; good && most < 2000; most *= 2)
		good = test_mad_file_same(data, size, &want, random_size, &most);
	ok(good && test_mad_file_same(data, size, &want, one_byte, NULL),
	   "A14: %s: byte by byte, and in reads of random sizes", name);
	madkit_buf_free(&want);
}

static int test_file(const char *path)
{
	static uint8_t data[FILE_MAX];
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!ok(file, "%s can be read", path))
		return 0;
	n = fread(data, 1, sizeof(data), file);
	fclose(file);
	test_mad_file_bytes(path, data, n);
	return 1;
}

static int is_input(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && (!dot || !strcmp(dot, ".hex"));
}

static void test_folder(const char *folder)
{
	const char *top = getenv("top_srcdir");
	struct dirent **names;
	char path[1024];
	int n;

	snprintf(path, sizeof(path), "%s/%s", top ? top : ".", folder);
	n = scandir(path, &names, is_input, alphasort);
	ok(n > 5, "files in %s: %d", folder, n);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", top ? top : ".", folder, names[i]->d_name);
		test_file(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void test_mad_file_put_hex(struct madkit_buf *text, const char *what, size_t n)
{
	while (n--)
		madkit_buf_printf(text, "%s", what);
}

/* '*' repeats a row of which the bytes were handed out already. */
static void test_repeat(size_t row)
{
	struct madkit_buf text, got;
	size_t mads = 0;

	madkit_buf_init(&text, 0);
	madkit_buf_printf(&text, "00000000: ");
	test_mad_file_put_hex(&text, "01", row);
	madkit_buf_printf(&text, "\n*\n%08zx:\n", 2 * row);
	got = pieces_read((const uint8_t *)text.data, text.len, pieces_whole, NULL);
	madkit_buf_char(&got, '\0');
	for (const char *p = got.data; (p = strstr(p, "+256/256 ")); p++)
		mads++;
	is_int(mads, 2 * row / 256, "B1: '*' repeats a row of %zu bytes", row);
	ok(!strstr(got.data, "lost"), "B1: the repeated bytes are those of the row");
	madkit_buf_free(&got);
	madkit_buf_free(&text);
}

/* CPU time in which a text of 1 MiB is read byte by byte, of lines of so many bytes. */
static double test_line_time(size_t line)
{
	size_t size = (size_t)1 << 20;
	char *text = malloc(size);
	clock_t begin = clock();
	struct madkit_buf got;

	memset(text, 'x', size);
	for (size_t i = line - 1; i < size; i += line)
		text[i] = '\n';
	memcpy(text, "hello\n", 6);
	got = pieces_read((const uint8_t *)text, size, one_byte, NULL);
	madkit_buf_free(&got);
	free(text);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* The bytes before are not searched again: that took 20 times as long. */
static void test_long_line(void)
{
	double few = test_line_time((size_t)1 << 20), many = test_line_time(64);

	ok(few < 4 * many + 1, "a line of 1 MiB, byte by byte: %.1f s, short lines: %.1f s", few, many);
}

int main(void)
{
	static const struct {
		const char *name, *bytes;
		size_t len;
	} beginnings[] = {
		{ "an empty file", "", 0 },
		{ "one byte of a raw MAD", "\x01", 1 },
		{ "a newline", "\n", 1 },
		{ "B9: text that has no bytes", "zz\n", 3 },
		{ "text, then a byte that is not", "01 81 01 01\n\x80", 13 },
		{ "binary after printable bytes", "0181010100000000000000000000\x02", 29 },
		{ "the beginning of gzip", "\x1f\x8b", 2 },
		{ "the beginning of bzip2", "BZh9", 4 },
		{ "the beginning of bzip2, cut", "BZ", 2 },
		{ "the beginning of zstd", "\x28\xb5\x2f\xfd", 4 },
		{ "text that begins as zstd does", "(\n01 81 01 01\n", 14 },
		{ "the beginning of pcap", "\xd4\xc3\xb2\xa1", 4 },
		{ "the beginning of pcap, cut", "\xd4\xc3\xb2", 3 },
		{ "text that begins as pcapng does", "\n\r\n01", 5 },
		{ "a comment in UTF-8", "# K\xc3\xb6ln\n01 81 01 01\n", 20 },
		{ "no newline in sight",
		  "01 81 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\x02", 75 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		test_mad_file_bytes(beginnings[i].name, (const uint8_t *)beginnings[i].bytes,
				    beginnings[i].len);
	test_folder("tests/data/golden");
	test_folder("fuzz/corpus/capture");
	test_folder("fuzz/corpus/hex_text");
	test_folder("fuzz/corpus/mad_file");
	test_repeat(256);
	test_repeat(512);
	test_repeat(4096);
	test_repeat(332800);
	test_long_line();
	return tap_done();
}
