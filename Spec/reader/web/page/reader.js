// The pocket reader: the page with its engine inside, in one file (product/reader-page.md).

import { App } from './app.js';

// The engine's source; the bundle puts it here.
const source = "ENGINE";

function makeWorker() {
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  return new Worker(address);
}

new App(document.getElementById('page'), makeWorker).start();
