// SPDX-License-Identifier: GPL-2.0
/* The kernel's proc connector: processes as they start and end, without looking for them. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rules.h"

/* Room for the events of a burst of starts; what is lost is made good by a look at all. */
#define RECEIVE_BUFFER (4 << 20)

#define FIRST_PID_NAMESPACE 0xEFFFFFFC	/* PROC_PID_INIT_INO, the same on all kernels */

static int listen_to(int fd)
{
	const enum proc_cn_mcast_op op = PROC_CN_MCAST_LISTEN;
	char request[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(op))]
		__attribute__((aligned(NLMSG_ALIGNTO))) = "";
	struct nlmsghdr *header = (void *)request;
	struct cn_msg *message = NLMSG_DATA(header);

	header->nlmsg_len = NLMSG_LENGTH(sizeof(*message) + sizeof(op));
	header->nlmsg_type = NLMSG_DONE;
	header->nlmsg_pid = getpid();
	message->id.idx = CN_IDX_PROC;
	message->id.val = CN_VAL_PROC;
	message->len = sizeof(op);
	memcpy(message->data, &op, sizeof(op));
	return send(fd, request, header->nlmsg_len, 0) < 0 ? -errno : 0;
}

/* The kernel tells pids of the first pid namespace, and ignores who asks from another. */
static bool in_first_namespace(void)
{
	char path[PATH_MAX];
	struct stat st;

	return !stat(root_path(path, "/proc/self/ns/pid"), &st) && st.st_ino == FIRST_PID_NAMESPACE;
}

/** events_open - listen; a socket, or a negative errno */
int events_open(void)
{
	int fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int size = RECEIVE_BUFFER, err;

	if (fd < 0)
		return -errno;
	if (!in_first_namespace()) {
		close(fd);
		return -EPERM;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	err = bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : listen_to(fd);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

static void look_at_event(const struct proc_event *event, void (*started)(pid_t pid),
			  void (*ended)(pid_t pid))
{
	switch (event->what) {
	case PROC_EVENT_EXEC:
		started(event->event_data.exec.process_tgid);
		break;
	case PROC_EVENT_UID:
		started(event->event_data.id.process_tgid);
		break;
	case PROC_EVENT_EXIT:
		if (event->event_data.exit.process_pid == event->event_data.exit.process_tgid)
			ended(event->event_data.exit.process_tgid);
		break;
	default:
		break;
	}
}

/**
 * events_read - take all events that are there
 * @fd: of events_open()
 * @started: called when a process has executed a program, or changed its user
 * @ended: called when one has ended
 *
 * Return: false if events were lost.
 */
bool events_read(int fd, void (*started)(pid_t pid), void (*ended)(pid_t pid))
{
	char buf[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct sockaddr_nl from = {};
	socklen_t from_len = sizeof(from);
	struct nlmsghdr *header;
	ssize_t len;

	while ((len = recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&from, &from_len)) > 0) {
		if (from.nl_pid)
			continue;	/* not the kernel's */
		for (header = (void *)buf; NLMSG_OK(header, len); header = NLMSG_NEXT(header, len)) {
			struct cn_msg *message = NLMSG_DATA(header);

			if (header->nlmsg_len >= NLMSG_LENGTH(sizeof(*message)) &&
			    message->id.idx == CN_IDX_PROC && message->id.val == CN_VAL_PROC)
				look_at_event((void *)message->data, started, ended);
		}
	}
	return len == 0 || errno != ENOBUFS;
}
