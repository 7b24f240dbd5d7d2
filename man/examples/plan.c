/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* plan BEFORE AFTER: print how two plans of cables differ. */
#include <madkit/madkit.h>
#include <stdio.h>
#include <string.h>

static int plan_file(const char *path, struct madkit_cabling **cabling,
		     struct madkit_error *error)
{
	struct madkit_plan *plan = NULL;
	FILE *file = fopen(path, "r");
	char line[4096];
	int ret = file ? madkit_plan_new(&plan) : -1;

	while (!ret && fgets(line, sizeof(line), file))
		ret = madkit_plan_line(plan, line, strlen(line), error);
	if (!ret)
		ret = madkit_plan_end(plan, cabling, error);
	madkit_plan_free(plan);
	if (file)
		fclose(file);
	return ret;
}

int main(int argc, char **argv)
{
	struct madkit_cabling *before = NULL, *after = NULL;
	struct madkit_error error = { .text = "cannot read the file" };
	struct madkit_comparison *comparison = NULL;
	const struct madkit_difference *d;
	size_t count;
	int ret = argc == 3 ? 0 : -1;

	if (!ret)
		ret = plan_file(argv[1], &before, &error);
	if (!ret)
		ret = plan_file(argv[2], &after, &error);
	if (!ret)
		ret = madkit_compare(before, after, NULL, &comparison, &error);
	if (ret)
		fprintf(stderr, "plan: %s\n", error.text);
	for (size_t i = 0; !ret && (d = madkit_comparison_difference(comparison, i)); i++)
		printf("%s %s: %s\n", madkit_difference_kinds(&count)[d->kind - 1].name,
		       d->place, d->text);
	madkit_comparison_free(comparison);
	madkit_cabling_free(before);
	madkit_cabling_free(after);
	return ret ? 1 : 0;
}
