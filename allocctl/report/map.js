// SPDX-License-Identifier: Apache-2.0
// Segments and blocks in address order, wrapped into rows, on a canvas.

const ROWS = 16, ROW = 18, ROW_GAP = 5, MAP_LEFT = 124, NARROW = 560;
const LEGEND_MOST = 14;
const EDGE_ROOM = 16;	// pixels of a segment whose begin is shown

class AddressMap {
	constructor(figure, source, page) {
		this.source = source;
		this.page = page;
		this.way = source.view.streams.length > 1 ? "stream" :
			source.hasStacks() ? "site" : "size";
		this.focus = -1;
		this.hover = -1;
		this.left = 0;		// pixels before the rows
		this.rowWidth = 1;	// pixels
		this.draw = oncePerFrame(() => this.paint());
		this.build(figure);
		this.listen();
	}
	build(figure) {
		const name = nameText(this.source.view.name);
		this.canvas = element("canvas", { class: "map", tabindex: "0",
			role: "application", "aria-roledescription": "address map",
			"aria-label": "Blocks by address in " + name });
		this.summary = element("p", { class: "summary" });
		this.legend = element("ul", { class: "legend" });
		this.facts = element("div", { class: "facts" });
		this.scale = element("p", { class: "scale" });
		this.spoken = element("p", { class: "spoken", "aria-live": "polite" });
		figure.append(element("div", { class: "live" }, this.toolbar(),
			this.summary, this.canvas, this.spoken, this.scale, this.legend, this.facts,
			element("p", { class: "hint" }, "Keys: ← → block, ↑ ↓ row, " +
				"Page Up and Page Down segment, Home, End; + − zoom, 0: all. " +
				"After a click the wheel zooms.")));
	}
	toolbar() {
		const ways = Object.entries(colourings).filter(([way]) =>
			way !== "site" || this.source.hasStacks());
		const { field, select } = choice("colour by",
			ways.map(([way, { label }]) => [way, label]), way => this.recolour(way));
		select.value = this.way;
		this.waySelect = select;
		return element("div", { class: "toolbar" },
			momentButtons(this.source.moments, event =>
				this.page.choose(this.source, event)),
			zoomButtons(factor => this.zoom(factor), () => this.showAll()),
			field);
	}
	listen() {
		const { canvas } = this;
		canvas.addEventListener("keydown", e => this.key(e));
		canvas.addEventListener("wheel", e => this.wheel(e), { passive: false });
		canvas.addEventListener("pointermove", e => this.point(e));
		canvas.addEventListener("pointerleave", () => this.setHover(-1));
		canvas.addEventListener("click", e => this.setFocus(this.pieceAt(e), false));
		new ResizeObserver(this.draw).observe(canvas);
	}

	// The moment that the page has chosen.
	show() {
		const { source } = this, event = source.chosen;
		this.heap = source.heapBefore(event);
		this.focus = this.hover = -1;
		this.showAll();
		const follows = source.eventText(event);
		this.summary.textContent = "The heap " + source.momentText(event) + ": " +
			this.heap.describe() + (follows.startsWith("oom") ?
			". Then a request for " + follows.slice(4) + " fails" : "") + ".";
		this.recolour(this.way);
		this.tell();
	}
	recolour(way) {
		this.way = way;
		const classes = colourHeap(this.source, this.heap, way);
		const entries = classes.slice(0, LEGEND_MOST).map(c =>
			this.legendEntry(c.ink, c.name + ": " + sizeText(c.bytes) + " in " +
				plural(c.count, "block")));
		if (classes.length > LEGEND_MOST)
			entries.push(element("li", {},
				plural(classes.length - LEGEND_MOST, "class", "classes") +
				" more"));
		entries.push(this.legendEntry("free", "free"));
		if (this.heap.sum(PENDING).count)
			entries.push(this.legendEntry("pending",
				"striped: freed, waits for a stream"));
		if (this.heap.unused)
			entries.push(this.legendEntry("unused",
				"lined: in blocks, not requested: " +
				sizeText(this.heap.unused)));
		this.legend.replaceChildren(...entries);
		this.draw();
	}
	legendEntry(ink, text) {
		return element("li", {}, element("span", { class: "swatch " + ink }), text);
	}

	// Bytes of the segments laid end to end that are shown.
	window(from, to) {
		const all = Math.max(this.heap.bytes, 1);
		const span = clamp(to - from, Math.min(ROWS * GRAIN, all), all);
		this.from = clamp(from, 0, all - span);
		this.to = this.from + span;
		this.scale.textContent = "A row is " + sizeText(Math.round(
			this.rowBytes)) + (span < all ? "; the rows show " +
			sizeText(Math.round(span)) + " of " + sizeText(all) : "") + ".";
		this.draw();
	}
	showAll() {
		this.window(0, Infinity);
	}
	zoom(factor, around) {
		const piece = this.heap.pieces[this.focus];
		if (around === undefined)
			around = piece ? piece.offset + piece.size / 2 :
				(this.from + this.to) / 2;
		around = clamp(around, this.from, this.to);
		this.window(around - (around - this.from) * factor,
			around + (this.to - around) * factor);
	}
	get rowBytes() {
		return (this.to - this.from) / ROWS;
	}
	offsetAt(event) {
		const row = clamp(Math.floor(event.offsetY / (ROW + ROW_GAP)), 0, ROWS - 1);
		const x = clamp((event.offsetX - this.left) / this.rowWidth, 0, 0.999999);
		return this.from + (row + x) * this.rowBytes;
	}
	pieceAt(event) {
		return this.heap.pieceAt(this.offsetAt(event));
	}

