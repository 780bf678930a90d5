// A Blob as the reader wants files: slices of it, never all.

// The page's copy of a file that nobody writes to while it is open.
export function blobSlices(blob) {
  return {
    live: false,
    size: blob.size,
    async read(offset, length) {
      return new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
    },
    close() {},
  };
}

// The same file; tells what share of it was read.
export function countingReads(file, progress) {
  let read = 0;
  return {
    live: file.live,
    size: file.size,
    async read(offset, length) {
      const bytes = await file.read(offset, length);
      read += bytes.length;
      progress(Math.min(1, read / file.size));
      return bytes;
    },
    close() {},
  };
}
