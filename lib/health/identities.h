/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rules about what identifies nodes and ports: guid, lid, name. */
#ifndef HEALTH_IDENTITIES_H
#define HEALTH_IDENTITIES_H

#include "health/state.h"

/* Judges GUIDs, LIDs and names, one problem for each that several have. Returns 0 or -ENOMEM. */
int identities_judge(struct madkit_health *h);

#endif
