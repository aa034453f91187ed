'use strict';
// Activity of the nodes over time: one lane per node. Every pixel column shows the shares of the activities in its interval.

const kinds = ['compute', 'blocked', 'refresh', 'barrier'];
/// Meanings of the colours of a lane.
const laneHints = {
  compute: 'computes', blocked: 'waits for data of other nodes, such as a blocked fetch',
  refresh: "serves other nodes' messages and takes in new values", barrier: 'waits at a barrier for the slowest node',
  'nothing recorded': 'before the start, after the end, or not recorded',
};
const laneAxis = 20;  // pixels
const lanePaint = (_, name) => `var(--${kinds.includes(name) ? name : 'idle'})`;

/// For each pixel column of a lane between `from` and `to`, the share of each kind of activity.
function binned(node, from, to, width) {
  const shares = kinds.map(() => new Float64Array(width));
  const scale = width / (to - from);
  for (const [kind, begin, end] of node.spans) {
    const which = kinds.indexOf(kind);
    const a = Math.max(0, (begin - from) * scale), b = Math.min(width, (end - from) * scale);
    if (which < 0 || !(b > a)) continue;
    for (let x = Math.floor(a); x < b; ++x) shares[which][x] += Math.min(b, x + 1) - Math.max(a, x);
  }
  return shares;
}

/// Marks the completed ticks of a node at the top of its lane, alternately dark and light.
function paintTicks(paint, paints, node, y, {from, to, left, width}) {
  const ends = node.completed || [];
  ends.forEach((done, tick) => {
    const a = Math.max(from, tick ? ends[tick - 1] : 0), b = Math.min(to, done);
    if (b <= a) return;
    paint.fillStyle = tick % 2 ? paints.card : paints.ink;
    paint.fillRect(left + (a - from) / (to - from) * width, y, (b - a) / (to - from) * width, 2);
  });
}

function paintLane(paint, paints, node, y, {from, to, left, width, lane}) {
  paint.fillStyle = paints.idle;
  paint.fillRect(left, y, width, lane - 1);
  const shares = binned(node, from, to, width);
  for (let x = 0; x < width; ++x) {
    let down = y;
    kinds.forEach((kind, k) => {
      const part = Math.min(1, shares[k][x]) * (lane - 1);
      if (part <= 0) return;
      paint.fillStyle = paints[kind];
      paint.fillRect(left + x, down, 1, part);
      down += part;
    });
  }
}

function paintAxis(paint, y, {from, to, left, width}) {
  for (const mark of steps(to - from, width < 450 ? 3 : 6)) {
    if (mark > (to - from) * 1.001) continue;
    const x = left + width * mark / (to - from);
    paint.fillRect(x, y, 1, 4);
    paint.textAlign = mark === 0 ? 'left' : mark > (to - from) * 0.93 ? 'right' : 'center';
    paint.fillText(duration(from + mark), x, y + 16);
    paint.textAlign = 'left';
  }
}

/// Draws all lanes with their names and the axis.
function paintLanes(canvas, nodes, what, view) {
  const scale = window.devicePixelRatio || 1, full = canvas.clientWidth, {lane, left} = view;
  if (full === 0) return;
  const axis = lane * nodes.length, place = {...view, width: Math.floor(full - left)};
  canvas.width = full * scale;
  canvas.height = (axis + laneAxis) * scale;
  const paint = canvas.getContext('2d');
  const paints = Object.fromEntries([...kinds, 'idle', 'soft', 'card', 'ink'].map((kind) => [kind, resolved(kind)]));
  paint.scale(scale, scale);
  paint.font = '11px system-ui, sans-serif';
  const every = Math.ceil(12 / lane);
  nodes.forEach((node, i) => {
    paintLane(paint, paints, node, i * lane, place);
    paintTicks(paint, paints, node, i * lane, place);
    paint.fillStyle = paints.soft;
    if (i % every === 0) paint.fillText(`${what} ${node.number}`, 0, i * lane + Math.min(lane, 14) - 3);
  });
  paintAxis(paint, axis, place);
}

