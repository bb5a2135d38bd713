import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createKeyedSerial } from '../../../doors/kinds.ts';

const Order = v.object({ orderId: v.pipe(v.string(), v.trim(), v.maxLength(4)) });
const getOrderId = ({ orderId }: { readonly orderId: string }): string => orderId;

/** Returns the lane of a call with an unchecked input. */
const getLane = (serial: ReturnType<typeof createKeyedSerial>, input: Record<string, string | number>) =>
  typeof serial === 'function' ? serial(input) : serial;

describe('the lane of a tool with keyed memory', () => {
  it.each([
    ['the key', { orderId: '41' }, 'orders 41'],
    ['the key from the parsed input', { orderId: ' 41 ' }, 'orders 41'],
    ['the tool alone if the input is not valid', { orderId: 'too long' }, 'orders'],
    ['the tool alone if the property is missing', {}, 'orders'],
  ])('is named after %s', (_, input, expected) => {
    expect(getLane(createKeyedSerial('orders', Order, getOrderId), input)).toBe(expected);
  });

  it('uses the raw input for JSON Schema, and without a schema', () => {
    const getId = (input: object): string => String(Reflect.get(input, 'id'));
    expect(getLane(createKeyedSerial('orders', jsonSchema({ type: 'object' }), getId), { id: 7 })).toBe(
      'orders 7',
    );
    expect(getLane(createKeyedSerial('orders', undefined, getId), { id: 7 })).toBe('orders undefined');
  });

  it('is the name of the tool if there is no key, the key function throws, or the schema is asynchronous', () => {
    const throwError = (): string => {
      throw new Error('No key.');
    };
    const slow = v.objectAsync({ orderId: v.string() });
    const failing = v.objectAsync({
      orderId: v.pipeAsync(
        v.string(),
        v.checkAsync(async () => throwError() === ''),
      ),
    });
    expect(createKeyedSerial('orders', Order, undefined)).toBe('orders');
    expect(getLane(createKeyedSerial('orders', Order, throwError), { orderId: '41' })).toBe('orders');
    expect(getLane(createKeyedSerial('orders', slow, getOrderId), { orderId: '41' })).toBe('orders');
    expect(getLane(createKeyedSerial('orders', failing, getOrderId), { orderId: '41' })).toBe('orders');
  });
});
