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

const setting = (run, key) => (run.configuration || {})[key];
const ticking = (run) => run.engine === 'tick' || run.engine === 'piece';
/// Reads of a superstep return values of the previous one, whatever the copies' versions.
const superstep = (run) => setting(run, 'scheduler') === 'bsp';

/// What the runs have in common, or all values that occur: size, nodes, network, fabric.
function facts(data) {
  const each = (of) => [...new Set(data.runs.map(of).filter((fact) => fact))].join(', ');
  const size = ({input, engine}) => engine && ticking({engine}) && !input.arcs ? `${count(input.vertices)} objects`
    : `${count(input.vertices)} vertices, ${count(input.arcs)} arcs`;
  const nodes = each((run) => setting(run, 'nodes') || (run.nodes || []).length);
  return [each((run) => size(run)), `${nodes} ${nodes === '1' ? 'node' : 'nodes'}`,
    each((run) => setting(run, 'net') && `network ${setting(run, 'net')}`),
    each((run) => setting(run, 'fabric') && `fabric ${setting(run, 'fabric')}`)].filter((fact) => fact);
}

/// The entry of a table of meanings for a name; "stale-2" is an instance of "stale-N".
function meaning(table, name) {
  const found = (table || []).find(([key]) => key === name || (/-[A-Z]$/.test(key) && key.slice(0, -1) === `${name}`.replace(/\d+$/, '')));
  return found ? found[1] : undefined;
}

/// One line for each consistency mode and scheduler of the runs.
function modesLegend({runs, modes, schedulers}) {
  const lines = [['consistency', modes], ['scheduler', schedulers]].flatMap(([key, table]) =>
    [...new Set(runs.map((run) => setting(run, key)))].map((name) => [name, meaning(table, name)]).filter(([, words]) => words));
  return lines.length === 0 ? null : el('ul', {class: 'notes', 'aria-label': 'modes'},
    lines.map(([name, words]) => el('li', {}, el('b', {}, name), `: ${words}`)));
}

function currentCopies(run) {
  const reads = sum(run.staleness || []);
  return !reads ? '–' : superstep(run) ? 'previous superstep' : percent((run.staleness[0] || 0) / reads);
}

/// The table of all runs. Columns without a value in any run are left out.
function overview(data, base) {
  const known = (value, show) => value === undefined ? '–' : show(value);
  const columns = [['run', 'name of the report', (run) => run.name],
    ['seconds', 'time of the computation, without loading and output', (run) => `${Number(seconds(run).toPrecision(4))}`],
    [`of ${base.name}`, `seconds divided by those of ${base.name}`, (run) => data.runs.length > 1 ? ratio(seconds(run) / seconds(base)) : '–'],
    ['iterations', 'sweeps, supersteps, rounds or ticks', (run) => count(run.iterations)],
    ['current copies', 'share of the reads of remote vertices that found the newest version', currentCopies],
    ['blocked fetches', 'reads of remote vertices for which the computation waited', (run) => known(run.blocked_fetches, count)],
    ['messages', 'messages between nodes', (run) => short(messages(run))],
    ['bytes', 'bytes in these messages', (run) => size(bytes(run))],
    ['converged', 'whether the run ended because nothing changed any more', (run) => known(run.converged, (yes) => yes ? 'yes' : `no: ${run.why}`)]];
  const some = columns.filter(([, , cell]) => data.runs.some((run) => cell(run) !== '–'));
  return section('At a glance', null, el('div', {class: 'scroll'}, el('table', {},
    el('thead', {}, el('tr', {}, some.map(([name, title]) => el('th', {scope: 'col', title}, name)))),
    el('tbody', {}, data.runs.map((run) => el('tr', {}, some.map(([, , cell]) => el('td', {}, cell(run)))))))),
    modesLegend(data));
}

function times(runs, base) {
  const groups = grouped(runs);
  if (groups.length < 2) return null;
  const repeats = groups.some((group) => group.length > 1);
  const mine = groups.find((group) => group.includes(base));
  const unit = median(mine.map(seconds));
  const rows = groups.map((group, i) => {
    const all = group.map(seconds), middle = median(all);
    const name = group.length > 1 ? `${group[0].name} (${group.length} runs)` : group[0].name;
    const spread = group.length > 1 ? ` (${duration(Math.min(...all))} to ${duration(Math.max(...all))})` : '';
    const words = group === mine ? 'baseline' : `${ratio(middle / unit)} of ${clip(base.name, 9)}`;
    return {name, label: words, range: group.length > 1 ? [Math.min(...all) / unit, Math.max(...all) / unit] : undefined,
      parts: [{value: middle / unit, paint: color(i), tip: `${name}: ${duration(middle)}${spread}, ${words}`}]};
  });
  const table = [['run', 'median s', 'least s', 'most s'], ...groups.map((group) =>
    [group[0].name, median(group.map(seconds)), Math.min(...group.map(seconds)), Math.max(...group.map(seconds))])];
  const until = runs.every((run) => run.converged) ? 'Seconds until convergence' : 'Seconds of the computation';
  return section('Time', `${until}, divided by those of ${base.name}; shorter is better.` +
    (repeats ? ' Repetitions are one bar: the median, with the range from the least to the greatest time.' : ''),
    withLog('Time', (log) => plot('Time', bars(rows, {mark: 1, log, name: `seconds divided by those of ${base.name}`}), table)));
}

