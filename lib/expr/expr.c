/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* To come: filters and projections. */
#include <errno.h>
#include <madkit/expr.h>

int madkit_expr_new(const char *text, struct madkit_expr **expr,
		    struct madkit_error *error)
{
	(void)text;
	*expr = NULL;
	return madkit_error_set(error, -EOPNOTSUPP, -1, "no expressions yet");
}

void madkit_expr_free(struct madkit_expr *expr)
{
	(void)expr;
}

int madkit_expr_check(const struct madkit_expr *expr,
		      const struct madkit_attribute *attribute,
		      struct madkit_error *error)
{
	(void)expr;
	(void)attribute;
	return madkit_error_set(error, -EOPNOTSUPP, -1, "no expressions yet");
}

int madkit_expr_eval(const struct madkit_expr *expr,
		     const struct madkit_record *record)
{
	(void)expr;
	(void)record;
	return -ENODATA;
}

int madkit_projection_new(const char *text, struct madkit_projection **p,
			  struct madkit_error *error)
{
	(void)text;
	*p = NULL;
	return madkit_error_set(error, -EOPNOTSUPP, -1, "no projections yet");
}

void madkit_projection_free(struct madkit_projection *p)
{
	(void)p;
}

int madkit_projection_check(const struct madkit_projection *p,
			    const struct madkit_attribute *attribute,
			    struct madkit_error *error)
{
	(void)p;
	(void)attribute;
	return madkit_error_set(error, -EOPNOTSUPP, -1, "no projections yet");
}

int madkit_projection_has(const struct madkit_projection *p, const char *path,
			  const struct madkit_layout *layout)
{
	(void)path;
	(void)layout;
	return p ? 0 : 2;
}
