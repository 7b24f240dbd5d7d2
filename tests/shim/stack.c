/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much stack the preloaded device uses for paths and descriptors that are not its own. Each
 * function is called on a painted stack, once through the preloaded library and once in the C
 * library directly; the difference is the preloaded library's. Then the stacks that broke
 * programs: a thread of PTHREAD_STACK_MIN and an alternate signal stack of 8 KB. Paths that
 * cannot be read are the kernel's to refuse.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <ucontext.h>
#include <unistd.h>
#include "tests/tap.h"
#include "util/array_size.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
/* a sanitizer's own functions come in between, and red zones */
enum { BOUND = SANITIZED ? 8192 : 1024 };
enum { STACK = 256 * 1024, PAINT = 0xa5, NAME = 4090 };

/* ---- the functions --------------------------------------------------------------------- */

static const char *path;
static int dirfd_ = AT_FDCWD;
static int pipe_fd[2];
static char room[8192];

union result {
	struct stat st;
	struct stat64 st64;
	struct statx stx;
};
static union result result;

static int all(const struct dirent *d)
{
	(void)d;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void close_dir(DIR *dir)
{
	if (dir)
		closedir(dir);
}

static void close_file(FILE *file)
{
	if (file)
		fclose(file);
}

#define PATHS(X) \
	X(open, close_fd(f(path, O_RDONLY))) \
	X(open64, close_fd(f(path, O_RDONLY))) \
	X(openat, close_fd(f(dirfd_, path, O_RDONLY))) \
	X(openat64, close_fd(f(dirfd_, path, O_RDONLY))) \
	X(fopen, close_file(f(path, "r"))) \
	X(stat, (void)!f(path, &result.st)) \
	X(lstat, (void)!f(path, &result.st)) \
	X(fstatat, (void)!f(dirfd_, path, &result.st, 0)) \
	X(stat64, (void)!f(path, &result.st64)) \
	X(fstatat64, (void)!f(dirfd_, path, &result.st64, 0)) \
	X(statx, (void)!f(dirfd_, path, 0, STATX_BASIC_STATS, &result.stx)) \
	X(access, (void)!f(path, R_OK)) \
	X(faccessat, (void)!f(dirfd_, path, R_OK, 0)) \
	X(euidaccess, (void)!f(path, R_OK)) \
	X(chdir, (void)!f(path)) \
	X(opendir, close_dir(f(path))) \
	X(scandir, (void)f(path, &(struct dirent **){ NULL }, all, NULL)) \
	X(scandirat, (void)f(dirfd_, path, &(struct dirent **){ NULL }, all, NULL)) \
	X(readlink, (void)!f(path, room, sizeof(room))) \
	X(readlinkat, (void)!f(dirfd_, path, room, sizeof(room))) \
	X(getxattr, (void)!f(path, "user.x", room, sizeof(room))) \
	X(lgetxattr, (void)!f(path, "user.x", room, sizeof(room))) \
	X(realpath, (void)!f(path, room)) \
	X(canonicalize_file_name, free(f(path)))

#define DESCRIPTORS(X) \
	X(write, (void)!f(pipe_fd[1], "x", 1)) \
	X(read, (void)!f(pipe_fd[0], room, 1)) \
	X(ioctl, (void)!f(pipe_fd[0], FIONREAD, &(int){ 0 }))

#define CALLER(name, call) \
	static void call_##name(void *function) \
	{ \
		typeof(&name) f = (typeof(&name))function; \
		call; \
	}
PATHS(CALLER)
DESCRIPTORS(CALLER)

struct function {
	const char *name;
	void (*call)(void *function);
};

#define ROW(name, call) { #name, call_##name },
static const struct function path_functions[] = { PATHS(ROW) };
static const struct function fd_functions[] = { DESCRIPTORS(ROW) };

enum {
	PATH_FUNCTIONS = ARRAY_SIZE(path_functions),
	FD_FUNCTIONS = ARRAY_SIZE(fd_functions),
};

/* ---- measuring ------------------------------------------------------------------------- */

static unsigned char *stack;
static ucontext_t here, there;
static const struct function *now;
static void *now_in;

static void on_stack(void)
{
	now->call(now_in);
}

/* Bytes of stack that a call needs. */
static size_t used(const struct function *function, void *in)
{
	size_t n = 0;

	memset(stack, PAINT, STACK);
	now = function;
	now_in = in;
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, on_stack, 0);
	swapcontext(&here, &there);
	while (n < STACK && stack[n] == PAINT)
		n++;
	return STACK - n;
}

static size_t worst;

static bool stack_within(void *libc, const struct function *function)
{
	void *shim = dlsym(RTLD_DEFAULT, function->name), *own = dlsym(libc, function->name);
	size_t with, without;

	if (!shim || !own || shim == own) {
		printf("# %s is not replaced\n", function->name);
		return false;
	}
	/* allocations of the first call do not count */
	used(function, own);
	used(function, shim);
	without = used(function, own);
	with = used(function, shim);
	if (with > without && with - without > worst)
		worst = with - without;
	if (with <= without + BOUND)
		return true;
	printf("# %s: %zu bytes, without the preloaded library %zu\n", function->name, with, without);
	return false;
}

