// A line of values over time.

import { drawing } from './dom.js';

// As many points as a line can show.
const MOST = 2000;

function thinned(points) {
  const step = Math.ceil(points.length / MOST);
  return points.filter((_, place) => place % step === 0 || place === points.length - 1);
}

// `points` are [time, number], sorted by time; three at least make a line worth drawing.
export function chart(given, name) {
  const points = thinned(given.filter(([, value]) => Number.isFinite(value)));
  const times = points.map(([time]) => time);
  const [first, last] = [times[0], times[times.length - 1]];
  const low = points.reduce((least, [, value]) => Math.min(least, value), Infinity);
  const high = points.reduce((most, [, value]) => Math.max(most, value), -Infinity);
  const x = (time) => 1000 * (time - first) / Math.max(1, last - first);
  const y = (value) => 195 - 190 * (high === low ? 0.5 : (value - low) / (high - low));
  const path = points.map(([time, value], place) => `${place ? 'L' : 'M'}${x(time).toFixed(1)} ${y(value).toFixed(1)}`);
  return drawing('svg', {
    class: 'chart', viewBox: '0 0 1000 200', preserveAspectRatio: 'none', height: 200, role: 'img', 'aria-label': name,
  }, drawing('path', { d: path.join('') }));
}
