import { expectTypeOf } from 'vitest';
import { defineTool, type Parameter, type Tool } from '../../../../../src/index.ts';
import {
  arrayParameter,
  booleanParameter,
  integerParameter,
  numberParameter,
  objectParameter,
  parameters,
  stringParameter,
} from '../../../../../src/modules/json-schema/entry.ts';

const form = defineTool({
  name: 'form',
  description: 'A form.',
  input: parameters({
    city: stringParameter(),
    unit: stringParameter('The unit', { enum: ['C', 'F'] }),
    days: integerParameter('How many', { required: false }),
    step: numberParameter('How fine', { enum: [1, 2], required: false }),
    exact: booleanParameter('Exactly', { required: true }),
    tags: arrayParameter(stringParameter()),
    address: objectParameter({ zip: stringParameter(), floor: integerParameter('x', { required: false }) }),
  }),
  run: (input) => input.city,
});

type Form = {
  city: string;
  unit: 'C' | 'F';
  days?: number;
  step?: 1 | 2;
  exact: boolean;
  tags: string[];
  address: { zip: string; floor?: number };
};
expectTypeOf(form).toEqualTypeOf<Tool<'form', Form, string>>();

// Parameters made at run time have unknown names, so each value may be missing.
export const defineDynamic = (declared: Readonly<Record<string, Parameter<string>>>) =>
  defineTool({
    name: 'dynamic',
    description: 'A form.',
    input: parameters(declared),
    run: (input) => {
      expectTypeOf(input.any).toEqualTypeOf<string | undefined>();
    },
  });

const input = parameters({ city: stringParameter() });
// @ts-expect-error there is no parameter `town`
defineTool({ name: 'typo', description: 'A form.', input, run: ({ town }) => town });

// @ts-expect-error a text is not an integer
integerParameter('x', { enum: ['one'] });

// @ts-expect-error an item must be a parameter
arrayParameter('string');
