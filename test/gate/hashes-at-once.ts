/**
 * Setup for tests in Node. Node computes hashes on other threads, so they complete in random order. This file
 * computes them synchronously, as the Workers runtime does.
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
/** The data of imported keys, which the keys do not expose. */
const keys = new WeakMap<object, Uint8Array>();

const importSynchronously = async (...args: Parameters<typeof importKey>): Promise<object> => {
  const key = await importKey(...args);
  const [format, data] = args;
  if (format === 'raw') keys.set(key, toBytes(data));
  return key;
};

/** Computes HMAC-SHA256 synchronously. Tests do not depend on the timing of other signatures. */
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

// Set on the prototype, so that a test can override a function and remove the override. Once per thread,
// which runs many files.
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
