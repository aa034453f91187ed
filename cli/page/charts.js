'use strict';
// SVG charts. Pure functions from numbers to elements.

/// Round steps that cover 0 … top.
function steps(top, about = 5) {
  if (!(top > 0)) return [0, 1];
  const rough = top / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
  return Array.from({length: Math.ceil(top / step - 1e-9) + 1}, (_, i) => i * step);
}
/// Powers of ten from the one below `low` to the one above `high`.
function decades(low, high) {
  const first = Math.floor(Math.log10(low) + 1e-9), last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
  return Array.from({length: last - first + 1}, (_, i) => 10 ** (first + i));
}

/// An axis from 0, linear or logarithmic: its marks, and the place of a value from 0 to 1. `low`: the least value above 0. On a
/// logarithmic axis, values below the first mark are at 0; `room` is the part of a decade between 0 and the first mark.
function valueAxis(low, high, {log = false, about = 5, room = 0.15} = {}) {
  if (!log || !(high > 0)) {
    const marks = steps(high, about);
    return {marks, place: (v) => v / marks[marks.length - 1]};
  }
  const marks = decades(low, high), first = marks[0], powers = marks.length - 1 + room;
  return {marks, place: (v) => v < first * (1 - 1e-9) ? 0 : (Math.log10(v / first) + room) / powers};
}
const least = (values) => Math.min(...values.filter((v) => v > 0));
const markText = (v) => v !== 0 && Math.abs(v) < 0.001 ? tiny(v) : short(v);
const axisName = (name, log) => log ? `${name} (logarithmic)` : name;

/// rows: {name, parts: [{value, paint, tip}], label, range: [least, most]}. One bar per row; its parts are stacked. On a
/// logarithmic axis the length of a bar shows its total, and the parts divide it by their shares.
function bars(rows, {mark, unit = short, log = false, name = ''} = {}) {
  const width = roomy(), left = width < 500 ? 78 : 130, right = 104, row = 24, gap = 8, foot = 36;
  const letters = width < 500 ? 11 : 20;
  const totals = rows.map((r) => sum(r.parts.map((p) => p.value)));
  const all = [...totals, ...rows.flatMap((r) => r.range || []), mark || 0];
  const {marks, place} = valueAxis(least(all), Math.max(...all), {log, about: width < 500 ? 3 : 5});
  const x = (v) => left + (width - left - right) * place(v);
  const height = rows.length * (row + gap) + foot;
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group'});
  for (const m of marks) {
    root.append(svg('line', {class: 'grid', x1: x(m), x2: x(m), y1: 0, y2: height - foot}),
      svg('text', {class: 'soft', x: x(m), y: height - foot + 14, 'text-anchor': 'middle'}, unit(m)));
  }
  root.append(svg('text', {class: 'soft', x: (left + width - right) / 2, y: height - 5, 'text-anchor': 'middle'}, axisName(name, log)));
  rows.forEach((r, i) => {
    const y = i * (row + gap) + 2, total = totals[i];
    const along = (v) => log ? left + (total > 0 ? v / total : 0) * (x(total) - left) : x(v);
    let at = 0;
    root.append(svg('text', {x: left - 8, y: y + row / 2 + 4, 'text-anchor': 'end', ...hoverHint(r.name)}, clip(r.name, letters)));
    for (const part of r.parts) {
      root.append(svg('rect', {x: along(at), y, width: Math.max(along(at + part.value) - along(at), 0.5), height: row,
        rx: 2, style: `fill:${part.paint}`, ...accessibleHint(part.tip || r.name)}));
      at += part.value;
    }
    if (r.range) {
      const [low, high] = r.range.map(x);
      root.append(svg('path', {class: 'whisker', d: `M${low} ${y + 7}v10M${low} ${y + 12}H${high}M${high} ${y + 7}v10`}));
      at = Math.max(at, r.range[1]);
    }
    root.append(svg('text', {x: x(at) + 6, y: y + row / 2 + 4}, r.label));
  });
  if (mark) root.append(svg('line', {class: 'base', x1: x(mark), x2: x(mark), y1: 0, y2: height - foot}));
  return root;
}

