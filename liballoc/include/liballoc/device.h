/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file device.h
 * @brief Where segments come from: one table of functions for each kind.
 *
 * A device hands out address ranges: la_device_cuda() those of a GPU.  The
 * simulated ones need no GPU: they follow rules that come close to what the
 * CUDA driver was seen to do.
 */
#ifndef LIBALLOC_DEVICE_H
#define LIBALLOC_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct la_device;

/**
 * @brief The operations of one kind of device.
 *
 * Memory comes in three ways: as segments (alloc), as memory that is made for
 * its addresses (map), and as pieces that can move (create, attach).
 * Devices that only replay lack what replaying does not need: NULL.
 */
struct la_device_ops {
	/**
	 * Get a segment (cudaMalloc).  size is a multiple of 512 bytes.
	 * Returns 0, -ENOSPC if the device has no room, or another negative
	 * errno value; *addr is untouched on failure.
	 */
	int (*alloc)(struct la_device *dev, uint64_t size, uint64_t *addr);
	/**
	 * Give a segment back (cudaFree).  addr and size are those of one
	 * alloc.  Returns 0 or a negative errno value, and then the segment
	 * is still held.
	 */
	int (*free)(struct la_device *dev, uint64_t addr, uint64_t size);
	/**
	 * Reserve addresses (cuMemAddressReserve); size is a multiple of
	 * 2 MiB.  They hold no memory yet.  Returns as alloc.
	 */
	int (*reserve)(struct la_device *dev, uint64_t size, uint64_t *addr);
	/** Give up the addresses of one reserve; nothing is mapped there.
	 *  Returns 0 or a negative errno value. */
	int (*unreserve)(struct la_device *dev, uint64_t addr, uint64_t size);
	/**
	 * Put memory under reserved addresses that have none (cuMemCreate,
	 * cuMemMap, cuMemSetAccess), in granules: a multiple of 2 MiB, size
	 * is one of theirs.  Returns 0, -ENOSPC if the device has no room, or
	 * another negative errno value, and then nothing is mapped.
	 */
	int (*map)(struct la_device *dev, uint64_t addr, uint64_t size,
		   uint64_t granule);
	/** Take whole granules back (cuMemUnmap, cuMemRelease).  Returns 0 or
	 *  a negative errno value, and then they are still mapped. */
	int (*unmap)(struct la_device *dev, uint64_t addr, uint64_t size);
	/**
	 * Get a piece of memory without an address (cuMemCreate); size is a
	 * multiple of 2 MiB.  *piece is never 0.  Returns as alloc.
	 */
	int (*create)(struct la_device *dev, uint64_t size, uint64_t *piece);
	/** Give a piece back (cuMemRelease); it is attached nowhere.  Returns
	 *  0 or a negative errno value, and then it is still held. */
	int (*release)(struct la_device *dev, uint64_t piece, uint64_t size);
	/**
	 * Put the whole of a piece under reserved addresses that have no
	 * memory (cuMemMap, cuMemSetAccess for this device and the peers that
	 * were enabled).  A piece may be attached at several addresses.
	 * Returns 0 or a negative errno value, and then nothing is attached.
	 */
	int (*attach)(struct la_device *dev, uint64_t addr, uint64_t size,
		      uint64_t piece);
	/**
	 * Take whole pieces, one behind the other, from their addresses
	 * (cuMemUnmap).  It does not wait for the streams that still use
	 * them: the caller has.  Returns 0 or a negative errno value, and
	 * then all are still attached.
	 */
	int (*detach)(struct la_device *dev, uint64_t addr, uint64_t size);
	/**
	 * Mark what is queued on a stream by now (cuEventRecord); streams are
	 * raw values.  Returns 0, -EBUSY if the stream is being captured, or
	 * another negative errno value.
	 */
	int (*record)(struct la_device *dev, uint64_t stream, uint64_t *event);
	/** Is what an event marks done?  Returns 1, 0, or a negative errno
	 *  value. */
	int (*query)(struct la_device *dev, uint64_t event);
	/** Have what is queued on a stream from now on wait for an event
	 *  (cuStreamWaitEvent).  Returns 0 or a negative errno value. */
	int (*order)(struct la_device *dev, uint64_t stream, uint64_t event);
	/** Wait for an event.  Returns 0 or a negative errno value. */
	int (*await)(struct la_device *dev, uint64_t event);
	/** Wait for what is queued on all streams, also those that nobody
	 *  named here (cuCtxSynchronize).  Returns 0, -EBUSY while a stream is
	 *  being captured, which ends the capture on a GPU, or another
	 *  negative errno value. */
	int (*drain)(struct la_device *dev);
	/** Forget an event of record; never fails. */
	void (*forget)(struct la_device *dev, uint64_t event);
	/** Is the stream being captured into a graph?  Returns 1, 0, or a
	 *  negative errno value. */
	int (*capturing)(struct la_device *dev, uint64_t stream);
	/** Release the device itself; never fails. */
	void (*destroy)(struct la_device *dev);
};

