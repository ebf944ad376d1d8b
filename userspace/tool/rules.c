// SPDX-License-Identifier: GPL-2.0
/*
 * Rules: read from files, matched with processes.
 *
 * A rule is a line of KEY=VALUE words. One that is wrong is left out, with a message that names
 * file, line and word; the others hold.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules.h"

#define RULES_DIR "/etc/softaff/rules.d"

static const char *const match_keys[] = {
	[MATCH_EXE] = "exe",
	[MATCH_CMDLINE] = "cmdline",
	[MATCH_COMM] = "comm",
	[MATCH_USER] = "user",
	[MATCH_UNIT] = "unit",
	[MATCH_CGROUP] = "cgroup",
	NULL
};

/* --- reading ----------------------------------------------------------------------------- */

/* What is being read, for messages. */
struct place {
	const char *file;
	unsigned int line;
};

/* Say what is wrong with a word; what is wrong is left out. */
static bool wrong(const struct place *place, const char *word, const char *why)
{
	complain("%s:%u: '%s': %s", place->file, place->line, word, why);
	return false;
}

static int index_of(const char *word, const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	return -1;
}

/*
 * The next word of *@line, which is cut off there. A quote may stand in it, and what is between two
 * is taken as it is. Returns NULL at the end, and sets *@open where the second is missing.
 */
static char *next_word(char **line, bool *open)
{
	char *from = *line, *to, *word;
	bool quoted = false;

	while (isspace((unsigned char)*from))
		from++;
	if (!*from || *from == '#')
		return NULL;
	for (word = to = from; *from && (quoted || !isspace((unsigned char)*from)); from++) {
		if (*from == '"')
			quoted = !quoted;
		else
			*to++ = *from;
	}
	*open = quoted;
	*line = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

/* What a word's value stands for, or -1 with a message. */
static int parse_value(const struct place *place, const char *word, enum setting setting, bool near,
		       const char *value)
{
	char *end;
	long n;
	int i, err;

	switch (setting) {
	case SETTING_INHERIT:
		i = index_of(value, inherit_words);
		if (i < 0)
			wrong(place, word, "use threads, children, none or default");
		return i;
	case SETTING_BALANCING:
		i = index_of(value, balancing_words);
		if (i < 0)
			wrong(place, word, "use on, off or default");
		return i;
	default:
		break;
	}
	if (near) {
		err = softaff_near(value, &i);
		if (!err)
			return i;
		wrong(place, word, softaff_strerror(err));
		return -1;
	}
	n = strtol(value, &end, 10);
	if (isdigit((unsigned char)value[0]) && !*end && n <= INT_MAX)
		return n;
	wrong(place, word, "not a node; give a number, or near=DEVICE");
	return -1;
}

static bool parse_setting(const struct place *place, struct rule *rule, const char *word,
			  const char *key, const char *value)
{
	static const struct {
		const char *key;
		enum setting setting;
	} keys[] = {
		{ "near", SETTING_NODE },
		{ "node", SETTING_NODE },
		{ "inherit", SETTING_INHERIT },
		{ "balancing", SETTING_BALANCING },
	};
	unsigned int i;
	int parsed;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].key, key))
			continue;
		if (rule->setting[keys[i].setting] != UNSET)
			return wrong(place, word, "the rule has such a setting already");
		parsed = parse_value(place, word, keys[i].setting, i == 0, value);
		rule->setting[keys[i].setting] = parsed;
		return parsed >= 0;
	}
	return wrong(place, word, "unknown key; use exe, cmdline, comm, user, unit, cgroup, "
				  "node, near, inherit or balancing");
}

static bool parse_word(const struct place *place, struct rule *rule, char *word)
{
	char *whole = text("%s", word), *value = strchr(word, '=');
	bool ok;
	int i;

	if (!value || value == word) {
		ok = wrong(place, whole, "not KEY=VALUE");
	} else {
		*value++ = '\0';
		i = index_of(word, match_keys);
		if (i < 0)
			ok = parse_setting(place, rule, whole, word, value);
		else if (rule->match[i])
			ok = wrong(place, whole, "the rule has such a condition already");
		else if (!*value)
			ok = wrong(place, whole, "matches nothing");
		else if (i == MATCH_USER && value[strspn(value, "0123456789")] && !getpwnam(value))
			ok = wrong(place, whole, "there is no such user");
		else
			ok = (rule->match[i] = text("%s", value));
	}
	free(whole);
	return ok;
}

