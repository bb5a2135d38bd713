/**
 * Set up for tests in Node, which makes hashes on other threads: which of two is ready first is chance there. The runtime of
 * Workers makes them at once, and so does this.
 */
import { createHash, webcrypto } from 'node:crypto';

type Digest = typeof webcrypto.subtle.digest;

const atOnce: Digest = async (algorithm, data) => {
  const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
  const bytes = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
  return new Uint8Array(createHash(name.replace('-', '')).update(bytes).digest()).buffer;
};

// Of the prototype, so that a test may put another one in its place and take that away again.
Object.defineProperty(Object.getPrototypeOf(webcrypto.subtle), 'digest', {
  configurable: true,
  writable: true,
  value: atOnce,
});
