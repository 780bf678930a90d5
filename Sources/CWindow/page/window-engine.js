// The reader's engine, over the file that the server has.

import { calls, reopen, take } from '../../../Spec/reader/web/page/engine.js';
import { remoteSlices } from './remote-file.js';

Object.assign(calls, {
  // Takes the server's file, and says what can be said of it without a key.
  connect: (place) => take(remoteSlices(place)),

  // Reads the file anew with the keys at hand, after it has changed.
  reconnect: (place) => reopen(remoteSlices(place)),
});
