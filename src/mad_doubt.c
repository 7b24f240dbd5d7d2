/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "mad_doubt.h"

bool mad_doubt_version_fits(const uint8_t *p)
{
	return p[2] == madkit_class_version(p[1]) || (p[0] == MADKIT_BASE_VERSION_OPA && p[2] == p[0]);
}

bool mad_doubt_begins(const uint8_t *p)
{
	return !mad_doubt_lost(p) && madkit_class_get(p[1]) && mad_doubt_version_fits(p) &&
	       madkit_method_name(p[1], p[3]);
}

bool mad_doubt_plausible(const uint8_t *p, size_t have, bool doubtful)
{
	if (mad_doubt_lost(p) || (have >= 2 && !madkit_class_get(p[1])))
		return false;
	if (have < MADKIT_HEADER_BYTES)
		return !doubtful;
	/* behind the attribute two bytes are reserved */
	if (p[MADKIT_MAD_ATTRIBUTE + 2] || p[MADKIT_MAD_ATTRIBUTE + 3])
		return false;
	return !doubtful || mad_doubt_begins(p);
}

/* Offsets from here on are addresses in memory, not places in a dump. */
#define OFFSET_MAX 0x10000

bool mad_doubt_headless(const struct hex_text *t, const uint8_t *p, size_t have)
{
	const struct hex_dump *d = &t->dump;

	if (!d->headless || (hex_text_in_log(t) && d->start < OFFSET_MAX))
		return d->headless;
	return !mad_doubt_plausible(p, have, true) &&
	       (d->start % MADKIT_MAD_BYTES || have < 4 || !mad_doubt_begins(p));
}

bool mad_doubt_joined(const struct hex_dump *d, const uint8_t *p, size_t have, size_t want)
{
	size_t at = d->width - (d->block - have) % d->width;

	for (; p[0] == MADKIT_BASE_VERSION_OPA && at + MADKIT_HEADER_BYTES <= want; at += d->width)
		if (mad_doubt_plausible(p + at, MADKIT_HEADER_BYTES, true))
			return true;
	return false;
}
