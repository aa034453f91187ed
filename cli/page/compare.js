'use strict';
// The comparison page: runs side by side, from their reports as they are.

const kinds = ['compute', 'blocked', 'refresh', 'barrier'];
const sum = (values) => values.reduce((a, b) => a + b, 0);
const seconds = (run) => run.seconds.compute;
const messages = (run) => sum(Object.values(run.messages || {}).map((m) => m.count));
const bytes = (run) => sum(Object.values(run.messages || {}).map((m) => m.bytes));

function section(title, about, ...content) {
  return el('section', {}, el('h2', {}, title), about ? el('p', {}, about) : null, ...content);
}

function overview(runs, base) {
  const head = ['run', 'time', 'of baseline', 'iterations', 'current', 'blocked', 'messages', 'bytes', 'converged'];
  const rows = runs.map((run) => {
    const uses = sum(run.staleness || []);
    return [run.name, duration(seconds(run)), `${(seconds(run) / seconds(base)).toFixed(2)}×`,
      count(run.iterations), uses ? percent((run.staleness[0] || 0) / uses) : '–', run.blocked_fetches === undefined ? '–' : count(run.blocked_fetches),
      short(messages(run)), `${short(bytes(run))}B`, run.converged === undefined ? '–' : run.converged ? 'yes' : `no: ${run.why}`];
  });
  return section('At a glance', null, el('div', {class: 'scroll'}, el('table', {},
    el('thead', {}, el('tr', {}, head.map((h) => el('th', {}, h)))),
    el('tbody', {}, rows.map((cells) => el('tr', {}, cells.map((c) => el('td', {}, c))))))));
}

function times(runs, base) {
  return section('Time', `Until converged, beside ${base.name}; shorter is better.`,
    bars(runs.map((run, i) => {
      const ratio = seconds(run) / seconds(base);
      return {name: run.name, label: `${ratio.toFixed(2)}×`,
        parts: [{value: ratio, paint: color(i), tip: `${run.name}: ${duration(seconds(run))}`}]};
    }), {mark: 1, unit: (v) => `${short(v)}×`}));
}

function convergence(runs) {
  const series = runs.map((run, i) => ({name: run.name, paint: color(i),
    points: (run.series || []).map((s) => [s.seconds, s.changed])}));
  return section('Convergence', 'Vertices that changed, iteration by iteration, against time.',
    legend(runs.map((r) => r.name)), curves(series, {x: 'time', y: 'changed'}));
}

function staleness(runs) {
  if (runs.every((run) => sum(run.staleness || []) === 0)) return null;
  const most = 8;
  const tiles = runs.map((run, i) => {
    const uses = run.staleness || [];
    const all = sum(uses) || 1;
    const shares = Array.from({length: most}, (_, age) =>
      (age < most - 1 ? uses[age] || 0 : sum(uses.slice(age))) / all);
    const names = shares.map((_, age) => age < most - 1 ? `${age}` : `${age}+`);
    return el('div', {}, el('h3', {}, run.name), columns(shares, names, color(i)),
      el('span', {class: 'soft'}, `${percent(shares[0])} current, ${percent((shares[0] + shares[1]))} at most 1 old`));
  });
  return section('Staleness', 'How many versions behind its home a copy was when it was used (logarithmic).',
    el('div', {class: 'tiles'}, tiles));
}

function traffic(runs) {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.messages || {})))]
    .filter((kind) => runs.some((run) => (run.messages[kind] || {}).count > 0));
  return section('Messages', 'What was sent, by kind.', legend(names),
    bars(runs.map((run) => ({name: run.name, label: short(messages(run)),
      parts: names.map((kind, i) => {
        const sent = run.messages[kind] || {count: 0, bytes: 0};
        return {value: sent.count, paint: color(i), tip: `${run.name}, ${kind}: ${count(sent.count)}, ${short(sent.bytes)}B`};
      })}))));
}

/// What a colour of the style sheet comes to in the present theme.
const probe = el('span', {hidden: ''});
function resolved(name) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

