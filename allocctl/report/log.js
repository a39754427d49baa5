// SPDX-License-Identifier: Apache-2.0
// The binary log of the page: records to columns.

const ALLOC = 0, FREE_REQUESTED = 1, FREE_COMPLETED = 2, SEGMENT_ALLOC = 3,
	SEGMENT_FREE = 4, SEGMENT_MAP = 5, SEGMENT_UNMAP = 6, OOM = 7,
	SNAPSHOT = 8, ANNOTATE = 9, SIZED_ALLOC = 10;
const actionNames = ["alloc", "free_requested", "free_completed",
	"segment_alloc", "segment_free", "segment_map", "segment_unmap", "oom",
	"snapshot", "annotate"];
const HAS_STREAM = 0x10, HAS_STACK = 0x20, HAS_POOL = 0x40, HAS_TIME = 0x80;
const END_OF_START = 0xffffffff;	// stream of the record before event 0
const NEVER = 0xffffffff;		// record at which nothing happens
const GRAIN = 512;			// blocks are multiples of this

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

class ByteReader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}
	get left() {
		return this.bytes.length - this.at;
	}
	byte() {
		if (this.at >= this.bytes.length)
			throw new Error("the log ends within a record");
		return this.bytes[this.at++];
	}
	varint() {
		let value = 0, scale = 1, byte;
		do {
			byte = this.byte();
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		if (value > Number.MAX_SAFE_INTEGER)
			throw new Error("a number in the log is too large");
		return value;
	}
	signed() {
		const value = this.varint();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}
}

// Records of what was there at the start, then events: record start + e is
// event e.  Columns have room to spare; count says how many records there are.
class Log {
	constructor(capacity) {
		this.count = 0;
		this.start = 0;
		this.timed = false;
		this.action = new Uint8Array(capacity);
		this.addr = new Float64Array(capacity);	// bytes; OOM: bytes free
		this.size = new Float64Array(capacity);	// bytes as requested
		this.taken = new Float64Array(capacity); // ALLOC: bytes of the block
		this.stream = new Uint32Array(capacity);
		this.stack = new Uint32Array(capacity);
		this.pool = new Uint16Array(capacity);
		this.time = new Float64Array(capacity);	// µs since the first event
		this.block = new Uint32Array(capacity);	// frees: record of the ALLOC
		this.pendingAt = new Uint32Array(capacity); // ALLOC: record, or NEVER
		this.freedAt = new Uint32Array(capacity);   // likewise
		this.requests = new Uint32Array(capacity);  // records of ALLOCs
		this.requestCount = 0;
		this.asked = new Uint32Array(capacity);	// records of ALLOCs and OOMs
		this.askedCount = 0;
		this.askedBefore = 0;	// of these, before event 0
	}
	get events() {
		return this.count - this.start;
	}
	room() {
		if (this.count < this.action.length)
			return;
		for (const [name, column] of Object.entries(this)) {
			if (!ArrayBuffer.isView(column))
				continue;
			this[name] = new column.constructor(column.length * 2 + 16);
			this[name].set(column);
		}
	}
	// The block that the k-th last request got.
	blockOf(k) {
		if (k >= this.requestCount)
			throw new Error("the log frees what it has not allocated");
		return this.requests[this.requestCount - 1 - k];
	}
}

// What is carried from a record to the next.
class LogDecoder {
	constructor(bytes, capacity) {
		this.reader = new ByteReader(bytes);
		this.log = new Log(capacity);
		this.addr = this.stream = this.stack = this.pool = this.time = 0;
	}
	all() {
		while (this.reader.left)
			this.record();
		return this.log;
	}
	record() {
		const reader = this.reader, log = this.log, op = reader.byte();
		const action = op & 15;
		if (action > SIZED_ALLOC)
			throw new Error("the log has an unknown record");
		if (op & HAS_STREAM) {
			const stream = reader.varint();
			if (action === SNAPSHOT && stream === END_OF_START) {
				log.start = log.count;
				log.askedBefore = log.askedCount;
				return;
			}
			this.stream = stream;
		}
		if (op & HAS_STACK)
			this.stack = reader.varint();
		if (op & HAS_POOL)
			this.pool = reader.varint();
		if (op & HAS_TIME) {
			this.time += reader.varint();
			log.timed = true;
		}
		log.room();
		this.fill(log.count, action);
		log.count++;
	}
	fill(at, action) {
		const log = this.log;
		log.action[at] = action === SIZED_ALLOC ? ALLOC : action;
		log.stream[at] = this.stream;
		log.stack[at] = this.stack;
		log.pool[at] = this.pool;
		log.time[at] = this.time;
		if (action === ALLOC || action === SIZED_ALLOC)
			this.request(at, action === SIZED_ALLOC);
		else if (action <= FREE_COMPLETED)
			this.free(at, action);
		else if (action <= SEGMENT_UNMAP)
			this.place(at);
		else if (action === OOM) {
			log.asked[log.askedCount++] = at;
			log.size[at] = this.reader.varint();
			log.addr[at] = this.reader.varint();
		}
	}
	place(at) {
		this.addr += this.reader.signed();
		this.log.addr[at] = this.addr;
		this.log.size[at] = this.reader.varint();
	}
	request(at, sized) {
		const log = this.log;
		this.place(at);
		log.taken[at] = sized ? this.reader.varint() : blockSize(log.size[at]);
		log.pendingAt[at] = log.freedAt[at] = NEVER;
		log.requests[log.requestCount++] = at;
		log.asked[log.askedCount++] = at;
	}
	free(at, action) {
		const log = this.log, block = log.blockOf(this.reader.varint());
		log.block[at] = block;
		log.size[at] = log.size[block];
		log.addr[at] = log.addr[block];
		if (action === FREE_REQUESTED)
			log.pendingAt[block] = at;
		else if (log.freedAt[block] === NEVER)
			log.freedAt[block] = at;
	}
}

function decodeLog(base64, events) {
	const bytes = bytesOfBase64(base64);
	return new LogDecoder(bytes, Math.min(events + 4096, bytes.length + 16)).all();
}

function blockSize(request) {
	return Math.max(Math.ceil(request / GRAIN), 1) * GRAIN;
}

// First index in [0, count] for which at(index) >= value; at() does not fall.
function firstNotBelow(count, at, value) {
	let low = 0, high = count;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (at(middle) < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
