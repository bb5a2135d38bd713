/** The tables of a workspace. Each collection is a line or two, from which its tools are generated. */
import * as v from 'valibot';
import { type Collection, defineCollection } from './collection.ts';

/** Collections that belong together. */
export interface Area {
  readonly name: string;
  readonly description: string;
  readonly collections: readonly Collection[];
}

const textField = (about: string) => v.pipe(v.string(), v.maxLength(20_000), v.description(about));
const dayField = (about: string) =>
  v.pipe(v.string(), v.isoDate(), v.description(`${about}, such as 2026-11-30`));
const amount = v.pipe(v.number(), v.minValue(0), v.description('In euro'));
const idField = (of: string) => v.pipe(v.string(), v.description(`The id of a ${of}`));

const files: Area = {
  name: 'files',
  description: 'Documents, the folders they lie in, and templates for them.',
  collections: [
    defineCollection('document', 'D', {
      fields: {
        title: textField('Its title'),
        text: textField('What it says'),
        folderId: v.optional(idField('folder')),
      },
      refersTo: { folderId: 'folders' },
      starts: { status: 'draft' },
      moves: { publish: { status: 'published' }, archive: { status: 'archived' } },
    }),
    defineCollection('folder', 'F', { fields: { title: textField('Its title') } }),
    defineCollection('template', 'TP', {
      fields: { title: textField('Its title'), text: textField('What it says') },
    }),
  ],
};

const planning: Area = {
  name: 'planning',
  description: 'Tasks, the milestones they lead to, and risks.',
  collections: [
    defineCollection('task', 'T', {
      fields: {
        title: textField('What is to be done'),
        due: v.optional(dayField('When it is due')),
        milestoneId: v.optional(idField('milestone')),
        contactId: v.optional(idField('contact')),
      },
      refersTo: { milestoneId: 'milestones', contactId: 'contacts' },
      starts: { status: 'open' },
      moves: { complete: { status: 'done' }, reopen: { status: 'open' } },
    }),
    defineCollection('milestone', 'M', {
      fields: { title: textField('What is reached'), due: v.optional(dayField('When')) },
      starts: { status: 'ahead' },
      moves: { finish: { status: 'reached' } },
    }),
    defineCollection('risk', 'R', {
      fields: { title: textField('What may happen'), answer: v.optional(textField('What is done then')) },
      starts: { status: 'open' },
      moves: { accept: { status: 'accepted' }, close: { status: 'closed' } },
    }),
  ],
};

const calendar: Area = {
  name: 'calendar',
  description: 'Events, reminders, and reservations of rooms.',
  collections: [
    defineCollection('event', 'E', {
      fields: {
        title: textField('What takes place'),
        date: dayField('When'),
        place: v.optional(textField('Where')),
      },
      starts: { status: 'planned' },
      moves: { cancel: { status: 'cancelled' } },
    }),
    defineCollection('reminder', 'RM', {
      fields: { title: textField('What to remember'), date: dayField('When') },
      starts: { status: 'waiting' },
      moves: { dismiss: { status: 'dismissed' } },
    }),
    defineCollection('reservation', 'RS', {
      fields: {
        title: textField('Which room'),
        date: dayField('When'),
        eventId: v.optional(idField('event')),
      },
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
    defineCollection('note', 'N', {
      fields: { title: textField('What it is about'), text: textField('What it says') },
      starts: { pinned: false },
      moves: { pin: { pinned: true }, unpin: { pinned: false } },
    }),
    defineCollection('bookmark', 'BM', {
      fields: { title: textField('What is found there'), url: v.pipe(v.string(), v.url()) },
    }),
    defineCollection(['minute', 'minutes'], 'MI', {
      fields: {
        title: textField('What was decided'),
        text: textField('How'),
        eventId: v.optional(idField('event')),
      },
      refersTo: { eventId: 'events' },
    }),
  ],
};

const people: Area = {
  name: 'people',
  description: 'Contacts, their companies, and teams.',
  collections: [
    defineCollection('contact', 'C', {
      fields: {
        title: textField('Their name'),
        email: v.optional(v.pipe(v.string(), v.email())),
        companyId: v.optional(idField('company')),
      },
      refersTo: { companyId: 'companies' },
    }),
    defineCollection(['company', 'companies'], 'CO', {
      fields: { title: textField('Its name'), city: v.optional(textField('Where it is')) },
    }),
    defineCollection('team', 'TM', {
      fields: { title: textField('Its name'), contactId: v.optional(idField('contact')) },
      refersTo: { contactId: 'contacts' },
    }),
  ],
};

const money: Area = {
  name: 'money',
  description: 'Invoices, expenses, and the budgets they are paid from.',
  collections: [
    defineCollection('invoice', 'I', {
      fields: { title: textField('What for'), amount, companyId: v.optional(idField('company')) },
      refersTo: { companyId: 'companies' },
      starts: { status: 'unpaid' },
      moves: { settle: { status: 'paid' }, void: { status: 'void' } },
    }),
    defineCollection('expense', 'X', {
      fields: { title: textField('What for'), amount, budgetId: v.optional(idField('budget')) },
      refersTo: { budgetId: 'budgets' },
      starts: { status: 'submitted' },
      moves: { approve: { status: 'approved' }, reject: { status: 'rejected' } },
    }),
    defineCollection('budget', 'BU', {
      fields: { title: textField('What for'), amount },
      starts: { status: 'open' },
      moves: { freeze: { status: 'frozen' } },
    }),
  ],
};

/** Every area of the workspace, in the order in which the agent sees them. */
export const AREAS: readonly Area[] = [files, planning, calendar, notebook, people, money];

/** Every collection of every area. */
export const COLLECTIONS: readonly Collection[] = AREAS.flatMap(({ collections }) => collections);
