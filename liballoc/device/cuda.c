// SPDX-License-Identifier: Apache-2.0
/*
 * The device on a GPU, through the CUDA driver.
 *
 * Read la_cuda_enter() first: every operation comes to the driver through it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda.h"
#include "util/array.h"
#include "util/error.h"

int la_cuda_check(struct cuda *cuda, enum la_cu_call call, la_cu_result result)
{
	int err = la_cu_errno(result);

	if (!err)
		return 0;
	if (la_cu_is_gone(result) || la_cu_is_fatal(result))
		atomic_store(&cuda->dead, err);
	if (!la_cu_is_gone(result))
		atomic_store(&cuda->failure,
			     (uint64_t)(call + 1) << 32 | (uint32_t)result);
	return err;
}

int la_cuda_enter(struct cuda *cuda, struct visit *visit)
{
	la_cu_context now = NULL;
	int err = atomic_load(&cuda->dead);

	if (getpid() != cuda->owner)
		return -ECHILD;
	if (!err)
		err = CALL(cuda, current, &now);
	if (err < 0)
		return err;
	visit->pushed = now != cuda->context;
	if (visit->pushed) {
		err = CALL(cuda, push, cuda->context);
		if (err < 0)
			return err;
	}
	visit->mode = LA_CU_MODE_RELAXED;
	err = CALL(cuda, exchange_mode, &visit->mode);
	if (err < 0 && visit->pushed)
		(void)cuda->cu.pop(&now); /* err says what is wrong */
	return err;
}

/* What fails here fails again in the next call, and is told then. */
void la_cuda_leave(struct cuda *cuda, const struct visit *visit)
{
	unsigned int mode = visit->mode;
	la_cu_context ours;

	(void)cuda->cu.exchange_mode(&mode);
	if (visit->pushed)
		(void)cuda->cu.pop(&ours);
}

static int cuda_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct cuda *cuda = (struct cuda *)dev;
	la_cu_addr got = 0;
	int err = VISIT(cuda, CALL(cuda, alloc, &got, size));

	if (!err)
		*addr = got;
	return err;
}

static int cuda_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct cuda *cuda = (struct cuda *)dev;

	(void)size;
	return VISIT(cuda, CALL(cuda, free, addr));
}

static bool is_alive(const struct cuda *cuda)
{
	return getpid() == cuda->owner && !atomic_load(&cuda->dead);
}

/* What was handed out is the caller's: it goes with the context at the
 * latest. */
static void cuda_destroy(struct la_device *dev)
{
	struct cuda *cuda = (struct cuda *)dev;
	bool alive = is_alive(cuda);

	la_cuda_end_streams(cuda, alive);
	la_cuda_end_pieces(cuda);
	if (alive)
		(void)cuda->cu.let_go(cuda->ordinal); /* nobody to tell */
	la_cu_close(&cuda->cu);
	free(cuda->access);
	free(cuda);
}

static const struct la_device_ops cuda_ops = {
	.alloc = cuda_alloc,
	.free = cuda_free,
	.reserve = la_cuda_reserve,
	.unreserve = la_cuda_unreserve,
	.map = la_cuda_map,
	.unmap = la_cuda_unmap,
	.create = la_cuda_create,
	.release = la_cuda_release,
	.attach = la_cuda_attach,
	.detach = la_cuda_unmap,
	.record = la_cuda_record,
	.query = la_cuda_query,
	.order = la_cuda_order,
	.await = la_cuda_await,
	.drain = la_cuda_drain,
	.forget = la_cuda_forget,
	.capturing = la_cuda_capturing,
	.destroy = cuda_destroy,
};

static void message(const struct cuda *cuda, char *text, size_t size)
{
	uint64_t failure = atomic_load(&cuda->failure);

	text[0] = '\0';
	if (failure)
		la_cu_describe(&cuda->cu, (enum la_cu_call)(failure >> 32) - 1,
			       (la_cu_result)(uint32_t)failure, text, size);
}

/* Fill err with what the driver said last, and return code. */
static int complain(const struct cuda *cuda, int code, struct la_error *err)
{
	char text[200];

	message(cuda, text, sizeof(text));
	return la_error_set(err, code, LA_NO_OFFSET, "%s",
			    text[0] ? text : "the driver has shut down");
}

static int add_access(struct cuda *cuda, int ordinal)
{
	if (grow_array(&cuda->access, &cuda->access_room, cuda->access_count,
		       sizeof(*cuda->access)) < 0)
		return -ENOMEM;
	cuda->access[cuda->access_count++] = (struct la_cu_access){
		.location = { LA_CU_LOCATION_DEVICE, ordinal },
		.flags = LA_CU_READ_WRITE,
	};
	return 0;
}

/* Network cards reach pieces where they reach segments. */
static int choose_kind(struct cuda *cuda,
		       const struct la_device_cuda_options *options)
{
	int rdma = 0;
	int err = CALL(cuda, attribute, &rdma, LA_CU_ATTRIBUTE_RDMA,
		       cuda->ordinal);

	cuda->kind.type = LA_CU_PINNED;
	cuda->kind.location.type = LA_CU_LOCATION_DEVICE;
	cuda->kind.location.id = cuda->ordinal;
	cuda->kind.flags.rdma = rdma != 0;
	if (options && options->exportable)
		cuda->kind.export_types = LA_CU_FILE_DESCRIPTOR;
	return err;
}

