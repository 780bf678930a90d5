// The page's side of the engine: calls that answer with promises.

// A failure of a vault, with the class of its outcome (reader.md, 1).
export class CallFailure extends Error {
  constructor({ verdict, message }) {
    super(message);
    this.verdict = verdict;
  }
}

export class Client {
  // `makeWorker` gives a new worker that runs engine.js.
  constructor(makeWorker) {
    this.worker = makeWorker();
    this.waiting = new Map();
    this.count = 0;
    this.worker.onmessage = ({ data }) => this.#take(data);
    this.worker.onerror = (event) => this.#failAll(event.message);
  }

  // Calls the engine; `progress` gets shares from 0 to 1.
  call(name, given, progress) {
    this.count++;
    const call = this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(call, { resolve, reject, progress });
      this.worker.postMessage({ call, name, given });
    });
  }

  // Ends the worker, and with it all that it knew.
  close() {
    this.worker.terminate();
    this.#failAll('closed');
  }

  #take({ call, share, result, error }) {
    const waiting = this.waiting.get(call);
    if (!waiting) return;
    if (share !== undefined) {
      waiting.progress?.(share);
      return;
    }
    this.waiting.delete(call);
    if (error) waiting.reject(new CallFailure(error));
    else waiting.resolve(result);
  }

  #failAll(message) {
    for (const { reject } of this.waiting.values()) reject(new CallFailure({ verdict: 'io', message }));
    this.waiting.clear();
  }
}