/// Curves over time, of all runs or of one.
/// `ways`: pairs of a measure's name and a function that returns a run's points; the user selects one.
function overTime(runs, title, note, ways, {yLog = false} = {}) {
  if (!runs.some((run) => ways[0][1](run).length > 0)) return null;
  let xLog = false, one = 'all', way = 0;
  const draw = (log) => {
    yLog = log;
    const [what, points] = ways[way];
    const series = runs.map((run, i) => ({name: run.name, paint: color(i), dash: dashes(i), points: points(run)}));
    const some = (one === 'all' ? series : [series[Number(one)]]).filter((s) => s.points.length > 0);
    return plot(title, curves(some, {x: 'time', y: what, xLog, yLog}),
      [['run', 'seconds', what], ...some.flatMap((s) => s.points.map((p) => [s.name, ...p]))]);
  };
  const [check, place] = withLog(title, draw, yLog);
  const redraw = () => place.replaceChildren(draw(yLog));
  return section(title, note,
    el('div', {class: 'controls'},
      choose('time axis', [['linear', 'linear time'], ['log', 'logarithmic time']], 'linear',
        (value) => { xLog = value === 'log'; redraw(); }),
      runs.length < 2 ? null : choose('runs shown', [['all', 'all runs'], ...runs.map((run, i) => [`${i}`, `only ${run.name}`])], one,
        (value) => { one = value; redraw(); }),
      ways.length < 2 ? null : choose('measure', ways.map(([name], i) => [`${i}`, name]), '0',
        (value) => { way = Number(value); redraw(); }), check),
    runs.length < 2 ? null : legend(runs.map((r) => r.name)), place);
}

function convergence(runs) {
  // A simulation changes all objects in every tick, so its ticks are shown instead.
  return runs.every(ticking)
    ? overTime(runs, 'Ticks over time', 'Time at which the last node completed each tick.',
      [['ticks done', (run) => (run.series || []).map((s, tick) => [s.seconds, tick + 1])]])
    : overTime(runs, 'Convergence', 'Number of vertices that changed in each iteration, over time.',
      [['vertices changed', (run) => (run.series || []).map((s) => [s.seconds, s.changed])]]);
}

/// Residuals of programs that iterate numbers until convergence.
function residuals(runs) {
  const of = (run) => (run.series || []).filter((s) => s.residual && s.residual.sum !== null && s.residual.most !== null);
  return overTime(runs, 'Residual', 'Changes of the values in each iteration, over time: the sum, or the largest change.',
    [['sum of changes', (run) => of(run).map((s) => [s.seconds, s.residual.sum])],
      ['largest change', (run) => of(run).map((s) => [s.seconds, s.residual.most])]], {yLog: true});
}

function staleness(runs) {
  const reads = (run) => sum(run.staleness || []) > 0;  // only the vertex engine reads copies
  if (!runs.some((run) => reads(run) && !superstep(run))) return null;
  const most = 8;
  const tile = (run, i, log) => {
    if (!reads(run)) return null;
    if (superstep(run)) return el('div', {}, el('h3', {}, run.name), el('span', {class: 'soft'}, 'Every read is of the previous superstep.'));
    const uses = run.staleness;
    const all = sum(uses);
    const shares = Array.from({length: most}, (_, age) =>
      (age < most - 1 ? uses[age] || 0 : sum(uses.slice(age))) / all);
    const names = shares.map((_, age) => age < most - 1 ? `${age}` : `${age}+`);
    return el('div', {}, el('h3', {}, run.name),
      plot(`Staleness of ${run.name}`, columns(shares, names, color(i), {log, name: 'versions behind'}),
        [['versions behind', 'share'], ...shares.map((s, age) => [names[age], s])]),
      el('span', {class: 'soft'}, `${percent(shares[0])} current, ${percent((shares[0] + shares[1]))} at most 1 version behind`));
  };
  return section('Staleness', 'Number of versions that a copy was behind its home when it was read.',
    withLog('Staleness', (log) => el('div', {class: 'tiles'}, runs.map((run, i) => tile(run, i, log)))));
}

