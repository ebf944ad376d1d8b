// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of rules, userspace/tool/rules.c as it is, and names of devices, userspace/lib/near.c.
 *
 *	rules [INPUTS [SEED]]		lines from a grammar, the same for the same seed
 *	rules-guided ...		the same checks under libFuzzer
 *
 * A line is a rule, nothing at all, or wrong with at least one message; each message names file, line
 * and a word that stands in the line, quotes apart. A rule matches something and sets something, and
 * written again with every word in quotes it is the same rule. A line without quotes is a rule exactly
 * if all its words are good, each by itself, and no key comes twice.
 */
#include "../../userspace/tool/rules.c"

/* --- what the tool has elsewhere */

const char *const balancing_words[] = { "default", "on", "off", NULL };
const char *const inherit_words[] = { "default", "threads", "children", "none", NULL };

static char said[65536];
static unsigned int messages;

void complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
	messages++;
}

void *need(void *memory)
{
	return memory ?: (abort(), NULL);
}

char *text(const char *fmt, ...)
{
	va_list args;
	char *s;

	va_start(args, fmt);
	if (vasprintf(&s, fmt, args) < 0)
		abort();
	va_end(args);
	return s;
}

int task_cgroup(pid_t pid, char *path) { return -1; }
char *task_user_name(pid_t pid) { return NULL; }

/* --- the checks */

static long good, wrong_lines, nothing;

static void fault(const char *what, const char *line)
{
	fprintf(stderr, "%s, at '%s'; said: %s\n", what, line, said);
	abort();
}

/* A line in memory of just its size; parse_line() cuts it up. */
static void parse(const char *line, struct rules *rules)
{
	static const struct place place = { .file = "file", .line = 7 };
	char *copy = strdup(line);

	memset(rules, 0, sizeof(*rules));
	messages = 0;
	parse_line(rules, &place, copy);
	free(copy);
}

/* The message's word, whose quotes are gone, is in the line without its quotes. */
static bool names_word(const char *line)
{
	static const char start[] = "file:7: '";
	char plain[65536], *to = plain, *word = said + strlen(start), *end = NULL, *at;

	if (strncmp(said, start, strlen(start)))
		return false;
	for (; *line; line++)
		if (*line != '"')
			*to++ = *line;
	*to = '\0';
	/* the last "': " ends it, as no reason has such */
	for (at = word; (at = strstr(at, "': ")); at++)
		end = at;
	if (!end)
		return false;
	*end = '\0';
	return strstr(plain, word);
}

static bool number_ok(const char *s)
{
	unsigned long n = 0;
	const char *at;

	for (at = s; *at >= '0' && *at <= '9'; at++)
		n = n > 1ul << 32 ? n : n * 10 + *at - '0';
	return at > s && !*at && n <= INT_MAX;
}

static bool one_of(const char *s, const char *words)
{
	const char *at = strstr(words, s);

	return *s && at && (at == words || at[-1] == ' ') && (!at[strlen(s)] || at[strlen(s)] == ' ');
}

/* Without quotes, devices and users: is it a rule (1), nothing (0), or wrong (-1)? */
static int expect(const char *line)
{
	static const char *const keys[] = {
		"exe", "cmdline", "comm", "unit", "cgroup", "node", "inherit", "balancing",
	};
	char *copy = strdup(line), *save, *word, *value;
	unsigned int seen = 0, i, words = 0;
	bool ok = true;

	for (word = strtok_r(copy, " \t\n\v\f\r", &save); word && *word != '#';
	     word = strtok_r(NULL, " \t\n\v\f\r", &save)) {
		words++;
		value = strchr(word, '=');
		if (!value) {
			ok = false;
			continue;
		}
		*value++ = '\0';
		for (i = 0; i < ARRAY_SIZE(keys) && strcmp(keys[i], word); i++)
			;
		if (i == ARRAY_SIZE(keys) || seen & 1u << i || !*value)
			ok = false;
		else if ((i == 5 && !number_ok(value)) ||
			 (i == 6 && !one_of(value, "default threads children none")) ||
			 (i == 7 && !one_of(value, "default on off")))
			ok = false;
		seen |= 1u << i;
	}
	free(copy);
	if (!words)
		return 0;
	return ok && seen & 0x1f && seen & 0xe0 ? 1 : -1;
}

