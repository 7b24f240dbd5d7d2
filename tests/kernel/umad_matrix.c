// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The registration matrix: every management class by class version, RMPP version, OUI, flags and methods, what a
 * real kernel takes of it and with which errno it refuses the rest; by the bare ioctl, held against a table of
 * rules, and by umad_register2, which asks a second time. Needs the soft-RoCE device rxe0.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum { FREE_METHOD = 0x11, FLAG_UNKNOWN = 0x80 };

static const uint8_t versions[] = { 0, 1, 2, 0x82, 0x83 };
static const uint8_t rmpp_versions[] = { 0, 1, 2 };
static const uint32_t ouis[] = { 0, OUI, OUI | 1 << 24 };
static const uint32_t flag_words[] = { 0, UMAD_USER_RMPP, FLAG_UNKNOWN };

#define EACH(i, list) for (size_t i = 0; i < ARRAY_SIZE(list); i++)

static bool is_smi(const struct umad_reg_attr *a)
{
	return a->mgmt_class == 0x01 || a->mgmt_class == 0x81;
}

static bool has_oui(const struct umad_reg_attr *a)
{
	return a->mgmt_class >= 0x30 && a->mgmt_class <= 0x4f;
}

/* ---- what refuses a registration: the first that applies ---- */

static bool unknown_flag(const struct umad_reg_attr *a)
{
	return a->flags & ~(uint32_t)UMAD_USER_RMPP;
}

static bool long_oui(const struct umad_reg_attr *a)
{
	return a->mgmt_class && a->oui >> 24;
}

static bool odd_rmpp(const struct umad_reg_attr *a)
{
	return a->rmpp_version > 1;
}

static bool user_rmpp_of_class_0(const struct umad_reg_attr *a)
{
	return !a->mgmt_class && a->flags & UMAD_USER_RMPP;
}

static bool high_version(const struct umad_reg_attr *a)
{
	return a->mgmt_class && a->mgmt_class_version >= 0x83;
}

static bool high_class(const struct umad_reg_attr *a)
{
	return a->mgmt_class >= 0x50 && a->mgmt_class != 0x81;
}

static bool no_oui(const struct umad_reg_attr *a)
{
	return has_oui(a) && !a->oui;
}

static bool class_without_rmpp(const struct umad_reg_attr *a)
{
	bool rmpp = a->mgmt_class == 0x03 || a->mgmt_class == 0x06 || a->mgmt_class == 0x10 ||
		    a->mgmt_class == 0x12 || has_oui(a);

	return a->mgmt_class && a->rmpp_version && !rmpp;
}

static const struct rule {
	const char *name;
	bool (*applies)(const struct umad_reg_attr *attr);
	int code;
} rules[] = {
	{ "a flag that the kernel has not", unknown_flag, EINVAL },
	{ "an OUI above 24 bits", long_oui, EINVAL },
	{ "an SMI class on RoCE", is_smi, EPROTONOSUPPORT },
	{ "an RMPP version other than 0 or 1", odd_rmpp, EINVAL },
	{ "UMAD_USER_RMPP with class 0", user_rmpp_of_class_0, EINVAL },
	{ "class version 0x83 and above", high_version, EINVAL },
	{ "class 0x50 and above", high_class, EINVAL },
	{ "OUI 0 in 0x30-0x4f", no_oui, EINVAL },
	{ "RMPP on a class that has none", class_without_rmpp, EINVAL },
};
enum { RULES = ARRAY_SIZE(rules) };

static size_t rule_of(const struct umad_reg_attr *attr)
{
	size_t i = 0;

	while (i < RULES && !rules[i].applies(attr))
		i++;
	return i;
}

/* ---- asking ---- */

static int by_ioctl(int fd, const struct umad_reg_attr *a, uint32_t *agent)
{
	struct ib_user_mad_reg_req2 req = {
		.qpn = is_smi(a) ? 0 : 1,
		.mgmt_class = a->mgmt_class,
		.mgmt_class_version = a->mgmt_class_version,
		.flags = a->flags,
		.method_mask = { a->method_mask[0], a->method_mask[1] },
		.oui = a->oui,
		.rmpp_version = a->rmpp_version,
	};

	if (ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &req))
		return errno;
	*agent = req.id;
	return 0;
}