static void free_rule(struct rule *rule)
{
	int i;

	for (i = 0; i < MATCH_NR; i++)
		free(rule->match[i]);
	free(rule->file);
}

static bool is_complete(const struct place *place, const struct rule *rule, const char *first)
{
	int i;

	for (i = 0; i < SETTING_NR && rule->setting[i] == UNSET; i++)
		;
	if (i == SETTING_NR)
		return wrong(place, first, "the rule sets nothing; add node, near, inherit or balancing");
	for (i = 0; i < MATCH_NR; i++)
		if (rule->match[i])
			return true;
	return wrong(place, first, "the rule would match every process; add exe, cmdline, comm, user, "
				   "unit or cgroup");
}

static void parse_line(struct rules *rules, const struct place *place, char *line)
{
	struct rule rule = { .line = place->line, .setting = { UNSET, UNSET, UNSET } };
	char *word, *first = NULL;
	bool open, ok = true;

	/* All words are looked at, so that one reading tells all that is wrong. */
	while ((word = next_word(&line, &open))) {
		if (!first)
			first = text("%s", word);
		if (open)
			ok = wrong(place, word, "a quote is missing");
		else if (!parse_word(place, &rule, word))
			ok = false;
	}
	if (!first)
		return;
	if (ok && is_complete(place, &rule, first)) {
		rule.file = text("%s", place->file);
		rules->rule = need(reallocarray(rules->rule, rules->nr + 1, sizeof(rule)));
		rules->rule[rules->nr++] = rule;
	} else {
		free_rule(&rule);
		rules->wrong++;
	}
	free(first);
}

static void read_file(struct rules *rules, const char *path, const char *name)
{
	struct place place = { .file = name };
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!f) {
		complain("%s: %s", name, strerror(errno));
		rules->wrong++;
		return;
	}
	while (getline(&line, &size, f) > 0) {
		place.line++;
		line[strcspn(line, "\n")] = '\0';
		parse_line(rules, &place, line);
	}
	free(line);
	fclose(f);
}

/**
 * rules_read - read rules
 * @rules: empty
 * @files: NULL-terminated; if there is none, those of /etc/softaff/rules.d, in their order
 */
void rules_read(struct rules *rules, char **files)
{
	char path[PATH_MAX];
	glob_t found;
	size_t i, prefix;

	memset(rules, 0, sizeof(*rules));
	if (*files) {
		for (; *files; files++)
			read_file(rules, *files, *files);
		return;
	}
	prefix = strlen(root_path(path, "%s", ""));
	if (!glob(root_path(path, RULES_DIR "/*.conf"), 0, NULL, &found)) {
		for (i = 0; i < found.gl_pathc; i++)
			read_file(rules, found.gl_pathv[i], found.gl_pathv[i] + prefix);
		globfree(&found);
	}
}

/** rules_free - forget them */
void rules_free(struct rules *rules)
{
	unsigned int i;

	for (i = 0; i < rules->nr; i++)
		free_rule(&rules->rule[i]);
	free(rules->rule);
}

/* --- processes --------------------------------------------------------------------------- */

static char *read_exe(pid_t pid)
{
	char path[PATH_MAX], exe[PATH_MAX];
	ssize_t len = readlink(root_path(path, "/proc/%d/exe", pid), exe, sizeof(exe) - 1);
	static const char deleted[] = " (deleted)";

	if (len <= 0)
		return NULL;
	exe[len] = '\0';
	/* An upgrade has replaced it; its name is still its name. */
	if (len > (ssize_t)strlen(deleted) && !strcmp(exe + len - strlen(deleted), deleted))
		exe[len - strlen(deleted)] = '\0';
	return text("%s", exe);
}

