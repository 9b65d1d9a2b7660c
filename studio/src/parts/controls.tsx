// controls.tsx: the page's sliders, choices, switches and buttons.
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { decimal } from "../strings/numbers";

interface SliderProps {
  label: string;
  value: number;
  least: number;
  most: number;
  step?: number;
  /** Positions of the slider are logarithms of the value. */
  log?: boolean;
  /** How the value reads. */
  show?: (value: number) => string;
  hint?: string;
  onChange(value: number): void;
}

export function Slider(props: SliderProps) {
  const { label, value, least, most, step = 1, log = false, show = (v) => decimal(String(v)) } = props;
  const id = useId();
  const place = log ? Math.log(value) : value;
  const read = (text: string) => {
    const v = log ? Math.exp(Number(text)) : Number(text);
    return Math.min(most, Math.max(least, Number((Math.round(v / step) * step).toPrecision(12))));
  };
  return (
    <div class="slider" title={props.hint}>
      <label for={id}>{label}</label>
      <output for={id}>{show(value)}</output>
      <input
        id={id}
        type="range"
        min={log ? Math.log(least) : least}
        max={log ? Math.log(most) : most}
        step={log ? "any" : step}
        value={place}
        aria-valuetext={show(value)}
        onInput={(event) => props.onChange(read(event.currentTarget.value))}
        onKeyDown={(event) => {
          if (!log || !["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key)) return;
          event.preventDefault();
          const up = event.key === "ArrowRight" || event.key === "ArrowUp";
          const next = up ? Math.max(value * 1.1, value + step) : Math.min(value / 1.1, value - step);
          props.onChange(read(String(Math.log(Math.max(least, next)))));
        }}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  /** Options of one group are listed together, after those without a group. */
  options: { value: string; label: string; group?: string; mark?: boolean }[]; // mark: drawn differently
  hint?: string;
  onChange(value: string): void;
}

export function Choice({ label, value, options, hint, onChange }: ChoiceProps) {
  const id = useId();
  const groups = [...new Set(options.map((option) => option.group ?? ""))].filter((group) => group !== "");
  const item = (option: ChoiceProps["options"][number]) => (
    <option key={option.value} value={option.value}>{option.label}</option>
  );
  return (
    <div class="choice" title={hint}>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.filter((option) => !option.group).map(item)}
        {groups.map((group) => (
          <optgroup key={group} label={group}>{options.filter((option) => option.group === group).map(item)}</optgroup>
        ))}
      </select>
    </div>
  );
}

/** Where a key leads from option `now` of `count`; null for keys that are not for choosing. */
export function optionAt(key: string, now: number, count: number): number | null {
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  if (by !== undefined) return (now + by + count) % count;
  return key === "Home" ? 0 : key === "End" ? count - 1 : null;
}

interface RadiosProps extends ChoiceProps {
  kind: string; // class of the group
  item?: string; // class of an option
}

/** Alternatives of which one is chosen: one stop of Tab; arrows, Home and End choose and take the focus along. */
export function Radios({ kind, item, label, value, options, onChange }: RadiosProps) {
  const buttons = useRef<(HTMLButtonElement | null)[]>([]);
  const chosen = Math.max(0, options.findIndex((option) => option.value === value));
  const onKeyDown = (event: KeyboardEvent, k: number) => {
    const next = event.ctrlKey || event.metaKey || event.altKey ? null : optionAt(event.key, k, options.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    buttons.current[next]?.focus();
    onChange(options[next].value);
  };
  return (
    <div class={kind} role="radiogroup" aria-label={label}>
      {options.map((option, k) => (
        <button
          key={option.value}
          ref={(made) => { buttons.current[k] = made; }}
          type="button"
          role="radio"
          class={option.mark ? `${item ?? ""} marked` : item}
          aria-checked={option.value === value}
          tabIndex={k === chosen ? 0 : -1}
          onClick={() => onChange(option.value)}
          onKeyDown={(event) => onKeyDown(event, k)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

/** A few short alternatives side by side. */
export function Segments(props: ChoiceProps) {
  return <Radios {...props} kind="segments" />;
}

interface SwitchProps {
  label: string;
  on: boolean;
  hint?: string;
  onChange(on: boolean): void;
}

export function Switch({ label, on, hint, onChange }: SwitchProps) {
  return (
    <label class="switch" title={hint}>
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

interface ButtonProps {
  children: ComponentChildren;
  onClick(): void;
  label?: string;
  primary?: boolean;
  disabled?: boolean;
  pressed?: boolean;
  hint?: string;
}

export function Button({ children, onClick, label, primary, disabled, pressed, hint }: ButtonProps) {
  return (
    <button
      type="button"
      class={primary ? "button primary" : "button"}
      aria-label={label}
      aria-pressed={pressed}
      title={hint ?? label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

/** A titled group of controls; folds away. */
export function Group({ title, open = true, children }: { title: string; open?: boolean; children: ComponentChildren }) {
  return (
    <details class="group" open={open}>
      <summary>{title}</summary>
      <div class="group-body">{children}</div>
    </details>
  );
}