/* libibumad takes an EINVAL without flags for an old kernel's, and asks with what that had: an OUI of 3 bytes. */
static int by_libibumad_wanted(const struct umad_reg_attr *attr, int kernel)
{
	struct umad_reg_attr old = *attr;
	size_t rule;

	if (kernel != EINVAL || attr->flags || (has_oui(attr) && attr->oui >> 24))
		return kernel;
	old.oui &= 0xffffff;
	rule = rule_of(&old);
	return rule < RULES ? rules[rule].code : 0;
}

static unsigned int asked, differ[RULES + 1], met[RULES + 1];

static void is_as_ruled(int fd, const struct umad_reg_attr *attr, unsigned int *wrong,
			unsigned int *wrong_lib)
{
	struct umad_reg_attr copy = *attr;
	size_t rule = rule_of(attr);
	int wanted = rule < RULES ? rules[rule].code : 0, got;
	uint32_t agent;

	asked++;
	met[rule]++;
	got = by_ioctl(fd, attr, &agent);
	if (got == 0)
		umad_unregister(fd, (int)agent);
	if (got != wanted) {
		differ[rule]++;
		if (!(*wrong)++)
			printf("# class 0x%02x version 0x%02x RMPP %u OUI 0x%x flags 0x%x methods %s: %d, wanted %d\n",
			       (unsigned int)attr->mgmt_class, (unsigned int)attr->mgmt_class_version,
			       (unsigned int)attr->rmpp_version, (unsigned int)attr->oui,
			       (unsigned int)attr->flags, attr->method_mask[0] ? "one" : "none", got, wanted);
	}
	wanted = by_libibumad_wanted(attr, wanted);
	got = umad_register2(fd, &copy, &agent);
	if (got == 0)
		umad_unregister(fd, (int)agent);
	if (got != wanted && !(*wrong_lib)++)
		printf("# umad_register2: class 0x%02x version 0x%02x RMPP %u OUI 0x%x flags 0x%x methods %s: %d, wanted %d\n",
		       (unsigned int)attr->mgmt_class, (unsigned int)attr->mgmt_class_version,
		       (unsigned int)attr->rmpp_version, (unsigned int)attr->oui, (unsigned int)attr->flags,
		       attr->method_mask[0] ? "one" : "none", got, wanted);
}

static void umad_matrix_all(void)
{
	int fd = umad_end_open_port("rxe0");

	for (int mgmt_class = 0; mgmt_class <= 0xff; mgmt_class++) {
		unsigned int wrong = 0, wrong_lib = 0;

		EACH(v, versions)
			EACH(r, rmpp_versions)
				EACH(o, ouis)
					EACH(f, flag_words)
						for (int methods = 0; methods < 2; methods++) {
							struct umad_reg_attr attr = {
								.mgmt_class = (uint8_t)mgmt_class,
								.mgmt_class_version = versions[v],
								.rmpp_version = rmpp_versions[r],
								.oui = ouis[o],
								.flags = flag_words[f],
								.method_mask[0] = (uint64_t)methods
										  << FREE_METHOD,
							};

							is_as_ruled(fd, &attr, &wrong, &wrong_lib);
						}
		ok(!wrong, "class 0x%02x: taken or refused as the rules say", (unsigned int)mgmt_class);
		ok(!wrong_lib, "class 0x%02x: by umad_register2 as well", (unsigned int)mgmt_class);
	}
	for (size_t i = 0; i < RULES; i++)
		ok(met[i] && !differ[i], "%s: %s (%u registrations)", rules[i].name,
		   rules[i].code == EINVAL ? "EINVAL" : "EPROTONOSUPPORT", met[i]);
	ok(met[RULES] && !differ[RULES], "what no rule refuses is taken (%u of %u)", met[RULES], asked);
	umad_close_port(fd);
}

