/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Without libibverbs the functions of queue pairs are there, and say so. */
#include <errno.h>
#include <string.h>
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

int main(void)
{
	struct madkit_port *port = fake_port(fake_new()), *other = NULL;
	struct madkit_agent *agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL), *made = NULL;
	const struct madkit_agent_attr attr = { .rmpp_version = 1 };
	struct madkit_error error = { .text = "" };

	is_int(madkit_port_open_qp("verbs:mlx5_0/1", NULL, &other, &error), -EOPNOTSUPP, "madkit_port_open_qp");
	ok(strstr(error.text, "libibverbs"), "... in words: %s", error.text);
	is_int(madkit_port_open("verbs:mlx5_0/1", &other, &error), -EOPNOTSUPP, "madkit_port_open");
	is_int(madkit_agent_redirect_qp(NULL, &attr, &made, &error), -EOPNOTSUPP, "madkit_agent_redirect_qp");
	is_int(madkit_agent_process_wc(agent, NULL, NULL, 0), -EOPNOTSUPP, "madkit_agent_process_wc");
	ok(!other && !made, "nothing was made");
	madkit_port_close(port);
	return tap_done();
}
