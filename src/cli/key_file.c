/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "key_file.h"

void key_file_check(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	if (st.st_uid && st.st_uid != geteuid()) {
		cli_say("'%s' has keys, and belongs to another user (%u)", path, (unsigned int)st.st_uid);
		cli_say("hint: chown it, and make new keys if that user must not have them");
	}
	if (st.st_mode & S_IROTH) {
		cli_say("'%s' has keys, and every user may read it (mode %04o)", path,
			(unsigned int)st.st_mode & 07777);
		cli_say("hint: chmod o-r '%s'", path);
	}
}
