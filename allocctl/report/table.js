// SPDX-License-Identifier: Apache-2.0
// Tables that are sorted by a click on a head.

const sizeUnits = { bytes: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824 };
const timeUnits = { "µs": 1e-6, us: 1e-6, ms: 1e-3, s: 1 };

// What a cell sorts by: data-value, a number with its unit, or its text.
function cellValue(cell) {
	if (!cell)
		return "";
	const text = cell.dataset.value || cell.textContent.trim();
	const found = text.match(/^([+-]?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\S*)/i);
	if (!found)
		return text;
	const number = Number(found[1].replace(/,/g, ""));
	return number * (sizeUnits[found[2]] || timeUnits[found[2]] || 1);
}

// Numbers before words, both ways.
function compareValues(a, b, sign) {
	if (typeof a !== typeof b)
		return typeof a === "number" ? -1 : 1;
	if (typeof a === "number")
		return sign * (a - b);
	return sign * a.localeCompare(b);
}

function sortTable(table, column) {
	const heads = [...table.tHead.rows[0].cells], head = heads[column];
	const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
	for (const other of heads)
		other.removeAttribute("aria-sort");
	head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
	const body = table.tBodies[0];
	const rows = [...body.rows].map(row => ({ row,
		value: cellValue(row.cells[column]) }));
	rows.sort((a, b) => compareValues(a.value, b.value, sign));
	body.append(...rows.map(({ row }) => row));
}

function makeSortable(table) {
	if (!table.tHead || !table.tBodies.length || table.tBodies[0].rows.length < 2)
		return;
	[...table.tHead.rows[0].cells].forEach((head, column) => {
		if (!head.textContent.trim())
			return;
		const sort = button("", () => sortTable(table, column), { class: "sort" });
		sort.append(...head.childNodes);
		head.append(sort);
	});
}
