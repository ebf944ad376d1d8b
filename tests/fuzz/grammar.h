/* SPDX-License-Identifier: GPL-2.0 */
/* Lines from a grammar: a form whose stars become words, and then, half of the time, some damage. */
static unsigned int seed;

static unsigned int any(unsigned int n)
{
	seed = seed * 1664525 + 1013904223;
	return ((uint64_t)seed * n) >> 32;
}

static const char *any_of(const char *const *list)
{
	unsigned int n;

	for (n = 0; list[n]; n++)
		;
	return list[any(n)];
}

/* At most some 700 bytes. */
static void make_line(char *line, const char *const *forms, const char *const *words)
{
	static const char white[] = " \t\n\v\f\r\xa0";
	const char *form = any_of(forms);
	size_t len, at;
	char *to = line;
	unsigned int times;

	for (; *form; form++)
		if (*form == '*')
			to += sprintf(to, "%s", any_of(words));
		else if (*form == ' ')
			for (times = any(4) ? 1 : any(any(50) ? 4 : 70); times; times--)
				*to++ = any(3) ? ' ' : white[any(sizeof(white) - 1)];
		else
			*to++ = *form;
	*to = '\0';
	if (any(3) == 0)
		strcpy(to, "\n");
	for (times = any(2) ? 0 : 1 + any(3); times; times--) {
		len = strlen(line);
		at = any(len + 1);
		switch (any(4)) {
		case 0:		/* one byte more */
			memmove(line + at + 1, line + at, len - at + 1);
			line[at] = any(2) ? 1 + any(255) : white[any(sizeof(white) - 1)];
			break;
		case 1:		/* one less */
			if (at < len)
				memmove(line + at, line + at + 1, len - at);
			break;
		case 2:		/* another */
			if (at < len)
				line[at] = 1 + any(255);
			break;
		case 3:		/* cut off */
			if (!any(4))
				line[at] = '\0';
			break;
		}
	}
}
