/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real MADs (tests/data/golden/NAME.hex) against the JSON and text that they
 * make (NAME.json, NAME.txt). With MADKIT_GOLDEN_WRITE set the files are written
 * instead: read what changed before it is committed.
 */
#include <dirent.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "util/hex.h"
#include "tests/tap.h"

static char folder[1000];

static FILE *open_file(const char *name, const char *suffix, const char *mode)
{
	char path[1400];

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	return fopen(path, mode);
}

/* "0000: 01 81 ..." */
static size_t read_hex(const char *name, uint8_t *mad, size_t size)
{
	FILE *f = open_file(name, ".hex", "r");
	char line[200];
	size_t n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *p = strchr(line, ':');

		for (p = p ? p + 1 : line; *p && n < size;) {
			if (hex_decode(p, 2, mad + n, 1, NULL) == 1) {
				p += 2;
				n++;
			} else {
				p++;
			}
		}
	}
	if (f)
		fclose(f);
	return n;
}

static void compare(const char *name, const char *suffix,
		    const struct madkit_buf *buf)
{
	static char want[1 << 20];
	size_t n = 0, line = 0, at = 0;
	FILE *f;

	if (getenv("MADKIT_GOLDEN_WRITE")) {
		f = open_file(name, suffix, "w");
		ok(f && fwrite(buf->data, 1, buf->len, f) == buf->len &&
		   !fclose(f), "%s%s written", name, suffix);
		return;
	}
	f = open_file(name, suffix, "r");
	if (f) {
		n = fread(want, 1, sizeof(want), f);
		fclose(f);
	}
	if (ok(n == buf->len && !memcmp(want, buf->data, n), "%s%s", name,
	       suffix))
		return;
	while (at < n && at < buf->len && want[at] == buf->data[at])
		line = want[at++] == '\n' ? at : line;
	printf("#  got %.*s\n# want %.*s\n", (int)strcspn(buf->data + line, "\n"),
	       buf->data + line, (int)strcspn(want + line, "\n"), want + line);
}

static void check(const char *name)
{
	static uint8_t mad[1 << 16];
	size_t n = read_hex(name, mad, sizeof(mad));
	struct madkit_addr remote;
	struct madkit_message m = {
		.kind = MADKIT_MESSAGE_RESPONSE, .host = "node17",
		.device = "umad:mlx5_0/1", .seq = 1, .remote = &remote,
		.rtt_us = 41, .attempts = 1, .mad = mad, .len = n,
	};
	const struct madkit_format plain = { 0 }, verbose = { .verbose = true };
	const struct madkit_format keys = { .show_keys = true };
	struct madkit_buf buf;

	m.time.tv_sec = 1795212611;	/* 2026-11-20T22:10:11Z */
	m.time.tv_nsec = 123456789;
	memset(&remote, 0, sizeof(remote));
	if (n > 1 && mad[1] == MADKIT_CLASS_SUBN_DR) {
		madkit_parse_path("0,1", &remote, NULL);
	} else {
		remote.lid = 5;
		remote.qp = !madkit_class_is_smi(mad[1]);
	}
	if (n > 3 && mad[3] == MADKIT_METHOD_TRAP) {
		m.kind = MADKIT_MESSAGE_UNSOLICITED;
		m.rtt_us = m.attempts = -1;
	}
	madkit_buf_init(&buf, 0);
	ok(n && madkit_format_hex(&buf, &m, &keys) == 1, "%s.hex is read", name);
	compare(name, ".hex", &buf);
	madkit_buf_reset(&buf);
	madkit_format_json(&buf, &m, &plain);
	compare(name, ".json", &buf);
	madkit_buf_reset(&buf);
	madkit_format_text(&buf, &m, &plain);
	/* one with the headers too */
	if (!strcmp(name, "nodeinfo"))
		madkit_format_text(&buf, &m, &verbose);
	compare(name, ".txt", &buf);
	madkit_buf_free(&buf);
}

static int is_hex(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 4 && !strcmp(entry->d_name + n - 4, ".hex");
}

int main(void)
{
	const char *top = getenv("top_srcdir");
	struct dirent **names;
	int n;

	snprintf(folder, sizeof(folder), "%s/tests/data/golden", top ? top : ".");
	n = scandir(folder, &names, is_hex, alphasort);
	ok(n >= 30, "%d MADs in %s", n, folder);
	for (int i = 0; i < n; i++) {
		names[i]->d_name[strlen(names[i]->d_name) - 4] = 0;
		check(names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return tap_done();
}
