/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's trace events of ib_mad, through libtracefs and libtraceevent. Events of ib_umad are not used:
 * Linux 6.1 fails in them when an unplugged device is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include <kbuffer.h>
#include <linux/magic.h>
#include <tracefs.h>
#include <madkit/trace.h>
#include "transport/device_index.h"
#include "transport/library.h"
#include "util/array.h"
#include "util/array_size.h"
#include "util/time.h"

#define SYSTEM "ib_mad"

enum {
	NAMES_MAX = 64,     /* remembered devices */
	PAGES_MAX = 64,     /* per CPU, in one call of process */
	INSTANCES_MAX = 64, /* per process */
};

/* libtracefs depends on libtraceevent, so its handle finds the functions of both. */
#define TRACE_FUNCTIONS(F) \
	F(kbuffer_event_size) \
	F(kbuffer_free) \
	F(kbuffer_load_subbuffer) \
	F(kbuffer_missed_events) \
	F(kbuffer_next_event) \
	F(kbuffer_read_event) \
	F(tep_alloc) \
	F(tep_data_type) \
	F(tep_find_event_by_name) \
	F(tep_find_field) \
	F(tep_free) \
	F(tep_get_sub_buffer_size) \
	F(tep_kbuffer) \
	F(tep_parse_event) \
	F(tep_parse_header_page) \
	F(tep_read_number_field) \
	F(tep_set_file_bigendian) \
	F(tep_set_local_bigendian) \
	F(tep_set_long_size) \
	F(tep_set_page_size) \
	F(tracefs_event_enable) \
	F(tracefs_event_file_read) \
	F(tracefs_instance_create) \
	F(tracefs_instance_destroy) \
	F(tracefs_instance_file_open) \
	F(tracefs_instance_file_read) \
	F(tracefs_instance_file_write) \
	F(tracefs_instance_free) \
	F(tracefs_instance_is_new) \
	F(tracefs_set_loglevel)

struct trace_library {
#define TRACE_MEMBER(name) __typeof__(&name) name;
	TRACE_FUNCTIONS(TRACE_MEMBER)
#undef TRACE_MEMBER
};

/* Numbers that are read from an event. */
enum number {
	DEVICE,
	PORT,
	QP,
	SL,
	REMOTE_LID,
	REMOTE_QP,
	MAX_RETRIES,
	RETRIES_LEFT,
	NUMBERS,
};

static const char *const sent_numbers[NUMBERS] = {
	"dev_index", "port_num", "qp_num", "sl", "dlid", "rqpn", "max_retries", "retries_left",
};

static const char *const received_numbers[NUMBERS] = {
	"dev_index", "port_num", "qp_num", "sl", "slid", "src_qp", NULL, NULL,
};

/* Header fields of an event, which are in wire format. */
static const struct {
	const char *name;
	int offset, size;
} header_fields[] = {
	{ "base_version", MADKIT_MAD_BASE_VERSION, 1 },
	{ "mgmt_class", MADKIT_MAD_CLASS, 1 },
	{ "class_version", MADKIT_MAD_CLASS_VERSION, 1 },
	{ "method", MADKIT_MAD_METHOD, 1 },
	{ "status", MADKIT_MAD_STATUS, 2 },
	{ "class_specific", MADKIT_MAD_HOP_POINTER, 2 },
	{ "tid", MADKIT_MAD_TID, 8 },
	{ "attr_id", MADKIT_MAD_ATTRIBUTE, 2 },
	{ "attr_mod", MADKIT_MAD_MODIFIER, 4 },
};

enum { HEADER_FIELDS = ARRAY_SIZE(header_fields) };

static const struct source {
	const char *name;
	enum madkit_trace_kind kind;
	const char *const *numbers;
} sources[] = {
	{ "ib_mad_ib_send_mad", MADKIT_TRACE_SENT, sent_numbers },
	{ "ib_mad_recv_done_handler", MADKIT_TRACE_RECEIVED, received_numbers },
	{ "ib_mad_error_handler", MADKIT_TRACE_FAILED, sent_numbers },
};

enum { SOURCES = ARRAY_SIZE(sources) };

/* The format of a source's events on this kernel. */
struct decoder {
	int id;
	struct tep_format_field *header[HEADER_FIELDS];
	struct tep_format_field *numbers[NUMBERS];
};

struct device_name {
	uint32_t index;
	char ca[64];
};

struct pending {
	struct madkit_trace_event event;
	unsigned long long ns; /* trace clock */
	size_t order;
};

