// SPDX-License-Identifier: Apache-2.0
// Buttons, keys and the wheel, which the timeline and the map have alike.

const MOMENTS_MOST = 12;	// that have a button or a label

function buttonGroup(label, ...buttons) {
	return element("span", { class: "group", role: "group",
		"aria-label": label }, ...buttons);
}

function momentButtons(moments, choose) {
	return buttonGroup("Moments", ...moments.slice(0, MOMENTS_MOST).map(m =>
		button(m.label, () => choose(m.event))));
}

function zoomButtons(zoom, showAll) {
	return buttonGroup("Zoom",
		button("+", () => zoom(0.5), { "aria-label": "Zoom in" }),
		button("−", () => zoom(2), { "aria-label": "Zoom out" }),
		button("all", showAll));
}

function zoomKeys(zoom, showAll) {
	return { "+": () => zoom(0.5), "=": () => zoom(0.5),
		"-": () => zoom(2), "−": () => zoom(2), "0": showAll };
}

// Does what a key stands for, unless it is the browser's.
function pressKey(event, action) {
	if (!action || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	action();
}

// Is the wheel the picture's?  The page scrolls until there was a click.
function takesWheel(event, canvas) {
	if (document.activeElement !== canvas && !event.ctrlKey)
		return false;
	event.preventDefault();
	return true;
}

function wheelFactor(event) {
	return Math.exp(clamp(event.deltaY, -300, 300) / 300);
}
