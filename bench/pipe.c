/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* pipe push BYTES [ROOM]: so many bytes to standard output, as fast as it takes them; with
 * ROOM in a pipe of that size.
 * pipe sink: reads standard input to its end, and nothing more. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char buf[1 << 16];
	ssize_t n;

	if (argc == 2 && !strcmp(argv[1], "sink")) {
		while ((n = read(0, buf, sizeof(buf))) > 0)
			;
		return n < 0;
	}
	if (argc < 3 || argc > 4 || strcmp(argv[1], "push"))
		return 2;
	if (argc == 4)
		fcntl(1, F_SETPIPE_SZ, atoi(argv[3]));
	memset(buf, 'x', sizeof(buf));
	for (unsigned long long left = strtoull(argv[2], NULL, 10); left; left -= (size_t)n) {
		n = write(1, buf, left < sizeof(buf) ? (size_t)left : sizeof(buf));
		if (n <= 0)
			return 1;
	}
	return 0;
}
