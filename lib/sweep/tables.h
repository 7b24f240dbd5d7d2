/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the records of the subnet administrator to nodes, ports and links. Records are not trusted. */
#ifndef SWEEP_TABLES_H
#define SWEEP_TABLES_H

#include <madkit/message.h>
#include "sweep/state.h"

struct tables {
	struct sweep_place *owners; /* end port of each LID; node MADKIT_SWEEP_NONE: none */
	bool own;                   /* the first node is that of the port of the sweep */
};

/* 0 or -ENOMEM. */
int tables_init(struct tables *t);
/* Takes the records of a response. 0 or -ENOMEM. */
int tables_take(struct madkit_sweep *s, struct tables *t, const struct madkit_message *m);
/* All tables have arrived: derives hops and parents from the links. 0 or -ENOMEM. */
int tables_finish(struct madkit_sweep *s, const struct tables *t);
void tables_free(struct tables *t);

#endif
