/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madreg --registers: which registers each type of device has, and whether they can be trusted. */
#ifndef SRC_REGISTER_CHECK_H
#define SRC_REGISTER_CHECK_H

#include "cli/output.h"

/*
 * Sweeps the subnet, checks one node of each type of device and firmware, and requests each register of it once. The output
 * has no serial number, GUID or name. Returns EXIT_NOTHING if a type disagrees with itself, or if no device has
 * AccessRegisterGMP; EXIT_TIMEOUT if none responded; or another exit status. Failures have been reported.
 */
int register_check(const struct cli_options *options, struct output *out);

#endif
