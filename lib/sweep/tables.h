/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts records of the subnet administrator to nodes, ports and links. Records are not trusted. */
#ifndef SWEEP_TABLES_H
#define SWEEP_TABLES_H

#include <madkit/message.h>
#include "sweep/state.h"

struct tables {
	struct sweep_place *owners; /* end ports by LID; node MADKIT_SWEEP_NONE: none */
	bool own;                   /* the first node is that of the port of the sweep */
};

/* Returns 0 or -ENOMEM. */
int tables_init(struct tables *t);
/* Processes the records of a response. Returns 0 or -ENOMEM. */
int tables_take(struct madkit_sweep *s, struct tables *t, const struct madkit_message *m);
/* Derives hops and parents from the links when all tables have arrived. Returns 0 or -ENOMEM. */
int tables_finish(struct madkit_sweep *s, const struct tables *t);
void tables_free(struct tables *t);

#endif
