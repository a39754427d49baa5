// SPDX-License-Identifier: Apache-2.0
// By what the blocks of a map are coloured: each way sorts blocks into classes.

const HUES = 8;		// --hue-0 ... of the style; further classes are "others"
const STEPS = 5;	// --step-0 ... from light to strong
const MIB = 1048576;

// Ordered classes: the first whose bound holds.
const sizeBounds = [[MIB, "to 1 MiB"], [10 * MIB, "to 10 MiB"],
	[100 * MIB, "to 100 MiB"], [1024 * MIB, "to 1 GiB"],
	[Infinity, "above 1 GiB"]];
const ageBounds = [[0.01, "last hundredth of the events"],
	[0.1, "last tenth"], [0.5, "last half"], [1, "first half"],
	[Infinity, "before the recording"]];

function boundClass(bounds, value, low) {
	const at = bounds.findIndex(([most]) => value <= most);
	return { key: at, name: bounds[at][1], ink: "step-" + (low ? at :
		STEPS - 1 - at) };
}

// Share of the events before the moment that have passed since the request.
function ageShare(heap, piece) {
	const { log } = heap;
	if (piece.record < log.start)
		return Infinity;
	return (heap.end - piece.record) / Math.max(heap.end - log.start, 1);
}

// Sites by the bytes asked for in all of the log, so that a site keeps its
// colour from moment to moment.
function rankSites(source, log) {
	const bytes = new Map(), siteOf = new Map();
	for (let i = 0; i < log.requestCount; i++) {
		const at = log.requests[i], stack = log.stack[at];
		if (!siteOf.has(stack))
			siteOf.set(stack, source.site(stack));
		const site = siteOf.get(stack);
		bytes.set(site, (bytes.get(site) || 0) + log.size[at]);
	}
	const order = [...bytes.keys()].filter(site => site !== undefined)
		.sort((a, b) => bytes.get(b) - bytes.get(a));
	return { siteOf, rank: new Map(order.map((site, i) => [site, i])) };
}

function hue(number) {
	return number < HUES ? "hue-" + number : "others";
}

const colourings = {
	stream: {
		label: "stream",
		classOf: (source, heap, piece) => {
			const stream = heap.log.stream[piece.record];
			return { key: stream, name: "stream " +
				source.streamName(stream),
				ink: hue(stream) };
		},
	},
	pool: {
		label: "pool",
		classOf: (source, heap, piece) => {
			const pool = piece.segment.pool;
			return { key: pool, name: "pool " + source.poolName(pool),
				ink: hue(pool) };
		},
	},
	age: {
		label: "age",
		classOf: (source, heap, piece) =>
			boundClass(ageBounds, ageShare(heap, piece), false),
	},
	size: {
		label: "size class",
		classOf: (source, heap, piece) =>
			boundClass(sizeBounds, piece.size, true),
	},
	site: {
		label: "call site",
		classOf: (source, heap, piece) => {
			const { log } = heap;
			if (source.rankedLog !== log) {
				source.rankedLog = log;
				source.ranked = rankSites(source, log);
			}
			const site = source.ranked.siteOf.get(log.stack[piece.record]);
			if (site === undefined)
				return { key: -1, name: "unknown", ink: "others" };
			const rank = source.ranked.rank.get(site);
			return rank < HUES ? { key: rank, name: source.frameText(site),
				ink: hue(rank) } :
				{ key: HUES, name: "other sites", ink: "others" };
		},
	},
};

// Gives each block its ink; returns the classes with their bytes, in order.
function colourHeap(source, heap, way) {
	const classes = new Map(), { classOf } = colourings[way];
	for (const piece of heap.pieces) {
		if (piece.state === FREE)
			continue;
		const { key, name, ink } = classOf(source, heap, piece);
		piece.ink = ink;
		if (!classes.has(key))
			classes.set(key, { key, name, ink, bytes: 0, count: 0 });
		classes.get(key).bytes += piece.size;
		classes.get(key).count++;
	}
	return [...classes.values()].sort((a, b) => a.key - b.key);
}
