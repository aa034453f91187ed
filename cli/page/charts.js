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

/// rows: {name, parts: [{value, paint, tip}], label, range: [least, most]}. One bar per row; its parts are stacked.
function bars(rows, {mark, unit = short} = {}) {
  const width = roomy(), left = width < 500 ? 78 : 130, right = 104, row = 24, gap = 8;
  const name = width < 500 ? 11 : 20;
  const totals = rows.map((r) => Math.max(sum(r.parts.map((p) => p.value)), r.range ? r.range[1] : 0));
  const marks = steps(Math.max(...totals, mark || 0), width < 500 ? 3 : 5);
  const top = marks[marks.length - 1];
  const x = (v) => left + (width - left - right) * v / top;
  const height = rows.length * (row + gap) + 22;
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group'});
  for (const m of marks) {
    root.append(svg('line', {class: 'grid', x1: x(m), x2: x(m), y1: 0, y2: height - 20}),
      svg('text', {class: 'soft', x: x(m), y: height - 5, 'text-anchor': 'middle'}, unit(m)));
  }
  rows.forEach((r, i) => {
    const y = i * (row + gap) + 2;
    let at = 0;
    root.append(svg('text', {x: left - 8, y: y + row / 2 + 4, 'text-anchor': 'end', ...hoverHint(r.name)}, clip(r.name, name)));
    for (const part of r.parts) {
      root.append(svg('rect', {x: x(at), y, width: Math.max(x(at + part.value) - x(at), 0.5), height: row,
        rx: 2, style: `fill:${part.paint}`, ...accessibleHint(part.tip || r.name)}));
      at += part.value;
    }
    if (r.range) {
      const [least, most] = r.range.map(x);
      root.append(svg('path', {class: 'whisker', d: `M${least} ${y + 7}v10M${least} ${y + 12}H${most}M${most} ${y + 7}v10`}));
      at = Math.max(at, r.range[1]);
    }
    root.append(svg('text', {x: x(at) + 6, y: y + row / 2 + 4}, r.label));
  });
  if (mark) root.append(svg('line', {class: 'base', x1: x(mark), x2: x(mark), y1: 0, y2: height - 20}));
  return root;
}

/// series: {name, points: [[x, y]], paint, dash}. y is logarithmic, with zeros on the axis; x is logarithmic if `log`.
/// The y axis starts at 1, or at the smallest value if `small`.
function curves(series, {x: xName, y: yName, log = false, small = false}) {
  const width = roomy(), height = width < 500 ? 240 : 320, left = 46, right = 26, top = 24, bottom = 34;
  const all = series.flatMap((s) => s.points);
  const latest = Math.max(...all.map((p) => p[0]), 0);
  const positive = all.map((p) => p[0]).filter((v) => v > 0);
  const xs = log && positive.length ? decades(Math.min(...positive), latest) : steps(latest, width < 500 ? 3 : 6);
  const end = xs[xs.length - 1];
  const share = log && positive.length
    ? (v) => Math.log10(Math.max(v, xs[0]) / xs[0]) / Math.log10(end / xs[0]) : (v) => v / end;
  const heights = all.map((p) => p[1]).filter((v) => v > 0);
  const ys = small && heights.length ? decades(Math.min(...heights), Math.max(...heights)) : decades(1, Math.max(...heights, 10));
  const least = ys[0], powers = ys.length - 1;
  const px = (v) => left + (width - left - right) * share(v);
  const py = (v) => height - bottom - (height - top - bottom) * (v < least * (1 - 1e-9) ? 0 : (Math.log10(v / least) + 0.15) / (powers + 0.15));
  const amount = small ? tiny : count;
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group'});
  const every = Math.ceil(ys.length / 12);
  ys.forEach((v, i) => {
    root.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: py(v), y2: py(v)}),
      svg('text', {class: 'soft', x: left - 6, y: py(v) + 4, 'text-anchor': 'end'}, i % every ? '' : small ? tiny(v) : short(v)));
  });
  root.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: py(0), y2: py(0)}));
  for (const v of xs) {
    root.append(svg('line', {class: 'grid', x1: px(v), x2: px(v), y1: top, y2: height - bottom}),
      svg('text', {class: 'soft', x: px(v), y: height - 16, 'text-anchor': 'middle'}, duration(v)));
  }
  root.append(svg('text', {class: 'soft', x: width - right, y: height - 2, 'text-anchor': 'end'},
    log ? `${xName} (logarithmic)` : xName), svg('text', {class: 'soft', x: 0, y: 10}, yName));
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
        ...hoverHint(`${s.name}, ${i + 1}: ${amount(p[1])} ${yName} at ${duration(p[0])}`)}));
    });
  }
  return root;
}

/// Shares of a whole on a logarithmic scale, one labelled column per class.
function columns(shares, names, paint) {
  const width = 260, height = 136, bottom = 18, head = 16, floor = 1e-5;
  const each = width / shares.length;
  const h = (share) => share <= floor ? 0 : (height - bottom - head) * (1 - Math.log10(share) / Math.log10(floor));
  const label = (share) => share <= 0 ? '' : share < 0.0001 ? '<.01%' : `${Number((share * 100).toPrecision(share < 0.1 ? 1 : 2))}%`;
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group'});
  shares.forEach((share, i) => {
    root.append(svg('rect', {x: i * each + 2, y: height - bottom - h(share), width: each - 4,
      height: h(share), rx: 2, style: `fill:${paint}`, ...accessibleHint(`staleness ${names[i]}: ${percent(share)}`)}),
      svg('text', {class: 'small', x: (i + 0.5) * each, y: height - bottom - h(share) - 4, 'text-anchor': 'middle'}, label(share)),
      svg('text', {class: 'soft', x: (i + 0.5) * each, y: height - 4, 'text-anchor': 'middle'}, names[i]));
  });
  root.append(svg('line', {class: 'grid', x1: 0, x2: width, y1: height - bottom, y2: height - bottom}));
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
