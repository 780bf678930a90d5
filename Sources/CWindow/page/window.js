// The window: the reader's page over a server on this machine, which can do what the command can (product/window.md).

import { WindowApp } from './window-app.js';

// The engine's source; the bundle puts it here.
const source = "ENGINE";

function makeWorker() {
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  return new Worker(address);
}

new WindowApp(document.getElementById('page'), makeWorker).start();