/* The lines that a refusal writes into the kernel's log; after some refusals libibumad tries again. */
static void umad_matrix_refusals_in_log(void)
{
	/* clang-format off */
	static const struct {
		const char *what;
		struct umad_reg_attr attr;
		int kernel, library;
		unsigned int kernel_lines, library_lines;
	} cases[] = {
		{ "flags 0x80", { .mgmt_class = 0x0a, .mgmt_class_version = 1, .flags = 0x80 }, EINVAL, EINVAL, 1, 1 },
		/* the older ioctl, which libibumad tries next, has an OUI of three bytes */
		{ "an OUI of 25 bits in class 0x0a, which has none", { .mgmt_class = 0x0a, .mgmt_class_version = 1,
		  .oui = 1 << 24 }, EINVAL, 0, 1, 1 },
		/* libibumad looks at this itself */
		{ "an OUI of 25 bits", { .mgmt_class = 0x32, .mgmt_class_version = 1, .oui = 1 << 24 }, EINVAL, EINVAL,
		  1, 0 },
		{ "a method of ib_cm", { .mgmt_class = 0x07, .mgmt_class_version = 2, .method_mask = { 1 << METHOD_SEND } },
		  EINVAL, EINVAL, 1, 2 },
		{ "class 0x50", { .mgmt_class = 0x50, .mgmt_class_version = 1 }, EINVAL, EINVAL, 0, 0 },
		{ "class version 0x83", { .mgmt_class = 0x0a, .mgmt_class_version = 0x83 }, EINVAL, EINVAL, 0, 0 },
		{ "no OUI", { .mgmt_class = 0x32, .mgmt_class_version = 1 }, EINVAL, EINVAL, 0, 0 },
		{ "RMPP version 2", { .mgmt_class = 0x03, .mgmt_class_version = 2, .rmpp_version = 2 }, EINVAL, EINVAL,
		  0, 0 },
		{ "RMPP for PerfMgt", { .mgmt_class = 0x04, .mgmt_class_version = 1, .rmpp_version = 1 }, EINVAL, EINVAL,
		  0, 0 },
		{ "user-space RMPP for class 0", { .flags = UMAD_USER_RMPP }, EINVAL, EINVAL, 0, 0 },
		{ "SubnMgt on RoCE", { .mgmt_class = 0x01, .mgmt_class_version = 1 }, EPROTONOSUPPORT, EPROTONOSUPPORT,
		  0, 0 },
	};
	/* clang-format on */
	const struct umad_reg_attr client = { .mgmt_class = 0x0a, .mgmt_class_version = 1 };
	struct umad_reg_attr attr;
	int log = kernel_log_open(), fd = umad_end_open_port("rxe0");
	uint32_t agent;

	EACH(i, cases) {
		attr = cases[i].attr;
		is_int(by_ioctl(fd, &attr, &agent), cases[i].kernel, "log: %s by the bare ioctl",
		       cases[i].what);
		is_int(kernel_log_lines(log), cases[i].kernel_lines, "... dmesg shows %u lines",
		       cases[i].kernel_lines);
		is_int(umad_register2(fd, &attr, &agent), cases[i].library, "log: %s by umad_register2",
		       cases[i].what);
		is_int(kernel_log_lines(log), cases[i].library_lines, "... dmesg shows %u lines",
		       cases[i].library_lines);
	}
	umad_close_port(fd);

	fd = umad_end_open_port("rxe0");
	for (int i = 0; i < 32; i++) {
		attr = client;
		need(umad_register2(fd, &attr, &agent) == 0, "32 agents");
	}
	is_int(kernel_log_lines(log), 0, "log: nothing about 32 agents");
	is_int(umad_register2(fd, &attr, &agent), ENOMEM, "log: the 33rd agent");
	is_int(kernel_log_lines(log), 1, "... dmesg shows 1 line");
	umad_close_port(fd);
	close(log);
}

int main(void)
{
	int64_t start;

	need(umad_init() == 0, "umad_init");
	umad_close_port(umad_end_open_port("rxe0"));
	umad_matrix_refusals_in_log();
	start = now_ms();
	umad_matrix_all();
	printf("# %u registrations twice in %" PRId64 " ms\n", asked, now_ms() - start);
	umad_done();
	return tap_done();
}
