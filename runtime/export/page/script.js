// SPDX-License-Identifier: Apache-2.0
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const make = (tag, properties, ...children) => {
	const e = Object.assign(document.createElement(tag), properties);
	e.append(...children);
	return e;
};
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// 1234567 ns as "1.23ms", as in the tables
const duration = ns => {
	const units = ["ns", "us", "ms", "s"];
	let v = Math.abs(ns), u = 0;
	while (v >= 999.5 && u < 3) {
		v /= 1000;
		u++;
	}
	const digits = u === 0 ? 0 : v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
	return (ns < 0 ? "-" : "") + v.toFixed(digits) + units[u];
};
const number = v => Math.abs(v) >= 1e6 ? v.toPrecision(4) : String(+v.toFixed(Math.abs(v) < 10 ? 2 : 1));

// ---- the stretch of time that all plots show ----

const whole = [0, Math.max(data.length, 1)];
let view = whole.slice();
const viewers = [];
let drawing = 0;

function draw() {
	cancelAnimationFrame(drawing);
	drawing = requestAnimationFrame(() => viewers.forEach(f => f()));
}

function show(from, to) {
	const least = Math.min(100, whole[1]);
	let length = Math.min(Math.max(to - from, least), whole[1]);
	from = Math.min(Math.max(from, 0), whole[1] - length);
	view = [from, from + length];
	draw();
}

function zoom(factor, at = (view[0] + view[1]) / 2) {
	show(at - (at - view[0]) * factor, at + (view[1] - at) * factor);
}

const pan = part => show(view[0] + (view[1] - view[0]) * part, view[1] + (view[1] - view[0]) * part);

// A canvas in device pixels, scaled back: [context, width, height], or null while it has no size.
function prepare(canvas, height) {
	const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
	if (!width || !height)
		return null;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	const c = canvas.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	return [c, width, height];
}

// ---- timeline ----

const ROW = 18, LABEL = 20, GAP = 6, AXIS = 24, DEEPEST = 24;

// Spans by lane, each with the row it is in: the first one that is free.
function layOut() {
	const lanes = data.lanes.map(l => ({...l, spans: [], depth: 1, most: Math.max(1, ...l.thinned)}));
	const ends = data.lanes.map(() => []);
	for (let i = 0; i < data.spans.length; i += 4) {
		const [lane, start, length, name] = data.spans.slice(i, i + 4);
		const l = lanes[lane], e = ends[lane];
		const span = {lane, start, length, name, row: 0, mark: data.names[name][1] === "mark"};
		if (!span.mark) {
			while (span.row < e.length && e[span.row] > start)
				span.row++;
			e[span.row] = start + length;
			span.row = Math.min(span.row, DEEPEST);
			l.depth = Math.max(l.depth, span.row + 1);
		}
		l.spans.push(span);
	}
	let y = 0;
	for (const l of lanes) {
		l.y = y;
		l.dense = l.thinned.length ? ROW : 0;
		l.height = LABEL + l.depth * ROW + l.dense + GAP;
		y += l.height;
	}
	return [lanes, y];
}

const colours = data.names.map(([text]) => {
	let h = 7;
	for (let i = 0; i < text.length; i++)
		h = (h * 31 + text.charCodeAt(i)) >>> 0;
	return `hsl(${h % 360} 62% ${66 + h % 3 * 4}%)`;
});

function laneName(l, i) {
	const dir = data.dirs[l.dir];
	if (data.shared && i === data.lanes.length - 1)
		return "all further threads";
	return `${dir[1] || "?"} ${l.pid} \u00b7 thread ${l.tid}` + (data.dirs.length > 1 ? ` \u00b7 #${l.dir + 1}` : "");
}

function axis(c, width, top, height) {
	const length = view[1] - view[0];
	const rough = length / Math.max(2, width / 110);
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough) || rough;
	c.fillStyle = css("--dim");
	c.strokeStyle = css("--line");
	c.font = "12px system-ui, sans-serif";
	c.textBaseline = "middle";
	c.beginPath();
	for (let t = Math.ceil(view[0] / step) * step; t <= view[1]; t += step) {
		const x = Math.round((t - view[0]) / length * width) + .5;
		c.moveTo(x, top);
		c.lineTo(x, top + height);
		const text = duration(Math.round(t));
		if (x + 4 + c.measureText(text).width < width)
			c.fillText(text, x + 4, AXIS / 2);
	}
	c.stroke();
}

