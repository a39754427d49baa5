// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: what is in one file. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "platform.h"
#include "print.h"
#include "triage.h"
#include "util/util.h"

/* Bytes that tell what a file is. */
enum { HEAD = 8 };

/* An open file. */
struct file {
	const char *path; /* "-": standard input */
	int fd;
	FILE *spool; /* owned: what a pipe gave; NULL: none */
	unsigned char head[HEAD]; /* its first bytes, which were read */
	size_t head_size;
};

enum content { CONTENT_LOG, CONTENT_RECORDING, CONTENT_PACKED };

static int cannot_read(const char *path, const char *why)
{
	print_error("cannot read '%s': %s", path, why);
	return STATUS_CANNOT_TELL;
}

static ptrdiff_t read_some(int fd, void *data, size_t size)
{
	ptrdiff_t got;

	do {
		got = read(fd, data, size);
	} while (got < 0 && errno == EINTR);
	return got;
}

static bool read_head(struct file *file)
{
	ptrdiff_t got = 1;

	while (got > 0 && file->head_size < HEAD) {
		got = read_some(file->fd, file->head + file->head_size,
				HEAD - file->head_size);
		if (got > 0)
			file->head_size += (size_t)got;
	}
	return got >= 0;
}

static bool begins(const struct file *file, const char *magic, size_t size)
{
	return file->head_size >= size && !memcmp(file->head, magic, size);
}

/* A pickle begins with the opcode of its protocol. */
static enum content content_of(const struct file *file)
{
	if (begins(file, "\x80", 1) || la_probe_is(file->head, file->head_size))
		return CONTENT_RECORDING;
	if (begins(file, "\x1f\x8b", 2) || begins(file, "\xfd" "7zX", 4) ||
	    begins(file, "\x28\xb5\x2f\xfd", 4))
		return CONTENT_PACKED;
	return CONTENT_LOG;
}

/* From the start again, if need be of a copy of what a pipe gives. */
static bool rewind_file(struct file *file)
{
	char data[16 * KIB];
	ptrdiff_t got;

	if (lseek(file->fd, 0, SEEK_SET) >= 0)
		return true;
	file->spool = platform_spool();
	if (!file->spool ||
	    fwrite(file->head, 1, file->head_size, file->spool) !=
		    file->head_size)
		return false;
	while ((got = read_some(file->fd, data, sizeof(data))) > 0)
		if (fwrite(data, 1, (size_t)got, file->spool) != (size_t)got)
			return false;
	if (got < 0 || fflush(file->spool))
		return false;
	rewind(file->spool);
	file->fd = fileno(file->spool);
	return lseek(file->fd, 0, SEEK_SET) >= 0;
}

/* Facts become the triage's own; what the log owned it gives up. */
static int take_facts(struct triage *triage, struct la_log *log,
		      const char *path)
{
	struct la_facts *facts;
	size_t count, i;

	if (la_log_finish(log) < 0)
		return print_no_memory();
	facts = la_log_facts(log, &count);
	for (i = 0; i < count; i++) {
		if (!triage_add_message(triage, &facts[i], path))
			return print_no_memory();
		memset(&facts[i], 0, sizeof(facts[i]));
	}
	triage->lines += la_log_lines(log);
	triage->lost += la_log_lost(log);
	return STATUS_DONE;
}

static int feed_plain(struct la_log *log, const struct file *file)
{
	static char data[256 * KIB];
	int code = la_log_feed(log, file->head, file->head_size);
	ptrdiff_t got = 1;

	while (!code && got > 0) {
		got = read_some(file->fd, data, sizeof(data));
		if (got > 0)
			code = la_log_feed(log, data, (size_t)got);
	}
	if (code < 0)
		return print_no_memory();
	return got < 0 ? cannot_read(file->path, strerror(errno)) : STATUS_DONE;
}

static int feed_packed(struct la_log *log, const struct file *file)
{
	struct la_error err;

	if (lseek(file->fd, 0, SEEK_SET) < 0 ||
	    la_log_read(log, file->fd, &err) < 0)
		return cannot_read(file->path, err.text);
	return STATUS_DONE;
}

