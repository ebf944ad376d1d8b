/* SPDX-License-Identifier: GPL-2.0 */
/* Marks for tests/bench/insns.c, the plugin that counts instructions; elsewhere they do nothing. */
#ifndef _MARK_H
#define _MARK_H

#include <err.h>
#include <string.h>
#include <sys/mman.h>

#define MARK_PAGE	((unsigned char *)0x534f4654000ul)
#define MARK_BEGIN	0
#define MARK_END	64

static inline void mark(int which)
{
	static unsigned char *page;

	if (!page) {
		page = mmap(MARK_PAGE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		if (page != MARK_PAGE)
			err(1, "mmap");
		page[MARK_BEGIN] = page[MARK_END] = 0xc3;	/* ret */
	}
	((void (*)(void))(page + which))();
}

#endif
