/** A form for a JSON value. Checks its fields as the server does. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Json, JsonObject, JsonSchema } from '../../../../tool/json.ts';
import { createJsonSchemaCheck } from '../../../json-schema/check.ts';
import { Button } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';
import { type FieldMember, type FormField, readField, toField } from './form-fields.ts';

interface SchemaFormProps {
  readonly schema: JsonSchema;
  /** The initial value. Without it, the fields are empty. */
  readonly value: Json | undefined;
  readonly submit: string;
  readonly isBusy: boolean;
  readonly onSubmit: (value: JsonObject) => void;
  readonly onCancel: () => void;
}

/** The problems of a form, by the paths of their fields. */
type FieldProblems = ReadonlyMap<string, string>;

const formatPath = (path: readonly PropertyKey[]): string => JSON.stringify(path.map(String));

export function SchemaForm({ schema, value, submit, isBusy, onSubmit, onCancel }: SchemaFormProps) {
  const root = useMemo(() => toField(schema, value, schema), []);
  const [problems, setProblems] = useState<FieldProblems>(new Map());
  const [, redraw] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const send = (event: Event): void => {
    event.preventDefault();
    const found = findProblems(schema, root);
    setProblems(found);
    if (found.size === 0)
      onSubmit(readField(root) as JsonObject); // an input's schema always describes an object
    else
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const shared = { root: schema, problems, onChange: () => redraw((count) => count + 1) };
  const shown = new Set(collectPaths(root, []));
  const others = [...problems].filter(([path]) => !shown.has(path));
  return (
    <form class="schema-form" ref={form} onSubmit={send} noValidate>
      <FieldInput {...shared} field={root} name="Input" path={[]} isRequired />
      {others.map(([path, message]) => (
        <p key={path} class="field-problem" role="alert">
          <Line text={message} most={400} />
        </p>
      ))}
      <div class="actions">
        <Button type="submit" kind="primary" isDisabled={isBusy}>
          {submit}
        </Button>
        <Button onClick={onCancel}>Back</Button>
      </div>
    </form>
  );
}

function findProblems(schema: JsonSchema, root: FormField): FieldProblems {
  const missing = collectMissingPaths(root, []);
  const problems = new Map(missing.map((path) => [formatPath(path), 'Fill this in.']));
  const value = readField(root);
  // Skip an object's own problem if its members are missing. The messages at the empty fields are clearer.
  for (const { path, message } of checkValue(schema, value ?? {}))
    if (!problems.has(formatPath(path)) && !missing.some((one) => isBelow(one, path)))
      problems.set(formatPath(path), message);
  return problems;
}

/** Returns the problems of a value. Empty if only the server can check the schema. */
export function checkValue(
  schema: JsonSchema,
  value: Json,
): ReturnType<ReturnType<typeof createJsonSchemaCheck>> {
  try {
    return createJsonSchemaCheck(structuredClone(schema))(value);
  } catch {
    return [];
  }
}

/** Returns the paths of required inputs that are empty. */
function collectMissingPaths(field: FormField, path: readonly string[]): (readonly string[])[] {
  if (field.kind === 'list')
    return field.items.flatMap((item, at) => collectMissingPaths(item, [...path, String(at)]));
  if (field.kind === 'object')
    return field.members
      .filter(({ isRequired, field: member }) => isRequired || readField(member, false) !== undefined)
      .flatMap(({ name, field: member }) => collectMissingPaths(member, [...path, name]));
  return readField(field) === undefined ? [path] : [];
}

const isBelow = (one: readonly string[], path: readonly PropertyKey[]): boolean =>
  path.length < one.length && path.every((part, at) => String(part) === one[at]);

/** Returns the paths of all inputs. */
function collectPaths(field: FormField, path: readonly string[]): string[] {
  if (field.kind === 'object')
    return field.members.flatMap(({ name, field: member }) => collectPaths(member, [...path, name]));
  if (field.kind === 'list')
    return [
      formatPath(path),
      ...field.items.flatMap((item, at) => collectPaths(item, [...path, String(at)])),
    ];
  return [formatPath(path)];
}

interface FieldProps {
  readonly field: FormField;
  readonly name: string;
  readonly path: readonly string[];
  readonly isRequired: boolean;
  readonly root: JsonSchema;
  readonly problems: FieldProblems;
  readonly onChange: () => void;
}

function FieldInput(props: FieldProps) {
  const { field, name, path } = props;
  if (field.kind === 'object') {
    const members = field.members.map((member: FieldMember) => (
      <FieldInput
        {...props}
        key={member.name}
        field={member.field}
        name={member.name}
        path={[...path, member.name]}
        isRequired={member.isRequired}
      />
    ));
    return path.length === 0 ? members : <Group name={name}>{members}</Group>;
  }
  return field.kind === 'list' ? <ListInput {...props} field={field} /> : <Leaf {...props} field={field} />;
}

const Group = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: preact.ComponentChildren;
}) => (
  <fieldset class="field-group">
    <legend>
      <Line text={name} />
    </legend>
    {children}
  </fieldset>
);