/// The share of time that each node spent on each activity.
function sharesTable(nodes, what, end) {
  const spent = nodes.map((node) => kinds.map((kind) => sum(node.spans.filter((s) => s[0] === kind).map((s) => s[2] - s[1]))));
  return el('details', {}, el('summary', {}, 'shares of time'), el('div', {class: 'scroll'}, el('table', {},
    el('thead', {}, el('tr', {}, [what, ...kinds, 'nothing recorded'].map((h) => el('th', {title: laneHints[h]}, h)))),
    el('tbody', {}, nodes.map((node, i) => el('tr', {}, [node.number, ...spent[i].map((s) => percent(s / end)),
      percent(Math.max(0, 1 - sum(spent[i]) / end))].map((cell) => el('td', {}, cell))))))));
}

/// The lanes of a run with axis and names; redrawn when width, time interval or theme changes.
function lanes(run, end, name) {
  const nodes = run.nodes.map((node, i) => ({...node, number: i})).filter((node) => (node.spans || []).length > 0);
  if (nodes.length === 0) return null;
  // Lanes of at least 12 pixels have room for a label each.
  const lane = nodes.length > 128 ? 8 : Math.max(12, Math.min(18, 190 / nodes.length)), left = 62;
  const what = run.engine === 'piece' ? 'worker' : 'node';
  let from = 0, to = end;
  const placed = (event) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left - left, lane: Math.floor((event.clientY - box.top) / lane), width: box.width - left};
  };
  const at = (x, width) => from + (to - from) * Math.max(0, Math.min(1, x / width));
  const spanText = (event) => {
    const {x, lane: i, width} = placed(event);
    if (x < 0 || !nodes[i]) return '';
    const now = at(x, width);
    const span = nodes[i].spans.find((s) => s[1] <= now && now < s[2]);
    const tick = (nodes[i].completed || []).findIndex((done) => done > now);
    return `${what} ${nodes[i].number} at ${duration(now)}: ${span ? span[0] : 'nothing recorded'}${tick < 0 ? '' : `, tick ${tick + 1}`}`;
  };
  const canvas = el('canvas', {style: `height:${lane * nodes.length + laneAxis}px`, role: 'img', tabindex: 0, ...hoverHint(spanText)});
  const draw = () => paintLanes(canvas, nodes, what, {from, to, lane, left});
  const look = (middle, factor) => {
    const length = Math.min(end, Math.max((to - from) * factor, end / 1e5));
    from = Math.max(0, Math.min(end - length, middle - (middle - from) * length / (to - from)));
    to = from + length;
    draw();
  };
  const move = (share) => {
    const by = Math.max(-from, Math.min(end - to, (to - from) * share));
    from += by;
    to += by;
    draw();
  };
  canvas.addEventListener('keydown', (event) => {
    const middle = (from + to) / 2;
    const act = {ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), '+': () => look(middle, 0.5),
      '-': () => look(middle, 2), '0': () => look(middle, 1e9)}[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  canvas.addEventListener('dblclick', (event) => { const p = placed(event); look(at(p.x, p.width), event.shiftKey ? 4 : 0.25); });
  new ResizeObserver(draw).observe(canvas);
  document.addEventListener('theme', draw);
  const rows = [['node', 'activity', 'from', 'to'], ...nodes.flatMap((node) => node.spans.map((s) => [node.number, ...s]))];
  const zoom = (text, label, act) => el('button', {type: 'button', 'aria-label': `${label}, ${run.name}`, onclick: act}, text);
  return el('div', {}, el('h3', {}, `${run.name} · ${duration(run.seconds.compute)} `,
    zoom('+', 'closer', () => look((from + to) / 2, 0.5)), zoom('−', 'farther', () => look((from + to) / 2, 2)),
    zoom('all', 'the whole run', () => look(end / 2, 1e9))),
    plot(`${name}: ${run.name}`, canvas, rows),
    sharesTable(nodes, what, end));
}
