// SPDX-License-Identifier: Apache-2.0
// Live and reserved bytes over events, and their extremes over any span.

const FAN = 8;	// values that one of the next level stands for

// Least and most of values over spans, without looking at each.
class Pyramid {
	constructor(low, high) {
		this.levels = [{ low, high }];
		while (low.length > FAN) {
			[low, high] = Pyramid.above(low, high);
			this.levels.push({ low, high });
		}
	}
	static above(low, high) {
		const count = Math.ceil(low.length / FAN);
		const least = new Float64Array(count), most = new Float64Array(count);
		for (let i = 0, from = 0; i < count; i++, from += FAN) {
			const to = Math.min(from + FAN, low.length);
			let a = low[from], b = high[from];
			for (let k = from + 1; k < to; k++) {
				if (low[k] < a)
					a = low[k];
				if (high[k] > b)
					b = high[k];
			}
			least[i] = a;
			most[i] = b;
		}
		return [least, most];
	}
	// Extremes of values from..to - 1, which is not empty.
	extremes(from, to) {
		let least = Infinity, most = -Infinity;
		for (let depth = 0; from < to; depth++) {
			const { low, high } = this.levels[depth];
			const top = depth === this.levels.length - 1;
			while (from < to && (top || from % FAN)) {
				least = Math.min(least, low[from]);
				most = Math.max(most, high[from++]);
			}
			while (from < to && to % FAN) {
				least = Math.min(least, low[--to]);
				most = Math.max(most, high[to]);
			}
			from /= FAN;
			to /= FAN;
		}
		return [least, most];
	}
}

// Index i is the heap before event eventOf(i), from that of the index before
// on; the last one is the end.
class Series {
	constructor(live, reserved) {
		this.live = new Pyramid(live[0], live[1]);
		this.reserved = new Pyramid(reserved[0], reserved[1]);
		this.count = live[0].length;
		this.time = null;
	}
	eventOf(index) {
		return this.event ? this.event[index] : index;
	}
	// Place on an axis, "event" or "time".
	position(axis, index) {
		return axis === "time" ? this.time[index] : this.eventOf(index);
	}
	indexAt(axis, value) {
		return Math.min(firstNotBelow(this.count,
			i => this.position(axis, i), value), this.count - 1);
	}
	indexOf(event) {
		return this.event ? this.indexAt("event", event) :
			clamp(event, 0, this.count - 1);
	}
	last(axis) {
		return axis === "time" ? this.time[this.count - 1] : this.events;
	}
	at(index) {
		return { live: this.live.extremes(index, index + 1),
			reserved: this.reserved.extremes(index, index + 1) };
	}
}

// Bytes that a record adds: [live, reserved].
function changeOf(log, at, change) {
	change[0] = change[1] = 0;
	switch (log.action[at]) {
	case ALLOC:
		change[0] = blockSize(log.size[at]);
		break;
	case FREE_COMPLETED:
		if (log.freedAt[log.block[at]] === at)
			change[0] = -blockSize(log.size[at]);
		break;
	case SEGMENT_ALLOC:
	case SEGMENT_MAP:
		change[1] = log.size[at];
		break;
	case SEGMENT_FREE:
	case SEGMENT_UNMAP:
		change[1] = -log.size[at];
	}
}

function seriesOfLog(log) {
	const events = log.events, change = [0, 0];
	const live = new Float64Array(events + 1), reserved = new Float64Array(events + 1);
	for (let at = 0; at < log.count; at++) {
		const next = Math.max(at - log.start + 1, 0), now = Math.max(next - 1, 0);
		changeOf(log, at, change);
		live[next] = live[now] + change[0];
		reserved[next] = reserved[now] + change[1];
	}
	const series = new Series([live, live], [reserved, reserved]);
	series.events = events;
	if (log.timed && events) {
		series.time = new Float64Array(events + 1);
		series.time.set(log.time.subarray(log.start, log.count));
		series.time[events] = series.time[events - 1];
	}
	return series;
}

// Where the log is left out: five columns of points, one row each.
function seriesOfPoints(points, events) {
	const bytes = bytesOfBase64(points.columns);
	const rows = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	const column = k => Float64Array.from({ length: points.count },
		(_, i) => rows.getFloat64((i * 5 + k) * 8, true));
	const series = new Series([column(1), column(2)], [column(3), column(4)]);
	series.event = column(0);
	series.events = events;
	return series;
}
