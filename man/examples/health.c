/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* health DEVICE: print the problems of the subnet; exit 1 if there may be more. */
#include <madkit/madkit.h>
#include <stdio.h>

static unsigned int keep_result(void *health, struct madkit_survey_result *result)
{
	madkit_health_take(health, result);
	return MADKIT_SURVEY_NEXT;
}

/* Sends the requests that the rules need. Pauses are omitted: second readings follow at once. */
static int request_all(struct madkit_sweep *sweep, struct madkit_health *health)
{
	struct madkit_health_request request;
	int ret;

	while ((ret = madkit_health_next(health, &request)) > 0) {
		const struct madkit_survey_attr attr = { .mgmt_class = request.mgmt_class,
							 .id = request.attribute,
							 .ports = request.ports,
							 .nports = request.nports,
							 .result = keep_result,
							 .context = health };
		struct madkit_survey *survey = NULL;

		ret = madkit_survey_new(sweep, &attr, &survey);
		while (!ret)
			ret = madkit_survey_step(survey, UINT64_MAX);
		madkit_survey_free(survey);
		if (ret < 0)
			break;
	}
	return ret;
}

int main(int argc, char **argv)
{
	const struct madkit_sweep_attr whole = { .retries = MADKIT_SWEEP_RETRIES };
	const struct madkit_problem *problem;
	struct madkit_health_settings settings;
	struct madkit_sweep_counts counts;
	struct madkit_health *health = NULL;
	struct madkit_sweep *sweep = NULL;
	struct madkit_port *port = NULL;
	int ret = argc == 2 ? madkit_port_open(argv[1], &port, NULL) : -1;

	madkit_health_settings_init(&settings);
	if (!ret && !madkit_sweep_new(port, &whole, &sweep) &&
	    madkit_sweep_step(sweep, UINT64_MAX) == 1 && !madkit_sweep_label(sweep, NULL))
		ret = madkit_health_new(sweep, &settings, &health);
	if (!ret && health)
		ret = request_all(sweep, health);
	if (!ret && health)
		ret = madkit_health_judge(health);
	for (size_t i = 0; !ret && health && (problem = madkit_health_problem(health, i));
	     i++)
		printf("%s %s: %s\n", problem->rule->name, problem->place, problem->text);
	madkit_sweep_count(sweep, &counts);
	madkit_health_free(health);
	madkit_sweep_free(sweep);
	madkit_port_close(port);
	return ret < 0 || counts.missing;
}