/// The frame of a plot of curves: grid, marks and names of both axes.
function frame(root, {width, height, left, right, top, bottom}, xs, ys, px, py, names) {
  const every = Math.ceil(ys.length / 12);
  ys.forEach((v, i) => {
    root.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: py(v), y2: py(v)}),
      svg('text', {class: 'soft', x: left - 6, y: py(v) + 4, 'text-anchor': 'end'}, i % every ? '' : markText(v)));
  });
  root.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: py(0), y2: py(0)}));
  for (const v of xs) {
    root.append(svg('line', {class: 'grid', x1: px(v), x2: px(v), y1: top, y2: height - bottom}),
      svg('text', {class: 'soft', x: px(v), y: height - bottom + 18, 'text-anchor': 'middle'}, duration(v)));
  }
  root.append(svg('text', {class: 'soft', x: (left + width - right) / 2, y: height - 4, 'text-anchor': 'middle'}, names[0]),
    svg('text', {class: 'soft', x: 0, y: 10}, names[1]));
}

/// series: {name, points: [[x, y]], paint, dash}. Both axes are linear unless `xLog`, `yLog`.
function curves(series, {x: xName, y: yName, xLog = false, yLog = false}) {
  const width = roomy(), height = width < 500 ? 230 : 260;
  const box = {width, height, left: 46, right: 26, top: 24, bottom: 42};
  const all = series.flatMap((s) => s.points), times = all.map((p) => p[0]), values = all.map((p) => p[1]);
  const across = valueAxis(least(times), Math.max(...times, 0), {log: xLog, about: width < 500 ? 3 : 6, room: 0});
  const up = valueAxis(least(values), Math.max(...values, 0), {log: yLog, about: 4});
  const px = (v) => box.left + (width - box.left - box.right) * across.place(v);
  const py = (v) => height - box.bottom - (height - box.top - box.bottom) * up.place(v);
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group'});
  frame(root, box, across.marks, up.marks, px, py, [axisName(xName, xLog), axisName(yName, yLog)]);
  for (const s of series) {
    const path = s.points.map((p, i) => `${i ? 'L' : 'M'}${px(p[0]).toFixed(1)} ${py(p[1]).toFixed(1)}`).join('');
    root.append(svg('path', {d: path, fill: 'none', style: `stroke:${s.paint}`, 'stroke-width': 2, 'stroke-dasharray': s.dash}));
    const last = s.points[s.points.length - 1];
    if (last) {
      root.append(svg('circle', {cx: px(last[0]), cy: py(last[1]), r: 4, style: `fill:${s.paint}`,
        ...accessibleHint(`${s.name}: ${duration(last[0])}, ${s.points.length} iterations`)}));
    }
    const skip = Math.ceil(s.points.length / 200);
    s.points.forEach((p, i) => {
      if (i % skip) return;
      root.append(svg('circle', {cx: px(p[0]), cy: py(p[1]), r: 6, fill: 'transparent',
        ...hoverHint(`${s.name}, ${i + 1}: ${Number.isInteger(p[1]) ? count(p[1]) : tiny(p[1])} ${yName} at ${duration(p[0])}`)}));
    });
  }
  return root;
}

/// Shares of a whole, one labelled column per class; `name` is that of the classes.
function columns(shares, names, paint, {log = false, name}) {
  const width = 260, height = 150, left = 34, bottom = 34, head = 16, floor = 1e-5;
  const each = (width - left) / shares.length;
  const part = (share) => !log ? share : share <= floor ? 0 : 1 - Math.log10(share) / Math.log10(floor);
  const y = (share) => height - bottom - (height - bottom - head) * part(share);
  const label = (share) => share <= (log ? 0 : 0.002) ? '' : share < 0.0001 ? '<.01%' : `${Number((share * 100).toPrecision(share < 0.1 ? 1 : 2))}%`;
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group'});
  for (const m of log ? [1e-4, 1e-2, 1] : [0, 0.5, 1]) {
    root.append(svg('line', {class: 'grid', x1: left, x2: width, y1: y(m), y2: y(m)}),
      svg('text', {class: 'small', x: left - 4, y: y(m) + 3, 'text-anchor': 'end'}, `${Number((m * 100).toPrecision(2))} %`));
  }
  shares.forEach((share, i) => {
    const middle = left + (i + 0.5) * each;
    root.append(svg('rect', {x: left + i * each + 2, y: y(share), width: each - 4, height: height - bottom - y(share), rx: 2,
      style: `fill:${paint}`, ...accessibleHint(`${names[i]} ${name}: ${percent(share)}`)}),
      svg('text', {class: 'small', x: middle, y: y(share) - 4, 'text-anchor': 'middle'}, label(share)),
      svg('text', {class: 'soft', x: middle, y: height - bottom + 14, 'text-anchor': 'middle'}, names[i]));
  });
  root.append(svg('line', {class: 'grid', x1: left, x2: width, y1: height - bottom, y2: height - bottom}),
    svg('text', {class: 'small', x: (left + width) / 2, y: height - 6, 'text-anchor': 'middle'}, axisName(`${name}; share of reads`, log)));
  return root;
}

