'use strict';
// The page of `leeway replay`: each figure with its verdicts, its table and its configuration.

function verdict(claim) {
  const tone = claim.agrees === undefined ? '' : claim.agrees ? 'good' : 'bad';
  return el('span', {class: `badge ${tone}`}, claim.verdict);
}

/// The rule, the paper's number, the band and ours.
function claimNumbers({rule, paper, band, here, reason, agrees}) {
  const parts = [rule, paper && `paper: ${paper}`, band && `agrees: ${band}`, here && `here: ${here}`, !agrees && reason];
  return parts.filter((part) => part).join('; ');
}

const isNumber = (cell) => cell !== '' && Number.isFinite(Number(cell));

/// A table with a bar behind each number: ratios on a common scale, times on one scale per column.
function barTable({columns, rows}) {
  const numeric = columns.map((_, i) => i > 0 && rows.some((row) => isNumber(row[i])));
  const oneScale = !columns.some((name, i) => numeric[i] && / s$/.test(name));
  const top = columns.map((_, i) => Math.max(...rows.flatMap((row) =>
    oneScale ? row.filter((cell, j) => numeric[j] && isNumber(cell)) : isNumber(row[i]) ? [row[i]] : [0]).map(Number), 0));
  const cell = (text, i) => numeric[i] && isNumber(text) && top[i] > 0
    ? el('td', {style: `background:linear-gradient(to left, var(--bar) ${100 * Number(text) / top[i]}%, transparent 0)`}, text)
    : el('td', {}, text);
  return el('div', {class: 'scroll'}, el('table', {},
    el('thead', {}, el('tr', {}, columns.map((name) => el('th', {}, name)))),
    el('tbody', {}, rows.map((row) => el('tr', {}, row.map(cell))))));
}

/// Which columns of a table are drawn, the mark for ratios, and whether values below the mark are the better ones. Quotients such
/// as "SCP / RCP" have precedence, then tables relative to a column of ones, then the columns with the unit of the first number.
function chartOf({columns, rows}, title) {
  const numeric = columns.map((_, i) => i).filter((i) => i > 0 && !/^(paper|ideal)/.test(columns[i]) && rows.some((row) => isNumber(row[i])));
  const quotients = numeric.filter((i) => (/^\S+ ?\/ ?\S+$/.test(columns[i]) && !/\/s$/.test(columns[i])) || /^(of|over) the first$/.test(columns[i]));
  // In a quotient "A / B", A is the baseline, unless A is the method under test.
  if (quotients.length > 0) return {columns: quotients, mark: 1, below: /^(RCP|AAP|SCP\+|over)/.test(columns[quotients[0]])};
  const timeless = numeric.filter((i) => !/ s$/.test(columns[i]));
  const speedup = /speedup|^RCP over SCP/.test(title);
  const base = timeless.some((i) => rows.every((row) => !isNumber(row[i]) || Number(row[i]) === 1));
  if (speedup || (base && rows.length > 1)) return {columns: timeless, mark: 1, below: !speedup};
  const unit = (i) => (/ (s|ms|%|bytes|MB)$|\/s$/.exec(columns[i]) || [''])[0];
  return {columns: numeric.filter((i) => unit(i) === unit(numeric[0]))};
}

const betterOrWorse = (value, mark, below) => Math.abs(value - mark) < 0.005 ? 'var(--soft)'
  : (value < mark) === below ? 'var(--good)' : 'var(--bad)';
const ratioLegend = (below) => legend([`better than 1: ${below ? 'less' : 'more'}`, `worse than 1: ${below ? 'more' : 'less'}`, 'equal'],
  (i) => `var(--${['good', 'bad', 'soft'][i]})`);