/** @brief A device; each kind embeds it as its first member. */
struct la_device {
	const struct la_device_ops *ops; /**< never NULL */
};

/**
 * @brief How a simulated device chooses addresses.
 *
 * Two equal free blocks are told apart by their address, so an answer that
 * differs between layouts depends on the driver's placement.  Reservations
 * go by one rule in all of them: upwards from 0x302000000, on multiples of
 * 32 MiB, in the lowest gap that fits; 64 MiB from 1 TiB on are taken.
 */
enum la_layout {
	LA_LAYOUT_RULE, /**< lowest gap that fits, else downwards */
	LA_LAYOUT_UP, /**< each segment above all before it */
	LA_LAYOUT_DOWN, /**< each segment below all before it */
	LA_LAYOUT_SHUFFLE_1, /**< slots of 64 GiB in a random order */
	LA_LAYOUT_SHUFFLE_2, /**< the same with another seed */
	LA_LAYOUT_COUNT /**< number of layouts, not a layout */
};

/**
 * @brief Make a simulated device.
 * @param[out] out the device; untouched on failure
 * @param layout   how addresses are chosen
 * @param card     bytes that it gives before it refuses, or UINT64_MAX;
 *                 what is given back counts again
 * @param top      address from which all but the shuffled layouts start, or
 *                 0 for 0x7f0000000000; rounded down to 32 MiB
 * @retval 0       success; release with la_device_destroy()
 * @retval -EINVAL no such layout
 * @retval -ENOMEM out of host memory
 *
 * Pieces follow the driver: no part of one is attached or detached, nothing
 * is attached where something is, one may be attached at several addresses,
 * and detaching does not wait.  What breaks that is refused with -EINVAL, and
 * so is to detach what lies between pieces, which the driver allows.
 */
int la_device_sim(struct la_device **out, enum la_layout layout, uint64_t card,
		  uint64_t top);

/**
 * @brief Tell a simulated device of a segment that it gave before.
 * @param dev  device from la_device_sim() that has given nothing yet
 * @param addr address of the segment
 * @param size its bytes; they count against the card
 *
 * Nothing that the device gives from then on overlaps the segment.
 */
void la_device_sim_hold(struct la_device *dev, uint64_t addr, uint64_t size);

/**
 * @brief Tell a simulated device of a reservation that it gave before.
 * @param dev    device from la_device_sim() that has given nothing yet
 * @param addr   address of the reservation
 * @param size   its bytes
 * @param mapped bytes that are mapped in it; they count against the card
 * @return 0, or -ENOMEM
 */
int la_device_sim_hold_reservation(struct la_device *dev, uint64_t addr,
				   uint64_t size, uint64_t mapped);

/** @brief Operations of one kind that a simulated device did. */
struct la_device_sim_count {
	uint64_t calls; /**< that succeeded */
	uint64_t bytes; /**< of all of these */
};

/** @brief What a simulated device was asked for and did. */
struct la_device_sim_counts {
	struct la_device_sim_count alloc; /**< segments taken */
	struct la_device_sim_count free; /**< segments given back */
	struct la_device_sim_count reserve; /**< reservations made */
	struct la_device_sim_count unreserve; /**< reservations given up */
	struct la_device_sim_count map; /**< ranges mapped */
	struct la_device_sim_count unmap; /**< ranges unmapped */
	struct la_device_sim_count create; /**< pieces made */
	struct la_device_sim_count release; /**< pieces given back */
	struct la_device_sim_count attach; /**< pieces attached */
	struct la_device_sim_count detach; /**< pieces, not calls */
	uint64_t detaches; /**< calls that took pieces away */
	uint64_t records; /**< events recorded */
	uint64_t forgets; /**< events forgotten */
	uint64_t queries; /**< events asked for */
	uint64_t orders; /**< streams told to wait */
	uint64_t awaits; /**< events waited for */
	uint64_t drains; /**< waits for all streams */
};

/**
 * @brief What a simulated device did so far.
 * @param dev device from la_device_sim()
 * @return the counts, owned by the device; they go on counting
 */
const struct la_device_sim_counts *
la_device_sim_counts(const struct la_device *dev);

/**
 * @brief Queue a kernel on a stream of a simulated device.
 * @param dev    device from la_device_sim()
 * @param stream raw value
 * @param addr   where the memory begins that the kernel reads and writes
 * @param size   its bytes; 0: no kernel
 * @return 0, or -ENOMEM
 *
 * What is queued is done when a function here has it run, when it is waited
 * for (await), and before a segment is given back, as cudaFree() does; not
 * before what its stream was told to wait for (order).  Where nothing was
 * queued all events are done at once.
 */
int la_device_sim_use(struct la_device *dev, uint64_t stream, uint64_t addr,
		      uint64_t size);

/**
 * @brief Let a simulated device do what is queued on a stream, and what that
 *        waits for.
 * @param dev    device from la_device_sim()
 * @param stream raw value
 */
void la_device_sim_run(struct la_device *dev, uint64_t stream);

/**
 * @brief Let a simulated device do all that is queued.
 * @param dev device from la_device_sim()
 */
