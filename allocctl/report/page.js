// SPDX-License-Identifier: Apache-2.0
// The page: views of the data on their figures, and what links them.

class Page {
	constructor() {
		this.timelines = [];
		this.maps = [];
		this.linked = true;
		this.viewCount = 0;
	}
	get sources() {
		return this.timelines.map(t => t.source);
	}
	add(number, source) {
		const figure = section => document.querySelector(
			"#" + section + " figure[data-view=\"" + number + "\"]");
		const timeline = figure("timeline"), map = figure("map");
		if (timeline) {
			this.wake(timeline, source);
			this.timelines.push(new Timeline(timeline, source, this));
		}
		if (map && source.moments.length) {
			this.wake(map, source);
			this.maps.push(new AddressMap(map, source, this));
		}
	}
	// The figure's own picture and caption are for paper from here on.
	wake(figure, source) {
		figure.classList.add("alive");
		if (this.viewCount > 1)
			figure.append(element("p", { class: "live caption" },
				nameText(source.view.name)));
	}
	others(view) {
		return this.linked ? this.timelines.filter(t => t !== view) : [];
	}
	choose(source, event) {
		const axis = this.timelines.length ? this.timelines[0].axis : "event";
		source.chosen = source.showable(event);
		if (this.linked)
			for (const other of new Set(this.sources))
				if (other !== source)
					other.chosen = other.showable(
						sameMoment(source, source.chosen, other, axis));
		for (const timeline of this.timelines)
			timeline.mark();
		for (const map of this.maps)
			if (this.linked || map.source === source)
				map.show();
	}
	// A view shows another span: the others follow.
	shown(view) {
		for (const other of this.others(view)) {
			const same = value => view.axis === "time" && other.axis === "time" ?
				value : sameMoment(view.source, clamp(Math.round(value), 0,
					view.source.events), other.source, "event");
			other.show(same(view.from), same(view.to), false);
		}
	}
	axisSet(view, axis) {
		for (const other of this.others(view))
			other.setAxis(axis, false);
	}
	draw() {
		for (const view of [...this.timelines, ...this.maps])
			view.draw();
	}
	linkBox() {
		const box = element("input", { type: "checkbox" });
		box.checked = true;
		box.addEventListener("change", () => {
			this.linked = box.checked;
		});
		return element("label", { class: "link live" }, box,
			" views move together");
	}
	readViews(data) {
		this.viewCount = data.views.length;
		data.views.forEach((view, number) => {
			try {
				this.add(number, new Source(view));
			} catch (error) {
				this.complain(number, error);
			}
		});
		if (this.timelines.length > 1)
			document.querySelector("#timeline figure").closest(".compare, section")
				.before(this.linkBox());
	}
	// Replays of one file begin at the same moment of it.
	alignMoments() {
		const [first, ...rest] = this.sources;
		for (const other of rest)
			if (other.view.file === first.view.file)
				other.chosen = other.showable(sameMoment(first,
					first.chosen, other, "event"));
		for (const timeline of this.timelines)
			timeline.mark();
	}
	// The pictures that stand in the page stay.
	complain(number, error) {
		for (const figure of document.querySelectorAll(
			"#timeline figure[data-view=\"" + number + "\"]"))
			figure.append(element("p", { class: "note live", role: "status" },
				"Only the picture is shown: " + error.message + "."));
	}
	start(data) {
		this.readViews(data);
		this.alignMoments();
		for (const table of document.querySelectorAll("table"))
			makeSortable(table);
		for (const figure of document.querySelectorAll("#holders figure"))
			new FlameGraph(figure);
		for (const timeline of this.timelines)
			timeline.paint();
		performance.mark("timelines drawn");
		requestAnimationFrame(() => {
			for (const map of this.maps)
				map.show();
			performance.mark("maps shown");
		});
		for (const query of ["(prefers-color-scheme: dark)",
			"(forced-colors: active)"])
			matchMedia(query).addEventListener("change", () => this.draw());
	}
}

const dataElement = document.getElementById("data");
if (dataElement) {
	document.documentElement.classList.add("scripted");
	new Page().start(JSON.parse(dataElement.textContent));
}
