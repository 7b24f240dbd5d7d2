/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Statuses of responses that are common to all classes (IBA volume 1, table 112). */
#ifndef WIRE_STATUS_H
#define WIRE_STATUS_H

#include <madkit/mad.h>

enum {
	STATUS_BAD_VERSION = 1 << MADKIT_STATUS_CODE_SHIFT,
	STATUS_BAD_METHOD = 2 << MADKIT_STATUS_CODE_SHIFT,
	STATUS_BAD_ATTRIBUTE = 3 << MADKIT_STATUS_CODE_SHIFT,
	STATUS_BAD_FIELD = 7 << MADKIT_STATUS_CODE_SHIFT,
};

#endif
