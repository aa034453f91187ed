'use strict';
// The page of `leeway compare`: runs side by side, from their unmodified reports.

const seconds = (run) => run.seconds.compute;
const messages = (run) => sum(Object.values(run.messages || {}).map((m) => m.count));
const bytes = (run) => sum(Object.values(run.messages || {}).map((m) => m.bytes));

/// Groups repetitions: runs that differ in their seed only.
function grouped(runs) {
  const groups = new Map();
  for (const run of runs) {
    const settings = Object.entries(run.configuration || {}).filter(([key]) => key !== 'seed').sort();
    const key = JSON.stringify([run.program, run.input && run.input.hash, settings]);
    groups.set(key, [...(groups.get(key) || []), run]);
  }
  return [...groups.values()];
}

function overview(runs, base) {
  const head = ['run', 'time', `against ${base.name}`, 'iterations', 'current', 'blocked', 'messages', 'bytes', 'converged'];
  const rows = runs.map((run) => {
    const uses = sum(run.staleness || []);
    return [run.name, duration(seconds(run)), run === base ? '–' : factor(seconds(run) / seconds(base)),
      count(run.iterations), uses ? percent((run.staleness[0] || 0) / uses) : '–', run.blocked_fetches === undefined ? '–' : count(run.blocked_fetches),
      short(messages(run)), size(bytes(run)), run.converged === undefined ? '–' : run.converged ? 'yes' : `no: ${run.why}`];
  });
  return section('At a glance', null, el('div', {class: 'scroll'}, el('table', {},
    el('thead', {}, el('tr', {}, head.map((h) => el('th', {scope: 'col'}, h)))),
    el('tbody', {}, rows.map((cells) => el('tr', {}, cells.map((c) => el('td', {}, c))))))));
}

function times(runs, base) {
  const groups = grouped(runs);
  const repeats = groups.some((group) => group.length > 1);
  const mine = groups.find((group) => group.includes(base));
  const unit = median(mine.map(seconds));
  const rows = groups.map((group, i) => {
    const all = group.map(seconds), middle = median(all);
    const name = group.length > 1 ? `${group[0].name} (${group.length} runs)` : group[0].name;
    const spread = group.length > 1 ? ` (${duration(Math.min(...all))} to ${duration(Math.max(...all))})` : '';
    const words = group === mine ? 'baseline' : factor(middle / unit);
    return {name, label: words, range: group.length > 1 ? [Math.min(...all) / unit, Math.max(...all) / unit] : undefined,
      parts: [{value: middle / unit, paint: color(i), tip: `${name}: ${duration(middle)}${spread}, ${words}`}]};
  });
  const table = [['run', 'median s', 'least s', 'most s'], ...groups.map((group) =>
    [group[0].name, median(group.map(seconds)), Math.min(...group.map(seconds)), Math.max(...group.map(seconds))])];
  return section('Time', `Time until convergence, relative to ${base.name}; shorter is better.` +
    (repeats ? ' Repetitions are one bar: the median, with the range from the least to the greatest time.' : ''),
    plot('Time', bars(rows, {mark: 1, unit: (v) => `${short(v)}×`}), table));
}

/// Curves over time. Runs of very different lengths are shown on a logarithmic axis, or one at a time.
/// `ways`: pairs of a measure's name and a function that returns a run's points; the user selects one.
function overTime(runs, title, note, ways, {small = false} = {}) {
  const lengths = runs.map(seconds).filter((s) => s > 0);
  let log = Math.max(...lengths) > 12 * Math.min(...lengths), one = 'all', way = 0;
  const place = el('div');
  const draw = () => {
    const [what, points] = ways[way];
    const series = runs.map((run, i) => ({name: run.name, paint: color(i), dash: dashes(i), points: points(run)}));
    const some = (one === 'all' ? series : [series[Number(one)]]).filter((s) => s.points.length > 0);
    place.replaceChildren(plot(title, curves(some, {x: 'time', y: what, log, small}),
      [['run', 'seconds', what], ...some.flatMap((s) => s.points.map((p) => [s.name, ...p]))]));
  };
  draw();
  return section(title, note,
    el('div', {class: 'controls'},
      choose('time axis', [['linear', 'linear time'], ['log', 'logarithmic time']], log ? 'log' : 'linear',
        (value) => { log = value === 'log'; draw(); }),
      choose('runs shown', [['all', 'all runs'], ...runs.map((run, i) => [`${i}`, `only ${run.name}`])], one,
        (value) => { one = value; draw(); }),
      ways.length < 2 ? null : choose('measure', ways.map(([name], i) => [`${i}`, name]), '0',
        (value) => { way = Number(value); draw(); })),
    legend(runs.map((r) => r.name)), place);
}

