// SPDX-License-Identifier: Apache-2.0
// The flame graph that stands in the page: its frames by keys and pointer,
// told in a line below.

class FlameGraph {
	constructor(figure) {
		this.svg = figure.querySelector("svg");
		this.frames = [...this.svg.querySelectorAll("rect")]
			.filter(rect => rect.querySelector("title"))
			.map(rect => this.frameOf(rect));
		this.rows = [...new Set(this.frames.map(f => f.y))]
			.sort((a, b) => a - b);
		this.focus = null;
		this.build(figure);
		this.listen();
		this.tell(null);
	}
	frameOf(rect) {
		const [x, y, width, height] = ["x", "y", "width", "height"].map(name =>
			Number(rect.getAttribute(name)));
		return { rect, x, y, width, height,
			text: rect.querySelector("title").textContent };
	}
	build(figure) {
		this.svg.setAttribute("tabindex", "0");
		this.svg.setAttribute("role", "application");
		this.svg.setAttribute("aria-roledescription", "flame graph");
		this.readout = element("p", { class: "readout live",
			"aria-live": "polite" });
		figure.append(this.readout, element("p", { class: "hint live" },
			"Keys: ↓ what it calls, ↑ who called it, ← → beside it, " +
			"Home: all of it."));
	}
	listen() {
		this.svg.addEventListener("keydown", e =>
			pressKey(e, this.keyAction(e.key)));
		this.svg.addEventListener("pointermove", e => this.tell(this.at(e)));
		this.svg.addEventListener("pointerleave", () => this.tell(null));
		this.svg.addEventListener("click", e => this.setFocus(this.at(e)));
	}
	keyAction(key) {
		const to = frame => this.setFocus(frame || this.focus);
		return {
			ArrowDown: () => to(this.beyond(1)),
			ArrowUp: () => to(this.beyond(-1)),
			ArrowRight: () => to(this.beside(1)),
			ArrowLeft: () => to(this.beside(-1)),
			Home: () => to(this.frames[0]),
			Escape: () => this.setFocus(null),
		}[key];
	}
	row(frame) {
		return this.rows.indexOf(frame.y);
	}
	// The widest of those it calls, or the one that called it.
	beyond(rows) {
		const from = this.focus;
		if (!from)
			return this.frames[0];
		const y = this.rows[this.row(from) + rows];
		return this.frames.filter(f => f.y === y && (rows > 0 ?
			isWithin(f, from) : isWithin(from, f)))
			.sort((a, b) => b.width - a.width)[0];
	}
	beside(direction) {
		if (!this.focus)
			return this.frames[0];
		const row = this.frames.filter(f => f.y === this.focus.y)
			.sort((a, b) => a.x - b.x);
		return row[row.indexOf(this.focus) + direction];
	}
	at(event) {
		const box = this.svg.getBoundingClientRect();
		const scale = this.svg.viewBox.baseVal.width / box.width;
		const x = (event.clientX - box.x) * scale;
		const y = (event.clientY - box.y) * scale;
		return this.frames.find(f => x >= f.x && x < f.x + f.width &&
			y >= f.y && y < f.y + f.height) || null;
	}
	setFocus(frame) {
		if (this.focus)
			this.focus.rect.classList.remove("focused");
		this.focus = frame;
		if (frame)
			frame.rect.classList.add("focused");
		this.tell(null);
	}
	// The frame that is pointed at, or else that in focus.
	tell(pointed) {
		const frame = pointed || this.focus;
		this.readout.textContent = frame ? frame.text + "; level " +
			(this.row(frame) + 1) + " of " + this.rows.length :
			"Point at a frame, or move to one with the keys.";
	}
}

// Widths are cut by less than a unit where frames meet.
function isWithin(inner, outer) {
	return inner.x >= outer.x - 0.01 &&
		inner.x + inner.width <= outer.x + outer.width + 1;
}
