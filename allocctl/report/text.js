// SPDX-License-Identifier: Apache-2.0
// Numbers and names as people read them, and elements that hold them.
"use strict";

// Bytes as torch prints them: two decimals, ties to even.
function sizeText(bytes) {
	const units = [[1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"]];
	if (bytes <= 1024)
		return bytes + " bytes";
	const [unit, name] = units.find(([u]) => bytes <= u * 1024) || units[2];
	let whole = Math.floor(bytes / unit);
	const scaled = bytes % unit * 100;
	let part = Math.floor(scaled / unit);
	const rest = scaled % unit;
	if (rest > unit / 2 || (rest === unit / 2 && part % 2))
		part++;
	if (part === 100) {
		part = 0;
		whole++;
	}
	return whole + "." + String(part).padStart(2, "0") + " " + name;
}

// Least and most bytes, once where they are the same.
function rangeText(low, high) {
	const least = sizeText(low), most = sizeText(high);
	return least === most ? most : least + " to " + most;
}

function countText(number) {
	return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function plural(number, noun, nouns = noun + "s") {
	return countText(number) + " " + (number === 1 ? noun : nouns);
}

function addressText(address) {
	return "0x" + address.toString(16);
}

function timeText(microseconds) {
	if (microseconds < 1e3)
		return microseconds + " µs";
	if (microseconds < 1e6)
		return (microseconds / 1e3).toFixed(2) + " ms";
	return (microseconds / 1e6).toFixed(3) + " s";
}

// Names come from recordings: characters that hide, or turn the direction of
// what follows, are shown by number, and length is bounded.
function nameText(name) {
	const most = 160;
	const hidden = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u061c" +
		"\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]", "g");
	const shown = String(name).slice(0, most).replace(hidden, c =>
		"\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
	return String(name).length > most ? shown + "…" : shown;
}

// element("p", {class: "note"}, "text", child...)
function element(tag, attributes, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		made.setAttribute(name, value);
	made.append(...children);
	return made;
}

function button(label, action, attributes) {
	const made = element("button", { type: "button", ...attributes }, label);
	made.addEventListener("click", action);
	return made;
}

// A <select> of [value, label] with its label before it.
function choice(label, options, action) {
	const select = element("select");
	for (const [value, text] of options)
		select.append(element("option", { value }, text));
	select.addEventListener("change", () => action(select.value));
	return { field: element("label", {}, label + " ", select), select };
}

// Colours are the style's: --NAME of the page as it is shown now.
function colour(name) {
	return getComputedStyle(document.documentElement)
		.getPropertyValue("--" + name).trim();
}

// Makes the canvas as sharp as the screen; returns its context, or null where
// it is not shown.
function context(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const wide = Math.round(width * ratio), high = Math.round(height * ratio);
	if (!wide || !high)
		return null;
	if (canvas.width !== wide || canvas.height !== high) {
		canvas.width = wide;
		canvas.height = high;
	}
	const paper = canvas.getContext("2d");
	paper.setTransform(ratio, 0, 0, ratio, 0, 0);
	paper.clearRect(0, 0, width, height);
	paper.font = "12px system-ui, sans-serif";
	paper.textBaseline = "middle";
	return paper;
}

// Calls draw once a frame however often it is asked for.
function oncePerFrame(draw) {
	let waiting = false;
	return () => {
		if (waiting)
			return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			draw();
		});
	};
}

function clamp(value, least, most) {
	return Math.min(Math.max(value, least), most);
}