/// One strip of lanes a run, drawn again when its width or the theme changes.
function lanes(run, end) {
  const nodes = run.nodes.filter((node) => (node.spans || []).length > 0);
  if (nodes.length === 0) return null;
  const lane = Math.max(6, Math.min(16, 160 / nodes.length));
  const canvas = el('canvas', {style: `height:${lane * nodes.length}px`, ...says((event) => {
    const box = canvas.getBoundingClientRect();
    const node = Math.floor((event.clientY - box.top) / lane);
    const at = (event.clientX - box.left) / box.width * end;
    const span = nodes[node] && nodes[node].spans.find((s) => s[1] <= at && at < s[2]);
    return span ? `node ${run.nodes.indexOf(nodes[node])}: ${span[0]} at ${duration(at)}` : '';
  })});
  const draw = () => {
    const scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    if (width === 0) return;
    canvas.width = width * scale;
    canvas.height = lane * nodes.length * scale;
    const paint = canvas.getContext('2d');
    const paints = Object.fromEntries([...kinds, 'idle'].map((kind) => [kind, resolved(kind)]));
    paint.scale(scale, scale);
    paint.fillStyle = paints.idle;
    nodes.forEach((_, i) => paint.fillRect(0, i * lane, width, lane - 1));
    nodes.forEach((node, i) => node.spans.forEach(([kind, from, to]) => {
      paint.fillStyle = paints[kind];
      paint.fillRect(from / end * width, i * lane, Math.max((to - from) / end * width, 0.3), lane - 1);
    }));
  };
  new ResizeObserver(draw).observe(canvas);
  document.addEventListener('theme', draw);
  return el('div', {}, el('h3', {}, `${run.name} · ${duration(seconds(run))}`), canvas);
}

function timeline(runs) {
  const end = Math.max(...runs.map(seconds));
  const strips = runs.map((run) => lanes(run, end)).filter((strip) => strip);
  if (strips.length === 0) return null;
  return section('Nodes over time', 'One lane a node: who computed, who waited, all runs on one scale.',
    legend(kinds, (_, name) => `var(--${name})`), el('div', {class: 'lanes'}, strips));
}

function configuration(runs) {
  const keys = [...new Set(runs.flatMap((run) => Object.keys(run.configuration || {})))];
  const cell = (run, key) => {
    const value = (run.configuration || {})[key];
    return value === undefined || value === null || value === '' ? '–' : `${value}`;
  };
  const differs = (key) => new Set(runs.map((run) => cell(run, key))).size > 1;
  const table = (some) => el('div', {class: 'scroll'}, el('table', {class: 'words'},
    el('thead', {}, el('tr', {}, el('th', {}, 'setting'), runs.map((run) => el('th', {style: 'text-align:left'}, run.name)))),
    el('tbody', {}, some.map((key) => el('tr', {}, el('td', {}, key), runs.map((run) => el('td', {}, cell(run, key))))))));
  const different = keys.filter(differs);
  const facts = [...new Set(runs.map((run) =>
    `${run.program} on ${run.input.graph} (${count(run.input.vertices)} vertices, ${count(run.input.arcs)} arcs, ` +
    `hash ${run.input.hash}), commit ${run.commit}`))];
  return section('Configuration', null, el('ul', {class: 'notes'}, facts.map((fact) => el('li', {}, fact))),
    different.length ? table(different) : el('p', {}, 'The same everywhere.'),
    el('details', {}, el('summary', {}, 'all settings'), table(keys)));
}

function comparison(data) {
  const runs = data.runs;
  const main = el('main');
  const choice = el('select', {'aria-label': 'baseline', onchange: () => show(runs[choice.value])},
    runs.map((run, i) => el('option', {value: i}, `baseline: ${run.name}`)));
  const show = (base) => main.replaceChildren(overview(runs, base), times(runs, base), motion(runs) || '', convergence(runs),
    staleness(runs) || '', traffic(runs), timeline(runs) || '', configuration(runs));
  show(runs[0]);
  return {main, choice, again: () => show(runs[choice.value])};
}
