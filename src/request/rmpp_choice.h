/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --rmpp: who takes messages apart and puts them together. */
#ifndef SRC_RMPP_CHOICE_H
#define SRC_RMPP_CHOICE_H

#include "cli/cli.h"

/* Who does it for a class: RMPP_NONE where that carries none, never RMPP_DEFAULT. */
enum cli_rmpp rmpp_choice(const struct cli_options *options, uint8_t mgmt_class);

/* Refuses the option for a class without RMPP. 0 or EXIT_USAGE. */
int rmpp_choice_check(const struct cli_options *options, uint8_t mgmt_class);

/* Registers for it. */
void rmpp_choice_put(enum cli_rmpp choice, struct madkit_agent_attr *attr);

#endif
