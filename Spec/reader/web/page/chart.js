// A line of values over time.

import { drawing } from './dom.js';

// `points` are [time, number], sorted by time; three at least make a line worth drawing.
export function chart(points, name) {
  const times = points.map(([time]) => time);
  const values = points.map(([, value]) => value);
  const [first, last] = [times[0], times[times.length - 1]];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (time) => 1000 * (time - first) / Math.max(1, last - first);
  const y = (value) => 195 - 190 * (high === low ? 0.5 : (value - low) / (high - low));
  const path = points.map(([time, value], place) => `${place ? 'L' : 'M'}${x(time).toFixed(1)} ${y(value).toFixed(1)}`);
  return drawing('svg', {
    class: 'chart', viewBox: '0 0 1000 200', preserveAspectRatio: 'none', height: 200, role: 'img', 'aria-label': name,
  }, drawing('path', { d: path.join('') }));
}