/// The numbers of a table as grouped bars, one group per row; null for tables of text and very long ones.
function tableChart(table, title) {
  const {columns: some, mark, below} = chartOf(table, title);
  if (some.length === 0 || table.rows.length > 48) return null;
  const first = table.columns.findIndex((_, i) => i > 0 && table.rows.some((row) => isNumber(row[i])));
  const bar = (row, i, name, place) => ({name, text: row[i], value: isNumber(row[i]) ? Number(row[i]) : NaN,
    paint: mark ? betterOrWorse(Number(row[i]), mark, below) : color(place)});
  const name = (row) => row.slice(0, first).join(', ');
  const rows = table.rows.filter((row) => !/^paper/.test(row[0]));
  const groups = some.length === 1
    ? [{name: table.columns[some[0]], bars: rows.map((row) => bar(row, some[0], name(row), 0))}]
    : rows.map((row) => ({name: name(row), bars: some.map((i, place) => bar(row, i, table.columns[i], place))}));
  const scale = groups.length === 1 ? null : mark ? 'All groups have one scale; the line is at 1.' : 'Each group has its own scale.';
  return [el('p', {class: 'soft'}, scale), mark ? ratioLegend(below) : null,
    plot(`${title}: chart`, panels(groups, {mark}),
      [['group', 'bar', 'value'], ...groups.flatMap((g) => g.bars.map((b) => [g.name, b.name, b.text]))])];
}

