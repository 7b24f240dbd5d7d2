// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which programs a real kernel lets open a umad and register, and the errors that others get, tested by
 * libibumad only: the facts that the library's umad transport relies on. Needs the soft-RoCE device rxe0.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

static void registration_values(void)
{
	/* clang-format off */
	static const struct {
		const char *what;
		struct umad_reg_attr attr;
		int wanted;
	} cases[] = {
		{ "class 0x32 with OUI 0", { .mgmt_class = 0x32, .mgmt_class_version = 1 }, EINVAL },
		{ "class 0x32 with an OUI of 25 bits",
		  { .mgmt_class = 0x32, .mgmt_class_version = 1, .oui = 1 << 24 }, EINVAL },
		{ "RMPP version 2",
		  { .mgmt_class = 0x32, .mgmt_class_version = 1, .oui = OUI, .rmpp_version = 2 }, EINVAL },
		{ "class 0x4f, the last", { .mgmt_class = 0x4f, .mgmt_class_version = 1, .oui = OUI }, 0 },
		{ "class 0x50", { .mgmt_class = 0x50, .mgmt_class_version = 1 }, EINVAL },
		{ "class version 0x82, the last", { .mgmt_class = 0x0a, .mgmt_class_version = 0x82 }, 0 },
		{ "class version 0x83", { .mgmt_class = 0x0a, .mgmt_class_version = 0x83 }, EINVAL },
		{ "class 0", { .mgmt_class = 0 }, 0 },
		{ "UMAD_USER_RMPP with class 0", { .flags = UMAD_USER_RMPP }, EINVAL },
		{ "an SMI class on RoCE (0x01)", { .mgmt_class = 0x01, .mgmt_class_version = 1 },
		  EPROTONOSUPPORT },
		{ "an SMI class on RoCE (0x81)", { .mgmt_class = 0x81, .mgmt_class_version = 1 },
		  EPROTONOSUPPORT },
	};
	/* clang-format on */
	int fd = umad_end_open_port("rxe0");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		is_int(register_errno(fd, cases[i].attr), cases[i].wanted,
		       "register: 0 or a positive errno: %s", cases[i].what);
	}
	errno = 0;
	is_int(umad_register(fd, 0x50, 1, 0, (long[16 / sizeof(long)]){ 2 }), -EPERM,
	       "umad_register: -EPERM for any refusal");
	is_int(errno, EINVAL, "umad_register: the cause is in errno");
	umad_close_port(fd);
}

static void registration_rmpp_classes(void)
{
	int fd = umad_end_open_port("rxe0");

	for (int mgmt_class = 0x02; mgmt_class < 0x50; mgmt_class++) {
		struct umad_reg_attr attr = { .mgmt_class = (uint8_t)mgmt_class,
					      .mgmt_class_version = 1,
					      .oui = OUI,
					      .rmpp_version = 1 };
		bool has_rmpp = mgmt_class == 0x03 || mgmt_class == 0x06 || mgmt_class == 0x10 ||
				mgmt_class == 0x12 || mgmt_class >= 0x30;
		uint32_t agent;
		int rc = umad_register2(fd, &attr, &agent);

		is_int(rc, has_rmpp ? 0 : EINVAL, "RMPP for class 0x%02x: %s", (unsigned int)mgmt_class,
		       has_rmpp ? "yes" : "refused");
		if (rc == 0)
			umad_unregister(fd, (int)agent);
	}
	umad_close_port(fd);
}

static void registration_flags(void)
{
	struct umad_reg_attr attr = umad_end_attr(OUI, METHOD_GET, 0);
	struct ib_user_mad_reg_req2 req = {
		.qpn = 1,
		.mgmt_class = CLASS,
		.mgmt_class_version = 1,
		.oui = OUI,
		.flags = 0x80,
	};
	int fd = umad_end_open_port("rxe0");
	uint32_t agent;

	attr.flags = 0x80;
	is_int(umad_register2(fd, &attr, &agent), EINVAL, "an unknown flag is refused");
	is_int(attr.flags, 0, "libibumad loses the supported flags");
	errno = 0;
	is_int(ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &req), -1, "the raw ioctl is refused as well");
	is_int(errno, EINVAL, "... with EINVAL");
	is_int(req.flags, UMAD_USER_RMPP, "... and hands the supported flags back");
	umad_close_port(fd);
}

static void registration_overlap(void)
{
	struct umad_reg_attr other_version = umad_end_attr(OUI, METHOD_GET, 0);
	struct umad_reg_attr cm = { .mgmt_class = 0x07,
				    .mgmt_class_version = 2,
				    .method_mask = { 1 << METHOD_SEND, 0 } };
	struct end holder = open_end("rxe0", OUI, METHOD_GET, 0);
	int fd = umad_end_open_port("rxe0");

	other_version.mgmt_class_version = 2;
	is_int(register_errno(fd, umad_end_attr(OUI, METHOD_GET, 0)), EINVAL,
	       "the same class, version, OUI and method again: EINVAL, not EBUSY");
	is_int(register_errno(fd, umad_end_attr(OUI, METHOD_ASK, 0)), 0, "another method is free");
	is_int(register_errno(fd, umad_end_attr(OUI + 9, METHOD_GET, 0)), 0, "another OUI is free");
	is_int(register_errno(fd, other_version), 0, "another class version is free");
	is_int(register_errno(fd, umad_end_attr(OUI, 0, 0)), 0, "a client, with no methods, never overlaps");
	is_int(register_errno(fd, cm), EINVAL, "class 0x07 method Send is taken by the kernel's ib_cm");
	close_end(holder);
	is_int(register_errno(fd, umad_end_attr(OUI, METHOD_GET, 0)), 0,
	       "closing the holder frees its methods");
	umad_close_port(fd);
}