	// Keys, pointers and what they tell.
	key(event) {
		pressKey(event, this.keyAction(event.key));
	}
	keyAction(key) {
		const to = index => this.setFocus(index, true);
		return {
			ArrowRight: () => to(this.focus + 1),
			ArrowLeft: () => to(Math.max(this.focus, 1) - 1),
			ArrowDown: () => to(this.beside(1)),
			ArrowUp: () => to(this.beside(-1)),
			PageDown: () => to(this.segmentBeside(1)),
			PageUp: () => to(this.segmentBeside(-1)),
			Home: () => to(0),
			End: () => to(this.heap.pieces.length - 1),
			...zoomKeys(factor => this.zoom(factor), () => this.showAll()),
			Escape: () => to(-1),
		}[key];
	}
	// The piece a row further, never the same.
	beside(direction) {
		const piece = this.heap.pieces[this.focus];
		if (!piece)
			return 0;
		const offset = piece.offset + piece.size / 2 + direction * this.rowBytes;
		const index = this.heap.pieceAt(clamp(offset, 0, this.heap.bytes - 1));
		return index === this.focus ? index + direction : index;
	}
	segmentBeside(direction) {
		const { pieces, segments } = this.heap, piece = pieces[this.focus];
		const at = piece ? segments.indexOf(piece.segment) + direction : 0;
		const segment = segments[clamp(at, 0, segments.length - 1)];
		return pieces.findIndex(p => p.segment === segment);
	}
	setFocus(index, speak) {
		const last = this.heap.pieces.length - 1;
		this.focus = index < 0 ? -1 : Math.min(index, last);
		const piece = this.heap.pieces[this.focus];
		if (piece && (piece.offset + piece.size <= this.from ||
			      piece.offset >= this.to)) {
			const half = (this.to - this.from) / 2;
			this.window(piece.offset - half, piece.offset + half);
		}
		if (speak)
			this.spoken.textContent = piece ? this.pieceText(this.focus) : "";
		this.tell();
		this.draw();
	}
	setHover(index) {
		if (index === this.hover)
			return;
		this.hover = index;
		this.tell();
		this.draw();
	}
	point(event) {
		this.setHover(this.pieceAt(event));
	}
	wheel(event) {
		if (takesWheel(event, this.canvas))
			this.zoom(wheelFactor(event), this.offsetAt(event));
	}
	factsOf(piece) {
		const { source, heap } = this, { log } = heap;
		const facts = [["state", stateNames[piece.state]],
			["address", addressText(piece.addr)], ["size", sizeText(piece.size)]];
		if (piece.state !== FREE) {
			const event = piece.record - log.start;
			facts.push(["request", sizeText(log.size[piece.record])],
				["unused", sizeText(piece.unused)],
				["age", event < 0 ? "from before the recording" :
					"from event " + countText(event) + ", " +
					plural(heap.end - piece.record, "event") + " ago"],
				["stream", source.streamName(log.stream[piece.record])]);
		}
		const { segment } = piece;
		facts.push(["pool", source.poolName(segment.pool)],
			["segment", addressText(segment.addr) + ", " +
			sizeText(segment.size) +
			(segment.expandable ? ", expandable" : "")]);
		return facts;
	}
	framesOf(piece) {
		return piece.state === FREE ? [] :
			this.source.frames(this.heap.log.stack[piece.record]);
	}
	pieceText(index) {
		const piece = this.heap.pieces[index];
		const frames = this.framesOf(piece);
		return "piece " + countText(index + 1) + " of " +
			countText(this.heap.pieces.length) + ": " +
			this.factsOf(piece).map(([name, text]) => name + " " + text).join("; ") +
			(frames.length ? "; " + frames[0] : "");
	}
	// Facts of what is pointed at, or else of the block in focus.
	tell() {
		const piece = this.heap.pieces[this.hover >= 0 ? this.hover : this.focus];
		if (!piece) {
			this.facts.replaceChildren(element("p", { class: "none" },
				"Point at a block, or move to one with the keys, for its facts."));
			return;
		}
		const list = element("dl");
		for (const [name, text] of this.factsOf(piece))
			list.append(element("div", {}, element("dt", {}, name),
				element("dd", {}, text)));
		this.facts.replaceChildren(list);
		const frames = this.framesOf(piece);
		if (frames.length)
			this.facts.append(element("ol", { class: "frames" },
				...frames.slice(0, 24).map(f => element("li", {}, f))));
	}