static int check_pages(struct cuda *cuda, struct la_error *err)
{
	size_t granularity = 0;
	int code = CALL(cuda, granularity, &granularity, &cuda->kind,
			LA_CU_GRANULARITY_MINIMUM);

	if (code < 0)
		return complain(cuda, code, err);
	if (granularity && PAGE % granularity == 0)
		return 0;
	return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
			    "the device has pages of %zu bytes", granularity);
}

static int begin(struct cuda *cuda, unsigned int ordinal,
		 const struct la_device_cuda_options *options,
		 struct la_error *err)
{
	int code = CALL(cuda, device, &cuda->ordinal, (int)ordinal);

	if (!code)
		code = choose_kind(cuda, options);
	if (!code)
		code = CALL(cuda, retain, &cuda->context, cuda->ordinal);
	if (code < 0)
		return complain(cuda, code, err);
	code = check_pages(cuda, err);
	if (code < 0)
		(void)cuda->cu.let_go(cuda->ordinal); /* code counts */
	return code;
}

LA_EXPORT int la_device_cuda(struct la_device **out, unsigned int ordinal,
			     const struct la_device_cuda_options *options,
			     struct la_error *err)
{
	struct cuda *cuda = calloc(1, sizeof(*cuda));
	int code;

	if (!cuda)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	cuda->device.ops = &cuda_ops;
	cuda->owner = getpid();
	code = la_cu_open(&cuda->cu, err);
	if (code < 0)
		goto err_free;
	code = begin(cuda, ordinal, options, err);
	if (code < 0)
		goto err_close;
	code = add_access(cuda, cuda->ordinal);
	if (code < 0)
		goto err_let_go;
	*out = &cuda->device;
	return 0;

err_let_go:
	(void)cuda->cu.let_go(cuda->ordinal); /* code counts */
	la_error_set(err, code, LA_NO_OFFSET, "out of memory");
err_close:
	la_cu_close(&cuda->cu);
err_free:
	free(cuda);
	return code;
}

static bool has_access(const struct cuda *cuda, int ordinal)
{
	size_t i;

	for (i = 0; i < cuda->access_count; i++)
		if (cuda->access[i].location.id == ordinal)
			return true;
	return false;
}

/* Let a peer at all that is mapped in a reservation. */
static int open_range(struct cuda *cuda, const struct cuda_range *range,
		      const struct la_cu_access *peer)
{
	uint64_t pages = range->size / PAGE, at = 0, end;
	int err = 0;

	while (!err && at < pages) {
		for (end = at; end < pages && range->page[end]; end++)
			;
		if (end > at)
			err = CALL(cuda, set_access, range->addr + at * PAGE,
				   (end - at) * PAGE, peer, 1);
		at = end + 1;
	}
	return err;
}

static int add_peer(struct cuda *cuda, la_cu_device peer)
{
	int can = 0, err;
	size_t i;

	err = CALL(cuda, can_access, &can, peer, cuda->ordinal);
	if (err < 0)
		return err;
	if (!can)
		return -ENOTSUP;
	err = add_access(cuda, peer);
	for (i = 0; !err && i < cuda->range_count; i++)
		err = open_range(cuda, &cuda->range[i],
				 &cuda->access[cuda->access_count - 1]);
	if (err < 0 && has_access(cuda, peer))
		cuda->access_count--;
	return err;
}

LA_EXPORT int la_device_cuda_peer(struct la_device *dev, unsigned int ordinal)
{
	struct cuda *cuda = (struct cuda *)dev;
	struct visit visit;
	la_cu_device peer;
	int err = la_cuda_enter(cuda, &visit);

	if (err < 0)
		return err;
	err = CALL(cuda, device, &peer, (int)ordinal);
	if (!err && !has_access(cuda, peer))
		err = add_peer(cuda, peer);
	la_cuda_leave(cuda, &visit);
	return err;
}

LA_EXPORT int la_device_cuda_memory(struct la_device *dev, uint64_t *free,
				    uint64_t *total)
{
	struct cuda *cuda = (struct cuda *)dev;
	size_t now_free = 0, all = 0;
	int err = VISIT(cuda, CALL(cuda, memory, &now_free, &all));

	if (err < 0)
		return err;
	*free = now_free;
	*total = all;
	return 0;
}

LA_EXPORT int la_device_cuda_name(struct la_device *dev, char *name,
				  size_t size)
{
	struct cuda *cuda = (struct cuda *)dev;
	char read[128] = "";
	int err = VISIT(cuda, CALL(cuda, device_name, read, sizeof(read),
				   cuda->ordinal));

	if (!err && strlen(read) >= size)
		err = -ENAMETOOLONG;
	if (!err)
		memcpy(name, read, strlen(read) + 1);
	return err;
}

LA_EXPORT void la_device_cuda_message(const struct la_device *dev, char *text,
				      size_t size)
{
	message((const struct cuda *)dev, text, size);
}
