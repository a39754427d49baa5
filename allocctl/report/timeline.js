// SPDX-License-Identifier: Apache-2.0
// Live and reserved bytes over events or time, on a canvas.

const TIMELINE_HEIGHT = 300, OVERVIEW_HEIGHT = 36, LANE = 16, LANES_MOST = 3;
const LEFT = 72, RIGHT = 12, BOTTOM = 26;

// Round steps for a span cut in about count parts.
function niceStep(span, count, base) {
	const rough = span / count;
	if (base === 1024) {
		const unit = 2 ** Math.floor(Math.log2(Math.max(rough, 1)));
		return rough > unit ? unit * 2 : unit;
	}
	const unit = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
	return [1, 2, 5, 10].map(k => k * unit).find(step => step >= rough);
}

function shortSize(bytes) {
	return sizeText(bytes).replace(/\.?0+ (?=[KMG]iB)/, " ");
}

// Phases that overlap lie in lanes.
function phaseLanes(phases) {
	const ends = [];
	return phases.map(([from, to, name]) => {
		let lane = ends.findIndex(end => end <= from);
		if (lane < 0)
			lane = ends.length;
		ends[lane] = to;
		return { from, to, name: nameText(name), lane };
	}).filter(phase => phase.lane < LANES_MOST);
}

class Timeline {
	constructor(figure, source, page) {
		this.source = source;
		this.page = page;
		this.series = source.series;
		this.axis = "event";
		this.from = 0;
		this.to = Math.max(this.series.last("event"), 1);
		this.cursor = this.series.indexOf(source.chosen);
		this.hover = null;
		this.drag = null;
		this.width = 1;		// pixels of the canvas
		this.plotWidth = 1;	// ... between both margins
		this.phases = phaseLanes(source.view.phases);
		this.lanes = this.phases.reduce((n, p) => Math.max(n, p.lane + 1), 0);
		this.draw = oncePerFrame(() => this.paint());
		this.build(figure);
		this.listen();
		this.say();
	}
	build(figure) {
		const name = nameText(this.source.view.name);
		this.canvas = element("canvas", { class: "timeline", tabindex: "0",
			role: "slider", "aria-label": "Moment in " + name,
			"aria-valuemin": "0", "aria-valuemax": this.source.events,
			"aria-orientation": "horizontal" });
		this.overview = element("canvas", { class: "overview",
			"aria-hidden": "true" });
		this.readout = element("p", { class: "readout" });
		figure.append(element("div", { class: "live" }, this.toolbar(),
			this.canvas, this.overview, this.readout, this.legend(),
			element("p", { class: "hint" }, "Click or Enter: show this moment " +
				"in the address map. Drag: zoom in, with Shift: move. After a " +
				"click the wheel zooms. Keys: + − ← → Home End; 0: all; " +
				"Shift with ← →: move by a quarter.")));
	}
	toolbar() {
		const bar = element("div", { class: "toolbar" },
			momentButtons(this.source.moments, event => this.choose(event)),
			zoomButtons(factor => this.zoom(factor), () => this.showAll()));
		if (this.series.time && this.series.last("time") > 0) {
			const { field, select } = choice("axis", [["event", "events"],
				["time", "time"]], axis => this.setAxis(axis, true));
			this.axisSelect = select;
			bar.append(field);
		}
		return bar;
	}
	legend() {
		const list = element("ul", { class: "legend" });
		const entry = (name, text) => list.append(element("li", {},
			element("span", { class: "swatch " + name }), text));
		entry("live-bytes", "live");
		entry("reserved-bytes", "reserved");
		const limit = this.limit();
		if (limit)
			entry("limit", "limit " + sizeText(limit) +
				(this.isLimitSeen() ? "" : ", far above"));
		if (this.source.view.ooms.length)
			entry("oom", "out of memory");
		entry("chosen", "moment of the map");
		return list;
	}
	limit() {
		const { limit } = this.source.view;
		return limit && limit.kind !== "none" ? limit.bytes : 0;
	}
	isLimitSeen() {
		const limit = this.limit();
		return limit > 0 && limit <= this.source.view.high;
	}
	listen() {
		const { canvas } = this;
		canvas.addEventListener("keydown", e => this.key(e));
		canvas.addEventListener("wheel", e => this.wheel(e), { passive: false });
		canvas.addEventListener("pointerdown", e => this.press(e));
		canvas.addEventListener("pointermove", e => this.move(e));
		canvas.addEventListener("pointerup", e => this.release(e));
		canvas.addEventListener("pointercancel", () => this.cancel());
		canvas.addEventListener("pointerleave", () => this.leave());
		canvas.addEventListener("dblclick", () => this.showAll());
		this.overview.addEventListener("pointerdown", e => this.jump(e));
		this.overview.addEventListener("pointermove", e => e.buttons && this.jump(e));
		new ResizeObserver(this.draw).observe(canvas);
	}