/// Meanings of the kinds of messages. The order gives the colours.
const messageHints = {
  link: 'a node announces to the home of vertices that it will read them',
  read: 'request for the current values of vertices',
  reply: 'the values, sent in answer to a read',
  invalidate: 'a home announces newer versions to a node with copies; may carry the values',
  ack: 'acknowledgement of an invalidate',
  evict: 'a node announces to the home that it has dropped copies',
  write: 'a new value for a vertex whose home is another node',
  'write-ack': 'acknowledgement of a write',
  decline: 'a node asks the home to send it no more values unasked',
  collective: 'barriers, sums and votes on convergence by all nodes',
  state: 'the state of objects near the border of two nodes, after a tick',
  parameters: 'changed values of border vertices, sent after a round',
  diffuse: 'changed values and progress of pieces, sent to neighbour pieces',
};
const messagePaint = (kind) => `var(--m${Math.max(0, Object.keys(messageHints).indexOf(kind)) % 13})`;

/// Messages by kind: one bar per run; for a single run, one bar per kind.
function traffic(runs) {
  const sent = (run, kind) => (run.messages || {})[kind] || {count: 0, bytes: 0};
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.messages || {})))]
    .filter((kind) => runs.some((run) => sent(run, kind).count > 0));
  if (names.length === 0 || (runs.length === 1 && names.length === 1)) return null;
  const part = (run, kind) => ({value: sent(run, kind).count, paint: messagePaint(kind),
    tip: `${run.name}, ${kind}: ${count(sent(run, kind).count)}, ${size(sent(run, kind).bytes)}`});
  const rows = runs.length > 1
    ? runs.map((run) => ({name: run.name, label: short(messages(run)), parts: names.map((kind) => part(run, kind))}))
    : names.map((kind) => ({name: kind, label: short(sent(runs[0], kind).count), parts: [part(runs[0], kind)]}));
  const [check, chart] = withLog('Messages', (log) => plot('Messages', bars(rows, {log, name: 'messages'}),
    [['run', 'kind', 'messages', 'bytes'], ...runs.flatMap((run) =>
      names.map((kind) => [run.name, kind, sent(run, kind).count, sent(run, kind).bytes]))]));
  return section('Messages', 'Messages between nodes, by kind. On a logarithmic axis, the colours divide a bar by their shares.',
    el('div', {class: 'controls'}, legend(names, (_, kind) => messagePaint(kind), messageHints), check), chart);
}

/// The lanes of all runs, shown on request.
function timeline(runs) {
  const longest = Math.max(...runs.map(seconds));
  const traced = runs.filter((run) => (run.nodes || []).some((node) => (node.spans || []).length > 0));
  if (traced.length === 0) return null;
  let common = longest <= 5 * Math.min(...traced.map(seconds));
  const place = el('div', {class: 'lanes'});
  const draw = () => place.replaceChildren(...traced.map((run) => lanes(run, common ? longest : seconds(run), 'Nodes over time')));
  draw();
  const ticks = traced.some((run) => run.nodes.some((node) => node.completed));
  const used = kinds.filter((kind) => traced.some((run) => run.nodes.some((node) => (node.spans || []).some((span) => span[0] === kind))));
  const meanings = [...used, 'nothing recorded'].map((kind) => `${kind}: ${laneHints[kind]}`);
  return el('section', {}, el('details', {class: 'part'}, el('summary', {}, el('h2', {}, 'Nodes over time')),
    el('p', {}, 'One lane per node: strong colours compute, pale ones wait. Double-click, + and − zoom; the arrow keys move.' +
      (ticks ? ' The line along the top of a lane is the ticks that its node has completed, alternately dark and light.' : '')),
    traced.length < 2 ? null : el('div', {class: 'controls'}, choose('scale', [['common', 'all runs on one scale'], ['own', 'each run on its own scale']],
      common ? 'common' : 'own', (value) => { common = value === 'common'; draw(); })),
    legend(meanings, (i) => lanePaint(i, used[i])), place));
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
  const inputs = [...new Set(runs.map((run) => `${run.program} on ${run.input.graph}, hash ${run.input.hash}, commit ${run.commit}`))];
  return section('Configuration', null, el('ul', {class: 'notes'}, inputs.map((input) => el('li', {}, input))),
    different.length ? table(different) : runs.length > 1 ? el('p', {}, 'All runs have the same settings.') : null,
    el('details', {}, el('summary', {}, 'all settings'), table(keys)));
}

function comparison(data) {
  const runs = data.runs;
  const main = el('main');
  const choice = runs.length < 2 ? null : el('select', {'aria-label': 'baseline', onchange: () => show(runs[choice.value])},
    runs.map((run, i) => el('option', {value: i}, `baseline: ${run.name}`)));
  const show = (base) => main.replaceChildren(...[overview(data, base), times(runs, base), motion(runs), convergence(runs),
    residuals(runs), staleness(runs), traffic(runs), timeline(runs), configuration(runs)].filter((part) => part));
  show(runs[0]);
  return {main, choice, facts: facts(data), again: () => show(runs[choice ? choice.value : 0])};
}
