import * as v from 'valibot';
import { defineDomainType } from '../../index.ts';

const documentSchema = v.object({ documentId: v.string(), title: v.string(), text: v.string() });

/** A text in the reading room. */
export type DocumentText = v.InferOutput<typeof documentSchema>;

/** The domain type of documents, for chaining and the blackboard. */
export const Document = defineDomainType({ name: 'Document', schema: documentSchema });

/** The texts of the reading room, written for this example. */
export const documents: readonly DocumentText[] = [
  {
    documentId: 'D-1',
    title: 'Why the tide comes twice a day',
    text:
      'The moon pulls the water nearest to it more strongly than the earth, and the earth more strongly than the water ' +
      'behind it. So the sea stands high on both sides, and a harbor that turns with the earth meets two tides in a ' +
      'little more than a day. The sun does the same at less than half the strength. When sun and moon pull in one line, ' +
      'at new moon and full moon, the spring tide is highest. When they pull at right angles, the neap tide is lowest.',
  },
  {
    documentId: 'D-2',
    title: 'What holds kelp to the rock',
    text:
      'Kelp has no roots. A holdfast of many small fingers grips the rock and takes no food from it. The blade above ' +
      'bends with every wave, and so the pull on the holdfast stays small. A storm does not break the holdfast; it tears ' +
      'the rock out with it. On sand, where there is nothing to grip, no kelp forest grows.',
  },
  {
    documentId: 'D-3',
    title: 'Reading a tide table',
    text:
      'A tide table gives the times and heights of high water and low water for one port. For another port one adds the ' +
      'difference that is printed below the table. Between the two, the water rises slowly in the first hour, fastest in ' +
      'the third and fourth, and slowly in the sixth: one, two, three, three, two, one twelfths of the whole. Wind and ' +
      'low pressure can raise the water by half a meter above what the table says.',
  },
  {
    documentId: 'D-4',
    title: 'The lamp and the lens',
    text:
      'A flame sends its light in every direction, and nearly all of it is lost to a sailor. Rings of glass around the ' +
      'lamp bend what would be lost into one flat beam. So a lamp of no more than a few candles was seen at twenty miles. ' +
      'Each lighthouse turned its lens at its own pace, so that a sailor could tell one light from another by counting.',
  },
  {
    documentId: 'D-5',
    title: 'A knot that can be undone',
    text:
      'A good knot holds under load and comes loose by hand. The bowline makes a loop that does not slip and does not jam. ' +
      'A wet rope of natural fiber swells, and a knot tied in it dry may never open again. A knot takes away up to half ' +
      'of the strength of a rope; a splice takes away little.',
  },
];
