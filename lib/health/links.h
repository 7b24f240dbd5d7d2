/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rules about links: half, init, slow, misconfigured, mtu. */
#ifndef HEALTH_LINKS_H
#define HEALTH_LINKS_H

#include "health/state.h"

/* Lists the ports whose PortInfo has to be read again, in pairs of both ends of a link, in h->ports. Returns 0 or
 * -ENOMEM. */
int links_doubt(struct madkit_health *h);

/* Lists the ports of links for which the rule slow has a warning: reasons_add(). Returns 0 or -ENOMEM. */
int links_list_slow(struct madkit_health *h);

/* Judges each link once. Returns 0 or -ENOMEM. */
int links_judge(struct madkit_health *h);

#endif
