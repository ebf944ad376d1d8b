/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Files of /sys and /proc, for the library and the tool; not part of the library's interface.
 *
 * All of them are found below one root: the environment's SOFTAFF_ROOT, for tests on a made tree,
 * or nothing. A program that has gained privileges when it was executed does not look at it.
 */
#ifndef SOFTAFF_ROOT_H
#define SOFTAFF_ROOT_H

#include <dirent.h>
#include <stdio.h>
#include <sys/types.h>

#define SOFTAFF_SYSFS	"/sys/kernel/softaff"
#define SOFTAFF_DEBUGFS	"/sys/kernel/debug/softaff"
#define SOFTAFF_MODULE	"/sys/module/softaff"

/* Bytes that one line or one small file may have. */
#define ROOT_TEXT	4096

char *root_path(char *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int root_open(int flags, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
FILE *root_fopen(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
DIR *root_opendir(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int root_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int root_read(char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int root_read_int(int *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int root_write(const char *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int root_read_task(pid_t tid, char *text);

#endif /* SOFTAFF_ROOT_H */