function timeline() {
	const root = document.getElementById("line");
	if (!data.lanes.length) {
		root.append(make("p", {textContent: "Nothing was annotated."}));
		return;
	}
	const [lanes, total] = layOut();
	const height = Math.min(total + AXIS, Math.max(220, Math.round(innerHeight * .6)));
	const canvas = make("canvas", {tabIndex: 0});
	canvas.setAttribute("role", "application");
	canvas.setAttribute("aria-label", "Timeline of annotations. Left and right move, plus and minus zoom, 0 shows all, " +
		"n and p go to the next and the previous annotation.");
	const box = make("div", {id: "lanes"}, canvas);
	const told = make("div", {id: "told"});
	told.setAttribute("aria-live", "polite");
	const tip = make("div", {id: "tip", hidden: true});
	const find = make("input", {type: "search", placeholder: "Find a name"});
	find.setAttribute("aria-label", "Find a name");
	const button = (text, label, action) => {
		const b = make("button", {type: "button", textContent: text, onclick: action});
		b.setAttribute("aria-label", label);
		b.title = label;
		return b;
	};
	root.append(make("div", {className: "bar"},
		button("\u2212", "Zoom out", () => zoom(2)), button("+", "Zoom in", () => zoom(.5)),
		button("\u2190", "Earlier", () => pan(-.5)), button("\u2192", "Later", () => pan(.5)),
		button("All", "Show all", () => show(...whole)), find,
		make("span", {className: "hint", textContent: "Drag to move, Ctrl and wheel or two fingers to zoom; keys: \u2190 \u2192 + \u2212 0 n p"})),
		box, told, tip);
	box.style.height = height + "px";
	// what is taller than the box is scrolled: the canvas stays, and draws what is there
	const filler = make("div");
	filler.style.height = Math.max(0, total + AXIS - height) + "px";
	box.append(filler);

	let chosen = null;
	const order = lanes.flatMap(l => l.spans);
	const describe = s => `${data.names[s.name][0]} (${data.names[s.name][1]})` +
		(s.mark ? "" : ` \u00b7 ${duration(s.length)}`) + ` \u00b7 at ${duration(s.start)} \u00b7 ${laneName(data.lanes[s.lane], s.lane)}`;

	const place = (s, width) => {
		const scale = width / (view[1] - view[0]);
		return [(s.start - view[0]) * scale, s.length * scale];
	};

	function drawDense(c, l, y, width) {
		const bin = whole[1] / data.bins, scale = width / (view[1] - view[0]);
		c.fillStyle = css("--dim");
		l.thinned.forEach((n, i) => {
			if (!n)
				return;
			const x = (i * bin - view[0]) * scale, h = Math.max(1, Math.log1p(n) / Math.log1p(l.most) * (ROW - 4));
			if (x + bin * scale >= 0 && x <= width)
				c.fillRect(x, y + ROW - 2 - h, Math.max(1, bin * scale), h);
		});
	}

	function drawSpan(c, s, y, width, filled, wanted) {
		const [x, w] = place(s, width), to = Math.min(x + w, width), from = Math.max(x, 0);
		const faded = wanted && !data.names[s.name][0].toLowerCase().includes(wanted);
		c.globalAlpha = faded ? .2 : 1;
		if (s.mark) {
			c.fillStyle = css("--accent");
			c.fillRect(Math.round(x), y - 3, 2, ROW + 2);
			return;
		}
		const top = y + s.row * ROW;
		if (to - from < 1 && filled[s.row] >= Math.round(from) && s !== chosen)
			return;
		filled[s.row] = Math.round(to);
		c.fillStyle = colours[s.name];
		c.fillRect(from, top, Math.max(1, to - from - (w > 3 ? 1 : 0)), ROW - 2);
		if (s === chosen) {
			c.strokeStyle = css("--fg");
			c.lineWidth = 2;
			c.strokeRect(from + 1, top + 1, Math.max(2, to - from - 2), ROW - 4);
		}
		if (to - from > 24) {
			c.save();
			c.beginPath();
			c.rect(from, top, to - from - 3, ROW);
			c.clip();
			c.fillStyle = "#14181d";
			c.fillText(data.names[s.name][0].slice(0, 200), from + 4, top + ROW / 2 - .5);
			c.restore();
		}
	}

	function paint() {
		const made = prepare(canvas, height);
		if (!made)
			return;
		const [c, width] = made, wanted = find.value.toLowerCase();
		canvas.style.height = height + "px";
		axis(c, width, 0, height);
		c.save();
		c.beginPath();
		c.rect(0, AXIS, width, height - AXIS);
		c.clip();
		lanes.forEach((l, i) => {
			const y = AXIS + l.y - box.scrollTop;
			if (y > height || y + l.height < AXIS)
				return;
			c.globalAlpha = 1;
			c.font = "12px system-ui, sans-serif";
			c.fillStyle = css("--card");
			c.fillRect(0, y + 2, Math.min(width, c.measureText(laneName(l, i)).width + 10), LABEL - 4);
			c.fillStyle = css("--fg");
			c.fillText(laneName(l, i), 4, y + LABEL / 2);
			const filled = new Array(DEEPEST + 1).fill(-1);
			l.spans.forEach(s => {
				if (s.start <= view[1] && s.start + s.length >= view[0])
					drawSpan(c, s, y + LABEL, width, filled, wanted);
			});
			c.globalAlpha = 1;
			if (l.dense)
				drawDense(c, l, y + LABEL + l.depth * ROW, width);
		});
		c.restore();
	}

	function at(x, y) {
		const width = canvas.clientWidth, depth = y - AXIS + box.scrollTop;
		const l = lanes.find(lane => depth >= lane.y && depth < lane.y + lane.height);
		if (!l || y < AXIS)
			return null;
		const row = Math.floor((depth - l.y - LABEL) / ROW);
		let best = null, least = 8;
		for (const s of l.spans) {
			const [from, length] = place(s, width);
			const off = x < from ? from - x : x > from + length ? x - from - length : 0;
			if ((s.mark ? row <= 0 : s.row === row) && (off < least || (off === least && s.mark))) {
				best = s;
				least = off;
			}
		}
		return best;
	}

	function choose(s) {
		chosen = s;
		told.textContent = s ? describe(s) : "";
		draw();
	}

	function reveal(s) {
		const l = lanes[s.lane], middle = s.start + s.length / 2;
		if (s.start > view[1] || s.start + s.length < view[0])
			show(middle - (view[1] - view[0]) / 2, middle + (view[1] - view[0]) / 2);
		if (l.y < box.scrollTop || l.y + l.height > box.scrollTop + height - AXIS)
			box.scrollTop = l.y;
		choose(s);
	}

	function step(by) {
		const wanted = find.value.toLowerCase();
		const list = order.filter(s => data.names[s.name][0].toLowerCase().includes(wanted));
		if (!list.length) {
			told.textContent = "No such name.";
			return;
		}
		const i = list.indexOf(chosen);
		reveal(list[i < 0 ? (by > 0 ? 0 : list.length - 1) : (i + by + list.length) % list.length]);
	}

	const pointers = new Map();
	let dragged = false;
	canvas.onpointerdown = e => {
		canvas.setPointerCapture(e.pointerId);
		pointers.set(e.pointerId, e.offsetX);
		dragged = pointers.size > 1;
	};
	canvas.onpointermove = e => {
		const length = view[1] - view[0], width = canvas.clientWidth;
		if (!pointers.has(e.pointerId)) {
			const s = at(e.offsetX, e.offsetY);
			tip.hidden = !s;
			if (s) {
				tip.textContent = describe(s);
				tip.style.left = Math.max(4, Math.min(e.clientX + 12, innerWidth - tip.offsetWidth - 4)) + "px";
				tip.style.top = Math.max(4, Math.min(e.clientY + 16, innerHeight - tip.offsetHeight - 4)) + "px";
			}
			return;
		}
		const before = [...pointers.values()];
		if (pointers.size === 1 && Math.abs(e.offsetX - before[0]) < 3 && !dragged)
			return;
		dragged = true;
		tip.hidden = true;
		pointers.set(e.pointerId, e.offsetX);
		const after = [...pointers.values()];
		if (pointers.size === 1) {
			pan((before[0] - after[0]) / width);
		} else if (pointers.size === 2) {
			const gap = p => Math.max(10, Math.abs(p[0] - p[1]));
			const middle = (after[0] + after[1]) / 2;
			zoom(gap(before) / gap(after), view[0] + length * middle / width);
		}
	};
	const release = e => {
		if (pointers.delete(e.pointerId) && e.type === "pointerup" && !dragged)
			choose(at(e.offsetX, e.offsetY));
	};
	canvas.onpointerup = release;
	canvas.onpointercancel = release;
	canvas.onpointerleave = () => { tip.hidden = true; };
	canvas.ondblclick = e => {
		const s = at(e.offsetX, e.offsetY);
		if (s && s.length)
			show(s.start - s.length * .1, s.start + s.length * 1.1);
	};
	canvas.addEventListener("wheel", e => {
		if (!e.ctrlKey && !e.metaKey && Math.abs(e.deltaX) <= Math.abs(e.deltaY))
			return;
		e.preventDefault();
		if (e.ctrlKey || e.metaKey)
			zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), view[0] + (view[1] - view[0]) * e.offsetX / canvas.clientWidth);
		else
			pan(e.deltaX / canvas.clientWidth);
	}, {passive: false});
	canvas.onkeydown = e => {
		const keys = {
			ArrowLeft: () => pan(-.1), ArrowRight: () => pan(.1),
			ArrowUp: () => { box.scrollTop -= 60; }, ArrowDown: () => { box.scrollTop += 60; },
			"+": () => zoom(.5), "=": () => zoom(.5), "-": () => zoom(2),
			"0": () => show(...whole), Home: () => show(...whole), n: () => step(1), p: () => step(-1),
			Escape: () => choose(null),
		};
		if (!keys[e.key] || e.ctrlKey || e.altKey || e.metaKey)
			return;
		e.preventDefault();
		keys[e.key]();
	};
	find.oninput = draw;
	find.onkeydown = e => {
		if (e.key === "Enter")
			step(e.shiftKey ? -1 : 1);
	};
	box.onscroll = draw;
	viewers.push(paint);
}