struct madkit_trace {
	struct trace_library lib;
	const char *root; /* of the tracefs */
	char path[96];    /* of the instance */
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct decoder decoders[SOURCES];
	int epoll_fd;
	int *fds; /* one per CPU */
	size_t nfds;
	struct kbuffer *kbuffer;
	void *page;
	size_t page_size;
	struct pending *pending;
	size_t npending;
	uint32_t pending_cap;
	uint64_t lost;
	int64_t offset_ns; /* from the trace clock to real time */
	struct device_name names[NAMES_MAX];
	size_t nnames;
};

/* ---- opening -------------------------------------------------------------------- */

/* Loads the libraries. Sets their log level to none, because error has the messages. Returns 0, or
 * -EOPNOTSUPP with error if libtracefs is missing or unsuitable. */
static int trace_load(struct trace_library *lib, struct madkit_error *error)
{
#define TRACE_NAME(name) #name,
	static const char *const names[] = { TRACE_FUNCTIONS(TRACE_NAME) };
	static const struct library tracefs = { "libtracefs.so.1", "libtracefs1", "trace events", NULL };
	int ret;

	_Static_assert(sizeof(*lib) == sizeof(names), "one name for each function");
	ret = library_functions(&tracefs, names, ARRAY_SIZE(names), lib, error);
	if (!ret)
		lib->tracefs_set_loglevel(TEP_LOG_NONE);
	return ret;
}

/* Finds the tracefs. libtracefs would mount one, and leaks memory if the user has no access. */
static int find_root(struct madkit_trace *t, struct madkit_error *error)
{
	static const char *const roots[] = {
		"/sys/kernel/tracing",
		"/sys/kernel/debug/tracing",
	};
	char instances[64];
	struct statfs st;
	int i = 0, err;

	while (statfs(roots[i], &st) || st.f_type != TRACEFS_MAGIC)
		if (++i == ARRAY_SIZE(roots))
			return madkit_error_set(error, -ENOENT, -1,
						"no tracefs is mounted at %s (mount -t tracefs tracefs %s)",
						roots[0], roots[0]);
	t->root = roots[i];
	snprintf(instances, sizeof(instances), "%s/instances", t->root);
	/* for the effective user and capabilities; access() checks the real user */
	if (!faccessat(AT_FDCWD, instances, R_OK | W_OK | X_OK, AT_EACCESS))
		return 0;
	err = errno;
	return madkit_error_set(error, -err, -1, "cannot create an instance in %s: %s", instances,
				strerror(err));
}

static int trace_make_instance(struct madkit_trace *t, struct madkit_error *error)
{
	int err = EEXIST, name = (int)strlen(t->root) + (int)strlen("/instances/");

	for (int i = 0; i < INSTANCES_MAX; i++) {
		snprintf(t->path, sizeof(t->path), "%s/instances/madkit-%ld-%d", t->root, (long)getpid(), i);
		errno = 0;
		t->instance = t->lib.tracefs_instance_create(t->path + name);
		err = errno ? errno : EIO;
		if (!t->instance)
			break;
		if (t->lib.tracefs_instance_is_new(t->instance))
			return 0;
		/* used by another trace, or left behind by a process with the same ID */
		t->lib.tracefs_instance_free(t->instance);
		t->instance = NULL;
		err = EEXIST;
	}
	return madkit_error_set(error, -err, -1, "cannot create %s: %s", t->path, strerror(err));
}

static int find_fields(const struct madkit_trace *t, struct tep_event *event, const struct source *source,
		       struct decoder *d, struct madkit_error *error)
{
	const char *missing = NULL;

	d->id = event->id;
	for (int i = 0; i < HEADER_FIELDS; i++) {
		d->header[i] = t->lib.tep_find_field(event, header_fields[i].name);
		if (!d->header[i] || d->header[i]->size != header_fields[i].size)
			missing = header_fields[i].name;
	}
	for (int i = 0; i < NUMBERS; i++) {
		if (!source->numbers[i])
			continue;
		d->numbers[i] = t->lib.tep_find_field(event, source->numbers[i]);
		if (!d->numbers[i])
			missing = source->numbers[i];
	}
	if (missing)
		return madkit_error_set(error, -EPROTO, -1,
					"the kernel's event %s has no %s, or of another size", source->name,
					missing);
	return 0;
}