/// Pairs of our values and the paper's in a table: two columns, or two rows.
function pairsWithPaper({columns, rows}) {
  const found = [];
  const add = (name, ours, theirs) => {
    if (isNumber(ours) && isNumber(theirs) && Number(ours) > 0 && Number(theirs) > 0)
      found.push({name, ours: Number(ours), theirs: Number(theirs)});
  };
  const theirs = columns.findIndex((name, i) => i > 1 && /^paper/.test(name));
  if (theirs > 0) {
    const numbers = columns.findIndex((_, i) => i > 0 && rows.some((row) => isNumber(row[i])));
    const one = columns[theirs].replace(/^paper('s)?\s*/, '');
    const ours = one ? columns.indexOf(one) : theirs - 1;
    if (ours >= 0) rows.forEach((row) => add(row.slice(0, numbers).join(', '), row[ours], row[theirs]));
  }
  const row = rows.find((each) => /^paper/.test(each[0]));
  const mean = rows.find((each) => /mean/.test(each[0]) && each !== row);
  if (row && mean) columns.forEach((name, i) => { if (i > 0) add(name, mean[i], row[i]); });
  return found;
}

/// Busy intervals, one row per lane.
function timingDiagram({title, seconds, lanes}) {
  const width = 900, row = 9, left = 70;
  const at = (second) => (left + (width - left) * second / seconds).toFixed(1);
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${row * lanes.length + 4}`);
  svg.setAttribute('role', 'img');
  svg.innerHTML = lanes.map((lane, i) =>
    `<text x="0" y="${row * i + 8}" font-size="8" fill="currentColor">${lane.name}</text>` +
    `<path fill="none" stroke="var(--bar)" stroke-width="${row - 2}" d="` +
    lane.spans.map(([from, to]) => `M${at(from)} ${row * i + 4}H${at(to)}`).join('') + '"/>').join('');
  return el('div', {class: 'scroll'}, el('p', {}, title), svg);
}

/// Coloured cells with the name of their kind, and thick lines between cells where a number crosses a mark.
function colourMap({title, across, columns, rows, kinds, cells, contours}) {
  const left = 210, cell = 82, row = 22, width = left + cell * columns.length, height = row * (rows.length + 1) + 4;
  const paint = (kind) => `hsl(${Math.round(360 * kind / kinds.length)} 45% 62%)`;
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
  columns.forEach((name, i) => root.append(svg('text', {x: left + cell * (i + 0.5), y: 14, 'text-anchor': 'middle', class: 'soft'}, name)));
  rows.forEach((name, j) => {
    const y = row * (j + 1);
    root.append(svg('text', {x: left - 8, y: y + 15, 'text-anchor': 'end', 'font-size': 11}, name));
    cells[j].forEach((kind, i) => {
      const tip = [kinds[kind], ...contours.map((c) => `${c.name} ${c.values[j][i] === null ? 'none' : c.values[j][i]}`)].join(', ');
      root.append(svg('rect', {x: left + cell * i, y, width: cell - 1, height: row - 1, style: `fill:${paint(kind)}`, ...accessibleHint(tip)}),
        svg('text', {x: left + cell * (i + 0.5), y: y + 15, 'text-anchor': 'middle', 'font-size': 11, fill: '#111', 'pointer-events': 'none'}, kinds[kind]));
    });
  });
  contours.forEach((contour, place) => contour.marks.forEach((mark, step) => {
    const above = (j, i) => contour.values[j] !== undefined && contour.values[j][i] >= mark;
    let d = '';
    rows.forEach((_, j) => columns.forEach((__, i) => {
      if (i > 0 && above(j, i) !== above(j, i - 1)) d += `M${left + cell * i - 1} ${row * (j + 1)}v${row}`;
      if (j > 0 && above(j, i) !== above(j - 1, i)) d += `M${left + cell * i} ${row * (j + 1) - 1}h${cell}`;
    }));
    root.append(svg('path', {d, fill: 'none', 'stroke-width': 3, 'stroke-dasharray': step ? '4 3' : '', style: `stroke:${place ? 'var(--bad)' : 'var(--ink)'}`}));
  }));
  const lines = contours.map((c, i) => `${i ? 'red' : 'dark'} line: ${c.name} ${c.marks.join(', dashed ')}`).join('; ');
  return el('div', {class: 'scroll'}, el('p', {}, `${title}. Across: ${across}. ${lines}`), root);
}

function comparedWithPaper(figure) {
  const rows = pairsWithPaper(figure.table);
  if (rows.length === 0) return null;
  return [legend(['ours', "the paper's"], (i) => i === 0 ? color(0) : 'var(--c1)'),
    plot(`${figure.name}, ours and the paper's`, pairs(rows), [['what', 'ours', 'paper'], ...rows.map((r) => [r.name, r.ours, r.theirs])])];
}

/// Bars with a mark to compare them with, such as times relative to a baseline.
function barChart({title, mark, bars: values}) {
  const below = !/speedup/.test(title);
  const rows = values.map(([name, value]) => ({name, label: short(value),
    parts: [{value, paint: betterOrWorse(value, mark, below), tip: `${name}: ${short(value)}`}]}));
  return [ratioLegend(below), plot(title, bars(rows, {mark, name: title}), [['what', title], ...values])];
}

function titledTable(table, figure) {
  return [table.title ? el('h3', {}, table.title) : null, barTable(table), tableChart(table, table.title || figure.title)];
}

/// What the abbreviations and the x of the tables mean.
function tableNotes(figure) {
  const cells = [figure.table, ...(figure.further || [])].flatMap((table) => table.rows.flat());
  const some = (figure.abbreviations || []).filter(([name]) => cells.some((cell) => cell === name));
  const diverged = cells.includes('x') && !figure.notes.some((note) => note.startsWith('x:'));
  return [...some.map(([name, words]) => [el('b', {}, name), ` = ${words}`]),
    ...(diverged ? [[el('b', {}, 'x'), ': not converged within the limit of iterations']] : []), ...figure.notes];
}

function figureSection(figure) {
  const notes = tableNotes(figure);
  return el('section', {id: figure.name}, el('h2', {}, `${figure.name}: ${figure.title}`),
    (figure.charts || []).map((chart) => [el('h3', {}, chart.title), barChart(chart)]), titledTable(figure.table, figure),
    (figure.further || []).map((table) => titledTable(table, figure)), comparedWithPaper(figure),
    (figure.drawings || []).map(timingDiagram), (figure.maps || []).map(colourMap),
    figure.claims.map((claim) => el('div', {class: 'claim'}, el('p', {}, verdict(claim), ` ${claim.claim}`),
      el('p', {class: 'soft'}, claimNumbers(claim)))),
    notes.length ? el('ul', {class: 'notes'}, notes.map((note) => el('li', {}, note))) : null,
    el('details', {}, el('summary', {}, 'how it was measured'), el('table', {class: 'words'},
      el('tbody', {}, figure.configuration.map(([key, value]) => el('tr', {}, el('td', {}, key), el('td', {}, value)))))));
}

function replays(data) {
  const claims = data.figures.flatMap((figure) => figure.claims).filter((claim) => claim.agrees !== undefined);
  const agree = claims.filter((claim) => claim.agrees).length;
  const list = el('section', {}, el('h2', {}, claims.length ? `${agree} of ${claims.length} claims agree` : 'no claims graded'),
    el('div', {class: 'scroll'}, el('table', {class: 'words'}, el('tbody', {}, data.figures.map((figure) =>
      el('tr', {}, el('td', {}, el('a', {href: `#${figure.name}`}, figure.name)), el('td', {}, figure.title),
        el('td', {}, figure.claims.map((claim) => [verdict(claim), ' ']))))))));
  const main = el('main');
  const listed = data.figures.length > 1 || claims.length > 0;  // else the list would repeat the title
  const show = () => main.replaceChildren(...(listed ? [list] : []), ...data.figures.map(figureSection));
  show();
  return {main, again: show};
}