// ---- counters over time ----

function chart(s) {
	const canvas = make("canvas");
	const points = [];
	let least = Infinity, most = -Infinity;
	for (let i = 0; i < s.points.length; i += 4) {
		const [bin, low, average, high] = s.points.slice(i, i + 4);
		points.push([(bin + .5) * whole[1] / data.seriesBins, low, average, high]);
		least = Math.min(least, low);
		most = Math.max(most, high);
	}
	const where = `${s.device < 0 ? "host" : "device " + s.device}` + (data.dirs.length > 1 ? ` \u00b7 #${s.dir + 1}` : "");
	const reach = number(least) === number(most) ? number(least) : `${number(least)} to ${number(most)}`;
	const caption = make("figcaption", {}, make("b", {textContent: `${s.name} \u00b7 ${where}`}),
		make("span", {textContent: points.length ? `${reach} ${s.unit}` : "no samples"}));
	canvas.setAttribute("role", "img");
	canvas.setAttribute("aria-label", `${s.name}, ${where}: ${caption.lastChild.textContent}`);
	viewers.push(() => {
		const made = prepare(canvas, 90);
		if (!made || !points.length)
			return;
		const [c, width, height] = made, range = most - Math.min(least, 0) || 1;
		const x = t => (t - view[0]) / (view[1] - view[0]) * width;
		const y = v => height - 4 - (v - Math.min(least, 0)) / range * (height - 8);
		// samples that a line joins, with one on either side of what is seen
		const first = Math.max(0, points.findIndex(p => p[0] >= view[0]) - 1);
		const behind = points.findIndex(p => p[0] > view[1]);
		const seen = points.slice(first, behind < 0 ? undefined : behind + 1);
		c.strokeStyle = css("--line");
		c.strokeRect(.5, .5, width - 1, height - 1);
		c.fillStyle = css("--band");
		c.beginPath();
		seen.forEach(p => c.lineTo(x(p[0]), y(p[3])));
		seen.slice().reverse().forEach(p => c.lineTo(x(p[0]), y(p[1])));
		c.fill();
		c.strokeStyle = css("--accent");
		c.lineWidth = 1.5;
		c.beginPath();
		seen.forEach(p => c.lineTo(x(p[0]), y(p[2])));
		c.stroke();
		if (seen.length === 1) {
			c.fillStyle = css("--accent");
			c.fillRect(x(seen[0][0]) - 2, y(seen[0][2]) - 2, 4, 4);
		}
	});
	return make("figure", {}, caption, canvas);
}