/* Reads the format of the kernel's pages. */
static int read_header_page(struct madkit_trace *t, struct madkit_error *error)
{
	int size, ret;
	char *text;

	errno = 0;
	text = t->lib.tracefs_instance_file_read(NULL, "events/header_page", &size);
	if (!text)
		return madkit_error_set(error, errno ? -errno : -EIO, -1,
					"cannot read %s/events/header_page: %s", t->root,
					errno ? strerror(errno) : "no reason given");
	ret = t->lib.tep_parse_header_page(t->tep, text, (unsigned long)size, sizeof(long));
	free(text);
	return ret ? madkit_error_set(error, -EPROTO, -1, "cannot parse %s/events/header_page", t->root) : 0;
}

/* Reads the format of an event. */
static int read_event(struct madkit_trace *t, int i, struct madkit_error *error)
{
	const char *name = sources[i].name;
	struct tep_event *event;
	int size;
	char *text = t->lib.tracefs_event_file_read(NULL, SYSTEM, name, "format", &size);

	if (!text)
		return madkit_error_set(error, -ENOENT, -1,
					"there is no %s/events/" SYSTEM "/%s: is ib_umad loaded?", t->root,
					name);
	t->lib.tep_parse_event(t->tep, text, (unsigned long)size, SYSTEM);
	free(text);
	event = t->lib.tep_find_event_by_name(t->tep, SYSTEM, name);
	if (!event)
		return madkit_error_set(error, -EPROTO, -1, "cannot parse %s/events/" SYSTEM "/%s/format",
					t->root, name);
	return find_fields(t, event, &sources[i], &t->decoders[i], error);
}

/* tracefs_local_events() would also read all of kallsyms. */
static int read_events(struct madkit_trace *t, struct madkit_error *error)
{
	enum tep_endian endian = tep_is_bigendian();
	int ret;

	t->tep = t->lib.tep_alloc();
	if (!t->tep)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	t->lib.tep_set_long_size(t->tep, sizeof(long));
	t->lib.tep_set_page_size(t->tep, getpagesize());
	t->lib.tep_set_local_bigendian(t->tep, endian);
	t->lib.tep_set_file_bigendian(t->tep, endian);
	ret = read_header_page(t, error);
	for (int i = 0; i < SOURCES && !ret; i++)
		ret = read_event(t, i, error);
	return ret;
}

static int trace_enable_events(struct madkit_trace *t, struct madkit_error *error)
{
	/* the clock that trace_compare_clocks() reads; epoll must report the first event at once */
	errno = 0;
	if (t->lib.tracefs_instance_file_write(t->instance, "trace_clock", "mono") < 0 ||
	    t->lib.tracefs_instance_file_write(t->instance, "buffer_percent", "0") < 0)
		return madkit_error_set(error, -EIO, -1, "cannot set the clock of %s: %s", t->path,
					errno ? strerror(errno) : "no reason given");
	for (int i = 0; i < SOURCES; i++)
		if (t->lib.tracefs_event_enable(t->instance, SYSTEM, sources[i].name) < 0)
			return madkit_error_set(error, -EIO, -1, "cannot enable " SYSTEM "/%s in %s",
						sources[i].name, t->path);
	return 0;
}

static int open_cpus(struct madkit_trace *t, struct madkit_error *error)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	t->fds = calloc(n > 0 ? (size_t)n : 1, sizeof(*t->fds));
	t->page_size = (size_t)t->lib.tep_get_sub_buffer_size(t->tep);
	t->page = malloc(t->page_size);
	t->kbuffer = t->lib.tep_kbuffer(t->tep);
	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!t->fds || !t->page || !t->kbuffer || t->epoll_fd < 0)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	for (long cpu = 0; cpu < n; cpu++) {
		struct epoll_event wait_for = { .events = EPOLLIN };
		char file[64];
		int fd;

		snprintf(file, sizeof(file), "per_cpu/cpu%ld/trace_pipe_raw", cpu);
		fd = t->lib.tracefs_instance_file_open(t->instance, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		/* a possible CPU that is not present */
		if (fd < 0)
			continue;
		t->fds[t->nfds++] = fd;
		if (epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &wait_for))
			return madkit_error_set(error, -errno, -1, "cannot wait for %s: %s", file,
						strerror(errno));
	}
	if (!t->nfds)
		return madkit_error_set(error, -EACCES, -1, "cannot read %s/per_cpu", t->path);
	return 0;
}

