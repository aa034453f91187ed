'use strict';
// The page of replayed figures: each with its verdicts, its table and how it was measured.

function verdict(claim) {
  return el('span', {class: `badge ${claim.agrees ? 'good' : 'bad'}`}, claim.agrees ? 'agrees' : 'disagrees');
}

const isNumber = (cell) => cell !== '' && Number.isFinite(Number(cell));

/// A table whose numbers carry a bar each: ratios on one scale, times on a scale a column.
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

/// Who was busy when: a row a lane.
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

function figureSection(figure) {
  return el('section', {id: figure.name}, el('h2', {}, `${figure.name}: ${figure.title}`), barTable(figure.table),
    (figure.drawings || []).map(timingDiagram),
    figure.claims.map((claim) => el('div', {class: 'claim'}, el('p', {}, verdict(claim), ` ${claim.paper}`),
      el('p', {class: 'soft'}, `holds when ${claim.rule}; measured: ${claim.measured}`))),
    figure.notes.length ? el('ul', {class: 'notes'}, figure.notes.map((note) => el('li', {}, note))) : null,
    el('details', {}, el('summary', {}, 'how it was measured'), el('table', {class: 'words'},
      el('tbody', {}, figure.configuration.map(([key, value]) => el('tr', {}, el('td', {}, key), el('td', {}, value)))))));
}

function replays(data) {
  const claims = data.figures.flatMap((figure) => figure.claims);
  const agree = claims.filter((claim) => claim.agrees).length;
  const list = el('section', {}, el('h2', {}, `${agree} of ${claims.length} claims agree`),
    el('div', {class: 'scroll'}, el('table', {class: 'words'}, el('tbody', {}, data.figures.map((figure) =>
      el('tr', {}, el('td', {}, el('a', {href: `#${figure.name}`}, figure.name)), el('td', {}, figure.title),
        el('td', {}, figure.claims.map((claim) => [verdict(claim), ' ']))))))));
  const main = el('main');
  const show = () => main.replaceChildren(list, ...data.figures.map(figureSection));
  show();
  return {main, again: show};
}