static void print(const struct rule *rule, char *line)
{
	int i;

	for (i = 0; i < MATCH_NR; i++)
		if (rule->match[i])
			line += sprintf(line, "%s=\"%s\" ", match_keys[i], rule->match[i]);
	if (rule->setting[SETTING_NODE] != UNSET)
		line += sprintf(line, "\"node=%d\" ", rule->setting[SETTING_NODE]);
	if (rule->setting[SETTING_INHERIT] != UNSET)
		line += sprintf(line, "inherit=%s ", inherit_words[rule->setting[SETTING_INHERIT]]);
	if (rule->setting[SETTING_BALANCING] != UNSET)
		sprintf(line, "balancing=%s", balancing_words[rule->setting[SETTING_BALANCING]]);
}

static bool same(const struct rule *a, const struct rule *b)
{
	int i;

	for (i = 0; i < MATCH_NR; i++)
		if (!a->match[i] != !b->match[i] || (a->match[i] && strcmp(a->match[i], b->match[i])))
			return false;
	return !memcmp(a->setting, b->setting, sizeof(a->setting));
}

static void check(const char *line)
{
	struct process process = { .pid = 1, .fact = { "/usr/bin/redis-server", "redis-server *:6379", "redis",
		"redis", "/system.slice/redis.service/a", "/system.slice/redis.service/a" } };
	struct rules rules, again;
	const struct rule *found;
	char printed[65536], *path;
	int result, node;

	parse(line, &rules);
	result = rules.nr ? 1 : rules.wrong ? -1 : 0;
	if (rules.nr + rules.wrong > 1 || (result < 0) != (messages > 0))
		fault("rule, wrong or nothing: not exactly one", line);
	if (result < 0 && !names_word(line))
		fault("the message does not say what was wrong", line);
	if (!strpbrk(line, "\"") && !strstr(line, "user=") && !strstr(line, "near=") && result != expect(line))
		fault("not what the oracle says", line);
	if (result > 0) {
		print(&rules.rule[0], printed);
		parse(printed, &again);
		if (again.nr != 1 || !same(&rules.rule[0], &again.rule[0]))
			fault("does not come back as what was printed", printed);
		rules_free(&again);
		found = rules_find(&rules, &process);
		path = found ? rule_cgroup(found, &process) : NULL;
		if (path && strncmp(process.fact[MATCH_CGROUP], path, strlen(path)))
			fault("not a part of the cgroup", path);
		free(path);
	}
	rules_free(&rules);
	result > 0 ? good++ : result < 0 ? wrong_lines++ : nothing++;
	/* No device has such a name; what is asked for is below SOFTAFF_ROOT, where there is none. */
	if (!softaff_near(line, &node))
		fault("a device was found", line);
}

static void begin(void)
{
	setenv("SOFTAFF_ROOT", "/nonexistent", 1);
}

#ifdef GUIDED
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	begin();
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char line[4096] = "";

	if (size >= sizeof(line))
		return 0;
	memcpy(line, data, size);
	line[strcspn(line, "\n")] = '\0';
	check(line);
	return 0;
}
#else
#include <stdint.h>
#include "grammar.h"

int main(int argc, char **argv)
{
	static const char *const words[] = {
		"exe=/usr/bin/redis*", "exe=\"/opt/a b\"", "cmdline=*6379", "comm=redis", "unit=redis.service",
		"cgroup=/system.slice/*", "user=root", "user=0", "user=nobody-such", "node=1", "node=0", "node=-1",
		"node=2147483648", "node=99999999999999999999", "near=eth0", "near=0000:00:1f.2", "near=/dev/null",
		"inherit=threads", "inherit=sideways", "balancing=off", "balancing=", "exe=", "=", "x=y", "#", "\"",
		"exe=[", "comm=\\", "node=1x", "node=01", "cgroup=[a-", "unit=*", "'", "': ", "00:1f.2", "zz:1f.2",
		"exe=a=b", NULL
	};
	static const char *const forms[] = {
		"comm=redis node=1", "comm=redis * node=1", "* node=1", "comm=x *", "* *", "* * *", "* * * *", "*", "",
		"# *", "comm=redis node=1 # *", "unit=redis.service node=1", "cgroup=* inherit=children *", NULL
	};
	long inputs = argc > 1 ? atol(argv[1]) : 100000, i;
	char line[4096];

	begin();
	seed = argc > 2 ? atoi(argv[2]) : 1;
	for (i = 0; i < inputs; i++) {
		make_line(line, forms, words);
		line[strcspn(line, "\n")] = '\0';
		check(line);
	}
	printf("# %ld lines, %ld rules, %ld wrong, %ld empty, seed %s\n", inputs, good, wrong_lines, nothing,
	       argc > 2 ? argv[2] : "1");
	return !(good > inputs / 100 && wrong_lines > inputs / 100);
}
#endif
