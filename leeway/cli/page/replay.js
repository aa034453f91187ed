'use strict';
// The page of replayed figures: each with its verdicts, its table and how it was measured.

function verdict(claim) {
  return el('span', {class: `badge ${claim.agrees ? 'good' : 'bad'}`}, claim.agrees ? 'agrees' : 'disagrees');
}

/// Bars for a table whose columns from the second on are all numbers of one kind.
function picture(figure) {
  if (!figure.bars) return null;
  const {label, value, unit} = figure.bars;
  const at = (name) => figure.table.columns.indexOf(name);
  const rows = figure.table.rows.filter((row) => Number.isFinite(Number.parseFloat(row[at(value)])));
  return bars(rows.map((row, i) => ({name: label.map((name) => row[at(name)]).join(' '), label: row[at(value)],
    parts: [{value: Number.parseFloat(row[at(value)]), paint: color(figure.bars.color ? 0 : i)}]})), {mark: unit === 'ratio' ? 1 : 0});
}

function figureSection(figure) {
  const table = el('div', {class: 'scroll'}, el('table', {},
    el('thead', {}, el('tr', {}, figure.table.columns.map((c) => el('th', {}, c)))),
    el('tbody', {}, figure.table.rows.map((row) => el('tr', {}, row.map((cell) => el('td', {}, cell)))))));
  return el('section', {id: figure.name}, el('h2', {}, `${figure.name}: ${figure.title}`), picture(figure), table,
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
