/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every allocation fails once: nothing is half made, nothing is lost, and the MAD that
 * could not be handled is answered as busy or dropped. Linked with --wrap. */
#include <errno.h>
#include <stdlib.h>
#include "sim/fabric.h"
#include "sim/generate.h"
#include "tests/tap.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);

static long left = -1;	/* allocations that succeed; below 0: all do */

static bool fails(void)
{
	return left >= 0 && !left--;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t n)
{
	return fails() ? NULL : __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

/* Whether the failure that was asked for was reached. */
static bool reached(void)
{
	bool was = left < 0;

	left = -1;
	return was;
}

static void reading(void)
{
	struct topology *t = NULL, *again = NULL;
	struct madkit_buf text;
	struct madkit_error error;
	unsigned int failed = 0, wrong = 0;

	if (topology_generate("fat-tree:3,40,2", &t, &error))
		return;
	madkit_buf_init(&text, 0);
	topology_write(t, &text);
	topology_free(t);
	for (long i = 0;; i++) {
		int ret;

		left = i;
		again = NULL;
		ret = topology_read(text.data, text.len, &again, &error);
		if (!reached()) {
			topology_free(again);
			break;
		}
		failed++;
		wrong += ret != -ENOMEM || again || error.code != -ENOMEM;
	}
	ok(failed > 5, "%u allocations of the reader fail", failed);
	is_u64(wrong, 0, "... each is told, and leaves nothing");
	madkit_buf_free(&text);
	failed = wrong = 0;
	for (long i = 0;; i++) {
		int ret;

		left = i;
		again = NULL;
		ret = topology_generate("fat-tree:3,40,2", &again, &error);
		if (!reached()) {
			topology_free(again);
			break;
		}
		failed++;
		wrong += ret != -ENOMEM || again;
	}
	ok(failed > 5, "%u allocations of the generator fail", failed);
	is_u64(wrong, 0, "... each is told, and leaves nothing");
}

struct seen {
	unsigned int arrived, busy, dropped;
};

static void arrive(void *context, uint32_t node, unsigned int port,
		   const struct fabric_head *head, const uint8_t *mad, size_t len)
{
	struct seen *seen = context;

	(void)node, (void)port, (void)head, (void)len;
	seen->arrived++;
	seen->busy += mad[5] == 1;
}

/* A Set of each attribute with a table behind it. */
static void fabrics(void)
{
	static const struct {
		uint8_t attribute;
		uint32_t modifier;
	} sets[] = { { 0x19, 2 }, { 0x1b, 1 }, { 0x17, 0x0102 }, { 0x18, 1u << 16 | 2 } };
	struct topology *t = NULL;
	unsigned int made = 0, refused = 0, busy = 0, wrong = 0;

	if (topology_generate("fat-tree:1,3,0", &t, NULL))
		return;
	for (long i = 0;; i++) {
		struct seen seen = { 0 };
		struct fabric_options options = { .watcher = { .arrive = arrive, .context = &seen } };
		struct fabric *f;
		unsigned int sent = 0;
		bool hit;

		left = i;
		f = fabric_new(t, &options);
		for (size_t s = 0; f && s < sizeof(sets) / sizeof(sets[0]); s++) {
			uint8_t mad[256] = { 1, 0x81, 1, 2, [7] = 1, [17] = sets[s].attribute,
					     [129] = 1 };

			put_be32(mad + 20, sets[s].modifier);
			memset(mad + 32, 0xff, 4);
			sent += !fabric_send(f, t->nnodes - 1, 1,
					     &(struct fabric_head) { .dlid = 0xffff }, mad, 256, 0);
			fabric_process(f, 1);
		}
		hit = reached();
		made += f != NULL;
		refused += !f;
		busy += seen.busy;
		/* what was taken is answered; one failure spoils one request at most */
		wrong += f && (seen.arrived != sent || seen.busy > 1 || sent + 1 < 4);
		fabric_free(f);
		if (!hit)
			break;
	}
	ok(refused > 5, "%u fabrics are not made for want of memory", refused);
	is_u64(busy, 4, "each of the four tables was once too much");
	is_u64(wrong, 0, "... in one of %u fabrics, which went on", made);
	topology_free(t);
}

int main(void)
{
	reading();
	fabrics();
	return tap_done();
}