int madkit_trace_open(struct madkit_trace **trace, struct madkit_error *error)
{
	struct madkit_trace *t;
	int ret;

	if (!trace)
		return madkit_error_set(error, -EINVAL, -1, "the trace is NULL");
	*trace = NULL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	t->epoll_fd = -1;
	ret = trace_load(&t->lib, error);
	if (!ret)
		ret = find_root(t, error);
	if (!ret)
		ret = trace_make_instance(t, error);
	if (!ret)
		ret = read_events(t, error);
	if (!ret)
		ret = trace_enable_events(t, error);
	if (!ret)
		ret = open_cpus(t, error);
	if (ret) {
		madkit_trace_close(t);
		return ret;
	}
	*trace = t;
	return 0;
}

int madkit_trace_close(struct madkit_trace *t)
{
	int ret = 0;

	if (!t)
		return 0;
	for (size_t i = 0; i < t->nfds; i++)
		close(t->fds[i]);
	if (t->epoll_fd >= 0)
		close(t->epoll_fd);
	if (t->kbuffer)
		t->lib.kbuffer_free(t->kbuffer);
	if (t->tep)
		t->lib.tep_free(t->tep);
	if (t->instance) {
		errno = 0;
		if (t->lib.tracefs_instance_destroy(t->instance))
			ret = errno ? -errno : -EBUSY;
		t->lib.tracefs_instance_free(t->instance);
	}
	free(t->pending);
	free(t->page);
	free(t->fds);
	free(t);
	return ret;
}

int madkit_trace_fd(const struct madkit_trace *t)
{
	return t ? t->epoll_fd : -EINVAL;
}

uint64_t madkit_trace_lost(const struct madkit_trace *t)
{
	return t ? t->lost : 0;
}

/* ---- events --------------------------------------------------------------------- */

static const char *trace_device_name(struct madkit_trace *t, uint32_t index)
{
	struct device_name *n;

	for (size_t i = 0; i < t->nnames; i++)
		if (t->names[i].index == index)
			return t->names[i].ca;
	n = &t->names[t->nnames];
	if (t->nnames == NAMES_MAX || device_index_name(index, n->ca, sizeof(n->ca)))
		return "";
	n->index = index;
	t->nnames++;
	return n->ca;
}

static bool trace_holds(const struct tep_format_field *field, int size)
{
	return field && field->offset >= 0 && field->size >= 0 && field->offset <= size - field->size;
}

static uint32_t trace_number(const struct madkit_trace *t, const struct decoder *d, enum number which,
			     const void *data, int size)
{
	struct tep_format_field *field = d->numbers[which];
	unsigned long long value = 0;

	if (trace_holds(field, size))
		t->lib.tep_read_number_field(field, data, &value);
	return (uint32_t)value;
}

static int trace_add_pending(struct madkit_trace *t, const struct decoder *d, const struct source *source,
			     const uint8_t *data, int size, unsigned long long ns)
{
	struct madkit_trace_event *e;

	if (array_room(&t->pending, &t->pending_cap, t->npending, 1, sizeof(*t->pending)))
		return -ENOMEM;
	memset(&t->pending[t->npending], 0, sizeof(t->pending[0]));
	t->pending[t->npending].ns = ns;
	t->pending[t->npending].order = t->npending;
	e = &t->pending[t->npending++].event;
	e->kind = source->kind;
	for (int i = 0; i < HEADER_FIELDS; i++)
		if (trace_holds(d->header[i], size))
			memcpy(e->mad + header_fields[i].offset, data + d->header[i]->offset,
			       (size_t)header_fields[i].size);
	e->device_index = trace_number(t, d, DEVICE, data, size);
	e->port = (uint8_t)trace_number(t, d, PORT, data, size);
	e->qp = trace_number(t, d, QP, data, size);
	e->remote.sl = (uint8_t)trace_number(t, d, SL, data, size);
	e->remote.lid = trace_number(t, d, REMOTE_LID, data, size);
	e->remote.qp = trace_number(t, d, REMOTE_QP, data, size);
	if (d->numbers[MAX_RETRIES])
		e->attempts = trace_number(t, d, MAX_RETRIES, data, size) -
			      trace_number(t, d, RETRIES_LEFT, data, size) + 1;
	return 0;
}

