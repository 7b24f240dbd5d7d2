/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* survey DEVICE: print PortCounters of every port as JSON; exit 1 if a port may be missing. */
#include <madkit/madkit.h>
#include <stdio.h>

static unsigned int print(void *out, struct madkit_survey_result *result)
{
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	madkit_format_json(&buf, madkit_survey_message(result),
			   &(struct madkit_format){ 0 });
	fwrite(buf.data, 1, buf.len, out);
	madkit_buf_free(&buf);
	return MADKIT_SURVEY_NEXT;
}

int main(int argc, char **argv)
{
	const struct madkit_survey_attr attr = { .mgmt_class = MADKIT_CLASS_PERF,
						 .id = MADKIT_ATTR_PORT_COUNTERS,
						 .result = print,
						 .context = stdout };
	const struct madkit_sweep_attr whole = { .retries = MADKIT_SWEEP_RETRIES };
	struct madkit_sweep_counts counts;
	struct madkit_survey *survey = NULL;
	struct madkit_sweep *sweep = NULL;
	struct madkit_port *port = NULL;
	int ret = argc == 2 ? madkit_port_open(argv[1], &port, NULL) : -1;

	if (!ret && !madkit_sweep_new(port, &whole, &sweep) &&
	    madkit_sweep_step(sweep, UINT64_MAX) == 1)
		ret = madkit_survey_new(sweep, &attr, &survey);
	while (!ret)
		ret = madkit_survey_step(survey, UINT64_MAX);
	madkit_sweep_count(sweep, &counts);
	madkit_survey_free(survey);
	madkit_sweep_free(sweep);
	madkit_port_close(port);
	return ret < 0 || counts.missing;
}