static int read_log(struct triage *triage, const struct file *file,
		    enum content content)
{
	struct la_log *log;
	int status;

	if (la_log_new(&log) < 0)
		return print_no_memory();
	status = content == CONTENT_PACKED ? feed_packed(log, file) :
					     feed_plain(log, file);
	if (status == STATUS_DONE)
		status = take_facts(triage, log, file->path);
	la_log_free(log);
	return status;
}

/* Of standard input, which has no companion. */
static int read_mapped(struct la_recording **out, const struct file *file,
		       const struct la_recording_options *options,
		       struct la_error *err)
{
	size_t size;
	void *data = platform_map(file->fd, &size);
	int code;

	if (!data)
		return -ENOMEM;
	code = la_recording_read(out, data, size, options, err);
	platform_unmap(data, size);
	return code;
}

static int read_facts(struct triage *triage, struct source *source)
{
	struct la_facts facts;
	struct la_error err = { .text = "out of memory" };
	int code = la_facts_of_recording(&facts, source->recording,
					 (unsigned int)source->device,
					 source->program, &err);

	if (code < 0 && code != -ENOENT)
		return cannot_read(source->path, err.text);
	if (triage_add_recorded(triage, &facts, source, !code))
		return STATUS_DONE;
	la_facts_release(&facts);
	return print_no_memory();
}

/* What could not be understood as a program has facts nevertheless. */
static int read_program(const struct triage *triage, struct source *source)
{
	const struct triage_known *known = &triage->known;
	const struct la_limit limit = {
		.kind = LA_LIMIT_CAP,
		.bytes = known->limit,
	};
	const struct la_program_options options = {
		.setting = triage->request->setting,
		.limit = known->limit ? &limit : NULL,
		.total = known->card,
		.release = known->release,
	};

	if (!source_has_history(source) ||
	    source_open_program(source, &options) == STATUS_DONE)
		return STATUS_DONE;
	la_program_free(source->program);
	source->program = NULL;
	source->info = NULL;
	return source->no_memory ? STATUS_CANNOT_TELL : STATUS_DONE;
}

static int read_device(struct triage *triage, const struct file *file,
		       struct la_recording *recording, unsigned int device)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source || !triage_add_source(triage, source)) {
		free(source);
		return print_no_memory();
	}
	source->path = file->path;
	source->device = device;
	source->recording = recording;
	if (!source_has_history(source) && !source_has_segments(source))
		return STATUS_DONE;
	if (read_program(triage, source) != STATUS_DONE)
		return STATUS_CANNOT_TELL;
	return read_facts(triage, source);
}

static int read_devices(struct triage *triage, const struct file *file,
			struct la_recording *recording)
{
	unsigned int count = la_recording_device_count(recording), i;
	uint64_t wanted = triage->request->device;
	int status = STATUS_DONE;

	if (wanted != SOURCE_MAIN_DEVICE && wanted >= count) {
		print_error("'%s' has no device %" PRIu64 ", it has %u",
			    file->path, wanted, count);
		la_recording_free(recording);
		return STATUS_USAGE;
	}
	if (wanted != SOURCE_MAIN_DEVICE)
		return read_device(triage, file, recording,
				   (unsigned int)wanted);
	for (i = 0; i < count && status == STATUS_DONE; i++)
		status = read_device(triage, file, recording, i);
	return status;
}

/* The driver's level of a probe's file, which may have no other. */
static int read_driver(struct triage *triage, const struct file *file,
		       size_t first)
{
	struct la_error err = { .text = "out of memory" };
	struct la_probe *probe;
	size_t size;
	void *data;
	int code = -ENOMEM, status;

	if (strcmp(file->path, "-")) {
		code = la_probe_open(&probe, file->path, &err);
	} else {
		data = platform_map(file->fd, &size);
		if (data) {
			code = la_probe_read(&probe, data, size, &err);
			platform_unmap(data, size);
		}
	}
	if (code < 0)
		return cannot_read(file->path, err.text);
	status = triage_add_probe(triage, probe, file->path, first);
	la_probe_free(probe);
	return status;
}