static int trace_read_page(struct madkit_trace *t)
{
	unsigned long long ns;
	int missed, ret = 0;
	void *data;

	if (t->lib.kbuffer_load_subbuffer(t->kbuffer, t->page))
		return -EIO;
	missed = t->lib.kbuffer_missed_events(t->kbuffer);
	t->lost += missed > 0 ? (uint64_t)missed : missed < 0;
	while (!ret && (data = t->lib.kbuffer_read_event(t->kbuffer, &ns))) {
		int size = t->lib.kbuffer_event_size(t->kbuffer);
		struct tep_record record = { .data = data, .size = size, .ts = ns };
		int id = t->lib.tep_data_type(t->tep, &record);

		for (int i = 0; i < SOURCES && !ret; i++)
			if (t->decoders[i].id == id)
				ret = trace_add_pending(t, &t->decoders[i], &sources[i], data, size, ns);
		t->lib.kbuffer_next_event(t->kbuffer, NULL);
	}
	return ret;
}

static int trace_read_cpu(struct madkit_trace *t, int fd)
{
	int ret = 0;

	for (int i = 0; i < PAGES_MAX && !ret; i++) {
		ssize_t n = read(fd, t->page, t->page_size);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n <= 0)
			return 0;
		ret = trace_read_page(t);
	}
	return ret;
}

static int trace_by_time(const void *a, const void *b)
{
	const struct pending *p = a, *q = b;

	if (p->ns != q->ns)
		return p->ns < q->ns ? -1 : 1;
	return p->order < q->order ? -1 : 1;
}

static int64_t trace_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * (int64_t)NS_PER_S + t.tv_nsec;
}

/* Measures the offset between real time and the trace clock, CLOCK_MONOTONIC, by the closest of several
 * readings. Keeps an earlier result unless the real-time clock was set, so that times stay in the order of
 * events. */
static void trace_compare_clocks(struct madkit_trace *t)
{
	int64_t least = INT64_MAX, offset = 0;

	for (int i = 0; i < 5; i++) {
		int64_t before = trace_clock_ns(CLOCK_MONOTONIC);
		int64_t real = trace_clock_ns(CLOCK_REALTIME);
		int64_t took = trace_clock_ns(CLOCK_MONOTONIC) - before;

		if (took < least) {
			least = took;
			offset = real - before - took / 2;
		}
	}
	if (llabs(offset - t->offset_ns) > (int64_t)NS_PER_MS)
		t->offset_ns = offset;
}

static void set_time(const struct madkit_trace *t, struct madkit_trace_event *e, unsigned long long ns)
{
	int64_t then = (int64_t)ns + t->offset_ns;

	e->time.tv_sec = (time_t)(then / (int64_t)NS_PER_S);
	e->time.tv_nsec = (long)(then % (int64_t)NS_PER_S);
}

int madkit_trace_process(struct madkit_trace *t, madkit_trace_handler handler, void *context)
{
	int ret = 0, n;

	if (!t || !handler)
		return -EINVAL;
	t->npending = 0;
	for (size_t i = 0; i < t->nfds && !ret; i++)
		ret = trace_read_cpu(t, t->fds[i]);
	if (t->npending)
		qsort(t->pending, t->npending, sizeof(t->pending[0]), trace_by_time);
	n = (int)t->npending;
	if (n)
		trace_compare_clocks(t);
	for (int i = 0; i < n; i++) {
		struct madkit_trace_event *e = &t->pending[i].event;

		snprintf(e->ca, sizeof(e->ca), "%s", trace_device_name(t, e->device_index));
		set_time(t, e, t->pending[i].ns);
		handler(context, e);
	}
	return ret ? ret : n;
}

/* ---- unread events ------------------------------------------------------------ */

/* Returns the number of a line "NAME: NUMBER"; 0: there is none. */
static uint64_t trace_stat(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ':')
			return strtoull(line + len + 1, NULL, 10);
	}
	return 0;
}

int madkit_trace_stop(struct madkit_trace *t, uint64_t *lost, uint64_t *unread)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	size_t found = 0;

	if (!t || !lost || !unread)
		return -EINVAL;
	*lost = *unread = 0;
	errno = 0;
	if (t->lib.tracefs_instance_file_write(t->instance, "tracing_on", "0") < 0)
		return errno ? -errno : -EIO;
	for (long cpu = 0; cpu < n; cpu++) {
		char file[64], *text;

		snprintf(file, sizeof(file), "per_cpu/cpu%ld/stats", cpu);
		text = t->lib.tracefs_instance_file_read(t->instance, file, NULL);
		/* as in open_cpus() */
		if (!text)
			continue;
		found++;
		*unread += trace_stat(text, "entries");
		/* overwritten, and refused */
		*lost += trace_stat(text, "overrun") + trace_stat(text, "commit overrun") +
			 trace_stat(text, "dropped events");
		free(text);
	}
	return found >= t->nfds ? 0 : -EIO;
}
