// SPDX-License-Identifier: GPL-2.0
/*
 * Functions and data of the running kernel that are not exported.
 *
 * An address comes from a kprobe that is registered disabled and taken away again: kprobes know
 * where a function begins, which of its bytes are ENDBR, and whether its first instruction is an
 * ftrace site. Nothing is guessed from bytes; their form differs between kernels.
 */
#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#include "private.h"
#include "softaff.h"

#define SOFTAFF_DEFINE_CALL(name, proto) DEFINE_STATIC_CALL_NULL(kernel_##name, name);
SOFTAFF_KERNEL_CALLS(SOFTAFF_DEFINE_CALL)

/* Where calls to @name may enter: its ftrace site if it has one, else its first instruction. */
static int find_entry(const char *name, unsigned long *entry, bool *traceable)
{
	struct kprobe kp = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&kp);

	if (err)
		return err;
	*entry = (unsigned long)kp.addr;
	*traceable = kp.flags & KPROBE_FLAG_FTRACE;
	unregister_kprobe(&kp);
	return 0;
}

/**
 * softaff_ftrace_site - find the fentry site of a kernel function
 * @name: the function's symbol
 *
 * Context: may sleep.
 * Return: the address of the site, or 0 where there is no such function or it cannot be traced.
 */
unsigned long softaff_ftrace_site(const char *name)
{
	unsigned long entry;
	bool traceable;

	if (find_entry(name, &entry, &traceable) || !traceable)
		return 0;
	return entry;
}

/**
 * softaff_lookup - address of a kernel symbol, for data
 * @name: the symbol
 *
 * Context: may sleep; after softaff_symbols_init().
 * Return: the address, or NULL where there is none.
 */
void *softaff_lookup(const char *name)
{
	return (void *)kernel_call(kallsyms_lookup_name)(name);
}

/**
 * softaff_symbols_init - find every function that the module calls, set their static_calls
 *
 * Context: may sleep.
 * Return: 0, or -ENOENT with a line in the log that names the missing function.
 */
int softaff_symbols_init(void)
{
	unsigned long entry;
	bool traceable;
	int err;

#define SOFTAFF_RESOLVE_CALL(name, proto)						\
	err = find_entry(#name, &entry, &traceable);					\
	if (err)									\
		return softaff_refuse(-ENOENT, "this kernel has no %s() to call (%d)",	\
				      #name, err);					\
	static_call_update(kernel_##name, (typeof(&name))entry);
	SOFTAFF_KERNEL_CALLS(SOFTAFF_RESOLVE_CALL)
#undef SOFTAFF_RESOLVE_CALL
	return 0;
}

static void match_probe(struct tracepoint *tp, void *data)
{
	struct softaff_probe *probe = data;

	if (!strcmp(tp->name, probe->name))
		probe->tp = tp;
}

/**
 * softaff_probes_unregister - stop listening to tracepoints
 * @probes: the first of them
 * @nr: how many
 *
 * Context: may sleep. No probe runs any more when this returns.
 */
void softaff_probes_unregister(struct softaff_probe *probes, unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].tp, probes[nr].func, NULL);
	tracepoint_synchronize_unregister();
}

/**
 * softaff_probes_register - listen to tracepoints that are not exported
 * @probes: the first of them
 * @nr: how many
 *
 * A probe takes the arguments that it names and ignores those that later kernels append.
 *
 * Context: may sleep.
 * Return: 0, or an error with a line in the log that names the tracepoint; none is listened to.
 */
int softaff_probes_register(struct softaff_probe *probes, unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		for_each_kernel_tracepoint(match_probe, &probes[i]);
		err = probes[i].tp ?
		      tracepoint_probe_register(probes[i].tp, probes[i].func, NULL) : -ENOENT;
		if (err) {
			softaff_probes_unregister(probes, i);
			return softaff_refuse(err, "cannot listen to the tracepoint %s (%d)",
					      probes[i].name, err);
		}
	}
	return 0;
}