	// Places: x in pixels, values on the axis, indexes of the series.
	valueAt(x) {
		return this.from + (x - LEFT) / this.plotWidth * (this.to - this.from);
	}
	xOf(value) {
		return LEFT + (value - this.from) / (this.to - this.from) * this.plotWidth;
	}
	xOfEvent(event) {
		return this.xOf(this.axis === "event" ? event :
			this.series.position(this.axis, this.series.indexOf(event)));
	}
	indexAt(x) {
		const value = clamp(this.valueAt(x), 0, this.series.last(this.axis));
		return this.series.indexAt(this.axis,
			this.axis === "event" ? Math.round(value) : value);
	}

	// What is shown; tell: linked views follow.
	show(from, to, tell = true) {
		const last = Math.max(this.series.last(this.axis), 1);
		const span = clamp(to - from, Math.min(8, last), last);
		this.from = clamp(from, 0, last - span);
		this.to = this.from + span;
		this.draw();
		if (tell)
			this.page.shown(this);
	}
	showAll() {
		this.show(0, Infinity);
	}
	zoom(factor, around = this.series.position(this.axis, this.cursor)) {
		around = clamp(around, this.from, this.to);
		this.show(around - (around - this.from) * factor,
			around + (this.to - around) * factor);
	}
	pan(part) {
		const by = (this.to - this.from) * part;
		this.show(this.from + by, this.to + by);
	}
	setAxis(axis, tell) {
		if (axis === this.axis || (axis === "time" && !this.axisSelect))
			return;
		const ends = [this.from, this.to].map(v =>
			this.series.indexAt(this.axis, v));
		this.axis = axis;
		if (this.axisSelect)
			this.axisSelect.value = axis;
		this.show(...ends.map(i => this.series.position(axis, i)), false);
		if (tell)
			this.page.axisSet(this, axis);
	}
	choose(event) {
		this.page.choose(this.source, event);
	}
	// The page has chosen.
	mark() {
		this.setCursor(this.series.indexOf(this.source.chosen));
	}
	setCursor(index) {
		this.cursor = clamp(index, 0, this.series.count - 1);
		const value = this.series.position(this.axis, this.cursor);
		if (value < this.from || value > this.to)
			this.show(value - (this.to - this.from) / 2,
				value + (this.to - this.from) / 2);
		this.say();
		this.draw();
	}
	say() {
		const text = this.source.indexText(this.cursor);
		this.canvas.setAttribute("aria-valuenow",
			this.series.eventOf(this.cursor));
		this.canvas.setAttribute("aria-valuetext", text);
		this.readout.textContent = this.hover === null ? text :
			this.source.indexText(this.hover);
	}

	// Keys and pointers.
	key(event) {
		const action = this.keyAction(event);
		pressKey(event, action && (() => {
			this.hover = null;
			action();
		}));
	}
	keyAction(event) {
		const step = direction => this.setCursor(this.step(direction));
		return {
			...zoomKeys(factor => this.zoom(factor), () => this.showAll()),
			Home: () => this.setCursor(0),
			End: () => this.setCursor(this.series.count - 1),
			ArrowLeft: () => event.shiftKey ? this.pan(-0.25) : step(-1),
			ArrowRight: () => event.shiftKey ? this.pan(0.25) : step(1),
			Enter: () => this.choose(this.series.eventOf(this.cursor)),
			" ": () => this.choose(this.series.eventOf(this.cursor)),
		}[event.key];
	}
	// One pixel on, one event at least.
	step(direction) {
		const value = this.series.position(this.axis, this.cursor);
		const by = (this.to - this.from) / this.plotWidth * direction;
		const index = this.series.indexAt(this.axis, value + by);
		return index === this.cursor || this.axis === "event" && Math.abs(by) < 1 ?
			this.cursor + direction : index;
	}
	wheel(event) {
		if (!takesWheel(event, this.canvas))
			return;
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.pan((event.deltaX || event.deltaY) / 1000);
		else
			this.zoom(wheelFactor(event), this.valueAt(event.offsetX));
	}
	press(event) {
		if (event.button)
			return;
		this.canvas.setPointerCapture(event.pointerId);
		this.drag = { x: event.offsetX, from: this.from, to: this.to,
			pan: event.shiftKey || event.pointerType === "touch" };
	}
	move(event) {
		this.hover = this.indexAt(event.offsetX);
		if (this.drag) {
			this.drag.now = event.offsetX;
			if (this.drag.pan) {
				const by = (this.drag.x - event.offsetX) / this.plotWidth *
					(this.drag.to - this.drag.from);
				this.show(this.drag.from + by, this.drag.to + by);
			}
		}
		this.say();
		this.draw();
	}
	release(event) {
		const { drag } = this;
		this.drag = null;
		if (!drag)
			return;
		if (Math.abs(event.offsetX - drag.x) < 4)
			this.choose(this.series.eventOf(this.indexAt(event.offsetX)));
		else if (!drag.pan) {
			const ends = [drag.x, event.offsetX].map(x => this.valueAt(x));
			this.show(Math.min(...ends), Math.max(...ends));
		}
		this.draw();
	}
	cancel() {
		this.drag = null;
		this.draw();
	}
	leave() {
		this.hover = null;
		this.say();
		this.draw();
	}
	jump(event) {
		const last = this.series.last(this.axis);
		const value = (event.offsetX - LEFT) / this.plotWidth * last;
		const half = (this.to - this.from) / 2;
		this.overview.setPointerCapture(event.pointerId);
		this.show(value - half, value + half);
	}

