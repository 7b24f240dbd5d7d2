/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into a program on the simulated fabric: nodes lie in responses to SMPs with directed routes.
 *
 * LIES has lies, separated by semicolons, such as "0,1,7 0x11 3=ff00": in responses to the route 0,1,7 with this attribute,
 * the bytes of the data from offset 3 on are ff 00. The route may be "*": any.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIAR_DATA = 64, LIAR_PATH = 128, LIAR_BYTES = 64 };

static void liar_route(const uint8_t *mad, char text[256])
{
	size_t len = 1;

	strcpy(text, "0");
	for (unsigned int hop = 1; hop <= mad[7] && hop < LIAR_BYTES; hop++)
		len += (size_t)snprintf(text + len, 256 - len, ",%u", mad[LIAR_PATH + hop]);
}

static void liar_lie(uint8_t *mad, const char *lie)
{
	unsigned int attribute, at, value;
	char route[256], own[256];
	int used = 0, more = 0;

	liar_route(mad, own);
	if (sscanf(lie, " %255s %x %u=%n", route, &attribute, &at, &used) < 3 || !used)
		abort();
	if ((strcmp(route, "*") != 0 && strcmp(route, own) != 0) || attribute != (mad[16] * 256u + mad[17]))
		return;
	for (lie += used; at < LIAR_BYTES && sscanf(lie, "%2x%n", &value, &more) == 1; lie += more)
		mad[LIAR_DATA + at++] = (uint8_t)value;
}

int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	int (*next)(int, void *, int *, int) =
		(int (*)(int, void *, int *, int))dlsym(RTLD_NEXT, "umad_recv");
	int ret = next(fd, umad, length, timeout_ms);
	const char *lies = getenv("LIES");
	uint8_t *mad = umad_get_mad(umad);

	if (ret < 0 || !lies || umad_status(umad) || mad[1] != 0x81 || !(mad[4] & 0x80))
		return ret;
	for (;;) {
		liar_lie(mad, lies);
		lies = strchr(lies, ';');
		if (!lies)
			return ret;
		lies++;
	}
}
