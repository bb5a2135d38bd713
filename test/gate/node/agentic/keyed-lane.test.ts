import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { keyedSerial } from '../../../doors/kinds.ts';

const Order = v.object({ orderId: v.pipe(v.string(), v.trim(), v.maxLength(4)) });
const key = ({ orderId }: { readonly orderId: string }): string => orderId;

/** Returns the lane of a call with an unchecked input. */
const laneOf = (serial: ReturnType<typeof keyedSerial>, input: Record<string, string | number>) =>
  typeof serial === 'function' ? serial(input) : serial;

describe('the lane of a tool with keyed memory', () => {
  it.each([
    ['the key', { orderId: '41' }, 'orders 41'],
    ['the key from the parsed input', { orderId: ' 41 ' }, 'orders 41'],
    ['the tool alone if the input is not valid', { orderId: 'too long' }, 'orders'],
    ['the tool alone if the property is missing', {}, 'orders'],
  ])('is named by %s', (_, input, expected) => {
    expect(laneOf(keyedSerial('orders', Order, key), input)).toBe(expected);
  });

  it('uses the raw input for JSON Schema, and without a schema', () => {
    const byId = (input: object): string => String(Reflect.get(input, 'id'));
    expect(laneOf(keyedSerial('orders', jsonSchema({ type: 'object' }), byId), { id: 7 })).toBe('orders 7');
    expect(laneOf(keyedSerial('orders', undefined, byId), { id: 7 })).toBe('orders undefined');
  });

  it('is the name of the tool if there is no key, the key function throws, or the schema is asynchronous', () => {
    const throws = (): string => {
      throw new Error('No key.');
    };
    const slow = v.objectAsync({ orderId: v.string() });
    const failing = v.objectAsync({
      orderId: v.pipeAsync(
        v.string(),
        v.checkAsync(async () => throws() === ''),
      ),
    });
    expect(keyedSerial('orders', Order, undefined)).toBe('orders');
    expect(laneOf(keyedSerial('orders', Order, throws), { orderId: '41' })).toBe('orders');
    expect(laneOf(keyedSerial('orders', slow, key), { orderId: '41' })).toBe('orders');
    expect(laneOf(keyedSerial('orders', failing, key), { orderId: '41' })).toBe('orders');
  });
});