static void registration_limits(void)
{
	int fd = umad_end_open_port("rxe0");
	int rc = 0, count = 0;

	while (count < 100 && (rc = register_errno(fd, umad_end_attr(OUI, 0, 0))) == 0)
		count++;
	is_int(count, 32, "32 agents fit an open file");
	is_int(rc, ENOMEM, "the 33rd is refused with ENOMEM");
	umad_close_port(fd);

	fd = umad_end_open_port("rxe0");
	for (count = 0; count < 31; count++)
		if ((rc = register_errno(fd, umad_end_attr((uint32_t)(OUI + count), METHOD_GET, 0))) != 0)
			break;
	is_int(count, 8, "8 OUIs with methods fit a class version");
	is_int(rc, ENOMEM, "the ninth is refused with ENOMEM");
	is_int(register_errno(fd, umad_end_attr(OUI + 9, 0, 0)), ENOMEM, "... without methods, too");
	umad_close_port(fd);

	fd = umad_end_open_port("rxe0");
	for (count = 0; count < 31; count++)
		if (register_errno(fd, umad_end_attr((uint32_t)(OUI + count), 0, 0)) != 0)
			break;
	is_int(count, 8, "8 OUIs without methods fit it as well");
	umad_close_port(fd);
}

static void umad_registration_many_files(void)
{
	enum { FILES = 5000 };
	static int fds[FILES];
	const struct rlimit limit = { .rlim_cur = FILES + 100, .rlim_max = FILES + 100 };
	struct ib_user_mad_reg_req2 req = {
		.qpn = 1, .mgmt_class = CLASS, .mgmt_class_version = 1, .oui = OUI
	};
	int count = 0;

	need(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
	while (count < FILES && (fds[count] = open("/dev/infiniband/umad0", O_RDWR)) >= 0 &&
	       !ioctl(fds[count], IB_USER_MAD_REGISTER_AGENT2, &req))
		count++;
	is_int(count, FILES, "5000 open files with an agent each");
	for (int i = 0; i < count; i++)
		close(fds[i]);
}

/* IsSM, of the port's capability mask */
static uint32_t is_sm(void)
{
	FILE *file = fopen("/sys/class/infiniband/rxe0/ports/1/cap_mask", "r");
	unsigned int mask = 0;

	need(file && fscanf(file, "%x", &mask) == 1, "cap_mask");
	fclose(file);
	return mask & 2;
}

static void umad_registration_open_issm(void)
{
	char path[64];
	int fd;

	need(umad_get_issm_path("rxe0", 1, path, sizeof(path)) == 0, "umad_get_issm_path");
	is_int(is_sm(), 0, "issm: the port's capability mask has no IsSM");
	fd = open(path, O_RDONLY | O_NONBLOCK);
	ok(fd >= 0, "issm: opened");
	is_int(is_sm(), 2, "issm: opening it sets IsSM in the capability mask");
	errno = 0;
	is_int(open(path, O_RDONLY | O_NONBLOCK), -1, "issm: a second non-blocking open fails");
	is_int(errno, EAGAIN, "... with EAGAIN");
	close(fd);
	is_int(is_sm(), 0, "issm: closing it takes IsSM away");
}

static void open_refusals(void)
{
	is_int(umad_open_port("rxe7", 1), -EINVAL, "open: no such device is -EINVAL");
	need(seteuid(65534) == 0, "seteuid");
	is_int(umad_open_port("rxe0", 1), -EIO, "open: as another user than root it is -EIO");
	need(seteuid(0) == 0, "seteuid back");
}

/* A child that closes its copy of the descriptor, or unregisters the agent before that. */
static bool taken_after_fork(struct end end, bool unregister)
{
	int second = umad_end_open_port("rxe0"), status = -1, ret;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		if (unregister && umad_unregister(end.fd, (int)end.agent))
			_exit(1);
		_exit(umad_close_port(end.fd) != 0);
	}
	need(waitpid(pid, &status, 0) == pid && !status, "the child");
	ret = register_errno(second, umad_end_attr(OUI, METHOD_GET, 0));
	umad_close_port(second);
	return ret == EINVAL;
}

static void umad_registration_forked(void)
{
	struct end end = open_end("rxe0", OUI, METHOD_GET, 0);

	ok(taken_after_fork(end, false),
	   "C9: fork: a child that closes the descriptor leaves the agent registered");
	ok(!taken_after_fork(end, true),
	   "C9: fork: a child that unregisters the agent ends it for its parent as well");
	umad_close_port(end.fd);
}

int main(void)
{
	size_t before;

	need(umad_init() == 0, "umad_init");
	before = umad_size();
	umad_close_port(umad_end_open_port("rxe0"));
	is_int(before, 56, "umad_size is 56 before the first open");
	is_int(umad_size(), 64, "... and 64 after it");
	open_refusals();
	registration_values();
	registration_rmpp_classes();
	registration_flags();
	registration_overlap();
	registration_limits();
	umad_registration_many_files();
	umad_registration_open_issm();
	umad_registration_forked();
	umad_done();
	return tap_done();
}