void la_device_sim_run_all(struct la_device *dev);

/**
 * @brief Begin or end the capture of a stream of a simulated device.
 * @param dev      device from la_device_sim()
 * @param stream   raw value
 * @param captured whether it is captured from now on
 * @return 0, or -ENOMEM
 */
int la_device_sim_capture(struct la_device *dev, uint64_t stream,
			  bool captured);

/**
 * @brief What a GPU would have answered with wrong results or a fault.
 * @param dev device from la_device_sim()
 * @return how often memory was unmapped that queued kernels use, kernels were
 *         queued for addresses between pieces, or for bytes that another
 *         stream still uses and was not waited for, at whatever address
 */
uint64_t la_device_sim_violations(const struct la_device *dev);

/**
 * @brief Make a device that fails one operation and passes the rest on.
 * @param[out] out the device; untouched on failure
 * @param inner    where operations go; owned by the result from then on
 * @param nth      the operation that fails, counted from 1; 0: none.  All
 *                 count that can fail: all but forget and destroy
 * @param code     negative errno value that it fails with
 * @retval 0       success; release with la_device_destroy()
 * @retval -ENOMEM out of host memory; inner stays the caller's
 */
int la_device_fault(struct la_device **out, struct la_device *inner,
		    uint64_t nth, int code);

/** @brief What can be chosen for a device on a GPU. */
struct la_device_cuda_options {
	/** Pieces can be given to other processes (as file descriptors). */
	bool exportable;
};

/**
 * @brief Make a device on a GPU, through the CUDA driver.
 * @param[out] out the device; untouched on failure
 * @param ordinal  number of the GPU, as the driver counts
 * @param options  or NULL: all off
 * @param err      what is wrong, may be NULL
 * @retval 0        success; release with la_device_destroy()
 * @retval -ENODEV  no driver, or no such GPU
 * @retval -ENOTSUP a driver before CUDA 11.3, or pages that 2 MiB is no
 *                  multiple of, or not on Linux
 * @retval -ENOMEM  out of memory
 * @retval -errno   another failure of the driver
 *
 * The GPU's primary context, the one that PyTorch uses, is retained; each
 * operation makes it current for as long as it takes, and works while the
 * calling thread captures a stream.  What it handed out is not given back by
 * la_device_destroy(): it goes with the context at the latest.
 *
 * The caller holds a lock around all operations but query, order, await,
 * drain and capturing, which may be called beside all others as long as the
 * event lasts.
 *
 * Operations fail with -EINVAL (refused as wrong), -EBUSY (not in a capture),
 * -ENOTSUP, -EPERM, and -EIO (anything else that the driver says, see
 * la_device_cuda_message()).  After an error that leaves a process without a
 * working GPU, such as a kernel's access to no memory, every operation fails
 * with -EIO; when the driver has shut down, as it does when the process ends,
 * with -ESHUTDOWN; in a forked child with -ECHILD.
 */
int la_device_cuda(struct la_device **out, unsigned int ordinal,
		   const struct la_device_cuda_options *options,
		   struct la_error *err);

/**
 * @brief Let another GPU at what is mapped on this one, now and later.
 * @param dev     device from la_device_cuda()
 * @param ordinal number of the other GPU
 * @retval 0        success; also if it was let in before
 * @retval -ENOTSUP it cannot reach this one's memory
 * @retval -ENODEV  no such GPU
 * @retval -ENOMEM  out of memory
 * @retval -errno   as operations fail; what comes later is kept from it then
 *
 * That is pieces and what map() maps.  Segments are open to it where the
 * program has enabled peer access (cudaDeviceEnablePeerAccess()).
 */
int la_device_cuda_peer(struct la_device *dev, unsigned int ordinal);

/**
 * @brief How much memory a GPU has left for all processes.
 * @param dev        device from la_device_cuda()
 * @param[out] free  bytes; untouched on failure
 * @param[out] total bytes; untouched on failure
 * @return 0, or a negative errno value as operations give
 */
int la_device_cuda_memory(struct la_device *dev, uint64_t *free,
			  uint64_t *total);

/**
 * @brief The name of a GPU.
 * @param dev       device from la_device_cuda()
 * @param[out] name the name; untouched on failure
 * @param size      bytes that it may take
 * @return 0, -ENAMETOOLONG, or a negative errno value as operations give
 */
int la_device_cuda_name(struct la_device *dev, char *name, size_t size);

/**
 * @brief What the driver last failed with: "cuMemCreate: out of memory (2,
 *        CUDA_ERROR_OUT_OF_MEMORY)".
 * @param dev       device from la_device_cuda()
 * @param[out] text one line; empty: it never failed
 * @param size      bytes that it may take, at least 1
 *
 * May be called from several threads at once.
 */
void la_device_cuda_message(const struct la_device *dev, char *text,
			    size_t size);

/**
 * @brief Release a device and forget what it handed out.
 * @param dev device, or NULL for no action
 */
void la_device_destroy(struct la_device *dev);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_DEVICE_H */
