'use strict';
// Helpers of all pages: elements, formatted numbers, colours, hints, and plots that can be saved. Colours are CSS variables, so
// a change of theme needs no redraw.

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

/// The first eight colours are in the style sheet; further hues are golden angles apart.
const color = (i) => i < 8 ? `var(--c${i})` : ((hue) =>
  `light-dark(hsl(${hue} 60% 36%), hsl(${hue} 60% 70%))`)(Math.round((i - 8) * 137.5 + 20) % 360);
/// Lines beyond the eighth are dashed, with one pattern for each further eight.
const dashes = (i) => [undefined, '7 3', '2 3', '9 3 2 3'][Math.floor(i / 8) % 4];

const count = (n) => Number(n).toLocaleString('en-US');
const sum = (values) => values.reduce((a, b) => a + b, 0);
function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
function short(n) {
  const far = Math.abs(n);
  if (far === 0) return '0';
  for (const [unit, name] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (far >= unit) return `${Number((n / unit).toPrecision(3))}${name}`;
  }
  return `${Number(n.toPrecision(3))}`;
}
/// A number of any magnitude; very small and large ones in exponential notation.
function tiny(n) {
  if (n === 0 || (Math.abs(n) >= 0.01 && Math.abs(n) < 1000)) return `${Number(n.toPrecision(3))}`;
  return n.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e');
}
function size(n) {
  for (const [unit, name] of [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [1024, 'KiB']]) {
    if (n >= unit) return `${(n / unit).toFixed(1)} ${name}`;
  }
  return `${n} B`;
}
function duration(s) {
  if (s >= 1 || s === 0) return `${Number(s.toPrecision(4))} s`;
  if (s >= 1e-3) return `${Number((s * 1e3).toPrecision(4))} ms`;
  return `${Number((s * 1e6).toPrecision(4))} µs`;
}
const percent = (share) => share === 1 || share === 0 ? `${share * 100} %`
  : share > 0.9995 ? '>99.9 %' : share < 0.0001 ? '<0.01 %' : `${Number((share * 100).toPrecision(3))} %`;
/// A quotient of two times; small ones with two significant digits.
const ratio = (n) => !Number.isFinite(n) ? '–' : n >= 100 ? count(Math.round(n)) : n >= 0.1 || n === 0 ? n.toFixed(2) : `${Number(n.toPrecision(2))}`;
const clip = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

const tip = el('div', {id: 'tip', role: 'status'});
function hint(text, x, y) {
  tip.textContent = text;
  tip.style.opacity = text ? 1 : 0;
  tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - 290))}px`;
  tip.style.top = `${Math.min(y + 14, innerHeight - 40)}px`;
}
/// Attributes that show a hint while the pointer is over the element.
function hoverHint(text) {
  return {
    onmousemove: (event) => hint(typeof text === 'function' ? text(event) : text, event.clientX, event.clientY),
    onmouseleave: () => hint('', 0, 0),
  };
}
/// Same, also for keyboard focus and screen readers.
function accessibleHint(text) {
  return {...hoverHint(text), tabindex: 0, role: 'img', 'aria-label': text,
    onfocus: (event) => {
      const box = event.target.getBoundingClientRect();
      hint(text, box.right, box.top);
    },
    onblur: () => hint('', 0, 0)};
}

/// `hints`: an explanation by name, shown while the pointer is over the name.
function legend(names, paint = color, hints = {}) {
  return el('div', {class: 'legend'}, names.map((name, i) =>
    el('span', {title: hints[name]}, el('i', {style: `background:${paint(i, name)}`}), name)));
}

/// A checkbox that makes the value axis of a chart logarithmic, and the chart. `draw(log)` returns the chart.
function withLog(name, draw, log = false) {
  const place = el('div', {}, draw(log));
  const box = el('input', {type: 'checkbox', 'aria-label': `${name}: logarithmic axis`, checked: log ? '' : undefined,
    onchange: () => place.replaceChildren(draw(box.checked))});
  return [el('label', {class: 'switch'}, box, ' log'), place];
}

/// The width available to a drawing, so that text has the same size on small screens.
const roomy = () => Math.max(300, Math.min(1000, document.documentElement.clientWidth - 66));

function section(title, about, ...content) {
  return el('section', {}, el('h2', {}, title), about ? el('p', {}, about) : null, ...content);
}

function choose(label, options, chosen, onchange) {
  return el('select', {'aria-label': label, onchange: (event) => onchange(event.target.value)},
    options.map(([value, text]) => el('option', value === chosen ? {value, selected: ''} : {value}, text)));
}

/// The value of a colour variable in the current theme.
const probe = el('span', {hidden: ''});
function resolved(name) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

// -- plots that can be saved

function download(name, blob) {
  const link = el('a', {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/// The drawing as a self-contained SVG file, with the colours of the current theme.
function standalone(root) {
  const copy = root.cloneNode(true);
  const from = [root, ...root.querySelectorAll('*')], to = [copy, ...copy.querySelectorAll('*')];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-size', 'opacity'])
      to[i].style.setProperty(name, style.getPropertyValue(name));
    to[i].removeAttribute('tabindex');
  });
  const [, , width, height] = root.getAttribute('viewBox').split(' ').map(Number);
  fill(copy, {xmlns: 'http://www.w3.org/2000/svg', width, height, 'font-family': 'system-ui, sans-serif'}, []);
  copy.prepend(svg('rect', {x: -20, y: -20, width: width + 40, height: height + 40, fill: resolved('card')}));
  return {text: new XMLSerializer().serializeToString(copy), width, height};
}

function savePng(name, drawing) {
  if (drawing instanceof HTMLCanvasElement) return drawing.toBlob((blob) => download(`${name}.png`, blob));
  const {text, width, height} = standalone(drawing);
  const image = new Image();
  image.onload = () => {
    const canvas = el('canvas', {width: width * 2, height: height * 2});
    canvas.getContext('2d').drawImage(image, 0, 0, width * 2, height * 2);
    canvas.toBlob((blob) => download(`${name}.png`, blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

const csv = (rows) => rows.map((row) => row.map((cell) =>
  /[",\n]/.test(`${cell}`) ? `"${`${cell}`.replaceAll('"', '""')}"` : `${cell}`).join(',')).join('\n') + '\n';

/// A plot with a name for screen readers and buttons that save it. `rows`: its data as a table, for CSV.
function plot(name, drawing, rows) {
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  drawing.setAttribute('aria-label', name);
  const button = (kind, save) => el('button', {type: 'button', 'aria-label': `save ${name} as ${kind}`, onclick: save}, kind);
  return el('figure', {}, drawing, el('figcaption', {},
    drawing instanceof SVGElement ? button('SVG', () =>
      download(`${file}.svg`, new Blob([standalone(drawing).text], {type: 'image/svg+xml'}))) : null,
    button('PNG', () => savePng(file, drawing)),
    button('CSV', () => download(`${file}.csv`, new Blob([csv(rows)], {type: 'text/csv'})))));
}