/// groups: {name, bars: [{name, value, text, paint}]}; a value that is not finite has its text only. One panel per group. With a
/// `mark`, all panels have one scale and a line at the mark; otherwise each has its own.
function panels(groups, {mark} = {}) {
  const width = roomy(), all = groups.flatMap((g) => g.bars);
  const letters = Math.max(...all.map((b) => b.name.length));
  const across = Math.max(1, Math.min(groups.length, Math.floor(width / Math.max(225, letters * 10))));
  const each = width / across, row = 14, head = 18, right = 52, left = Math.min(letters * 6.4 + 8, each * 0.5);
  const high = head + Math.max(...groups.map((g) => g.bars.length)) * row + 12;
  const values = (some) => some.map((b) => b.value).filter(Number.isFinite);
  const common = mark ? Math.max(mark, ...values(all)) : 0;
  const root = svg('svg', {viewBox: `0 0 ${width} ${high * Math.ceil(groups.length / across)}`, role: 'group'});
  groups.forEach((group, g) => {
    const from = (g % across) * each, down = Math.floor(g / across) * high;
    const top = common || Math.max(...values(group.bars), 0) || 1;
    const x = (v) => from + left + (each - left - right) * Math.max(v, 0) / top;
    root.append(svg('text', {x: from, y: down + 12, 'font-weight': 600}, clip(group.name, Math.floor(each / 7.8))));
    group.bars.forEach((bar, i) => {
      const y = down + head + i * row, there = Number.isFinite(bar.value);
      const words = `${group.name}, ${bar.name}: ${bar.text}`;
      root.append(svg('text', {class: 'tick', x: from + left - 6, y: y + 10, 'text-anchor': 'end', ...hoverHint(words)},
        clip(bar.name, Math.floor(left / 6))));
      if (there) root.append(svg('rect', {x: x(0), y: y + 1, width: Math.max(x(bar.value) - x(0), 0.5), height: row - 3, rx: 1,
        style: `fill:${bar.paint}`, ...hoverHint(words)}));
      root.append(svg('text', {class: 'tick', x: (there ? x(bar.value) : x(0)) + 4, y: y + 10}, bar.text));
    });
    if (mark) root.append(svg('line', {class: 'base', x1: x(mark), x2: x(mark), y1: down + head, y2: down + head + group.bars.length * row}));
  });
  return root;
}

/// rows: {name, ours, theirs}, all above 0. One pair per row on a common logarithmic scale: our values are filled, the paper's hollow.
function pairs(rows) {
  const width = roomy(), left = width < 500 ? 90 : 190, right = 30, row = 22;
  const all = rows.flatMap((r) => [r.ours, r.theirs]);
  const marks = decades(Math.min(...all), Math.max(...all));
  const x = (v) => left + (width - left - right) * Math.log10(v / marks[0]) / Math.log10(marks[marks.length - 1] / marks[0]);
  const height = rows.length * row + 24;
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group'});
  for (const m of marks) {
    root.append(svg('line', {class: 'grid', x1: x(m), x2: x(m), y1: 0, y2: height - 20}),
      svg('text', {class: 'soft', x: x(m), y: height - 5, 'text-anchor': 'middle'}, short(m)));
  }
  rows.forEach((r, i) => {
    const y = i * row + row / 2;
    const words = `${r.name}: ours ${short(r.ours)}, the paper's ${short(r.theirs)}`;
    root.append(svg('text', {x: left - 8, y: y + 4, 'text-anchor': 'end'}, clip(r.name, width < 500 ? 13 : 28)),
      svg('line', {class: 'link', x1: x(r.ours), x2: x(r.theirs), y1: y, y2: y}),
      svg('circle', {class: 'theirs', cx: x(r.theirs), cy: y, r: 5, ...hoverHint(words)}),
      svg('circle', {cx: x(r.ours), cy: y, r: 5, style: `fill:${color(0)}`, ...accessibleHint(words)}));
  });
  return root;
}
