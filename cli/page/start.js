'use strict';
// Shows the data that is embedded in the page.
const data = JSON.parse(document.getElementById('data').textContent);
document.title = data.title;
const shown = data.runs ? comparison(data) : replays(data);
const root = document.documentElement;
const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
const turn = el('button', {type: 'button', onclick: () => {
  root.dataset.theme = dark() ? 'light' : 'dark';
  document.dispatchEvent(new Event('theme'));
}}, 'light / dark');
const written = data.written || new Date(document.lastModified).toISOString().slice(0, 10);
const about = [...(shown.facts || []), data.about, `written ${written}`].join(' · ');
document.body.append(el('header', {}, el('h1', {}, data.title), el('p', {}, about), shown.choice || null, turn),
  shown.main, tip);
let width = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === width) return;  // on phones, the address bar changes the height only
  width = innerWidth;
  shown.again();
});
