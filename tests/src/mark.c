// SPDX-License-Identifier: GPL-2.0
/* mark begin|end: see mark.h */
#define _GNU_SOURCE
#include "mark.h"

int main(int argc, char **argv)
{
	if (argc != 2 || (strcmp(argv[1], "begin") && strcmp(argv[1], "end")))
		errx(2, "usage: mark begin|end");
	mark(*argv[1] == 'b' ? MARK_BEGIN : MARK_END);
	return 0;
}