type FieldPropsOf<Kind extends FormField['kind']> = Omit<FieldProps, 'field'> & {
  readonly field: Extract<FormField, { readonly kind: Kind }>;
};

function ListInput(props: FieldPropsOf<'list'>) {
  const { field, name, path, root, problems, onChange } = props;
  const problem = problems.get(formatPath(path));
  return (
    <Group name={name}>
      {field.items.map((item, at) => (
        <div key={at} class="field-item">
          <FieldInput
            {...props}
            field={item}
            name={`${name} ${at + 1}`}
            path={[...path, String(at)]}
            isRequired
          />
          <Button
            kind="quiet"
            label={`Remove ${name} ${at + 1}`}
            onClick={() => {
              field.items.splice(at, 1);
              onChange();
            }}
          >
            ✕
          </Button>
        </div>
      ))}
      <Button
        onClick={() => {
          field.items.push(toField(field.item, undefined, root));
          onChange();
        }}
      >
        Add
      </Button>
      {problem && (
        <p class="field-problem" role="alert">
          <Line text={problem} most={400} />
        </p>
      )}
    </Group>
  );
}

function Leaf({
  field,
  name,
  path,
  isRequired,
  problems,
  onChange,
}: FieldPropsOf<'text' | 'number' | 'json' | 'flag' | 'choice'>) {
  const id = useMemo(() => `field-${crypto.randomUUID()}`, []);
  const problem = problems.get(formatPath(path));
  const { description } = field.schema;
  const input: InputProps = {
    id,
    class: 'input',
    value: field.raw,
    'aria-invalid': problem !== undefined,
    'aria-required': isRequired,
    'aria-describedby': `${id}-about`,
    onInput: (event) => {
      (field as { raw: string }).raw = event.currentTarget.value; // the options are the values of `raw`
      onChange();
    },
  };
  return (
    <div class="field">
      <label for={id}>
        <Line text={name} />
        {!isRequired && <span class="muted"> optional</span>}
      </label>
      <Control field={field} input={input} isRequired={isRequired} />
      <p id={`${id}-about`} class={problem ? 'field-problem' : 'muted small'}>
        {problem ? (
          <Line text={problem} most={400} />
        ) : (
          typeof description === 'string' && <Line text={description} most={400} />
        )}
      </p>
    </div>
  );
}

/** The attributes that all controls share. */
interface InputProps {
  readonly id: string;
  readonly class: string;
  readonly value: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required': boolean;
  readonly 'aria-describedby': string;
  readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void;
}

interface ControlProps {
  readonly field: Extract<FormField, { raw: string }>;
  readonly input: InputProps;
  readonly isRequired: boolean;
}

function Control({ field, input, isRequired }: ControlProps) {
  if (field.kind === 'flag' || field.kind === 'choice') {
    const choices =
      field.kind === 'flag' ? ['true', 'false'] : field.choices.map((one) => JSON.stringify(one));
    return (
      <select {...input}>
        {(!isRequired || field.raw === '') && <option value="">–</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice.replace(/^"(.*)"$/s, '$1').slice(0, 200)}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === 'number') return <input {...input} inputMode="decimal" autocomplete="off" />;
  const isLong = field.kind === 'json' || field.raw.length > 60 || field.raw.includes('\n');
  if (!isLong) return <input {...input} autocomplete="off" />;
  return <textarea {...input} class={field.kind === 'json' ? 'input code' : 'input'} rows={4} />;
}
