'use strict';
// Small SVG charts. Numbers in, elements out; colours come from the style sheet, so themes need no redraw.

const color = (i) => `var(--c${i % 8})`;

function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}
function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== undefined) node.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

const count = (n) => Number(n).toLocaleString('en-US');
function short(n) {
  const size = Math.abs(n);
  if (size === 0) return '0';
  for (const [unit, name] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (size >= unit) return `${Number((n / unit).toPrecision(3))}${name}`;
  }
  return `${Number(n.toPrecision(3))}`;
}
function duration(s) {
  if (s >= 1 || s === 0) return `${Number(s.toPrecision(4))} s`;
  if (s >= 1e-3) return `${Number((s * 1e3).toPrecision(4))} ms`;
  return `${Number((s * 1e6).toPrecision(4))} µs`;
}
const percent = (share) => share === 1 || share === 0 ? `${share * 100} %`
  : share > 0.9995 ? '>99.9 %' : share < 0.0001 ? '<0.01 %' : `${Number((share * 100).toPrecision(3))} %`;

const tip = el('div', {id: 'tip', role: 'status'});
function says(text) {
  return {
    onmousemove: (event) => {
      tip.textContent = typeof text === 'function' ? text(event) : text;
      tip.style.opacity = tip.textContent ? 1 : 0;
      tip.style.left = `${Math.min(event.clientX + 12, innerWidth - 290)}px`;
      tip.style.top = `${event.clientY + 14}px`;
    },
    onmouseleave: () => { tip.style.opacity = 0; },
  };
}

function legend(names, paint = color) {
  return el('div', {class: 'legend'}, names.map((name, i) =>
    el('span', {}, el('i', {style: `background:${paint(i, name)}`}), name)));
}

/// As wide as its place, so that text keeps its size on a phone.
const roomy = () => Math.max(300, Math.min(1000, document.documentElement.clientWidth - 66));

/// Round steps that cover 0 … top.
function steps(top, about = 5) {
  if (!(top > 0)) return [0, 1];
  const rough = top / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
  return Array.from({length: Math.ceil(top / step - 1e-9) + 1}, (_, i) => i * step);
}

/// rows: {name, parts: [{value, paint, tip}], label}. One bar a row; parts follow each other.
function bars(rows, {mark, unit = short} = {}) {
  const width = roomy(), left = width < 500 ? 78 : 130, right = 64, row = 24, gap = 8;
  const name = width < 500 ? 11 : 20;
  const totals = rows.map((r) => r.parts.reduce((sum, p) => sum + p.value, 0));
  const marks = steps(Math.max(...totals, mark || 0), width < 500 ? 3 : 5);
  const top = marks[marks.length - 1];
  const x = (v) => left + (width - left - right) * v / top;
  const height = rows.length * (row + gap) + 22;
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
  for (const m of marks) {
    root.append(svg('line', {class: 'grid', x1: x(m), x2: x(m), y1: 0, y2: height - 20}),
      svg('text', {class: 'soft', x: x(m), y: height - 5, 'text-anchor': 'middle'}, unit(m)));
  }
  rows.forEach((r, i) => {
    const y = i * (row + gap) + 2;
    let at = 0;
    root.append(svg('text', {x: left - 8, y: y + row / 2 + 4, 'text-anchor': 'end'}, clip(r.name, name)));
    for (const part of r.parts) {
      root.append(svg('rect', {x: x(at), y, width: Math.max(x(at + part.value) - x(at), 0.5), height: row,
        rx: 2, style: `fill:${part.paint}`, ...says(part.tip || r.name)}));
      at += part.value;
    }
    root.append(svg('text', {x: x(at) + 6, y: y + row / 2 + 4}, r.label));
  });
  if (mark) root.append(svg('line', {class: 'base', x1: x(mark), x2: x(mark), y1: 0, y2: height - 20}));
  return root;
}
const clip = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

/// series: {name, points: [[x, y]], paint}. y is logarithmic; zeros lie on the floor.
function curves(series, {x: xName, y: yName}) {
  const width = roomy(), height = width < 500 ? 240 : 320, left = 40, right = 26, top = 24, bottom = 34;
  const all = series.flatMap((s) => s.points);
  const xs = steps(Math.max(...all.map((p) => p[0]), 0), width < 500 ? 3 : 6);
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...all.map((p) => p[1]), 10))));
  const px = (v) => left + (width - left - right) * v / xs[xs.length - 1];
  const py = (v) => height - bottom - (height - top - bottom) * (v < 1 ? 0 : (Math.log10(v) + 0.15) / (decades + 0.15));
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
  for (let d = 0; d <= decades; ++d) {
    root.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: py(10 ** d), y2: py(10 ** d)}),
      svg('text', {class: 'soft', x: left - 6, y: py(10 ** d) + 4, 'text-anchor': 'end'}, short(10 ** d)));
  }
  root.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: py(0), y2: py(0)}));
  for (const v of xs) {
    root.append(svg('text', {class: 'soft', x: px(v), y: height - 16, 'text-anchor': 'middle'}, duration(v)));
  }
  root.append(svg('text', {class: 'soft', x: width - right, y: height - 2, 'text-anchor': 'end'}, xName),
    svg('text', {class: 'soft', x: 0, y: 10}, yName));
  for (const s of series) {
    const path = s.points.map((p, i) => `${i ? 'L' : 'M'}${px(p[0]).toFixed(1)} ${py(p[1]).toFixed(1)}`).join('');
    root.append(svg('path', {d: path, fill: 'none', style: `stroke:${s.paint}`, 'stroke-width': 2}));
    const last = s.points[s.points.length - 1];
    if (last) {
      root.append(svg('circle', {cx: px(last[0]), cy: py(last[1]), r: 4, style: `fill:${s.paint}`,
        ...says(`${s.name}: ${duration(last[0])}, ${s.points.length} iterations`)}));
    }
    const every = Math.ceil(s.points.length / 200);
    s.points.forEach((p, i) => {
      if (i % every) return;
      root.append(svg('circle', {cx: px(p[0]), cy: py(p[1]), r: 6, fill: 'transparent',
        ...says(`${s.name}, iteration ${i + 1}: ${count(p[1])} changed by ${duration(p[0])}`)}));
    });
  }
  return root;
}

/// Shares of a whole on a logarithmic scale, one column a class.
function columns(shares, names, paint) {
  const width = 220, height = 120, bottom = 18, floor = 1e-5;
  const each = width / shares.length;
  const h = (share) => share <= floor ? 0 : (height - bottom - 12) * (1 - Math.log10(share) / Math.log10(floor));
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
  shares.forEach((share, i) => {
    root.append(svg('rect', {x: i * each + 2, y: height - bottom - h(share), width: each - 4,
      height: h(share), rx: 2, style: `fill:${paint}`, ...says(`staleness ${names[i]}: ${percent(share)}`)}),
      svg('text', {class: 'soft', x: (i + 0.5) * each, y: height - 4, 'text-anchor': 'middle'}, names[i]));
  });
  root.append(svg('line', {class: 'grid', x1: 0, x2: width, y1: height - bottom, y2: height - bottom}));
  return root;
}
