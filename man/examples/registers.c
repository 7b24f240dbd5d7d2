/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* registers DEVICE: request ModuleInfo of every port, and print which types of device can be trusted. */
#include <madkit/madkit.h>
#include <stdio.h>

static unsigned int count(void *modules, struct madkit_survey_result *result)
{
	*(unsigned int *)modules += !result->error && !result->reason &&
				    !madkit_message_status(madkit_survey_message(result));
	return MADKIT_SURVEY_NEXT;
}

static void print_types(const struct madkit_registers *registers)
{
	const struct madkit_registers_type *type;

	for (uint32_t i = 0; (type = madkit_registers_type(registers, i)); i++)
		printf("%u x %s: %s\n", type->nodes, type->name,
		       type->trusted ? "trusted" : type->why);
}

int main(int argc, char **argv)
{
	const struct madkit_sweep_attr whole = { .retries = MADKIT_SWEEP_RETRIES };
	unsigned int modules = 0;
	struct madkit_survey_attr attr = { .result = count, .context = &modules };
	struct madkit_registers *registers = NULL;
	struct madkit_survey *survey = NULL;
	struct madkit_sweep *sweep = NULL;
	struct madkit_port *port = NULL;
	uint8_t mgmt_class = 0;
	int ret = argc == 2 ? madkit_port_open(argv[1], &port, NULL) : -1;

	if (!ret)
		ret = madkit_attribute_find("ModuleInfo", -1, &mgmt_class, &attr.id,
					    &attr.attribute, NULL);
	attr.mgmt_class = mgmt_class;
	if (!ret && !madkit_sweep_new(port, &whole, &sweep) &&
	    madkit_sweep_step(sweep, UINT64_MAX) == 1 &&
	    !madkit_registers_new(sweep, &registers)) {
		attr.registers = registers;
		ret = madkit_survey_new(sweep, &attr, &survey);
		while (!ret)
			ret = madkit_survey_step(survey, UINT64_MAX);
	}
	print_types(registers);
	printf("%u ports have a module\n", modules);
	madkit_survey_free(survey);
	madkit_registers_free(registers);
	madkit_sweep_free(sweep);
	madkit_port_close(port);
	return ret < 0;
}