function convergence(runs) {
  // A simulation changes all objects in every tick, so its ticks are shown instead.
  const ticks = runs.every((run) => run.engine === 'tick' || run.engine === 'piece');
  return ticks
    ? overTime(runs, 'Ticks over time', 'Time at which the last node completed each tick.',
      [['ticks done', (run) => (run.series || []).map((s, tick) => [s.seconds, tick + 1])]])
    : overTime(runs, 'Convergence', 'Number of vertices that changed in each iteration, over time.',
      [['vertices changed', (run) => (run.series || []).map((s) => [s.seconds, s.changed])]]);
}

/// Residuals of programs that iterate numbers until convergence.
function residuals(runs) {
  const of = (run) => (run.series || []).filter((s) => s.residual && s.residual.sum !== null && s.residual.most !== null);
  if (runs.every((run) => of(run).length === 0)) return null;
  return overTime(runs, 'Residual', 'Changes of the values in each iteration, over time: the sum, or the largest change.',
    [['sum of changes', (run) => of(run).map((s) => [s.seconds, s.residual.sum])],
      ['largest change', (run) => of(run).map((s) => [s.seconds, s.residual.most])]], {small: true});
}

function staleness(runs) {
  const reads = (run) => sum(run.staleness || []) > 0;  // only the vertex engine reads copies
  if (!runs.some(reads)) return null;
  const most = 8;
  const tiles = runs.map((run, i) => {
    if (!reads(run)) return null;
    const uses = run.staleness;
    const all = sum(uses);
    const shares = Array.from({length: most}, (_, age) =>
      (age < most - 1 ? uses[age] || 0 : sum(uses.slice(age))) / all);
    const names = shares.map((_, age) => age < most - 1 ? `${age}` : `${age}+`);
    return el('div', {}, el('h3', {}, run.name),
      plot(`Staleness of ${run.name}`, columns(shares, names, color(i)), [['versions behind', 'share'], ...shares.map((s, age) => [names[age], s])]),
      el('span', {class: 'soft'}, `${percent(shares[0])} current, ${percent((shares[0] + shares[1]))} at most 1 old`));
  });
  return section('Staleness', 'Number of versions that a copy was behind its home when it was used (logarithmic columns).',
    el('div', {class: 'tiles'}, tiles));
}

function traffic(runs) {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.messages || {})))]
    .filter((kind) => runs.some((run) => ((run.messages || {})[kind] || {}).count > 0));
  const sent = (run, kind) => (run.messages || {})[kind] || {count: 0, bytes: 0};
  return section('Messages', 'Messages sent, by kind.', legend(names),
    plot('Messages', bars(runs.map((run) => ({name: run.name, label: short(messages(run)),
      parts: names.map((kind, i) => ({value: sent(run, kind).count, paint: color(i),
        tip: `${run.name}, ${kind}: ${count(sent(run, kind).count)}, ${size(sent(run, kind).bytes)}`}))}))),
    [['run', 'kind', 'messages', 'bytes'], ...runs.flatMap((run) =>
      names.map((kind) => [run.name, kind, sent(run, kind).count, sent(run, kind).bytes]))]));
}

function timeline(runs) {
  const longest = Math.max(...runs.map(seconds));
  const traced = runs.filter((run) => (run.nodes || []).some((node) => (node.spans || []).length > 0));
  if (traced.length === 0) return null;
  let common = longest <= 5 * Math.min(...traced.map(seconds));
  const place = el('div', {class: 'lanes'});
  const draw = () => place.replaceChildren(...traced.map((run) => lanes(run, common ? longest : seconds(run), 'Nodes over time')));
  draw();
  const ticks = traced.some((run) => run.nodes.some((node) => node.completed));
  return section('Nodes over time', 'One lane per node: computing and waiting. Double-click, + and − zoom; the arrow keys move.' +
    (ticks ? ' The line along a lane changes its shade with each tick that its node has completed.' : ''),
    el('div', {class: 'controls'}, choose('scale', [['common', 'all runs on one scale'], ['own', 'each run on its own scale']],
      common ? 'common' : 'own', (value) => { common = value === 'common'; draw(); })),
    legend(kinds, (_, name) => `var(--${name})`), place);
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
    different.length ? table(different) : el('p', {}, 'All runs have the same settings.'),
    el('details', {}, el('summary', {}, 'all settings'), table(keys)));
}

function comparison(data) {
  const runs = data.runs;
  const main = el('main');
  const choice = el('select', {'aria-label': 'baseline', onchange: () => show(runs[choice.value])},
    runs.map((run, i) => el('option', {value: i}, `baseline: ${run.name}`)));
  const show = (base) => main.replaceChildren(overview(runs, base), times(runs, base), motion(runs) || '', convergence(runs),
    residuals(runs) || '', staleness(runs) || '', traffic(runs), timeline(runs) || '', configuration(runs));
  show(runs[0]);
  return {main, choice, again: () => show(runs[choice.value])};
}
