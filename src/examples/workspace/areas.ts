/** The tables of a workspace. Each collection takes a line or two, from which its tools are generated. */
import * as v from 'valibot';
import { type Collection, collection } from './collection.ts';

/** Collections that belong together. */
export interface Area {
  readonly name: string;
  readonly description: string;
  readonly collections: readonly Collection[];
}

const text = (about: string) => v.pipe(v.string(), v.maxLength(20_000), v.description(about));
const day = (about: string) => v.pipe(v.string(), v.isoDate(), v.description(`${about}, such as 2026-11-30`));
const amount = v.pipe(v.number(), v.minValue(0), v.description('In euro'));
const id = (of: string) => v.pipe(v.string(), v.description(`The id of a ${of}`));

const files: Area = {
  name: 'files',
  description: 'Documents, the folders they lie in, and templates for them.',
  collections: [
    collection('document', 'D', {
      fields: { title: text('Its title'), text: text('What it says'), folderId: v.optional(id('folder')) },
      refersTo: { folderId: 'folders' },
      starts: { status: 'draft' },
      moves: { publish: { status: 'published' }, archive: { status: 'archived' } },
    }),
    collection('folder', 'F', { fields: { title: text('Its title') } }),
    collection('template', 'TP', { fields: { title: text('Its title'), text: text('What it says') } }),
  ],
};

const planning: Area = {
  name: 'planning',
  description: 'Tasks, the milestones they lead to, and risks.',
  collections: [
    collection('task', 'T', {
      fields: {
        title: text('What is to be done'),
        due: v.optional(day('When it is due')),
        milestoneId: v.optional(id('milestone')),
        contactId: v.optional(id('contact')),
      },
      refersTo: { milestoneId: 'milestones', contactId: 'contacts' },
      starts: { status: 'open' },
      moves: { complete: { status: 'done' }, reopen: { status: 'open' } },
    }),
    collection('milestone', 'M', {
      fields: { title: text('What is reached'), due: v.optional(day('When')) },
      starts: { status: 'ahead' },
      moves: { finish: { status: 'reached' } },
    }),
    collection('risk', 'R', {
      fields: { title: text('What may happen'), answer: v.optional(text('What is done then')) },
      starts: { status: 'open' },
      moves: { accept: { status: 'accepted' }, close: { status: 'closed' } },
    }),
  ],
};

const calendar: Area = {
  name: 'calendar',
  description: 'Events, reminders, and reservations of rooms.',
  collections: [
    collection('event', 'E', {
      fields: { title: text('What takes place'), date: day('When'), place: v.optional(text('Where')) },
      starts: { status: 'planned' },
      moves: { cancel: { status: 'cancelled' } },
    }),
    collection('reminder', 'RM', {
      fields: { title: text('What to remember'), date: day('When') },
      starts: { status: 'waiting' },
      moves: { dismiss: { status: 'dismissed' } },
    }),
    collection('reservation', 'RS', {
      fields: { title: text('Which room'), date: day('When'), eventId: v.optional(id('event')) },
      refersTo: { eventId: 'events' },
      starts: { status: 'asked' },
      moves: { confirm: { status: 'confirmed' }, release: { status: 'released' } },
    }),
  ],
};

const notebook: Area = {
  name: 'notebook',
  description: 'Notes, bookmarks, and minutes of events.',
  collections: [
    collection('note', 'N', {
      fields: { title: text('What it is about'), text: text('What it says') },
      starts: { pinned: false },
      moves: { pin: { pinned: true }, unpin: { pinned: false } },
    }),
    collection('bookmark', 'BM', {
      fields: { title: text('What is found there'), url: v.pipe(v.string(), v.url()) },
    }),
    collection(['minute', 'minutes'], 'MI', {
      fields: { title: text('What was decided'), text: text('How'), eventId: v.optional(id('event')) },
      refersTo: { eventId: 'events' },
    }),
  ],
};

const people: Area = {
  name: 'people',
  description: 'Contacts, their companies, and teams.',
  collections: [
    collection('contact', 'C', {
      fields: {
        title: text('Their name'),
        email: v.optional(v.pipe(v.string(), v.email())),
        companyId: v.optional(id('company')),
      },
      refersTo: { companyId: 'companies' },
    }),
    collection(['company', 'companies'], 'CO', {
      fields: { title: text('Its name'), city: v.optional(text('Where it is')) },
    }),
    collection('team', 'TM', {
      fields: { title: text('Its name'), contactId: v.optional(id('contact')) },
      refersTo: { contactId: 'contacts' },
    }),
  ],
};

const money: Area = {
  name: 'money',
  description: 'Invoices, expenses, and the budgets they are paid from.',
  collections: [
    collection('invoice', 'I', {
      fields: { title: text('What for'), amount, companyId: v.optional(id('company')) },
      refersTo: { companyId: 'companies' },
      starts: { status: 'unpaid' },
      moves: { settle: { status: 'paid' }, void: { status: 'void' } },
    }),
    collection('expense', 'X', {
      fields: { title: text('What for'), amount, budgetId: v.optional(id('budget')) },
      refersTo: { budgetId: 'budgets' },
      starts: { status: 'submitted' },
      moves: { approve: { status: 'approved' }, reject: { status: 'rejected' } },
    }),
    collection('budget', 'BU', {
      fields: { title: text('What for'), amount },
      starts: { status: 'open' },
      moves: { freeze: { status: 'frozen' } },
    }),
  ],
};

/** Every area of the workspace, in the order in which the agent sees them. */
export const AREAS: readonly Area[] = [files, planning, calendar, notebook, people, money];

/** Every collection of every area. */
export const COLLECTIONS: readonly Collection[] = AREAS.flatMap(({ collections }) => collections);
