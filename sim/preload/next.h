/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions that interpose.c replaces, as the next library defines them: the C library or a sanitizer. */
#ifndef SHIM_NEXT_H
#define SHIM_NEXT_H

/* clang-format off */
#define NEXTS(X) \
	X(open) X(open64) X(__open) X(__open64) X(openat) X(openat64) X(__open_2) X(__open64_2) \
	X(__openat_2) X(__openat64_2) X(fopen) X(fopen64) X(fflush) X(fclose) X(read) X(__read_chk) X(write) X(ioctl) \
	X(stat) X(lstat) X(fstatat) X(__xstat) X(__lxstat) X(__fxstatat) X(stat64) X(lstat64) \
	X(fstatat64) X(__xstat64) X(__lxstat64) X(__fxstatat64) X(statx) X(access) X(eaccess) \
	X(euidaccess) X(faccessat) X(chdir) X(opendir) X(readlink) X(__readlink_chk) X(readlinkat) \
	X(__readlinkat_chk) X(getxattr) X(lgetxattr) X(scandir) X(scandir64) X(scandirat) \
	X(scandirat64) X(readdir) X(readdir64) X(glob) X(glob64) X(realpath) X(__realpath_chk) X(canonicalize_file_name)
/* clang-format on */

#define NEXT_NUMBER(name) NEXT_##name,
enum next { NEXTS(NEXT_NUMBER) NEXT_COUNT };

void *next_of(enum next next);

/* The next definition of a function. */
#define NEXT(name) ((typeof(&name))next_of(NEXT_##name))

#endif
