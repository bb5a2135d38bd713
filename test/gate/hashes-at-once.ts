/**
 * Set up for tests in Node, which makes hashes on other threads: which of two is ready first is chance there. The runtime of
 * Workers makes them at once, and so does this.
 */
import { createHash, createHmac, webcrypto } from 'node:crypto';

type Digest = typeof webcrypto.subtle.digest;

const digestSynchronously: Digest = async (algorithm, data) => {
  const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
  return new Uint8Array(createHash(name.replace('-', '')).update(toBytes(data)).digest()).buffer;
};

const { subtle } = webcrypto;
const importKey = subtle.importKey.bind(subtle);
const sign = subtle.sign.bind(subtle);
/** What keys were made of: a key itself does not tell. */
const keys = new WeakMap<object, Uint8Array>();

const importSynchronously = async (...args: Parameters<typeof importKey>): Promise<object> => {
  const key = await importKey(...args);
  const [format, data] = args;
  if (format === 'raw') keys.set(key, toBytes(data));
  return key;
};

/** HMACs by SHA-256 are made at once; nothing else is signed in a test that could tell. */
const signSynchronously: typeof sign = async (algorithm, key, data) => {
  const secret = keys.get(key);
  if (secret === undefined) return sign(algorithm, key, data);
  return new Uint8Array(createHmac('sha256', secret).update(toBytes(data)).digest()).buffer;
};

const toBytes = (data: Parameters<Digest>[1]): Uint8Array =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);

const subtlePrototype = Object.getPrototypeOf(subtle);
const PATCHED_KEY = Symbol.for('hashes at once');
const createValueProperty = (value: unknown) => ({ configurable: true, writable: true, value });

// Of the prototype, so that a test may put another one in its place and take that away again. Once a thread, which runs many files.
if (!(PATCHED_KEY in subtlePrototype)) {
  Object.defineProperties(subtlePrototype, {
    ...{
      digest: createValueProperty(digestSynchronously),
      sign: createValueProperty(signSynchronously),
      importKey: createValueProperty(importSynchronously),
    },
    [PATCHED_KEY]: createValueProperty(true),
  });
}
