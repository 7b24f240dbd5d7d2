/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "confirm.h"
#include "cli/wait.h"

int confirm_on_terminal(const char *question, const char *option)
{
	int fd = wait_open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY, 0);
	char text[64];
	ssize_t n;

	if (fd < 0 && cli_stopped())
		return cli_stopped_status();
	if (fd < 0)
		return cli_usage_error("there is no terminal to ask on: %s does not ask", option);
	n = wait_write(fd, question, strlen(question));
	if (!n)
		n = wait_read(fd, text, sizeof(text));
	close(fd);
	if (cli_stopped())
		return cli_stopped_status();
	if (n < 0)
		return cli_failed((int)n, "no answer");
	return n && (text[0] == 'y' || text[0] == 'Y') ? EXIT_DONE : EXIT_NOTHING;
}
