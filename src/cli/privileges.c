/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* syscall() */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "privileges.h"

static uint64_t privileges_bit(unsigned int capability)
{
	return UINT64_C(1) << capability;
}

static uint64_t privileges_needed(const struct cli_options *o)
{
	uint64_t needed = privileges_bit(CAP_NET_RAW) | privileges_bit(CAP_IPC_LOCK);

	if (o->mode == MODE_READ)
		return 0;
	if (o->mode == MODE_SNOOP)
		return privileges_bit(CAP_DAC_OVERRIDE);
	/* the map is read when the first name is shown */
	if (o->names.map_path)
		needed |= privileges_bit(CAP_DAC_OVERRIDE) | privileges_bit(CAP_DAC_READ_SEARCH);
	return needed;
}

void privileges_drop(const struct cli_options *o)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	uint64_t needed = privileges_needed(o);

	/* the C library has no function for these calls, and libcap is not needed for two of them */
	if (syscall(SYS_capget, &header, sets)) {
		cli_say("cannot read the capabilities of the process: %s", strerror(errno));
		return;
	}
	for (unsigned int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t keep = (uint32_t)(needed >> 32 * i);

		sets[i].effective &= keep;
		sets[i].permitted &= keep;
		sets[i].inheritable &= keep;
	}
	/* without it, a program that root executes has all capabilities again */
	if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, sets))
		cli_say("cannot drop capabilities: %s", strerror(errno));
}