/* Its arguments with spaces between them. */
static char *read_cmdline(pid_t pid)
{
	char words[ROOT_TEXT];
	int len = root_read(words, "/proc/%d/cmdline", pid), i;

	if (len < 0)
		return NULL;
	for (i = 0; i + 1 < len; i++)
		if (!words[i])
			words[i] = ' ';
	return text("%s", words);
}

/**
 * process_read - what rules look at
 * @pid: the process
 * @process: to be filled, and freed with process_free()
 *
 * Return: is it a process that can be steered? Kernel threads have no executable.
 */
bool process_read(pid_t pid, struct process *process)
{
	char words[ROOT_TEXT], *field;
	int i;

	memset(process, 0, sizeof(*process));
	process->pid = pid;
	process->fact[MATCH_EXE] = read_exe(pid);
	if (!process->fact[MATCH_EXE] || root_read(words, "/proc/%d/stat", pid) < 0)
		return false;
	/* The time of its start is the 22nd field, the 3rd is the first behind the name. */
	for (field = strrchr(words, ')'), i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	process->start = field ? strtoull(field, NULL, 10) : 0;
	process->fact[MATCH_CMDLINE] = read_cmdline(pid);
	process->fact[MATCH_USER] = task_user_name(pid);
	if (root_read(words, "/proc/%d/comm", pid) >= 0)
		process->fact[MATCH_COMM] = text("%s", words);
	if (!task_cgroup(pid, words)) {
		process->fact[MATCH_CGROUP] = text("%s", words);
		process->fact[MATCH_UNIT] = text("%s", words);
	}
	return true;
}

/** process_free - forget it */
void process_free(struct process *process)
{
	int i;

	for (i = 0; i < MATCH_NR; i++)
		free(process->fact[i]);
}

/* --- matching ---------------------------------------------------------------------------- */

/*
 * The length of the part of a cgroup's path that a pattern matches, up to the end of one of its
 * directories, or 0: the whole up to there, or, for a unit, the name of the last directory.
 */
static size_t match_path(const char *pattern, const char *path, bool unit)
{
	char part[ROOT_TEXT];
	size_t len;

	for (len = 1; path[len - 1]; len++) {
		if (path[len] && path[len] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)len, path);
		if (!fnmatch(pattern, unit ? strrchr(part, '/') + 1 : part, unit ? 0 : FNM_PATHNAME))
			return len;
	}
	return 0;
}

static bool match_fact(const struct rule *rule, int i, const char *fact)
{
	const char *pattern = rule->match[i];

	if (!pattern)
		return true;
	if (!fact)
		return false;
	if (i == MATCH_UNIT || i == MATCH_CGROUP)
		return match_path(pattern, fact, i == MATCH_UNIT);
	if (i == MATCH_USER)
		return !strcmp(pattern, fact);
	return !fnmatch(pattern, fact, i == MATCH_EXE ? FNM_PATHNAME : 0);
}

/**
 * rules_find - the first rule that matches a process, or NULL
 */
const struct rule *rules_find(const struct rules *rules, const struct process *process)
{
	unsigned int i;
	int m;

	for (i = 0; i < rules->nr; i++) {
		for (m = 0; m < MATCH_NR; m++)
			if (!match_fact(&rules->rule[i], m, process->fact[m]))
				break;
		if (m == MATCH_NR)
			return &rules->rule[i];
	}
	return NULL;
}

/**
 * rule_cgroup - the cgroup that a rule means as a whole
 * @rule: the rule
 * @process: a process that it matches
 *
 * Return: the path, to be freed, or NULL where the rule means processes.
 */
char *rule_cgroup(const struct rule *rule, const struct process *process)
{
	bool unit = rule->match[MATCH_UNIT];
	size_t len;
	int i;

	for (i = 0; i < MATCH_NR; i++)
		if ((rule->match[i] != NULL) != (i == (unit ? MATCH_UNIT : MATCH_CGROUP)))
			return NULL;
	len = match_path(rule->match[unit ? MATCH_UNIT : MATCH_CGROUP], process->fact[MATCH_CGROUP], unit);
	return text("%.*s", (int)len, process->fact[MATCH_CGROUP]);
}
