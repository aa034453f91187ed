'use strict';
// The player of frames: fish or bodies, or the cells of a plane, with the skew of the ticks below.

/// Lines over ticks, with a y axis from 0; returns the drawing and a function that moves its mark.
function tickLines(series, ticks) {
  const width = roomy(), height = 150, left = 40, right = 12, top = 18, bottom = 22;
  const marks = steps(Math.max(...series.flatMap((s) => s.values), 0.1), 3);
  const x = (t) => left + (width - left - right) * t / Math.max(ticks - 1, 1);
  const y = (v) => height - bottom - (height - top - bottom) * v / marks[marks.length - 1];
  const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'lines over ticks'});
  for (const m of marks) {
    root.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: y(m), y2: y(m)}),
      svg('text', {class: 'soft', x: left - 6, y: y(m) + 4, 'text-anchor': 'end'}, short(m)));
  }
  for (const s of series) {
    const path = s.values.map((v, t) => `${t ? 'L' : 'M'}${x(t).toFixed(1)} ${y(v).toFixed(1)}`).join('');
    root.append(svg('path', {d: path, fill: 'none', style: `stroke:${s.paint}`, 'stroke-width': 2}));
  }
  const mark = svg('line', {class: 'base', y1: top, y2: height - bottom, x1: left, x2: left});
  root.append(mark, svg('text', {class: 'soft', x: width - right, y: height - 4, 'text-anchor': 'end'}, 'tick'),
    svg('text', {class: 'soft', x: 0, y: 10}, 'greatest over mean, less one'));
  return {root, at: (tick) => {
    const place = x(Math.min(tick, ticks - 1));
    mark.setAttribute('x1', place);
    mark.setAttribute('x2', place);
  }};
}

/// The shade of a cell: from blue for the least value of the film over white to red for the greatest.
function shadeOf(value, steps) {
  if (value < 0) return '#888';
  const share = 2 * value / steps - 1;
  const pale = Math.round(255 * (1 - Math.abs(share)));
  return share < 0 ? `rgb(${pale},${pale},255)` : `rgb(255,${pale},${pale})`;
}

function paintCells(paint, film, cells, wide, high) {
  const across = wide / film.width, down = high / film.height;
  cells.forEach((value, i) => {
    paint.fillStyle = shadeOf(value, film.steps);
    paint.fillRect((i % film.width) * across, Math.floor(i / film.width) * down, across + 0.5, down + 0.5);
  });
}

/// The frames of a run on a canvas of the available width.
function screen(run) {
  const film = run.film;
  const side = Math.max(film.width, film.height);
  const canvas = el('canvas', {role: 'img', 'aria-label': `film of ${run.name}`, style: `aspect-ratio:${film.width} / ${film.height};background:var(--idle)`});
  let shown = 0;
  const draw = () => {
    const wide = canvas.clientWidth;
    if (wide === 0 || film.frames.length === 0) return;
    const scale = window.devicePixelRatio || 1;
    const high = wide * film.height / film.width;
    canvas.width = wide * scale;
    canvas.height = high * scale;
    const paint = canvas.getContext('2d');
    paint.scale(scale, scale);
    if (film.frames[shown].cells) return paintCells(paint, film, film.frames[shown].cells, wide, high);
    const at = film.frames[shown].at;
    const step = wide * side / film.width / film.steps;
    const size = Math.max(1.2, Math.min(4, wide / Math.sqrt(at.length / 2) / 6));
    const paints = Array.from({length: 8}, (_, i) => resolved(`c${i}`));
    for (let i = 0; i < at.length / 2; ++i) {
      paint.fillStyle = paints[(film.kinds[i] || 0) % 8];
      paint.fillRect(at[2 * i] * step - size / 2, high - at[2 * i + 1] * step - size / 2, size, size);
    }
  };
  new ResizeObserver(draw).observe(canvas);
  document.addEventListener('theme', draw);
  return {canvas, show: (tick) => {
    let best = 0;
    film.frames.forEach((frame, i) => { if (frame.tick <= tick) best = i; });
    shown = best;
    draw();
  }};
}

const kindsOf = (run) => [...new Set(run.film.kinds)].sort((a, b) => a - b);

function motion(runs) {
  const films = runs.filter((run) => run.film && run.film.frames.length > 0);
  const skewed = runs.filter((run) => run.piece && run.piece.lambda_l.length > 0);
  if (films.length === 0 && skewed.length === 0) return null;
  const screens = films.map(screen);
  const lines = skewed.map((run) => tickLines([{values: run.piece.lambda_l, paint: color(0)},
    {values: run.piece.lambda_c, paint: color(1)}], run.iterations));
  const last = Math.max(0, ...films.flatMap((run) => run.film.frames.map((frame) => frame.tick)));
  const label = el('span', {class: 'soft'}, 'tick 0');
  const scrub = el('input', {type: 'range', min: 0, max: last, value: 0, 'aria-label': 'tick', style: 'flex:1',
    oninput: () => show(Number(scrub.value))});
  let tick = 0, timer = null, speed = 1;
  const loop = el('input', {type: 'checkbox', id: 'loop'});
  const pace = choose('speed', [['0.25', '¼ speed'], ['0.5', '½ speed'], ['1', 'speed 1'], ['2', 'speed 2'], ['4', 'speed 4']], '1',
    (value) => { speed = Number(value); if (timer) run(); });
  const show = (now) => {
    tick = now;
    scrub.value = now;
    label.textContent = `tick ${now}`;
    screens.forEach((one) => one.show(now));
    lines.forEach((one) => one.at(now));
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = 'play';
  };
  const step = () => {
    if (!play.isConnected || (tick >= last && !loop.checked)) return stop();
    show(tick >= last ? 0 : tick + 1);
  };
  const run = () => {
    clearInterval(timer);
    timer = setInterval(step, 80 / speed);
  };
  const play = el('button', {type: 'button', onclick: () => {
    if (timer) return stop();
    if (tick >= last) show(0);
    play.textContent = 'pause';
    run();
  }}, 'play');
  show(0);
  return section(films.length ? 'In motion' : 'Skew', (films.length ? 'Positions of all objects after each tick. ' : '') + (skewed.length
    ? 'Lines: how uneven each tick was, λ_L of computing and λ_C of communication (greatest over mean, less one).' : ''),
    films.length ? el('div', {style: 'display:flex;gap:12px;align-items:center;margin:8px 0'}, play, scrub, label,
      pace, el('label', {for: 'loop'}, loop, ' again and again')) : null,
    films.some((run) => kindsOf(run).length > 1) ? legend(kindsOf(films[0]).map((kind) => `kind ${kind}`), (i) => color(i)) : null,
    el('div', {class: 'tiles', style: 'grid-template-columns:repeat(auto-fit,minmax(min(100%,280px),1fr))'},
      films.map((run, i) => el('div', {}, runs.length > 1 ? el('h3', {}, run.name) : null, screens[i].canvas))),
    skewed.length ? legend(['λ_L', 'λ_C']) : null,
    skewed.map((run, i) => el('div', {}, runs.length > 1 ? el('h3', {}, run.name) : null, lines[i].root)));
}