/* What is packed is a log unless it unpacks to a recording. */
static int read_recording(struct triage *triage, const struct file *file,
			  enum content content)
{
	const struct la_recording_options options = {
		.partial = triage->request->partial,
	};
	struct la_error err = { .text = "out of memory" };
	struct source source = { .path = file->path };
	size_t first = triage->count;
	int code, status;
	bool probe;

	if (strcmp(file->path, "-"))
		code = la_recording_open(&source.recording, file->path,
					 &options, &err);
	else
		code = read_mapped(&source.recording, file, &options, &err);
	if (code == -EBADMSG && !err.offset && content == CONTENT_PACKED)
		return read_log(triage, file, content);
	if (code == -ENODATA)
		return read_driver(triage, file, first);
	if (code < 0)
		return cannot_read(file->path, err.text);
	source_check_companion(&source);
	probe = la_recording_is_probe(source.recording);
	status = read_devices(triage, file, source.recording);
	return status == STATUS_DONE && probe ?
		       read_driver(triage, file, first) :
		       status;
}

static int read_content(struct triage *triage, struct file *file)
{
	enum content content;

	if (!read_head(file))
		return cannot_read(file->path, strerror(errno));
	content = content_of(file);
	if (content == CONTENT_LOG)
		return read_log(triage, file, content);
	if (!rewind_file(file))
		return cannot_read(file->path, strerror(errno));
	return read_recording(triage, file, content);
}

int triage_read_file(struct triage *triage, const char *path)
{
	struct file file = { .path = path, .fd = STDIN_FILENO };
	bool named = strcmp(path, "-");
	int status;

	if (named)
		file.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file.fd < 0)
		return cannot_read(path, strerror(errno));
	status = read_content(triage, &file);
	if (file.spool)
		fclose(file.spool);
	else if (named)
		close(file.fd);
	return status;
}

/* What the dead process had in its environment was in force: nothing if that
 * is known and has none. */
static bool take_setting(struct la_facts *facts,
			 const struct la_core_info *info)
{
	static const char *const names[] = { "PYTORCH_ALLOC_CONF=",
					     "PYTORCH_CUDA_ALLOC_CONF=",
					     "PYTORCH_HIP_ALLOC_CONF=" };
	size_t i, n;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		for (i = 0; i < info->environment_count && !facts->setting; i++)
			if (!strncmp(info->environment[i], names[n],
				     strlen(names[n])))
				facts->setting = strdup(info->environment[i] +
							strlen(names[n]));
	}
	if (!facts->setting && info->started_count)
		facts->setting = strdup("");
	return facts->setting || !info->started_count;
}

/* Messages in the memory of a process are all its own. */
static int search_core(struct triage *triage, struct la_core *core,
		       const char *path)
{
	const struct la_core_info *info;
	struct la_error err = { .text = "out of memory" };
	size_t i = triage->count;
	struct la_log *log;
	int status;

	if (la_log_new(&log) < 0)
		return print_no_memory();
	status = la_core_search(core, log, &err) < 0 ?
			 cannot_read(path, err.text) :
			 take_facts(triage, log, path);
	la_log_free(log);
	info = la_core_info(core);
	for (; i < triage->count && status == STATUS_DONE; i++) {
		triage->oom[i].from_core = true;
		triage->oom[i].facts.pid = info->pid;
		if (!take_setting(&triage->oom[i].facts, info))
			status = print_no_memory();
	}
	return status;
}

int triage_read_core(struct triage *triage, const char *path)
{
	struct la_core *core;
	struct la_error err;
	int status;

	if (la_core_open(&core, path, &err) < 0)
		return cannot_read(path, err.text);
	status = search_core(triage, core, path);
	la_core_free(core);
	return status;
}
