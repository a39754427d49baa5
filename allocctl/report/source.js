// SPDX-License-Identifier: Apache-2.0
// One view of the data: its series, its heaps, and names of what they hold.

class Source {
	constructor(view) {
		this.view = view;
		this.events = view.events;
		this.log = view.log ? decodeLog(view.log, view.events) : null;
		view.log = null;
		if (this.log && this.log.events !== view.events)
			throw new Error("the log has " +
				plural(this.log.events, "event") + " of " +
				countText(view.events));
		this.series = this.log ? seriesOfLog(this.log) :
			seriesOfPoints(view.points, view.events);
		this.moments = this.log ? this.allMoments() :
			view.moments.map(m => ({ ...m, label: nameText(m.label) }));
		this.chosen = (this.moments.find(m => m.label.startsWith("OOM")) ||
			this.moments.find(m => m.label === "peak") ||
			this.moments[0] || { event: 0 }).event;
		this.heaps = new Map();
	}
	allMoments() {
		const ooms = this.view.ooms.map((oom, i) =>
			({ event: oom.event, label: "OOM " + (i + 1) }));
		return [{ event: 0, label: "start" },
			{ event: this.view.peak.event, label: "peak" }, ...ooms,
			{ event: this.events, label: "end" }];
	}
	// The nearest event whose heap can be shown.
	showable(event) {
		if (this.log)
			return clamp(Math.round(event), 0, this.events);
		return this.moments.reduce((best, m) => Math.abs(m.event - event) <
			Math.abs(best - event) ? m.event : best, Infinity);
	}
	heapBefore(event) {
		if (this.log)
			return new Heap(this.log, this.log.start + event);
		if (!this.heaps.has(event)) {
			const moment = this.moments.find(m => m.event === event);
			const log = decodeLog(moment.log, 0);
			log.start = log.count;
			this.heaps.set(event, new Heap(log, log.count));
		}
		return this.heaps.get(event);
	}
	momentText(event) {
		const names = this.moments.filter(m => m.event === event &&
			m.label !== "end").map(m => m.label);
		return (event === this.events ? "at the end, after " +
			plural(event, "event") : "before event " + countText(event)) +
			(names.length ? " (" + names.join(", ") + ")" : "");
	}
	// What event follows on the heap at an index.
	eventText(event) {
		if (!this.log || event >= this.events)
			return "";
		const at = this.log.start + event, action = this.log.action[at];
		return actionNames[action] + (action < SNAPSHOT ?
			" " + sizeText(this.log.size[at]) : "");
	}
	timeOf(index) {
		return this.series.time ? this.series.time[index] : null;
	}
	indexText(index) {
		const event = this.series.eventOf(index), values = this.series.at(index);
		const parts = ["event " + countText(event) + " of " +
			countText(this.events)];
		if (this.series.time)
			parts.push(timeText(this.series.time[index]));
		parts.push("live " + rangeText(...values.live),
			"reserved " + rangeText(...values.reserved));
		const follows = this.eventText(event);
		if (follows)
			parts.push("then " + follows);
		return parts.join(", ");
	}
	streamName(stream) {
		const name = this.view.streams[stream];
		return name === undefined ? "number " + stream : nameText(name);
	}
	poolName(pool) {
		const [a, b] = this.view.pools[pool] || [0, pool];
		return a || b ? a + ":" + b : "default";
	}
	frameText(frame) {
		const [name, file, line] = this.view.frames[frame] || ["?", "", 0];
		return nameText(name) + (file ? " (" + nameText(file) +
			(line ? ":" + line : "") + ")" : "");
	}
	frames(stack) {
		return (this.view.stacks[stack] || []).map(f => this.frameText(f));
	}
	// Frame that says most about who asked: the innermost of the user's own.
	site(stack) {
		const frames = this.view.stacks[stack] || [];
		const library = /(site|dist)-packages|^\?\?|\/torch\/|\.(cpp|cc|h|cu)$|^$/;
		const own = frames.find(f =>
			!library.test((this.view.frames[f] || ["", ""])[1]));
		return own === undefined ? frames[0] : own;
	}
	hasStacks() {
		return this.view.stacks.some(s => s.length > 0);
	}
	// An event's place among requests, served or not, which replays under
	// other settings have alike.
	requestsBefore(event) {
		const { log } = this, end = log.start + event;
		return firstNotBelow(log.askedCount, i => log.asked[i], end) -
			log.askedBefore;
	}
	eventOfRequest(number) {
		const { log } = this, i = log.askedBefore + number;
		return i < log.askedCount ? log.asked[i] - log.start : this.events;
	}
}

// The event of another source that stands where event stands in this one.
function sameMoment(source, event, other, axis) {
	if (source === other)
		return event;
	if (axis === "time" && source.series.time && other.series.time) {
		const time = source.timeOf(source.series.indexOf(event));
		return other.series.eventOf(other.series.indexAt("time", time));
	}
	if (!source.log || !other.log)
		return clamp(event, 0, other.events);
	const number = source.requestsBefore(event);
	if (!number)
		return Math.min(event, other.eventOfRequest(0));
	const rest = event - source.eventOfRequest(number - 1);
	return Math.min(other.eventOfRequest(number - 1) + rest,
		other.eventOfRequest(number));
}