static void stack_measure(void *libc, const char *what)
{
	bool good = true;

	for (size_t i = 0; i < PATH_FUNCTIONS; i++)
		good = stack_within(libc, &path_functions[i]) && good;
	ok(good, "B6: at most %d bytes of stack for %s", BOUND, what);
}

/* ---- small stacks ------------------------------------------------------------------------ */

static volatile bool ran; /* glibc declares raise() to call nothing of ours */

static void *in_thread(void *unused)
{
	struct stat st;

	(void)unused;
	ran = !stat("/", &st) && !access("/", F_OK) && stat("/none.sysfs/x", &st);
	close_fd(open("/dev/null", O_RDONLY));
	close_dir(opendir("/"));
	return NULL;
}

static void on_signal(int signal)
{
	struct stat st;

	(void)signal;
	ran = !stat("/dev/null", &st) && write(pipe_fd[1], "x", 1) == 1;
	close_fd(open("/dev/null", O_RDONLY));
	close_fd(open("infiniband", O_RDONLY));
}

static void small_stacks(void)
{
	/* MINSIGSTKSZ is larger than 2 KB on processors with large registers */
	long least = sysconf(_SC_MINSIGSTKSZ);
	size_t size = 8192 + (least > 2048 ? (size_t)least - 2048 : 0);
	stack_t alternate = { .ss_sp = malloc(size), .ss_size = size };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	ran = false;
	if (!pthread_create(&thread, &attr, in_thread, NULL))
		pthread_join(thread, NULL);
	ok(ran, "B6: paths in a thread of PTHREAD_STACK_MIN");
	ran = false;
	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	ok(ran, "B6: paths on an alternate stack of 8 KB");
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	free(alternate.ss_sp);
}

/* ---- paths that cannot be read ----------------------------------------------------------- */

/* The C library itself reads the paths of these. */
static bool reads_path(const struct function *function)
{
	static const char *const names[] = {
		"opendir", "scandir", "scandirat", "realpath", "canonicalize_file_name",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(function->name, names[i]))
			return true;
	return false;
}

static void bad_path(const char *what)
{
	bool good = true;

	for (size_t i = 0; i < PATH_FUNCTIONS; i++) {
		if (reads_path(&path_functions[i]))
			continue;
		errno = 0;
		path_functions[i].call(dlsym(RTLD_DEFAULT, path_functions[i].name));
		if (errno != EFAULT)
			printf("# %s: errno %d\n", path_functions[i].name, errno);
		good &= errno == EFAULT;
	}
	ok(good, "B6: EFAULT for %s", what);
}

static void bad_paths(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || munmap(pages + 2 * page, page))
		return;
	path = (char *)1;
	bad_path("address 1");
	path = (char *)-1;
	bad_path("the last address");
	path = pages + 2 * page;
	bad_path("a page that is not mapped");
	memset(pages, '/', 2 * page);
	path = pages + 2 * page - 11;
	memcpy(pages + 2 * page - 11, "/infiniband", 11);
	bad_path("a path that ends where no page follows");
	/* across two pages that are mapped */
	memcpy(pages + page - 2, "/dev/null", sizeof("/dev/null"));
	ok(!access(pages + page - 2, F_OK), "B6: a path across two pages");
	munmap(pages, 2 * page);
}

int main(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	char name[NAME + 1] = "", dir[] = "/tmp/stack-XXXXXX.sysfs", below[sizeof(dir) + 8];
	int suffix = (int)strlen(".sysfs");
	bool good = true;

	if (!libc || pipe(pipe_fd))
		return 1;
	/* the whole of it: the first calls are what breaks */
	small_stacks();
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || mkstemps(dir, suffix) < 0 || unlink(dir) || mkdir(dir, 0700) || chdir("/"))
		return 1;
	ok(open("/dev/infiniband/umad0", O_RDWR) >= 0, "a umad device is open");
	/* the sanitizer's own functions, in front of the device's, read any path */
	if (!SANITIZED)
		bad_paths();
	for (size_t i = 0; i < FD_FUNCTIONS; i++)
		good = stack_within(libc, &fd_functions[i]) && good;
	ok(good, "B6: at most %d bytes of stack for a descriptor", BOUND);
	path = "/etc/passwd";
	stack_measure(libc, "an absolute path");
	path = "/";
	stack_measure(libc, "a directory");
	path = "etc/passwd";
	stack_measure(libc, "a relative path");
	path = "/nonexistent/infiniband";
	stack_measure(libc, "a path with infiniband in it");
	path = dir;
	stack_measure(libc, "a directory whose name ends in .sysfs");
	snprintf(below, sizeof(below), "%s/none", dir);
	path = below;
	stack_measure(libc, "a path below a directory whose name ends in .sysfs");
	while (strlen(name) + 2 < NAME)
		strcat(name, "./");
	path = name;
	stack_measure(libc, "a path of 4 KB");
	dirfd_ = open(dir, O_RDONLY | O_DIRECTORY);
	path = "none";
	stack_measure(libc, "a path relative to a descriptor");
	ok(!chdir(dir), "a working directory whose name ends in .sysfs");
	stack_measure(libc, "a relative path there");
	printf("# %zu bytes at most\n", worst);
	rmdir(dir);
	return tap_done();
}
