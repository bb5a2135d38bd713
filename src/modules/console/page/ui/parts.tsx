/** Small components that all views share. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Failure, isMissingRoute } from '../data/api.ts';
import { Line, Words } from './words.tsx';

type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad';

/** A short label for a status. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean;
  /** The accessible name. Required if the children are only a symbol. */
  readonly label?: string;
  readonly isPressed?: boolean;
}

export function Button({
  children,
  onClick,
  kind = 'plain',
  type = 'button',
  isDisabled,
  label,
  isPressed,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind}`}
      onClick={onClick}
      disabled={isDisabled}
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
    >
      {children}
    </button>
  );
}

/** A collapsible part, whose content renders when it is opened. */
export function Fold({
  title,
  children,
}: {
  readonly title: string;
  readonly children: () => ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

/** Shown instead of missing data. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="muted">{children}</div>}
    </div>
  );
}

/** Shows a failure. Shows `missing` instead if the app lacks the module that serves the data. */
export function Problem({
  failure,
  missing,
  onRetry,
}: {
  readonly failure: Failure;
  readonly missing?: ComponentChildren;
  readonly onRetry?: () => void;
}) {
  if (missing !== undefined && isMissingRoute(failure)) return <Empty title="Not available">{missing}</Empty>;
  return (
    <div class="problem" role="alert">
      <Words text={failure.message} />
      <p class="muted">
        <code>
          <Line text={failure.type} />
        </code>{' '}
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
      </p>
    </div>
  );
}

export const Loading = ({ what }: { readonly what: string }) => (
  <p class="loading muted" role="status">
    Loading {what}…
  </p>
);

/** Shows a used amount as a bar. Without `most`, shows only the number. */
export function Meter({
  label,
  used,
  most,
  format = String,
}: {
  readonly label: string;
  readonly used: number;
  readonly most?: number | undefined;
  readonly format?: (value: number) => string;
}) {
  const share = most === undefined || most === 0 ? undefined : Math.min(1, used / most);
  return (
    <div class="meter">
      <span class="meter-label">
        <Line text={label} />
      </span>
      <span class="meter-value">
        {format(used)}
        {most !== undefined && <span class="muted"> of {format(most)}</span>}
      </span>
      {share !== undefined && (
        <span class="meter-track" aria-hidden="true">
          <span
            class={share >= 0.9 ? 'meter-fill warn' : 'meter-fill'}
            style={{ width: `${share * 100}%` }}
          />
        </span>
      )}
    </div>
  );
}

/** Lists names with their values. Omits rows without a value. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A section of a view, with a title. */
export function Section({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="section">
      <header class="section-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
