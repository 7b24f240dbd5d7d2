/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Preloaded into madsweep: the nodes lack the capabilities in LACKED and LACKED2, of switches only if LACKED_BY is set. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>

/* Takes the place of the library's function, which receives a copy of the attribute without these capabilities. */
unsigned int lacking_counters(const uint8_t *cpi) __asm__("madkit_cpi_get_counters");

/* Clears bits of the mask in the bytes from first to last. */
static void lacking_clear(uint8_t *cpi, unsigned int first, unsigned int last, uint32_t bits)
{
	for (unsigned int i = last; i >= first; i--, bits >>= 8)
		cpi[i] &= (uint8_t)~bits;
}

static uint32_t lacking_mask(const uint8_t *cpi, const char *variable)
{
	const char *lacked = getenv(variable);
	const unsigned int mask = (unsigned int)cpi[2] << 8 | cpi[3];

	if (!lacked || (getenv("LACKED_BY") && !(mask & MADKIT_CPI_CAP_PERF_ALL_PORT_SELECT)))
		return 0;
	return (uint32_t)strtoul(lacked, NULL, 0);
}

unsigned int lacking_counters(const uint8_t *cpi)
{
	unsigned int (*next)(const uint8_t *);
	void *found = dlsym(RTLD_NEXT, "madkit_cpi_get_counters");
	uint8_t copy[72]; /* the whole ClassPortInfo */

	if (!found)
		abort();
	memcpy(&next, &found, sizeof(next));
	memcpy(copy, cpi, sizeof(copy));
	lacking_clear(copy, 2, 3, lacking_mask(cpi, "LACKED"));
	/* CapabilityMask2 is the upper 27 bits of four bytes */
	lacking_clear(copy, 4, 7, lacking_mask(cpi, "LACKED2") << 5);
	return next(copy);
}
