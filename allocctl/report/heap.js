// SPDX-License-Identifier: Apache-2.0
// The heap at one moment: segments and, in them, blocks and holes.

const FREE = 0, LIVE = 1, PENDING = 2;
const stateNames = ["free", "live", "pending"];

// Mapped ranges of reservations, in address order.
class Ranges {
	constructor() {
		this.list = [];
	}
	first(addr) {
		return firstNotBelow(this.list.length,
			i => this.list[i].addr + this.list[i].size, addr + 1);
	}
	remove(addr, end) {
		const at = this.first(addr), kept = [];
		let to = at;
		for (; to < this.list.length && this.list[to].addr < end; to++) {
			const range = this.list[to], stop = range.addr + range.size;
			if (range.addr < addr)
				kept.push({ ...range, size: addr - range.addr });
			if (stop > end)
				kept.push({ ...range, addr: end, size: stop - end });
		}
		this.list.splice(at, to - at, ...kept);
	}
	add(segment) {
		this.remove(segment.addr, segment.addr + segment.size);
		const at = this.first(segment.addr), before = this.list[at - 1];
		if (before && before.addr + before.size === segment.addr &&
		    before.stream === segment.stream && before.pool === segment.pool) {
			before.size += segment.size;
			this.join(at - 1);
		} else {
			this.list.splice(at, 0, segment);
			this.join(at);
		}
	}
	join(at) {
		const one = this.list[at], next = this.list[at + 1];
		if (!next || one.addr + one.size !== next.addr ||
		    one.stream !== next.stream || one.pool !== next.pool)
			return;
		one.size += next.size;
		this.list.splice(at + 1, 1);
	}
}

function segmentAt(log, at) {
	return { addr: log.addr[at], size: log.size[at], stream: log.stream[at],
		pool: log.pool[at], expandable: log.action[at] === SEGMENT_MAP };
}

// Segments before record end, in address order.
function segmentsBefore(log, end) {
	const whole = new Map(), mapped = new Ranges();
	for (let at = 0; at < end; at++) {
		const action = log.action[at];
		if (action < SEGMENT_ALLOC || action > SEGMENT_UNMAP)
			continue;
		if (action === SEGMENT_ALLOC)
			whole.set(log.addr[at], segmentAt(log, at));
		else if (action === SEGMENT_FREE)
			whole.delete(log.addr[at]);
		else if (action === SEGMENT_MAP)
			mapped.add(segmentAt(log, at));
		else
			mapped.remove(log.addr[at], log.addr[at] + log.size[at]);
	}
	return [...whole.values(), ...mapped.list].sort((a, b) => a.addr - b.addr);
}

// Requests whose blocks are there before record end, in address order.
function blocksBefore(log, end) {
	const found = [];
	for (let i = 0; i < log.requestCount; i++) {
		const at = log.requests[i];
		if (at >= end)
			break;
		if (log.freedAt[at] >= end)
			found.push(at);
	}
	return found.sort((a, b) => log.addr[a] - log.addr[b]);
}

// A piece: addr, size, state, segment; offset: bytes of segments before it;
// of a block also record (its request's), unused (bytes behind the request).
class Heap {
	constructor(log, end) {
		this.log = log;
		this.end = end;	// the record before which this is
		this.segments = segmentsBefore(log, end);
		this.pieces = [];
		this.bytes = 0;
		this.stray = 0;	// blocks in no segment
		const blocks = blocksBefore(log, end);
		let next = 0;
		for (const segment of this.segments)
			next = this.addSegment(segment, blocks, next, end);
		this.stray += blocks.length - next;
	}
	addSegment(segment, blocks, next, end) {
		const log = this.log, stop = segment.addr + segment.size;
		let at = segment.addr;
		segment.offset = this.bytes;
		for (; next < blocks.length && log.addr[blocks[next]] < stop; next++) {
			const record = blocks[next], addr = log.addr[record];
			if (addr < at) {
				this.stray++;
				continue;
			}
			this.add(segment, at, addr - at, FREE);
			const roof = next + 1 < blocks.length ?
				Math.min(log.addr[blocks[next + 1]], stop) : stop;
			const size = Math.min(log.taken[record], roof - addr);
			this.add(segment, addr, size,
				log.pendingAt[record] < end ? PENDING : LIVE, record);
			at = addr + size;
		}
		this.add(segment, at, stop - at, FREE);
		this.bytes += segment.size;
		return next;
	}
	add(segment, addr, size, state, record) {
		if (!size)
			return;
		const asked = record === undefined ? size : this.log.size[record];
		this.pieces.push({ addr, size, state, segment, record,
			unused: asked ? Math.max(size - asked, 0) : 0,
			offset: segment.offset + addr - segment.addr });
	}
	// Index of the piece that covers a byte of the segments laid end to end.
	pieceAt(offset) {
		return firstNotBelow(this.pieces.length,
			i => this.pieces[i].offset, offset + 0.5) - 1;
	}
	sum(state) {
		const all = this.pieces.filter(p => p.state === state);
		return { count: all.length,
			bytes: all.reduce((sum, p) => sum + p.size, 0),
			largest: all.reduce((most, p) => Math.max(most, p.size), 0) };
	}
	get unused() {
		return this.pieces.reduce((sum, p) => sum + p.unused, 0);
	}
	describe() {
		const live = this.sum(LIVE), pending = this.sum(PENDING);
		const free = this.sum(FREE);
		let text = sizeText(live.bytes) + " live in " +
			plural(live.count, "block");
		if (pending.count)
			text += ", " + sizeText(pending.bytes) + " pending in " +
				plural(pending.count, "block");
		if (this.unused)
			text += ", " + sizeText(this.unused) + " of these unused";
		text += ", " + sizeText(free.bytes) + " free in " +
			plural(free.count, "hole");
		if (free.count)
			text += " (largest " + sizeText(free.largest) + ")";
		text += ", of " + sizeText(this.bytes) + " in " +
			plural(this.segments.length, "segment");
		if (this.stray)
			text += "; " + plural(this.stray, "block") +
				" in no known segment";
		return text;
	}
}