	// Drawing.
	paint() {
		if (!this.heap)
			return;
		// Asked for once a picture: a browser computes them each time.
		const width = this.canvas.clientWidth;
		this.left = width < NARROW ? 0 : MAP_LEFT;
		this.rowWidth = Math.max(width - this.left - 1, 1);
		const paper = context(this.canvas, width, ROWS * (ROW + ROW_GAP));
		if (!paper)
			return;
		this.inks = new Map();
		this.paintRows(paper);
		const { pieces } = this.heap;
		const first = Math.max(this.heap.pieceAt(this.from), 0);
		for (let i = first; i < pieces.length && pieces[i].offset < this.to; i++)
			if (pieces[i].state !== FREE) {
				this.paintPiece(paper, pieces[i]);
				this.paintUnused(paper, pieces[i]);
			}
		this.paintEdges(paper);
		this.outline(paper, this.focus, 3);
		this.outline(paper, this.hover, 1.5);
	}
	// Parts of a span in the rows that are shown: x, y and width.
	*parts(offset, size) {
		const per = this.rowBytes;
		const start = Math.max(offset, this.from) - this.from;
		const end = Math.min(offset + size, this.to) - this.from;
		for (let row = Math.floor(start / per); row < ROWS && row * per < end; row++) {
			const a = Math.max(start - row * per, 0) / per * this.rowWidth;
			const b = Math.min(end - row * per, per) / per * this.rowWidth;
			yield { x: this.left + a, y: row * (ROW + ROW_GAP), width: b - a };
		}
	}
	paintRows(paper) {
		for (const part of this.parts(this.from, this.to - this.from)) {
			paper.fillStyle = colour("free");
			paper.fillRect(part.x, part.y, part.width, ROW);
		}
		if (!this.left)
			return;
		paper.fillStyle = colour("muted");
		paper.textAlign = "left";
		for (let row = 0; row < ROWS; row++) {
			const piece = this.heap.pieces[this.heap.pieceAt(
				this.from + row * this.rowBytes)];
			const inside = piece && this.from + row * this.rowBytes - piece.offset;
			if (piece)
				paper.fillText(addressText(piece.addr + Math.round(inside)), 0,
					row * (ROW + ROW_GAP) + ROW / 2);
		}
	}
	inkOf(name) {
		if (!this.inks.has(name))
			this.inks.set(name, colour(name));
		return this.inks.get(name);
	}
	paintPiece(paper, piece) {
		for (const { x, y, width } of this.parts(piece.offset, piece.size)) {
			paper.fillStyle = this.inkOf(piece.ink);
			paper.fillRect(x, y, width, ROW);
			if (width > 3) {
				paper.fillStyle = this.inkOf("paper");
				paper.fillRect(x + width - 0.75, y, 0.75, ROW);
			}
			if (piece.state === PENDING)
				this.stripe(paper, x, y, width);
		}
	}
	// What the request leaves of a block: lines of its colour.
	paintUnused(paper, piece) {
		const { offset, size, unused, ink } = piece;
		for (const { x, y, width } of this.parts(offset + size - unused, unused)) {
			if (width < 1)
				continue;
			paper.fillStyle = this.inkOf("free");
			paper.fillRect(x, y, width - 0.75, ROW);
			paper.fillStyle = this.inkOf(ink);
			for (let line = 2; line < ROW; line += 5)
				paper.fillRect(x, y + line, width - 0.75, 1.5);
		}
	}
	stripe(paper, x, y, width) {
		paper.save();
		paper.beginPath();
		paper.rect(x, y, width, ROW);
		paper.clip();
		paper.beginPath();
		for (let at = x - ROW; at < x + width; at += 6) {
			paper.moveTo(at, y + ROW);
			paper.lineTo(at + ROW, y);
		}
		paper.strokeStyle = this.inkOf("paper");
		paper.lineWidth = 2;
		paper.stroke();
		paper.restore();
	}
	// Where a segment begins, as far as there is room to see it.
	paintEdges(paper) {
		paper.fillStyle = this.inkOf("ink");
		for (const { offset, size } of this.heap.segments) {
			if (size / this.rowBytes * this.rowWidth < EDGE_ROOM || offset < this.from)
				continue;
			for (const { x, y } of this.parts(offset, 1)) {
				paper.fillRect(x - 0.5, y - 2, 1.5, ROW + 4);
				break;
			}
		}
	}
	outline(paper, index, width) {
		const piece = this.heap.pieces[index];
		if (!piece)
			return;
		paper.lineWidth = width;
		paper.strokeStyle = this.inkOf("ink");
		for (const part of this.parts(piece.offset, piece.size))
			paper.strokeRect(part.x - 1, part.y - 1, Math.max(part.width, 2) + 2,
				ROW + 2);
		paper.lineWidth = 1;
	}
}