	// Drawing.
	top() {
		return 14 + this.lanes * LANE;
	}
	scale() {
		return Math.max(this.source.view.high, GRAIN) * 1.06;
	}
	paint() {
		// Asked for once a picture: a browser computes it each time.
		this.width = this.canvas.clientWidth;
		this.plotWidth = Math.max(this.width - LEFT - RIGHT, 1);
		const height = TIMELINE_HEIGHT;
		const paper = context(this.canvas, this.width, height);
		if (!paper)
			return;
		const frame = { top: this.top(), bottom: height - BOTTOM, from: this.from,
			to: this.to, most: this.scale() };
		this.paintGrid(paper, frame);
		this.paintBytes(paper, frame);
		this.paintLimit(paper, frame);
		this.paintPhases(paper);
		this.paintMarks(paper, frame);
		this.paintDrag(paper, frame);
		this.paintOverview();
	}
	yOf(frame, bytes) {
		return frame.bottom - bytes / frame.most * (frame.bottom - frame.top);
	}
	paintGrid(paper, frame) {
		const step = niceStep(frame.most, 5, 1024);
		paper.strokeStyle = colour("grid");
		paper.fillStyle = colour("muted");
		paper.textAlign = "right";
		paper.beginPath();
		for (let bytes = 0; bytes <= frame.most; bytes += step) {
			const y = Math.round(this.yOf(frame, bytes)) + 0.5;
			paper.moveTo(LEFT, y);
			paper.lineTo(LEFT + this.plotWidth, y);
			paper.fillText(bytes ? shortSize(bytes) : "0", LEFT - 6, y);
		}
		paper.stroke();
		this.paintTicks(paper, frame);
	}
	paintTicks(paper, frame) {
		const step = niceStep(frame.to - frame.from,
			Math.max(Math.floor(this.plotWidth / 110), 2), 10);
		const y = frame.bottom + 14;
		paper.textAlign = "center";
		for (let value = Math.ceil(frame.from / step) * step; value <= frame.to;
		     value += step) {
			const text = this.axis === "time" ? timeText(value) : countText(value);
			const half = paper.measureText(text).width / 2;
			paper.fillText(text, clamp(this.xOf(value), LEFT + half,
				this.width - half), y);
			paper.fillRect(Math.round(this.xOf(value)), frame.bottom, 1, 4);
		}
	}
	// Each column of pixels spans events; none of their extremes is lost.
	paintBytes(paper, frame) {
		const live = colour("live-bytes"), reserved = colour("reserved-bytes");
		const fill = colour("reserved-fill");
		const span = (frame.to - frame.from) / this.plotWidth;
		let first = this.series.indexAt(this.axis, frame.from);
		for (let x = 0; x < this.plotWidth; x++) {
			const last = this.series.indexAt(this.axis, frame.from + (x + 1) * span);
			const r = this.series.reserved.extremes(first, last + 1);
			const l = this.series.live.extremes(first, last + 1);
			this.paintColumn(paper, frame, LEFT + x, 0, r[1], fill);
			paper.globalAlpha = 0.35;
			this.paintColumn(paper, frame, LEFT + x, r[0], r[1], reserved);
			paper.globalAlpha = 1;
			this.paintColumn(paper, frame, LEFT + x, 0, l[0], live);
			paper.globalAlpha = 0.55;
			this.paintColumn(paper, frame, LEFT + x, l[0], l[1], live);
			paper.globalAlpha = 1;
			this.paintLine(paper, frame, LEFT + x, r[1], reserved);
			first = last;
		}
	}
	paintColumn(paper, frame, x, low, high, ink) {
		const y = this.yOf(frame, high);
		paper.fillStyle = ink;
		paper.fillRect(x, y, 1, this.yOf(frame, low) - y);
	}
	paintLine(paper, frame, x, value, ink) {
		paper.fillStyle = ink;
		paper.fillRect(x, this.yOf(frame, value) - 1, 1, 2);
	}
	paintLimit(paper, frame) {
		if (!this.isLimitSeen())
			return;
		const y = Math.round(this.yOf(frame, this.limit())) + 0.5;
		paper.strokeStyle = colour("limit");
		paper.setLineDash([6, 4]);
		paper.beginPath();
		paper.moveTo(LEFT, y);
		paper.lineTo(LEFT + this.plotWidth, y);
		paper.stroke();
		paper.setLineDash([]);
	}
	paintPhases(paper) {
		this.phases.forEach((phase, i) => {
			const from = clamp(this.xOfEvent(phase.from), LEFT, this.width - RIGHT);
			const to = clamp(this.xOfEvent(phase.to), LEFT, this.width - RIGHT);
			if (to - from < 0.5)
				return;
			paper.fillStyle = colour(i % 2 ? "phase-b" : "phase-a");
			paper.fillRect(from, 2 + phase.lane * LANE, to - from, LANE - 2);
			this.paintLabel(paper, phase.name, from, to, 2 + phase.lane * LANE);
		});
	}
	paintLabel(paper, name, from, to, top) {
		if (to - from < 24)
			return;
		paper.save();
		paper.beginPath();
		paper.rect(from, top, to - from - 2, LANE - 2);
		paper.clip();
		paper.fillStyle = colour("ink");
		paper.textAlign = "left";
		paper.fillText(name, from + 4, top + LANE / 2 - 1);
		paper.restore();
	}
	paintMarks(paper, frame) {
		const line = (x, ink, width) => {
			if (x < LEFT - 1 || x > this.width - RIGHT + 1)
				return;
			paper.fillStyle = ink;
			paper.fillRect(Math.round(x - width / 2), frame.top - 8, width,
				frame.bottom - frame.top + 8);
		};
		const position = index => this.xOf(this.series.position(this.axis, index));
		this.paintPeak(paper, frame, this.source.view.peak);
		this.source.view.ooms.forEach((oom, i) => {
			const x = this.xOfEvent(oom.event);
			line(x, colour("oom"), 1);
			this.paintOom(paper, frame, x, i);
		});
		line(this.xOfEvent(this.source.chosen), colour("chosen"), 2);
		if (this.series.indexOf(this.source.chosen) !== this.cursor)
			line(position(this.cursor), colour("ink"), 1);
		if (this.hover !== null)
			line(position(this.hover), colour("muted"), 1);
	}
	paintPeak(paper, frame, { event, live }) {
		const x = this.xOfEvent(event);
		if (x < LEFT || x > this.width - RIGHT)
			return;
		paper.beginPath();
		paper.arc(x, this.yOf(frame, live), 4, 0, 2 * Math.PI);
		paper.fillStyle = colour("paper");
		paper.strokeStyle = colour("ink");
		paper.lineWidth = 1.5;
		paper.fill();
		paper.stroke();
		paper.lineWidth = 1;
	}
	paintOom(paper, frame, x, number) {
		if (x < LEFT - 1 || x > this.width - RIGHT + 1)
			return;
		paper.beginPath();
		paper.moveTo(x - 5, frame.top - 9);
		paper.lineTo(x + 5, frame.top - 9);
		paper.lineTo(x, frame.top);
		paper.fill();
		if (this.source.view.ooms.length > MOMENTS_MOST)
			return;
		const left = x > this.width - 70;
		paper.textAlign = left ? "right" : "left";
		paper.fillText("OOM " + (number + 1), x + (left ? -8 : 8), frame.top - 4);
	}
	paintDrag(paper, frame) {
		if (!this.drag || this.drag.pan || this.drag.now === undefined)
			return;
		paper.globalAlpha = 0.25;
		paper.fillStyle = colour("chosen");
		paper.fillRect(this.drag.x, frame.top, this.drag.now - this.drag.x,
			frame.bottom - frame.top);
		paper.globalAlpha = 1;
	}
	// All of it, with what is shown above in a frame.
	paintOverview() {
		const last = Math.max(this.series.last(this.axis), 1);
		this.overview.hidden = this.to - this.from >= last;
		const paper = context(this.overview, this.overview.clientWidth,
			OVERVIEW_HEIGHT);
		if (!paper || this.overview.hidden)
			return;
		this.paintBytes(paper, { top: 2, bottom: OVERVIEW_HEIGHT - 2, from: 0,
			to: last, most: this.scale() });
		paper.strokeStyle = colour("chosen");
		paper.lineWidth = 2;
		paper.strokeRect(LEFT + this.from / last * this.plotWidth, 1,
			Math.max((this.to - this.from) / last * this.plotWidth, 2),
			OVERVIEW_HEIGHT - 2);
	}
}