function counters() {
	const root = document.getElementById("charts");
	if (!root)
		return;
	// the names come behind, and should not be pages away
	const first = window.innerWidth < 600 ? 4 : 12;
	const charts = list => make("div", {className: "charts"}, ...list.map(chart));
	root.append(charts(data.series.slice(0, first)));
	if (data.series.length <= first)
		return;
	const rest = data.series.slice(first);
	const more = make("details", {}, make("summary", {textContent: `${rest.length} more`}), charts(rest));
	more.addEventListener("toggle", draw); // what was folded up had no size
	root.append(more);
}

// ---- distribution of durations ----

function distribution() {
	const section = document.getElementById("distribution"), root = document.getElementById("spread");
	if (!data.spreads.length)
		return;
	section.hidden = false;
	const select = make("select", {}, ...data.spreads.map((s, i) => make("option", {value: i, textContent: `${s.name} (${s.kind})`.slice(0, 90)})));
	const label = make("label", {}, "Name ", select);
	const holder = make("div");
	root.append(label, holder);
	const svg = (tag, attributes, text) => {
		const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
		for (const k in attributes)
			e.setAttribute(k, attributes[k]);
		if (text !== undefined)
			e.textContent = text;
		return e;
	};
	function paint() {
		const s = data.spreads[select.value], H = 220, left = 56, bottom = 34, top = 24;
		const W = Math.max(240, Math.min(760, holder.clientWidth || 640)), ticks = W < 500 ? 2 : 4;
		const most = Math.max(...s.counts), n = s.counts.length, width = (W - left - 10) / n;
		const picture = svg("svg", {viewBox: `0 0 ${W} ${H}`, role: "img",
			"aria-label": `Durations of ${s.name}: from ${duration(s.from)} to ${duration(s.to)}, half are at most ${duration(s.p50)}`});
		const low = Math.log2(s.from + 1), high = Math.log2(s.to + 1);
		const x = ns => left + (high > low ? (Math.log2(ns + 1) - low) / (high - low) : 0) * (W - left - 10);
		for (const part of most > 1 ? [0, .5, 1] : [0, 1]) {
			const y = H - bottom - part * (H - bottom - top);
			picture.append(svg("line", {x1: left, x2: W - 10, y1: y, y2: y}),
				svg("text", {x: left - 6, y: y + 4, "text-anchor": "end"}, number(Math.round(part * most))));
		}
		s.counts.forEach((count, i) => {
			const h = count / most * (H - bottom - top);
			const bar = svg("rect", {x: left + i * width, width: Math.max(1, width - 1), y: H - bottom - h, height: h});
			bar.append(svg("title", {}, `${count}`));
			picture.append(bar);
		});
		for (let i = 0; i <= (high > low ? ticks : 0); i++) {
			const ns = 2 ** (low + (high - low) * i / ticks) - 1;
			picture.append(svg("text", {x: left + (W - left - 10) * i / ticks, y: H - 12,
				"text-anchor": i === 0 ? "start" : i === ticks ? "end" : "middle"}, duration(ns)));
		}
		if (high > low) {
			for (const [word, ns, y] of [["p50", s.p50, 12], ["p99", s.p99, 12]]) {
				const end = x(ns) > W - 60;
				picture.append(svg("line", {class: "mark", x1: x(ns), x2: x(ns), y1: top - 6, y2: H - bottom}),
					svg("text", {x: x(ns) + (end ? -4 : 4), y, "text-anchor": end ? "end" : "start"}, word));
			}
		}
		holder.replaceChildren(picture);
	}
	select.onchange = paint;
	addEventListener("resize", paint);
	paint();
}

// ---- tables that can be sorted ----

function sortable(table) {
	const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
	const value = (row, i) => row.cells[i].dataset.v === undefined ? row.cells[i].textContent : +row.cells[i].dataset.v;
	heads.forEach((th, i) => {
		if (th.dataset.plain !== undefined)
			return;
		const button = make("button", {type: "button", textContent: th.textContent});
		th.replaceChildren(button);
		button.onclick = () => {
			const numbers = th.classList.contains("n");
			const down = th.ariaSort ? th.ariaSort === "ascending" : numbers;
			const rows = [...body.rows].map(row => [value(row, i), row]);
			rows.sort(([a], [b]) => typeof a !== typeof b ? (typeof a === "number" ? -1 : 1) :
				(a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
			body.append(...rows.map(r => r[1]));
			heads.forEach(h => h.removeAttribute("aria-sort"));
			th.setAttribute("aria-sort", down ? "descending" : "ascending");
		};
	});
}

timeline();
counters();
distribution();
document.querySelectorAll("table.sort").forEach(sortable);
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
document.documentElement.dataset.drawn = "yes";
draw();
})();
